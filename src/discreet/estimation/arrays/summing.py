"""Compiled sums of the entries that reports stand for: one pass over memory, which also checks each report.

Importing this file imports Numba; ask `acceleration` first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compiled import count_bits, jit

U = np.uint64


def cells(entries: NDArray[Any], reports: NDArray[Any]) -> NDArray[Any] | None:
    """The entry of every report, or None if there is none for one of them."""
    found = np.empty(len(reports), dtype=entries.dtype)
    native = np.ascontiguousarray(reports, dtype=reports.dtype.newbyteorder("="))
    return found if _look_up(np.ascontiguousarray(entries), native, found) else None


@jit
def _look_up(entries: Any, reports: Any, found: Any) -> Any:
    last, most = U(entries.size - 1), U(0)
    for i in range(U(reports.size)):
        y = U(reports[i])
        most = max(most, y)
        found[i] = entries[min(y, last)]
    return most <= last


def add_bytes(words: NDArray[np.uint64], tables: NDArray[np.float64], found: NDArray[np.float64]) -> None:
    """Add, to the number of every row, what the tables say of each of its bytes, lowest first."""
    _add_bytes(np.ascontiguousarray(words), tables.reshape(-1), found)


@jit
def _add_bytes(words: Any, tables: Any, found: Any) -> Any:
    columns, count = U(words.shape[1]), U(tables.size >> 8)
    for row in range(U(words.shape[0])):
        total = found[row]
        for column in range(columns):
            word, at = words[row, column], U(8) * column
            for byte in range(min(U(8), count - at)):
                total += tables[((at + byte) << U(8)) + ((word >> (U(8) * byte)) & U(255))]
        found[row] = total


def in_blocks(
    reports: NDArray[Any],
    layout: tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]],
    kinds: NDArray[np.int64],
    entries: NDArray[Any],
) -> NDArray[np.float64] | None:
    """The sums of the entries of reports in blocks, or None if one of them cannot occur; see `counting.in_blocks`."""
    found = np.empty(len(reports))
    native = np.ascontiguousarray(reports, dtype=reports.dtype.newbyteorder("="))
    return found if _sum_in_blocks(native, *layout, kinds, np.ascontiguousarray(entries), found) else None


@jit
def _sum_in_blocks(reports: Any, offsets: Any, starts: Any, kind_of: Any, kinds: Any, entries: Any, found: Any) -> Any:
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
            found[i] = entries[first + inside]
            continue
        if (limit < U(64) and inside >> limit != U(0)) or (chosen >= 0 and count_bits(inside) != U(chosen)):
            return False
        total = entries[first + limit]
        while inside != U(0):
            lowest = inside & (U(0) - inside)
            total += entries[first + count_bits(lowest - U(1))]
            inside ^= lowest
        found[i] = total
    return True
