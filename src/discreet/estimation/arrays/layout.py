"""How reports lie in cells, and the small operations on arrays that counting and decoding share.

Arrays have reports or cells along the last axis; a batch of wide reports is rows of 64-bit words, lowest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arithmetic import ARRAYS

Array = NDArray[Any]

SLAB = 1 << 22
"""Numbers that are written out at a time."""


class Cells(NamedTuple):
    """A layout in which each of `reports` reports has a cell of its own, in order."""

    reports: int


class Sets(NamedTuple):
    """A layout for reports that are sets of values: one cell per value and a last one for the sets.

    `members` is how many values every set holds, None where that varies.
    """

    values: int
    members: int | None


class PartLayout(NamedTuple):
    """Where the reports and the cells of each part begin, the kind of each part, and the layout of each kind."""

    offsets: Sequence[int]
    starts: Sequence[int]
    kind_of: Sequence[int]
    kinds: Sequence[Cells | Sets | None]
    cells: int


def total_of(array: Array) -> Array:
    """The sum over the last axis, which stays as an axis of length one."""
    return np.asarray(np.sum(array, axis=-1, keepdims=True))


def look_up(table: Sequence[int], i: Any) -> Any:
    """The entries of a table at the places `i`, as signed integers."""
    return ARRAYS.look_up(table, i).astype(np.int64)


def pick(start: Any, rows: Any) -> Any:
    """The starts of some rows, if there is one per row."""
    return start if np.ndim(start) == 0 else start[rows]


def as_column(start: Any) -> Any:
    """One number, or a column of one for each row."""
    return start if np.ndim(start) == 0 else np.asarray(start)[:, None]


def slabs(rows: int, width: int) -> Iterator[slice]:
    """Some rows of so many numbers at a time."""
    step = max(1, SLAB // max(1, width))
    return (slice(begin, min(rows, begin + step)) for begin in range(0, rows, step))


def unit_slabs(count: int) -> Iterator[tuple[Array, slice]]:
    """The rows of the identity, some at a time, and which of them they are."""
    return ((unit_rows(np.arange(count)[rows], count), rows) for rows in slabs(count, count))


def unit_rows(cells: Array, count: int) -> Array:
    """For each cell the row of `count` numbers that is 1 there and 0 elsewhere."""
    rows = np.zeros((len(cells), count), dtype=np.int64)
    rows[np.arange(len(cells)), np.asarray(cells, dtype=np.int64)] = 1
    return rows
