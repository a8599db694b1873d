"""Gathering, the adjoint of counting: for every report the sum of the entries of its cells, or a row of them.

Batches of reports: unsigned whole numbers, or rows of 64-bit words, lowest word first, where they are wider.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidReport
from .acceleration import accelerated
from .arithmetic import ARRAYS
from .layout import Array, PartLayout, compiled_form


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


def refuse_reports(reports: Array, unused: Sequence[int]) -> None:
    """Raise `InvalidReport` if one of these reports is there."""
    if unused and len(wrong := reports[np.isin(reports, np.asarray(unused))]):
        raise InvalidReport(f"reports: report {int(wrong[0])} cannot occur")


def gather_cells(entries: Array, reports: Array, start: Any, outputs: int) -> Array:
    """Entry start + report of every report, each below `outputs`."""
    reports = as_reports(reports)
    wrong = f"reports: every report must be from 0 to {outputs - 1}"
    if reports.ndim == 1 and np.ndim(start) == 0 and accelerated(reports.size):
        from . import summing

        found = summing.cells(entries[start : start + outputs], reports)
        if found is None:
            raise InvalidReport(wrong)
        return found
    if reports.ndim == 2 or (reports.size and int(reports.max()) >= outputs):
        raise InvalidReport(wrong)
    return np.asarray(entries[reports.astype(np.int64) + start])


def gather_members(entries: Array, reports: Array, start: Any, size: int, set_size: int | None) -> Array:
    """For every set the sum of the entries start + x of its members x, and of entry start + size.

    With one start for all, by tables of what each byte of a report adds.
    """
    words = as_sets(reports, size, set_size)
    if np.ndim(start):
        found = entries[start + size].astype(float)
        for x in range(size):
            on = (words[:, x // 64] >> np.uint64(x % 64) & np.uint64(1)).astype(bool)
            found[on] += entries[start[on] + x]
        return np.asarray(found)
    tables = byte_tables(entries[start : start + size])
    found = np.full(len(words), float(entries[start + size]))
    if accelerated(words.size):
        from . import summing

        summing.add_bytes(words, tables, found)
        return found
    packed = np.ascontiguousarray(words).astype("<u8", copy=False).view(np.uint8)
    for table, column in zip(tables, packed.T, strict=False):
        found += table[column]
    return found


def gather_parts(entries: Array, reports: Array, start: Any, layout: PartLayout) -> Array | None:
    """The sums of the entries of reports of several parts in one compiled pass; None where that is impossible."""
    kinds = [compiled_form(kind) for kind in layout.kinds]
    if None in kinds or reports.ndim != 1 or np.ndim(start) != 0 or not accelerated(len(reports)):
        return None
    from . import summing

    offsets, starts, kind_of = (ARRAYS.table(column) for column in (layout.offsets, layout.starts, layout.kind_of))
    own = entries[start : start + layout.cells]
    found = summing.in_blocks(as_reports(reports), (offsets, starts, kind_of), np.array(kinds, dtype=np.int64), own)
    if found is None:
        raise InvalidReport(f"reports: every report must belong to one of the {len(layout.offsets)} blocks")
    return found


def where_member(reports: Array, size: int, set_size: int | None, inside: Any, outside: Any) -> Array:
    """For every set a row with `inside` for the numbers below `size` that it holds and `outside` for the others."""
    words = np.ascontiguousarray(as_sets(reports, size, set_size)).astype("<u8", copy=False)
    flags = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little", count=size)
    return np.asarray(np.where(flags.view(bool), inside, outside))


def displacements(cells: Array, places: Array, shape: Sequence[int]) -> NDArray[np.int64]:
    """The displacement from each of the places to each of the cells of a torus: one row for each cell."""
    left, found = math.prod(shape), np.zeros((len(cells), len(places)), dtype=np.int64)
    for side in shape:
        left //= side
        found += (cells[:, None] // left - places // left) % side * left
    return found


def byte_tables(entries: Array) -> NDArray[np.float64]:
    """For every eight entries the sums of those whose bits are set in each number below 256, one row for each byte."""
    padded = np.zeros(-(-len(entries) // 8) * 8)
    padded[: len(entries)] = entries
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return np.asarray(padded.reshape(-1, 8) @ bits.T.astype(float))
