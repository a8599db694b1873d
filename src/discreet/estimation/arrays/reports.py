"""Counting reports, in arrays or in one compiled pass: every function refuses reports that cannot occur.

Gathering, the adjoint of counting: for every report the sum of the entries of its cells, or a row of them.

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


FEW = 16
"""The largest set of values whose subsets are counted one by one."""


def narrow(reports: Array, bits: int) -> Array:
    """Wide reports cut to the words that `bits` bits need."""
    if reports.ndim == 1:
        return reports
    columns = -(-bits // 64)
    if reports[:, columns:].any():
        raise InvalidReport(f"reports: a report inside its block must be below 2**{bits}")
    return reports[:, 0] if columns == 1 else reports[:, :columns]


def cut(reports: Array, bits: int) -> tuple[Array, Array]:
    """The lowest `bits` bits of every report, as reports of so many bits, and what is left above them."""
    words = (reports[:, None] if reports.ndim == 1 else reports).astype(np.uint64, copy=False)
    columns, (first, shift) = -(-bits // 64), divmod(bits, 64)
    low = words[:, :columns].copy()
    if shift:
        low[:, first] &= np.uint64((1 << shift) - 1)
    left = np.zeros_like(words)
    left[:, : words.shape[1] - first] = words[:, first:] >> np.uint64(shift)
    if shift:
        left[:, : words.shape[1] - first - 1] |= words[:, first + 1 :] << np.uint64(64 - shift)
    return low[:, 0] if columns == 1 else low, left[:, 0] if reports.ndim == 1 else left


def in_words(reports: Array, bits: int) -> NDArray[np.uint64]:
    """Reports of at most `bits` bits as rows of words, lowest word first."""
    reports = as_reports(reports)
    words = (reports[:, None] if reports.ndim == 1 else reports).astype(np.uint64, copy=False)
    columns, excess = -(-bits // 64), bits % 64
    if words.shape[1] != columns or (excess and (words[:, -1] >> np.uint64(excess)).any()):
        raise InvalidReport(f"reports: every report must be an integer below 2**{bits}")
    return words


def bits_at(words: NDArray[np.uint64], at: int, bits: int) -> NDArray[np.uint64]:
    """The `bits` bits from bit `at` on of every row of words, as reports of so many bits."""
    first, shift = divmod(at, 64)
    columns = -(-bits // 64)
    found = np.zeros((len(words), columns), dtype=np.uint64)
    for column in range(columns):
        found[:, column] = words[:, first + column] >> np.uint64(shift)
        if shift and first + column + 1 < words.shape[1]:
            found[:, column] |= words[:, first + column + 1] << np.uint64(64 - shift)
    if bits % 64:
        found[:, -1] &= np.uint64((1 << bits % 64) - 1)
    return found[:, 0] if columns == 1 else found


def unless(mask: Array, numbers: Array) -> NDArray[np.int64]:
    """The numbers, or -1 where the mask is true."""
    return np.where(mask, -1, numbers)


def add_cells(counts: Array, cells: NDArray[np.int64], start: Any) -> None:
    """Add one to cell start + c for every c of `cells` but -1; `start` is one number, or one for each row."""
    if np.ndim(start):
        cells = np.where(cells < 0, -1, cells + np.asarray(start)[:, None])
        start = 0
    found = np.bincount(cells[cells >= 0])
    counts[start : start + len(found)] += found


def set_rows(reports: Array, size: int, members: int, marked: bool) -> NDArray[np.int64]:
    """The members of every set of `members` numbers below `size`, or the other numbers: one row per set."""
    words = reports[:, None] if reports.ndim == 1 else reports
    words = words.astype(np.uint64, copy=False)
    if (excess := size % 64) and (words[:, -1] >> np.uint64(excess)).any():
        raise InvalidReport(f"reports: a set must be an integer below 2**{size}")
    if (np.bitwise_count(words).sum(axis=1) != members).any():
        raise InvalidReport(f"reports: every set must hold exactly {members} numbers")
    flags = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little", count=size)
    return np.nonzero(flags == marked)[1].reshape(len(words), members if marked else size - members)


def shift_rows(reports: Array, modulus: int, sets: Sequence[Sequence[int]], marked: bool) -> NDArray[np.int64]:
    """For report i p + b, p the modulus, the numbers b - t mod p with t in set i, or the others: one row each."""
    if reports.ndim == 2 or (reports.size and int(reports.max()) >= modulus * len(sets)):
        raise InvalidReport(f"reports: every report must be from 0 to {modulus * len(sets) - 1}")
    cycle, b = np.divmod(reports.astype(np.int64), modulus)
    rows = np.sort((b[:, None] - np.array(sets, dtype=np.int64)[cycle]) % modulus, axis=1)
    if marked:
        return rows
    others = np.ones((len(rows), modulus), dtype=bool)
    others[np.arange(len(rows))[:, None], rows] = False
    return np.nonzero(others)[1].reshape(len(rows), modulus - rows.shape[1])


def count_cells(counts: Array, reports: Array, start: Any, outputs: int) -> None:
    """Add one to cell start + report for every report, each below `outputs`."""
    reports = as_reports(reports)
    if reports.ndim == 1 and np.ndim(start) == 0 and accelerated(reports.size):
        from . import counting

        counted = counting.cells(reports, outputs)
        if counted is None:
            raise InvalidReport(f"reports: every report must be from 0 to {outputs - 1}")
        counts[start : start + outputs] += counted
        return
    if reports.ndim == 2 or (reports.size and int(reports.max()) >= outputs):
        raise InvalidReport(f"reports: every report must be from 0 to {outputs - 1}")
    if np.ndim(start) == 0:
        found = np.bincount(reports.astype(np.int64, copy=False), minlength=outputs)
        counts[start : start + outputs] += found
    else:
        counts += np.bincount(start + reports.astype(np.int64), minlength=len(counts))


def refuse_cells(counts: Array, start: Any, unused: Sequence[int]) -> None:
    """Raise `InvalidReport` if a report that cannot occur has been counted."""
    for cell in unused:
        if np.any(counts[np.asarray(start) + cell]):
            raise InvalidReport(f"reports: report {cell} cannot occur")


def refuse_several(reports: Array, numbers: Sequence[int]) -> None:
    """Raise `InvalidReport` for sets that hold more than one of these numbers."""
    reports = as_reports(reports)
    words = (reports[:, None] if reports.ndim == 1 else reports).astype(np.uint64)
    mask = sum(1 << x for x in numbers)
    chosen = np.array([mask >> 64 * w & (1 << 64) - 1 for w in range(words.shape[1])], dtype=np.uint64)
    if (np.bitwise_count(words & chosen).sum(axis=1) > 1).any():
        raise InvalidReport("reports: a set must not hold two values that are not sensitive")


def count_members(counts: Array, reports: Array, start: Any, size: int, set_size: int | None) -> None:
    """Add one to cell start + x for every member x of every set, and to cell start + size for every set."""
    reports = as_reports(reports)
    if size <= FEW and reports.ndim == 1 and np.ndim(start) == 0 and accelerated(reports.size):
        _count_small_sets(counts, reports, start, size, set_size)
        return
    words = as_sets(reports, size, set_size)
    if np.ndim(start) == 0:
        counts[start : start + size] += _column_sums(words, size)
        counts[start + size] += len(words)
        return
    counts += np.bincount(start + size, minlength=len(counts))
    for x in range(size):
        on = (words[:, x // 64] >> np.uint64(x % 64) & np.uint64(1)).astype(bool)
        counts += np.bincount(start[on] + x, minlength=len(counts))


def _count_small_sets(counts: Array, reports: Array, start: int, size: int, set_size: int | None) -> None:
    """Like `count_members`, for sets so small that each can be counted individually first."""
    from . import counting

    found = counting.cells(reports, 1 << size)
    if found is None:
        raise InvalidReport(f"reports: a set must be an integer below 2**{size}")
    sizes = np.bitwise_count(np.arange(1 << size, dtype=np.uint32))
    if set_size is not None and (wrong := sizes[(found > 0) & (sizes != set_size)]).size:
        raise InvalidReport(f"reports: a set of {wrong[0]} values; every report must hold exactly {set_size}")
    for x in range(size):
        counts[start + x] += found.reshape(-1, 2, 1 << x)[:, 1].sum()
    counts[start + size] += len(reports)


def locate(reports: Array, offsets: Sequence[int], outputs: int) -> tuple[Array, Array]:
    """The block of every report and the report inside it."""
    reports = as_reports(reports)
    if reports.ndim == 2:
        if len(reports) and int(reports[:, -1].max()) >= len(offsets):
            raise InvalidReport(f"reports: the highest word must be below {len(offsets)}, the number of parts")
        return reports[:, -1].astype(np.int64), reports[:, :-1]
    if reports.size and int(reports.max()) >= outputs:
        raise InvalidReport(f"reports: every report must be from 0 to {outputs - 1}")
    table = ARRAYS.table(offsets)
    block = np.searchsorted(table, reports.astype(np.uint64), side="right") - 1
    return block, reports.astype(np.uint64) - table[block]


def count_parts(counts: Array, reports: Array, start: Any, layout: PartLayout) -> bool:
    """Count reports of several parts in one compiled pass; False, with nothing done, where that is impossible."""
    kinds = [compiled_form(kind) for kind in layout.kinds]
    if None in kinds or reports.ndim != 1 or np.ndim(start) != 0 or not accelerated(len(reports)):
        return False
    from . import counting

    offsets, starts, kind_of = (ARRAYS.table(column) for column in (layout.offsets, layout.starts, layout.kind_of))
    table = np.array(kinds, dtype=np.int64)
    found = counting.in_blocks(as_reports(reports), (offsets, starts, kind_of), table, layout.cells)
    if found is None:
        raise InvalidReport(f"reports: every report must belong to one of the {len(layout.offsets)} blocks")
    counts[start : start + layout.cells] += found
    return True


def _column_sums(words: NDArray[np.uint64], size: int) -> NDArray[np.int64]:
    """How many rows have each bit set, a slab of rows at a time."""
    if accelerated(words.size):
        from . import counting

        return counting.members(words, size)
    sums = np.zeros(size, dtype=np.int64)
    slab = max(1, (1 << 24) // max(64, size))
    for begin in range(0, len(words), slab):
        part = np.ascontiguousarray(words[begin : begin + slab]).view(np.uint8)
        sums += np.unpackbits(part, axis=1, bitorder="little", count=size).sum(axis=0, dtype=np.int64)
    return sums
