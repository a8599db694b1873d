"""Compiled counting of reports, and its adjoint: one pass over memory, which also checks that each report can occur.

Importing this file imports Numba; ask `acceleration` first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compiled import count_bits, inline, jit

Array = NDArray[Any]
Blocks = tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]
"""The offset, the first cell and the kind of every block, and the kinds.

A kind is (limit, -2): reports below the limit, one cell each; or (limit, d): sets of d of `limit` values, any number of
them if d is -1, with one cell per value and one for the sets.
"""

U = np.uint64
LANES = 4
"""Counters per cell where cells are few, so that equal neighbours need not wait for each other."""

MAX_LANE_CELLS = 1 << 12
"""The most cells that have several counters each."""
ROWS = 255
"""The number of rows that a one-byte counter can hold."""


def _native(reports: Array) -> Array:
    return np.ascontiguousarray(reports, dtype=reports.dtype.newbyteorder("="))


def histogram(reports: Array, outputs: int) -> NDArray[np.int64] | None:
    """How often each report below `outputs` occurs, or None if any other does; at most 2**32 - 1 reports."""
    lanes = LANES if outputs <= MAX_LANE_CELLS else 1
    counts = np.zeros((lanes, outputs + 1), dtype=np.uint32)
    _count(_native(reports), outputs, counts.reshape(-1), lanes)
    sums: NDArray[np.int64] = counts.sum(axis=0, dtype=np.int64)
    return None if sums[outputs] else sums[:outputs]


@jit
def _count(reports: Any, outputs: Any, counts: Any, lanes: Any) -> Any:
    last, width = U(outputs), U(outputs) + U(1)
    n, at = U(reports.size), U(0)
    if U(lanes) == U(LANES):
        while at + U(LANES) <= n:
            counts[min(U(reports[at]), last)] += np.uint32(1)
            counts[width + min(U(reports[at + U(1)]), last)] += np.uint32(1)
            counts[U(2) * width + min(U(reports[at + U(2)]), last)] += np.uint32(1)
            counts[U(3) * width + min(U(reports[at + U(3)]), last)] += np.uint32(1)
            at += U(LANES)
    while at < n:
        counts[min(U(reports[at]), last)] += np.uint32(1)
        at += U(1)


def bit_sums(words: NDArray[np.uint64], size: int) -> NDArray[np.int64]:
    """How many rows have each of the first `size` bits set; rows of 64-bit words, lowest first."""
    sums = np.zeros(64 * words.shape[1], dtype=np.int64)
    spread = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").view(np.uint64)[:, 0]
    _count_bits(np.ascontiguousarray(words), np.ascontiguousarray(spread), sums)
    return sums[:size]


@jit
def _count_bits(words: Any, spread: Any, sums: Any) -> Any:
    columns = U(words.shape[1])
    counters = np.zeros(U(8) * columns, dtype=np.uint64)  # eight one-byte counters in each
    n, begin = U(words.shape[0]), U(0)
    while begin < n:
        end = min(n, begin + U(ROWS))
        for row in range(begin, end):
            for column in range(columns):
                word, at = words[row, column], U(8) * column
                for byte in range(U(8)):
                    counters[at + byte] += spread[(word >> (U(8) * byte)) & U(255)]
        for i in range(U(counters.size)):
            for byte in range(U(8)):
                sums[U(8) * i + byte] += np.int64((counters[i] >> (U(8) * byte)) & U(255))
            counters[i] = U(0)
        begin = end


def gather(entries: Array, reports: Array) -> Array | None:
    """The entry of every report, or None if there is none for one of them."""
    out = np.empty(len(reports), dtype=entries.dtype)
    return out if _gather(np.ascontiguousarray(entries), _native(reports), out) else None


@jit
def _gather(entries: Any, reports: Any, out: Any) -> Any:
    last, highest = U(entries.size - 1), U(0)
    for i in range(U(reports.size)):
        y = U(reports[i])
        highest = max(highest, y)
        out[i] = entries[min(y, last)]
    return highest <= last


def add_bytes(words: NDArray[np.uint64], tables: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Add, to the number of every row, what the tables have for each of its bytes, lowest first."""
    _add_bytes(np.ascontiguousarray(words), tables.reshape(-1), out)


@jit
def _add_bytes(words: Any, tables: Any, out: Any) -> Any:
    columns, count = U(words.shape[1]), U(tables.size >> 8)
    for row in range(U(words.shape[0])):
        total = out[row]
        for column in range(columns):
            word, at = words[row, column], U(8) * column
            for byte in range(min(U(8), count - at)):
                total += tables[((at + byte) << U(8)) + ((word >> (U(8) * byte)) & U(255))]
        out[row] = total


def count_blocks(reports: Array, blocks: Blocks, cells: int) -> NDArray[np.int64] | None:
    """The counts of the cells of reports in blocks, or None if one of the reports cannot occur."""
    counts = np.zeros(cells, dtype=np.int64)
    return counts if _count_blocks(_native(reports), *blocks, counts) else None


def gather_blocks(reports: Array, blocks: Blocks, entries: Array) -> NDArray[np.float64] | None:
    """The sums of the entries of reports in blocks, or None if one of the reports cannot occur."""
    sums = np.empty(len(reports))
    return sums if _gather_blocks(_native(reports), *blocks, np.ascontiguousarray(entries), sums) else None


@inline
def _block_of(y: Any, offsets: Any) -> Any:
    """The last block whose offset is not above y."""
    block, left = U(0), U(offsets.size)
    while left > U(1):
        half = left >> U(1)
        block += half & (U(0) - U(offsets[block + half] <= y))
        left -= half
    return block


@inline
def _is_report(inside: Any, limit: Any, members: Any) -> Any:
    """True if a kind of block has this report."""
    if members == -2:
        return inside < limit
    return (limit >= U(64) or inside >> limit == U(0)) and (members < 0 or count_bits(inside) == U(members))


@jit
def _count_blocks(reports: Any, offsets: Any, starts: Any, kind_of: Any, kinds: Any, counts: Any) -> Any:
    for i in range(U(reports.size)):
        y = U(reports[i])
        block = _block_of(y, offsets)
        inside, first = y - offsets[block], starts[block]
        limit, members = U(kinds[kind_of[block], 0]), kinds[kind_of[block], 1]
        if not _is_report(inside, limit, members):
            return False
        if members == -2:
            counts[first + inside] += 1
            continue
        counts[first + limit] += 1
        while inside != U(0):
            lowest = inside & (U(0) - inside)
            counts[first + count_bits(lowest - U(1))] += 1
            inside ^= lowest
    return True


@jit
def _gather_blocks(reports: Any, offsets: Any, starts: Any, kind_of: Any, kinds: Any, entries: Any, sums: Any) -> Any:
    for i in range(U(reports.size)):
        y = U(reports[i])
        block = _block_of(y, offsets)
        inside, first = y - offsets[block], starts[block]
        limit, members = U(kinds[kind_of[block], 0]), kinds[kind_of[block], 1]
        if not _is_report(inside, limit, members):
            return False
        if members == -2:
            sums[i] = entries[first + inside]
            continue
        total = entries[first + limit]
        while inside != U(0):
            lowest = inside & (U(0) - inside)
            total += entries[first + count_bits(lowest - U(1))]
            inside ^= lowest
        sums[i] = total
    return True
