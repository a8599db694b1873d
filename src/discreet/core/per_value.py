"""One entry per value: what carries names is matched by name or refused, never read by position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .domain import Domain
from .errors import InvalidInput


def has_names(given: Any) -> bool:
    """True for a mapping, and for what has `items` like one: a pandas Series or DataFrame, a table of shares."""
    return isinstance(given, Mapping) or (not isinstance(given, type) and callable(getattr(given, "items", None)))


def per_value(domain: Domain, given: Any, *, name: str, others: Any = 0) -> Any:
    """The entries in the order of the values, where `given` names them; anything else, such as a list, as it is.

    A mapping gives `others` to the values that it leaves out. A pandas Series, or another thing with `items`, must name
    every value once, in any order; only an index that nobody set, 0 .. k-1, stands for the order of the values.

    >>> from discreet.core.domain import Domain
    >>> per_value(Domain(["bus", "car", "bike"]), {"bike": 2, "bus": 1}, name="weights")
    [1, 0, 2]
    """
    if not has_names(given):
        return given
    entries: list[Any] = [others] * len(domain)
    if isinstance(given, Mapping):
        for value, entry in given.items():
            entries[domain.number_of(value)] = entry
        return entries
    pairs = list(given.items())
    numbers = [domain.find(value) for value, _ in pairs]
    if len(pairs) != len(domain) or None in numbers or len(set(numbers)) < len(numbers):
        if not hasattr(given, "columns") and is_default(getattr(given, "index", None), len(domain)):
            return [entry for _, entry in pairs]
        raise InvalidInput(
            f"{name}: the names in this {type(given).__name__} must be the {len(domain)} values, each once in any order"
        )
    for number, (_, entry) in zip(numbers, pairs, strict=True):
        entries[number or 0] = entry
    return entries


def plain_entries(given: Any, *, name: str) -> Any:
    """What carries no names, as it is, and entries under an index that nobody set; `InvalidInput` for other names."""
    if not has_names(given):
        return given
    index = getattr(given, "index", None)
    if isinstance(given, Mapping) or hasattr(given, "columns") or not is_default(index, len(given)):
        raise InvalidInput(
            f"{name} of type {type(given).__name__} must be plain numbers in order: its names match nothing here"
        )
    return [entry for _, entry in given.items()]


def is_default(index: Any, size: int) -> bool:
    """True for the index that pandas gives where nobody set one: the range 0 .. size-1."""
    return tuple(getattr(index, end, None) for end in ("start", "stop", "step")) == (0, size, 1)
