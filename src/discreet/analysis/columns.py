"""Columns of public labels and weights, from lists, NumPy, pandas, polars or Arrow."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput

Array = NDArray[np.float64]


def column_of(name: str, column: Any, n: int) -> NDArray[Any]:
    """A column of n labels as an array: numbers as numbers, anything else as objects; none may be missing."""
    if isinstance(column, (str, bytes)) or not hasattr(column, "__len__"):
        raise InvalidInput(f"{name} of type {type(column).__name__} must be a column of {n} labels")
    found = np.asarray(column)
    if found.ndim != 1 or len(found) != n:
        raise InvalidInput(f"{name} of shape {found.shape} must be one column with {n} labels, one a report")
    if found.dtype.kind in "US":
        found = found.astype(object)
    if found.dtype.kind not in "biufO":
        raise InvalidInput(f"{name} of type {found.dtype} must hold numbers or text")
    missing = np.array([cell is None or cell != cell for cell in found]) if found.dtype.kind == "O" else found != found
    if missing.any():
        raise InvalidInput(f"{name} has {int(missing.sum())} missing labels; leave those people out, or give them one")
    return found


def positive(name: str, column: Any, n: int) -> Array:
    """A column of n positive numbers."""
    found = column_of(name, column, n)
    if found.dtype.kind not in "iuf" or not (np.isfinite(found).all() and (found > 0).all()):
        raise InvalidInput(f"{name} must be positive numbers")
    return found.astype(float)


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


def joined(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """Two columns one after the other, as objects where their kinds differ."""
    if first.dtype.kind == "O" or second.dtype.kind == "O":
        return np.concatenate([first.astype(object), second.astype(object)])
    return np.concatenate([first, second])
