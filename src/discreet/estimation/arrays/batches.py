"""Batches of reports: unsigned whole numbers, or rows of 64-bit words, lowest word first, where they are wider."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidReport

Array = NDArray[Any]


def as_reports(reports: Any) -> Array:
    """Reports as an array of unsigned integers; `InvalidReport` for negative, fractional or boolean ones."""
    array = np.asarray(reports)
    if array.dtype.kind == "i":
        if array.size and array.min() < 0:
            raise InvalidReport(f"reports: {array.min()} must not be negative")
        unsigned: Array = array.view(array.dtype.str.replace("i", "u"))
        return unsigned
    if array.size == 0 and array.dtype.kind == "f":
        return array.astype(np.uint64)
    if array.dtype.kind != "u":
        raise InvalidReport(f"reports of type {array.dtype} must be whole numbers")
    return array


def as_sets(reports: Any, size: int, set_size: int | None) -> NDArray[np.uint64]:
    """Sets of numbers below `size` as rows of words; `InvalidReport` for others, or not of `set_size` members."""
    reports = as_reports(reports)
    words: NDArray[np.uint64] = (reports[:, None] if reports.ndim == 1 else reports).astype(np.uint64, copy=False)
    excess = np.uint64(size % 64)
    if words.shape[1] != -(-size // 64) or (excess and words.size and (words[:, -1] >> excess).any()):
        raise InvalidReport(f"reports: a set must be an integer below 2**{size}")
    if set_size is not None and len(words):
        sizes = np.bitwise_count(words).sum(axis=1)
        if (wrong := sizes[sizes != set_size]).size:
            raise InvalidReport(f"reports: a set of {wrong[0]} values; every report must hold exactly {set_size}")
    return words


def whole_numbers(reports: Any) -> list[int]:
    """Reports as Python's integers."""
    if reports.ndim == 1:
        return [int(y) for y in reports.tolist()]
    return [sum(word << 64 * place for place, word in enumerate(row)) for row in reports.tolist()]
