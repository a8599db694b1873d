"""Columns of public labels and weights, from lists, NumPy, pandas, polars or Arrow.

Public labels beside reports: a column as the different labels and the number of each row's.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput, shown


@dataclass(frozen=True, eq=False)
class Labels:
    """A column of labels: `levels` are the different ones, None or nan where a label is missing, `codes` each row's."""

    levels: NDArray[Any]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, entries: Sequence[Hashable]) -> Labels:
        """The labels in a list of plain data."""
        numbers: dict[tuple[type, Hashable], int] = {}
        keyed = ((type(entry), entry) for entry in entries)  # True is not 1
        codes = np.fromiter((numbers.setdefault(key, len(numbers)) for key in keyed), np.int64, len(entries))
        return cls(objects([level for _, level in numbers]), codes)

    def column(self) -> NDArray[Any]:
        """The label of every row."""
        labels: NDArray[Any] = self.levels[self.codes]
        return labels


def objects(entries: Sequence[Any]) -> NDArray[Any]:
    """A list as an array of objects, whatever they are."""
    array = np.empty(len(entries), dtype=object)
    array[:] = entries
    return array


Array = NDArray[np.float64]


def column_of(name: str, column: Any, n: int) -> NDArray[Any]:
    """A column of n labels as an array: numbers as numbers, else objects; None or nan where one is missing."""
    if isinstance(column, (str, bytes)) or not hasattr(column, "__len__"):
        raise InvalidInput(f"{name} of type {type(column).__name__} must be a column of {n} labels")
    if hasattr(column, "dtype") or hasattr(column, "__array__"):
        labels = np.asarray(column)
    else:
        labels = objects(list(column))  # of which NumPy would make text, if some of it is
    if labels.ndim != 1 or len(labels) != n:
        raise InvalidInput(f"{name} of shape {labels.shape} must be one column with {n} labels, one a report")
    if labels.dtype.kind == "M":
        labels = labels.astype("M8[us]")
    if labels.dtype.kind in "USM":
        labels = labels.astype(object)
    if labels.dtype.kind not in "biufO":
        raise InvalidInput(f"{name} of type {labels.dtype} must hold numbers, text, truth values or times")
    return labels


def by_name(role: str, given: Any) -> Mapping[str, Any]:
    """Columns by name: a mapping as it is, or those of a table of pandas, polars or Arrow."""
    if isinstance(given, Mapping):
        return given
    names = getattr(given, "column_names", getattr(given, "columns", None))
    if names is None or not hasattr(given, "__getitem__"):
        raise InvalidInput(f"{role} of type {type(given).__name__} must be columns by name, or a table of them")
    return {name: given[name] for name in names}


def check_aligned(columns: Mapping[str, Any]) -> Any:
    """The index that columns of pandas have, or None; refuse different ones, whose rows are of different people."""
    indexes = {name: column.index for name, column in columns.items() if hasattr(column, "index")}
    indexes = {name: index for name, index in indexes.items() if hasattr(index, "equals")}
    for name, index in indexes.items():
        first = next(iter(indexes))
        if not index.equals(indexes[first]):
            raise InvalidInput(f"{name} must have the index of {first}: align them first, or give them without one")
    return next(iter(indexes.values()), None)


def names_of(role: str, names: Any) -> tuple[str, ...]:
    """The names of columns: one text, or a list of texts, none of them twice."""
    listed = (names,) if isinstance(names, str) else names
    if not isinstance(listed, (list, tuple)) or not all(isinstance(name, str) and name for name in listed):
        raise InvalidInput(f"{role}={shown(names)} must be the name of a label, or a list of names")
    twice = next((name for place, name in enumerate(listed) if name in listed[:place]), None)
    if twice is not None:
        raise InvalidInput(f"{role}={twice!r} is given twice")
    return tuple(listed)


def missing_in(name: str, column: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a column has no label."""
    if column.dtype.kind != "O":
        return np.asarray(column != column)
    try:
        return np.fromiter(map(_is_missing, column), dtype=bool, count=len(column))
    except TypeError:
        raise InvalidInput(f"{name} must hold numbers, text, truth values or times") from None


def _is_missing(cell: Any) -> bool:
    hash(cell)
    return cell is None or type(cell).__name__ == "NAType" or bool(cell != cell)


def narrow_type(column: NDArray[Any]) -> NDArray[Any]:
    """A column without missing labels; objects that are all numbers, or all truth values, as such."""
    if column.dtype.kind != "O" or not len(column):
        return column
    kinds = set(map(type, column))
    if kinds == {bool}:
        return column.astype(bool)
    if kinds <= {int, float}:
        return np.array(column.tolist())
    return column


def positive_numbers(name: str, column: NDArray[Any]) -> Array:
    """A column of positive numbers."""
    if column.dtype.kind not in "iuf" or not (np.isfinite(column).all() and (column > 0).all()):
        raise InvalidInput(f"{name} must be positive numbers")
    return column.astype(float)


def codes_of(column: NDArray[Any]) -> tuple[list[Hashable], NDArray[np.int64]]:
    """The different labels in order, sorted where they can be, and the number of each entry's label."""
    if column.dtype.kind != "O":
        levels, codes = np.unique(column, return_inverse=True)
        return levels.tolist(), codes.astype(np.int64)
    numbers: dict[Hashable, int] = {}
    raw = np.fromiter((numbers.setdefault(cell, len(numbers)) for cell in column), dtype=np.int64, count=len(column))
    try:
        order = sorted(numbers)  # type: ignore[type-var]
    except TypeError:
        order = list(numbers)
    places = {level: place for place, level in enumerate(order)}
    return order, np.array([places[level] for level in numbers], dtype=np.int64)[raw] if numbers else raw


def concatenate(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Columns one after the other, as objects where their kinds differ."""
    kinds = {"number" if column.dtype.kind in "iuf" else column.dtype.kind for column in columns if len(column)}
    if len(kinds) > 1:
        columns = [column.astype(object) for column in columns]
    chosen = [column for column in columns if len(column)] or columns[:1]
    return np.concatenate(chosen) if chosen else np.zeros(0, dtype=object)


def parse_numbers(column: NDArray[Any]) -> NDArray[Any]:
    """A column of text as numbers where all its entries are written as such: 12, -0.5 or 1e-3, but not 007."""
    if column.dtype.kind != "O":
        return column
    numbers: dict[Any, Any] = {}
    for cell in column:
        if cell in numbers:
            continue
        number = None if cell is None else _written_number(cell)
        if cell is not None and number is None:
            return column
        numbers[cell] = number
    return objects([numbers[cell] for cell in column])


def _written_number(cell: Any) -> int | float | None:
    if not isinstance(cell, str) or not cell.isascii():
        return None
    digits = cell.removeprefix("-")
    if not digits[:1].isdigit() or (digits[0] == "0" and digits[1:2].isdigit()) or "_" in cell:
        return None
    try:
        return int(cell) if digits.isdigit() else float(cell)
    except ValueError:
        return None
