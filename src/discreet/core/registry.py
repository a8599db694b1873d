"""Classes and functions by name, each imported when first needed: a device loads only the mechanism that it uses."""

from __future__ import annotations

from collections import UserDict
from importlib import import_module
from typing import Any, TypeVar

Kind = TypeVar("Kind")


class Registry(UserDict[str, Kind]):
    """A mapping from names to classes or functions, given as ``"module:name"`` below `discreet`, loaded on first use.

    It is how a lower layer names what a higher one provides, as entry points do: nothing above is imported before
    somebody asks for it, and what needs NumPy fails only where it is asked for.
    """

    def __init__(self, entries: dict[str, Any]) -> None:
        super().__init__(entries)

    def __getitem__(self, name: str) -> Kind:
        entry: Any = self.data[name]
        if isinstance(entry, str):
            file, _, attribute = entry.partition(":")
            entry = self.data[name] = getattr(import_module(f"discreet.{file}"), attribute)
        kind: Kind = entry
        return kind
