"""Looking up what reports stand for, the other way round than counting: a number, or a row, for each report."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidReport
from ...mechanisms.randomizer import Cells, PartLayout, Sets
from .acceleration import accelerated
from .arithmetic import ARRAYS
from .batches import as_reports, as_sets, whole_numbers

Array = NDArray[Any]

SLAB = 1 << 22
"""Numbers that are written out at a time."""


class Gathering:
    """The operations in which the scores and likelihoods of reports are written."""

    whole_numbers = staticmethod(whole_numbers)

    def parity(self, numbers: Array) -> Array:
        """1 for numbers with an odd number of bits set, 0 for others."""
        return np.bitwise_count(numbers) & 1

    def as_column(self, start: Any) -> Any:
        """One number, or a column of one for each row."""
        return start if np.ndim(start) == 0 else np.asarray(start)[:, None]

    def slabs(self, rows: int, width: int) -> Iterator[slice]:
        """Some rows of so many numbers at a time."""
        step = max(1, SLAB // max(1, width))
        return (slice(begin, min(rows, begin + step)) for begin in range(0, rows, step))

    def units(self, count: int) -> Iterator[tuple[Array, slice]]:
        """The rows of the identity, some at a time, and which of them they are."""
        return ((self.unit_rows(np.arange(count)[rows], count), rows) for rows in self.slabs(count, count))

    def unit_rows(self, cells: Array, count: int) -> Array:
        """For each cell the row of `count` numbers that is 1 there and 0 elsewhere."""
        found = np.zeros((len(cells), count), dtype=np.int64)
        found[np.arange(len(cells)), np.asarray(cells, dtype=np.int64)] = 1
        return found

    def refuse_reports(self, reports: Array, unused: Sequence[int]) -> None:
        """Raise `InvalidReport` if one of these reports is there."""
        if unused and len(wrong := reports[np.isin(reports, np.asarray(unused))]):
            raise InvalidReport(f"reports: report {int(wrong[0])} cannot occur")

    def gather_cells(self, entries: Array, reports: Array, start: Any, outputs: int) -> Array:
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

    def gather_members(self, entries: Array, reports: Array, start: Any, size: int, set_size: int | None) -> Array:
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

    def gather_parts(self, entries: Array, reports: Array, start: Any, layout: PartLayout) -> Array | None:
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

    def where_member(self, reports: Array, size: int, set_size: int | None, inside: Any, outside: Any) -> Array:
        """For every set a row with `inside` for the numbers below `size` that it holds and `outside` for the others."""
        words = np.ascontiguousarray(as_sets(reports, size, set_size)).astype("<u8", copy=False)
        flags = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little", count=size)
        return np.asarray(np.where(flags.view(bool), inside, outside))

    def apart(self, cells: Array, places: Array, shape: Sequence[int]) -> NDArray[np.int64]:
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


def compiled_form(counted: Cells | Sets | None) -> tuple[int, int] | None:
    """How a part counts, for a compiled pass: (reports, -2), or (values, members of a set, -1 for any)."""
    match counted:
        case Cells(reports):
            return reports, -2
        case Sets(values, members):
            return values, -1 if members is None else members
    return None
