"""Compiled counting of reports: one pass over memory, which also checks that each report can occur.

Importing this file imports Numba; ask `acceleration` first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compiled import count_bits, jit

U = np.uint64
LANES = 4
"""Counters per cell where cells are few, so that equal neighbours need not wait for each other."""

FEW = 1 << 12
ROWS = 255
"""The number of rows that a one-byte counter can hold."""


def cells(reports: NDArray[Any], outputs: int) -> NDArray[np.int64] | None:
    """How often each report below `outputs` occurs, or None if any other does; at most 2**32 - 1 reports."""
    lanes = LANES if outputs <= FEW else 1
    found = np.zeros((lanes, outputs + 1), dtype=np.uint32)
    native = np.ascontiguousarray(reports, dtype=reports.dtype.newbyteorder("="))
    _count(native, outputs, found.reshape(-1), lanes)
    sums: NDArray[np.int64] = found.sum(axis=0, dtype=np.int64)
    return None if sums[outputs] else sums[:outputs]


@jit
def _count(reports: Any, outputs: Any, found: Any, lanes: Any) -> Any:
    last, width = U(outputs), U(outputs) + U(1)
    n, at = U(reports.size), U(0)
    if U(lanes) == U(LANES):
        while at + U(LANES) <= n:
            found[min(U(reports[at]), last)] += np.uint32(1)
            found[width + min(U(reports[at + U(1)]), last)] += np.uint32(1)
            found[U(2) * width + min(U(reports[at + U(2)]), last)] += np.uint32(1)
            found[U(3) * width + min(U(reports[at + U(3)]), last)] += np.uint32(1)
            at += U(LANES)
    while at < n:
        found[min(U(reports[at]), last)] += np.uint32(1)
        at += U(1)


def members(words: NDArray[np.uint64], size: int) -> NDArray[np.int64]:
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


def in_blocks(
    reports: NDArray[Any],
    layout: tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]],
    kinds: NDArray[np.int64],
    cells: int,
) -> NDArray[np.int64] | None:
    """The cells of reports in blocks, or None if one of them cannot occur.

    `layout` is the offset, the first cell and the kind of every block. A kind is (limit, -2): reports below
    the limit, one cell each; or (limit, d): sets of d of `limit` values, any number of them if d is -1, with
    one cell per value and one for the sets.
    """
    counts = np.zeros(cells, dtype=np.int64)
    native = np.ascontiguousarray(reports, dtype=reports.dtype.newbyteorder("="))
    return counts if _count_in_blocks(native, *layout, kinds, counts) else None


@jit
def _count_in_blocks(reports: Any, offsets: Any, starts: Any, kind_of: Any, kinds: Any, counts: Any) -> Any:
    for i in range(U(reports.size)):
        y, block, left = U(reports[i]), U(0), U(offsets.size)
        while left > U(1):  # the last block whose offset is not above y
            half = left >> U(1)
            block += half & (U(0) - U(offsets[block + half] <= y))
            left -= half
        inside, first = y - offsets[block], starts[block]
        limit, chosen = U(kinds[kind_of[block], 0]), kinds[kind_of[block], 1]
        if chosen == -2:
            if inside >= limit:
                return False
            counts[first + inside] += 1
            continue
        if (limit < U(64) and inside >> limit != U(0)) or (chosen >= 0 and count_bits(inside) != U(chosen)):
            return False
        counts[first + limit] += 1
        while inside != U(0):
            lowest = inside & (U(0) - inside)
            counts[first + count_bits(lowest - U(1))] += 1
            inside ^= lowest
    return True
