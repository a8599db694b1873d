"""Counting reports in cells, and its adjoint, gathering the entries of their cells: in arrays or in one compiled pass.

A batch of reports is unsigned whole numbers, or rows of 64-bit words, lowest word first, where they are wider. Every
function raises `InvalidReport` for reports that cannot occur.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidReport
from .acceleration import accelerated
from .arithmetic import ARRAYS
from .layout import Array, Cells, PartLayout

Words = NDArray[np.uint64]

MAX_COUNTED_SETS = 16
"""The largest number of values whose subsets are counted one by one."""


# -- reports as arrays and words -------------------------------------------------------------------
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


def _as_words(reports: Array) -> Words:
    """Reports as rows of words."""
    return (reports[:, None] if reports.ndim == 1 else reports).astype(np.uint64, copy=False)


def in_words(reports: Any, bits: int, name: str = "every report") -> Words:
    """Reports of at most `bits` bits as rows of words, lowest word first."""
    words = _as_words(as_reports(reports))
    excess = np.uint64(bits % 64)
    if words.shape[1] != -(-bits // 64) or (excess and (words[:, -1] >> excess).any()):
        raise InvalidReport(f"reports: {name} must be an integer below 2**{bits}")
    return words


def as_sets(reports: Any, size: int, set_size: int | None) -> Words:
    """Sets of numbers below `size` as rows of words; `InvalidReport` for others, or not of `set_size` members."""
    words = in_words(reports, size, "a set")
    if set_size is not None:
        sizes = np.bitwise_count(words).sum(axis=1)
        if (wrong := sizes[sizes != set_size]).size:
            raise InvalidReport(f"reports: a set of {wrong[0]} values; every report must hold exactly {set_size}")
    return words


def _membership(words: Words, size: int) -> NDArray[np.bool_]:
    """For every set of numbers below `size` a row of flags."""
    packed = np.ascontiguousarray(words).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(packed, axis=1, bitorder="little", count=size).view(bool)


def _has_bit(words: Words, x: int) -> NDArray[np.bool_]:
    return (words[:, x // 64] >> np.uint64(x % 64) & np.uint64(1)).astype(bool)


def whole_numbers(reports: Any) -> list[int]:
    """Reports as Python's integers."""
    if reports.ndim == 1:
        return [int(y) for y in reports.tolist()]
    return [sum(word << 64 * place for place, word in enumerate(row)) for row in reports.tolist()]


def narrow(reports: Array, bits: int) -> Array:
    """Wide reports cut to the words that `bits` bits need."""
    if reports.ndim == 1:
        return reports
    columns = -(-bits // 64)
    if reports[:, columns:].any():
        raise InvalidReport(f"reports: a report inside its block must be below 2**{bits}")
    return reports[:, 0] if columns == 1 else reports[:, :columns]


def bits_at(words: Words, at: int, bits: int) -> Words:
    """The `bits` bits from bit `at` on of every row of words, as reports of so many bits."""
    first, shift = divmod(at, 64)
    columns = -(-bits // 64)
    out = np.zeros((len(words), columns), dtype=np.uint64)
    for column in range(first, min(first + columns, words.shape[1])):
        out[:, column - first] = words[:, column] >> np.uint64(shift)
        if shift and column + 1 < words.shape[1]:
            out[:, column - first] |= words[:, column + 1] << np.uint64(64 - shift)
    if bits % 64:
        out[:, -1] &= np.uint64((1 << bits % 64) - 1)
    return out[:, 0] if columns == 1 else out


def cut(reports: Array, bits: int) -> tuple[Array, Array]:
    """The lowest `bits` bits of every report, as reports of so many bits, and what is left above them."""
    words = _as_words(reports)
    left = bits_at(words, bits, 64 * words.shape[1])
    return bits_at(words, 0, bits), left.reshape(reports.shape)


def set_rows(reports: Array, size: int, members: int, marked: bool) -> NDArray[np.int64]:
    """The members of every set of `members` numbers below `size`, or the other numbers: one row per set."""
    flags = _membership(as_sets(reports, size, members), size)
    return np.nonzero(flags == marked)[1].reshape(len(flags), members if marked else size - members)


def shift_rows(reports: Array, modulus: int, sets: Sequence[Sequence[int]], marked: bool) -> NDArray[np.int64]:
    """For report i p + b, p the modulus, the numbers b - t mod p with t in set i, or the others: one row each."""
    _check_range(reports, modulus * len(sets))
    cycle, b = np.divmod(reports.astype(np.int64), modulus)
    rows = np.sort((b[:, None] - np.array(sets, dtype=np.int64)[cycle]) % modulus, axis=1)
    if marked:
        return rows
    others = np.ones((len(rows), modulus), dtype=bool)
    others[np.arange(len(rows))[:, None], rows] = False
    return np.nonzero(others)[1].reshape(len(rows), modulus - rows.shape[1])


def displacements(cells: Array, places: Array, shape: Sequence[int]) -> NDArray[np.int64]:
    """The displacement from each of the places to each of the cells of a torus: one row for each cell."""
    sides = zip(np.unravel_index(cells, shape), np.unravel_index(places, shape), shape, strict=True)
    return np.ravel_multi_index(tuple((cell[:, None] - place) % side for cell, place, side in sides), shape)


def unless(mask: Array, numbers: Array) -> NDArray[np.int64]:
    """The numbers, or -1 where the mask is true."""
    return np.where(mask, -1, numbers)


# -- refusing --------------------------------------------------------------------------------------
def _out_of_range(outputs: int) -> InvalidReport:
    return InvalidReport(f"reports: every report must be from 0 to {outputs - 1}")


def _check_range(reports: Array, outputs: int) -> None:
    if reports.ndim == 2 or (reports.size and int(reports.max()) >= outputs):
        raise _out_of_range(outputs)


def refuse_cells(counts: Array, start: Any, unused: Sequence[int]) -> None:
    """Raise `InvalidReport` if a report that cannot occur has been counted."""
    for cell in unused:
        if np.any(counts[np.asarray(start) + cell]):
            raise InvalidReport(f"reports: report {cell} cannot occur")


def refuse_reports(reports: Array, unused: Sequence[int]) -> None:
    """Raise `InvalidReport` if one of these reports is there."""
    if unused and len(wrong := reports[np.isin(reports, np.asarray(unused))]):
        raise InvalidReport(f"reports: report {int(wrong[0])} cannot occur")


def refuse_several(reports: Array, numbers: Sequence[int]) -> None:
    """Raise `InvalidReport` for sets that hold more than one of these numbers."""
    words = _as_words(as_reports(reports))
    mask = sum(1 << x for x in numbers)
    chosen = np.array([mask >> 64 * w & (1 << 64) - 1 for w in range(words.shape[1])], dtype=np.uint64)
    if (np.bitwise_count(words & chosen).sum(axis=1) > 1).any():
        raise InvalidReport("reports: a set must not hold two values that are not sensitive")


# -- one cell per report ---------------------------------------------------------------------------
def count_cells(counts: Array, reports: Array, start: Any, outputs: int) -> None:
    """Add one to cell start + report for every report, each below `outputs`."""
    reports = as_reports(reports)
    if reports.ndim == 1 and np.ndim(start) == 0 and accelerated(reports.size):
        from . import counting

        counted = counting.histogram(reports, outputs)
        if counted is None:
            raise _out_of_range(outputs)
        counts[start : start + outputs] += counted
        return
    _check_range(reports, outputs)
    if np.ndim(start) == 0:
        counts[start : start + outputs] += np.bincount(reports.astype(np.int64, copy=False), minlength=outputs)
    else:
        counts += np.bincount(start + reports.astype(np.int64), minlength=len(counts))


def gather_cells(entries: Array, reports: Array, start: Any, outputs: int) -> Array:
    """Entry start + report of every report, each below `outputs`."""
    reports = as_reports(reports)
    if reports.ndim == 1 and np.ndim(start) == 0 and accelerated(reports.size):
        from . import counting

        gathered = counting.gather(entries[start : start + outputs], reports)
        if gathered is None:
            raise _out_of_range(outputs)
        return gathered
    _check_range(reports, outputs)
    return np.asarray(entries[reports.astype(np.int64) + start])


def add_cells(counts: Array, cells: NDArray[np.int64], start: Any) -> None:
    """Add one to cell start + c for every c of `cells` but -1; `start` is one number, or one for each row."""
    if np.ndim(start):
        cells = np.where(cells < 0, -1, cells + np.asarray(start)[:, None])
        start = 0
    added = np.bincount(cells[cells >= 0])
    counts[start : start + len(added)] += added


# -- a cell per member of a set --------------------------------------------------------------------
def count_members(counts: Array, reports: Array, start: Any, size: int, set_size: int | None) -> None:
    """Add one to cell start + x for every member x of every set, and to cell start + size for every set."""
    reports = as_reports(reports)
    if size <= MAX_COUNTED_SETS and reports.ndim == 1 and np.ndim(start) == 0 and accelerated(reports.size):
        _count_small_sets(counts, reports, start, size, set_size)
        return
    words = as_sets(reports, size, set_size)
    if np.ndim(start) == 0:
        counts[start : start + size] += _column_sums(words, size)
        counts[start + size] += len(words)
        return
    counts += np.bincount(start + size, minlength=len(counts))
    for x in range(size):
        counts += np.bincount(start[_has_bit(words, x)] + x, minlength=len(counts))


def _count_small_sets(counts: Array, reports: Array, start: int, size: int, set_size: int | None) -> None:
    """Like `count_members`, for sets so small that each can be counted individually first."""
    from . import counting

    times = counting.histogram(reports, 1 << size)
    if times is None:
        raise InvalidReport(f"reports: a set must be an integer below 2**{size}")
    as_sets(np.flatnonzero(times), size, set_size)
    for x in range(size):
        counts[start + x] += times.reshape(-1, 2, 1 << x)[:, 1].sum()
    counts[start + size] += len(reports)


def _column_sums(words: Words, size: int) -> NDArray[np.int64]:
    """How many rows have each bit set, a slab of rows at a time."""
    if accelerated(words.size):
        from . import counting

        return counting.bit_sums(words, size)
    sums = np.zeros(size, dtype=np.int64)
    slab = max(1, (1 << 24) // max(64, size))
    for begin in range(0, len(words), slab):
        sums += _membership(words[begin : begin + slab], size).view(np.uint8).sum(axis=0, dtype=np.int64)
    return sums


def gather_members(entries: Array, reports: Array, start: Any, size: int, set_size: int | None) -> Array:
    """For every set the sum of the entries start + x of its members x, and of entry start + size.

    With one start for all, by tables of what each byte of a report adds.
    """
    words = as_sets(reports, size, set_size)
    if np.ndim(start):
        sums = entries[start + size].astype(float)
        for x in range(size):
            members = _has_bit(words, x)
            sums[members] += entries[start[members] + x]
        return np.asarray(sums)
    padded = np.zeros(-(-size // 8) * 8)
    padded[:size] = entries[start : start + size]
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    tables = padded.reshape(-1, 8) @ bits.T.astype(float)  # for every eight entries their sums over the bits of a byte
    sums = np.full(len(words), float(entries[start + size]))
    if accelerated(words.size):
        from . import counting

        counting.add_bytes(words, tables, sums)
        return sums
    packed = np.ascontiguousarray(words).astype("<u8", copy=False).view(np.uint8)
    for table, column in zip(tables, packed.T, strict=False):
        sums += table[column]
    return sums


def where_member(reports: Array, size: int, set_size: int | None, inside: Any, outside: Any) -> Array:
    """For every set a row with `inside` for the numbers below `size` that it holds and `outside` for the others."""
    return np.asarray(np.where(_membership(as_sets(reports, size, set_size), size), inside, outside))


# -- reports of several parts ----------------------------------------------------------------------
def locate(reports: Array, offsets: Sequence[int], outputs: int) -> tuple[Array, Array]:
    """The block of every report and the report inside it."""
    reports = as_reports(reports)
    if reports.ndim == 2:
        if len(reports) and int(reports[:, -1].max()) >= len(offsets):
            raise InvalidReport(f"reports: the highest word must be below {len(offsets)}, the number of parts")
        return reports[:, -1].astype(np.int64), reports[:, :-1]
    _check_range(reports, outputs)
    table = ARRAYS.table(offsets)
    block = np.searchsorted(table, reports.astype(np.uint64), side="right") - 1
    return block, reports.astype(np.uint64) - table[block]


def count_parts(counts: Array, reports: Array, start: Any, layout: PartLayout) -> bool:
    """Count reports of several parts in one compiled pass; False, with nothing done, where that is impossible."""
    if (blocks := _compiled_blocks(reports, start, layout)) is None:
        return False
    from . import counting

    counted = counting.count_blocks(as_reports(reports), blocks, layout.cells)
    if counted is None:
        raise _outside_blocks(layout)
    counts[start : start + layout.cells] += counted
    return True


def gather_parts(entries: Array, reports: Array, start: Any, layout: PartLayout) -> Array | None:
    """The sums of the entries of reports of several parts in one compiled pass; None where that is impossible."""
    if (blocks := _compiled_blocks(reports, start, layout)) is None:
        return None
    from . import counting

    sums = counting.gather_blocks(as_reports(reports), blocks, entries[start : start + layout.cells])
    if sums is None:
        raise _outside_blocks(layout)
    return sums


def _outside_blocks(layout: PartLayout) -> InvalidReport:
    return InvalidReport(f"reports: every report must belong to one of the {len(layout.offsets)} blocks")


def _compiled_blocks(reports: Array, start: Any, layout: PartLayout) -> tuple[Words, Words, Words, Array] | None:
    """The layout as `counting.Blocks`; None where no compiled pass can count these reports, or is worth it."""
    if None in layout.kinds or reports.ndim != 1 or np.ndim(start) != 0 or not accelerated(len(reports)):
        return None
    offsets, starts, kind_of = (ARRAYS.table(column) for column in (layout.offsets, layout.starts, layout.kind_of))
    kinds = [
        (kind.reports, -2) if isinstance(kind, Cells) else (kind.values, -1 if kind.members is None else kind.members)
        for kind in layout.kinds
        if kind is not None
    ]
    return offsets, starts, kind_of, np.array(kinds, dtype=np.int64)
