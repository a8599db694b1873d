"""Classes and functions by name, each imported when first needed: a device loads only the mechanism that it uses."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any, Generic, TypeVar

Kind = TypeVar("Kind")


class Registry(MutableMapping[str, Kind], Generic[Kind]):
    """A mapping from names to classes or functions, given as ``"module:name"`` below `discreet`, loaded on first use.

    It is how a lower layer names what a higher one provides, as entry points do: nothing above is imported before
    somebody asks for it, and what needs NumPy fails only where it is asked for.
    """

    def __init__(self, entries: dict[str, str]) -> None:
        self._entries: dict[str, Any] = dict(entries)

    def __getitem__(self, name: str) -> Kind:
        entry = self._entries[name]
        if isinstance(entry, str):
            file, _, attribute = entry.partition(":")
            entry = self._entries[name] = getattr(import_module(f"discreet.{file}"), attribute)
        kind: Kind = entry
        return kind

    def __setitem__(self, name: str, kind: Kind) -> None:
        self._entries[name] = kind

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
