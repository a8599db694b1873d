"""`Arithmetic` on NumPy arrays: the same samplers, many reports at once.

A batch of reports of at most 64 bits is one array of unsigned integers; wider reports are rows
of 64-bit words, lowest word first.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.arithmetic import Arithmetic, Draw

Words = NDArray[np.uint64]

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
MAX_TABLES = 256
MAX_TABLE_ENTRIES = 1 << 24
"""How many look-up tables are kept as arrays, and how many entries in all."""


class Arrays(Arithmetic):
    """`discreet.core.arithmetic.Arithmetic` on arrays of 64-bit words."""

    def __init__(self) -> None:
        self._tables: dict[int, tuple[Sequence[int], Words]] = {}  # a table kept here keeps its id
        self._lock = Lock()

    def position(self, u: Words, below: int) -> Words:
        m = np.uint64(below)
        if below & (below - 1) == 0:
            return u >> np.uint64(65 - below.bit_length()) if below > 1 else np.zeros_like(u)
        return ((u >> HALF) * m + ((u & LOW) * m >> HALF)) >> HALF

    def fraction(self, u: Words, below: int) -> Words:
        return u * np.uint64(below)

    def wide_position(self, u: Words, v: Words, below: int) -> Words:
        rest = self.fraction(u, below)
        carry = (rest + self.position(v, below)) < rest
        return self.position(u, below) + carry

    def less(self, u: Words, bound: int) -> Words:
        if bound >= 1 << 64:
            return np.ones_like(u)
        return (u < np.uint64(bound)).astype(np.uint64)

    def divide(self, u: Words, by: int) -> Words:
        return np.asarray(u // np.uint64(by)) if by < 1 << 64 else np.zeros_like(u)

    def equal(self, a: Words, b: Any) -> Words:
        return np.asarray(a == b).astype(np.uint64)

    def at_least(self, a: Any, b: Any) -> Words:
        return np.asarray(a >= b).astype(np.uint64)

    def select(self, flag: Words, a: Any, b: Any) -> Words:
        chosen = flag.astype(bool)
        if max(np.ndim(a), np.ndim(b)) == 2:
            chosen = chosen[:, None]
        return np.asarray(np.where(chosen, a, b)).astype(np.uint64, copy=False)

    def look_up(self, table: Sequence[int], i: Any) -> Words:
        return np.asarray(self.table(table)[i])

    def table(self, table: Sequence[int]) -> Words:
        """The table as an array, made once."""
        known = self._tables.get(id(table))
        if known is None:
            known = table, np.array(table, dtype=np.uint64)
            with self._lock:
                self._tables[id(table)] = known
                entries = sum(len(known) for known, _ in self._tables.values())
                while len(self._tables) > 1 and (len(self._tables) > MAX_TABLES or entries > MAX_TABLE_ENTRIES):
                    oldest, _ = self._tables.pop(next(iter(self._tables)))
                    entries -= len(oldest)
        return known[1]

    def parity(self, u: Words) -> Words:
        return (np.bitwise_count(u) & 1).astype(np.uint64)

    def rank(self, rows: Sequence[Sequence[int]], x: Words, u: Words) -> Words:
        out = np.zeros_like(u)
        for value in np.unique(x):
            mine = np.nonzero(x == value)[0]
            bounds = np.array([bound for bound in rows[int(value)] if bound < 1 << 64], dtype=np.uint64)
            out[mine] = np.searchsorted(bounds, u[mine], side="right")
        return out

    def empty_set(self, like: Words, size: int) -> NDArray[Any]:
        return np.zeros_like(like) if size <= 64 else np.zeros((len(like), size), dtype=bool)

    def contains(self, members: NDArray[Any], i: Words) -> Words:
        if members.ndim == 1:
            return (members >> i) & np.uint64(1)
        return members[np.arange(len(members)), i].astype(np.uint64)

    def insert(self, members: NDArray[Any], i: Any, flag: Any) -> NDArray[Any]:
        if members.ndim == 1:
            return np.asarray(members | (np.uint64(1) * flag << np.asarray(i, dtype=np.uint64)))
        members[np.arange(len(members)), i] |= np.asarray(flag, dtype=bool)
        return members

    def set_report(self, members: NDArray[Any], size: int) -> Words:
        if members.ndim == 1:
            return members
        columns = -(-size // 64)
        packed = np.zeros((len(members), 8 * columns), dtype=np.uint8)
        packed[:, : -(-size // 8)] = np.packbits(members, axis=1, bitorder="little")
        return packed.view("<u8")

    def standing(self, report: Words, i: Words, size: int) -> tuple[Words, Words]:
        words = report[:, None] if report.ndim == 1 else report
        column, shift = i >> np.uint64(6), i & np.uint64(63)
        own = words[np.arange(len(words)), column]
        below = np.bitwise_count(own & ((np.uint64(1) << shift) - np.uint64(1))).astype(np.uint64)
        before = np.bitwise_count(words) * (np.arange(words.shape[1], dtype=np.uint64) < column[:, None])
        return own >> shift & np.uint64(1), below + before.sum(axis=1, dtype=np.uint64)

    def choose(self, kind: Words, draws: Sequence[Draw], x: Words, words: Sequence[Words], bits: int) -> Words:
        if len(draws) == 1:
            return self.widen(draws[0](x, words), bits)
        out = self.widen(np.zeros(len(x), dtype=np.uint64), bits)
        for number, draw in enumerate(draws):
            mine = np.nonzero(kind == number)[0]
            if len(mine):
                out[mine] = self.widen(draw(x[mine], [word[mine] for word in words]), bits)
        return out

    def place(self, report: Words, offsets: Sequence[int], block: Words) -> Words:
        if report.ndim == 1:
            return report + self.look_up(offsets, block)
        report[:, -1] += block
        return report

    def beside(self, report: Words, other: Words, at: int, bits: int) -> Words:
        if bits <= 64:
            return np.asarray(report + (other << np.uint64(at)))
        wide = self.widen(report, bits)
        first, shift = divmod(at, 64)
        for column, word in enumerate(other[:, None].T if other.ndim == 1 else other.T, first):
            wide[:, column] |= word << np.uint64(shift)
            if shift and column + 1 < wide.shape[1]:
                wide[:, column + 1] |= word >> np.uint64(64 - shift)
        return wide

    def widen(self, report: Words, bits: int) -> Words:
        columns = -(-bits // 64)
        if columns == 1:
            return report
        wide = np.zeros((len(report), columns), dtype=np.uint64)
        inner = report[:, None] if report.ndim == 1 else report
        wide[:, : inner.shape[1]] = inner
        return wide

    def pass_on(self, report: Words, passes: Words, place: Words, base: int) -> Words:
        if report.ndim == 1:
            return self.select(passes, place + np.uint64(base), report)
        rows = np.nonzero(passes)[0]
        report[rows] = 0
        report[rows, 0] = place[rows]
        report[rows, -1] = base >> 64 * (report.shape[1] - 1)
        return report


ARRAYS = Arrays()
