"""One table of a spec: each entry is taken by name and type, and any left over is refused.

Whole numbers given by their ends, ``{from = 18, to = 99}``, wherever a spec lists values or points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from .canonical import EXACT
from .domain import Value
from .errors import InvalidSpec, shown
from .exact import exact_number
from .limits import check


class Fields:
    """The entries of the table at `path`; errors give the full name of the entry, such as ``context.sizes``."""

    def __init__(self, data: object, path: str) -> None:
        if not isinstance(data, Mapping):
            raise InvalidSpec(f"{path or 'the spec'} must be a table, not {kind_of(data)}")
        self.path = path
        self._data = dict(data)
        self._known: list[str] = []

    def name(self, key: str) -> str:
        """The full name of an entry."""
        return f"{self.path}.{key}" if self.path else key

    def __contains__(self, key: object) -> bool:
        """True if the entry is there; looking does not mark it as known."""
        return key in self._data

    def has(self, key: str) -> bool:
        """True if the entry is there."""
        self._known.append(key)
        return key in self._data

    def optional(self, key: str, *, default: Any = None) -> Any:
        """The entry, or `default` where it is absent."""
        self._known.append(key)
        return self._data.get(key, default)

    def required(self, key: str) -> Any:
        """The entry; `InvalidSpec` where it is absent."""
        if not self.has(key):
            raise InvalidSpec(f"{self.name(key)} is missing")
        return self._data[key]

    def rest(self) -> dict[str, Any]:
        """The entries that have not been read."""
        return {key: entry for key, entry in self._data.items() if key not in self._known}

    def close(self) -> None:
        """Raise `InvalidSpec` if an entry has not been read."""
        for key in self.rest():
            allowed = ", ".join(sorted(set(self._known)))
            raise InvalidSpec(f"{self.name(key)} is not a known entry; the entries are {allowed}")


def kind_of(data: object) -> str:
    """What messages call a value from a file."""
    if isinstance(data, bool):
        return "true or false"
    names = {str: "text", int: "a whole number", list: "a list", type(None): "null", Decimal: "a number"}
    unnamed = "a table" if isinstance(data, Mapping) else "a date or a time"
    return next((name for kind, name in names.items() if isinstance(data, kind)), unnamed)


def text(data: object, name: str) -> str:
    """A text entry."""
    if not isinstance(data, str):
        raise InvalidSpec(f"{name} must be text, not {kind_of(data)}")
    return data


def whole(data: object, name: str) -> int:
    """A whole number."""
    if isinstance(data, bool) or not isinstance(data, int):
        raise InvalidSpec(f"{name} must be a whole number, not {kind_of(data)}")
    return data


def as_list(data: object, name: str) -> list[Any]:
    """A list."""
    if not isinstance(data, (list, tuple)):
        raise InvalidSpec(f"{name} must be a list, not {kind_of(data)}")
    return list(data)


TUPLE = "tuple"
"""The only entry of the table that stands for a tuple, as JSON and TOML have none."""


def value(data: object, name: str) -> Value:
    """A value of the domain or the name of a block: text or a whole number, which files store unchanged, or a tuple.

    A tuple of such values, the answer to several questions, is ``{tuple = ["a", 1]}`` in a file.
    """
    inside = data.get(TUPLE) if isinstance(data, Mapping) and len(data) == 1 else data
    if isinstance(inside, tuple) or (inside is not data and isinstance(inside, list)):
        if not inside:
            raise InvalidSpec(f"{name} must not be an empty tuple")
        return tuple(value(entry, f"{name}.{TUPLE}[{i}]") for i, entry in enumerate(inside))
    if isinstance(data, bool) or not isinstance(data, (str, int)):
        raise InvalidSpec(f"{name} must be text or a whole number, or a tuple of them, not {kind_of(data)}")
    return data


def to_plain(entry: Any) -> Any:
    """Plain data of which JSON and TOML can hold all: every tuple in it is a value, and written as a table."""
    if isinstance(entry, tuple):
        return {TUPLE: [to_plain(inner) for inner in entry]}
    if isinstance(entry, list):
        return [to_plain(inner) for inner in entry] if any(isinstance(e, (tuple, list, dict)) for e in entry) else entry
    return {key: to_plain(inner) for key, inner in entry.items()} if isinstance(entry, dict) else entry


def values(data: object, name: str) -> list[Value]:
    """A list of values that differ as text, the way files and command lines write them."""
    entries = [value(entry, f"{name}[{number}]") for number, entry in enumerate(as_list(data, name))]
    texts: dict[str, Value] = {}
    for entry in entries:
        other = texts.setdefault(str(entry), entry)
        if type(other) is not type(entry):
            raise InvalidSpec(f"{name}: {other!r} and {entry!r} are written alike; values must differ as text")
    return entries


def number(data: object, name: str) -> str | int:
    """An exact number as contexts take it: text, or a number that means the decimal it prints."""
    if isinstance(data, bool) or not isinstance(data, (str, int, float, Decimal)):
        raise InvalidSpec(f"{name} must be a number or text, not {kind_of(data)}")
    return data if isinstance(data, (str, int)) else str(data)


def exact(data: object, name: str) -> Fraction:
    """An exact number given as text, a whole number or a decimal."""
    fraction = exact_number(number(data, name))
    if fraction is None:
        raise InvalidSpec(f"{name}={shown(data)} must be an exact number, such as 3, 0.25 or 1/3")
    return fraction


def range_of(data: object, name: str) -> range:
    """The numbers from `from` to `to`, both included, `step` apart (1 unless given); refused before it is expanded."""
    fields = Fields(data, name)
    first, last, step = (
        _end(fields.required(key) if key != "step" else fields.optional(key, default=1), fields.name(key))
        for key in ("from", "to", "step")
    )
    fields.close()
    if step < 1:
        raise InvalidSpec(f"{fields.name('step')}={step} must be at least 1")
    if last < first:
        raise InvalidSpec(f"{fields.name('to')}={last} must be at least {fields.name('from')}={first}")
    if (last - first) % step:
        raise InvalidSpec(f"{fields.name('to')}={last} must be {first} plus a multiple of the step, {step}")
    numbers = range(first, last + 1, step)
    check("values", len(numbers), name)
    return numbers


def values_in(data: object, name: str) -> Sequence[Value]:
    """Values that are listed, or numbers given by their ends."""
    return range_of(data, name) if isinstance(data, Mapping) else values(data, name)


def _end(data: object, name: str) -> int:
    number = whole(data, name)
    if not -EXACT < number < EXACT:
        raise InvalidSpec(f"{name} must be between -2**53 and 2**53, which every reader of JSON keeps exactly")
    return number
