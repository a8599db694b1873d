"""Compiled kernels for reports of several words, sets of many values; `row` is where such a report is written.

Importing this module imports Numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimation.arrays.compiled import (
    byte_at,
    choose_by_type,
    inline,
    jit,
    long_at,
    longs_from,
    longs_of,
    put_byte,
    put_long,
    short_at,
)
from .kernels import EIGHT, LAST, ONE, SIX, ZERO, U, all_below, bits_below, select, step
from .packed import PackedHighLow, PackedSubset, PackedUnary

LOW_BITS = U(0x0102040810204080)
"""Multiplied by eight bytes that are 0 or 1, it gives their bits in order in the top byte."""


@jit
def fill_rows(law: Any, size: Any, x: Any, words: Any, stride: Any, out: Any) -> Any:
    """Like `fill`, for reports of several words, each a row of `out`."""
    if not all_below(x, size):
        return False
    columns = U(out.shape[1])
    room = np.zeros(9 * out.shape[1], dtype=np.uint64)
    longs, rows, beside = longs_of(words), longs_of(out), longs_of(room)
    for i in range(U(out.shape[0])):
        draw_row(law, U(x[i]), longs_from(longs, i * stride), longs_from(rows, i * columns), beside, columns)
    return room.size > 0


@inline
def _insert(members: Any, t: Any, last: Any, flag: Any) -> Any:
    """Add `t`, or `last` if t is already in, where the flag is 1.

    Members are bytes, so that a step seldom waits for what another has just written.
    """
    t = select(byte_at(members, t), last, t)
    put_byte(members, t, flag | byte_at(members, t))


@inline
def _pack(members: Any, row: Any, columns: Any) -> Any:
    """Write the members as bits and clear them."""
    for word in range(columns):
        bits = ZERO
        for byte in range(EIGHT):
            at = (word << U(3)) + byte
            bits |= (long_at(members, at) * LOW_BITS >> U(56)) << (byte << U(3))
            put_long(members, at, ZERO)
        put_long(row, word, bits)


def draw_row(law: Any, x: Any, words: Any, row: Any, beside: Any, columns: Any) -> Any:
    """Write the report of x to `row`; `beside` is another row to work in, followed by one zero byte per value."""
    raise NotImplementedError


def cover_row(law: Any, words: Any, row: Any, members: Any, columns: Any) -> Any:
    """Write a cover report to `row`, and return whether a value that needs no protection passes as it is."""
    raise NotImplementedError


def _row_subset(law: Any, x: Any, words: Any, row: Any, beside: Any, columns: Any) -> Any:
    members, truth = longs_from(beside, columns), U(long_at(words, ZERO) <= law.true_last)
    flag, u, at = ONE - truth, ZERO, longs_from(words, ONE)
    for s in range(law.d):
        size, t, u, at = step(law.steps, s, u, at)
        last = size - ONE
        _insert(members, t + U(t >= x), last + U(last >= x), flag)
        flag = ONE
    _insert(members, x, x, truth)
    _pack(members, row, columns)


def _cover_row_subset(law: Any, words: Any, row: Any, members: Any, columns: Any) -> Any:
    u, at = ZERO, longs_from(words, ONE)
    for s in range(law.d):
        size, t, u, at = step(law.cover, s, u, at)
        _insert(members, t, size - ONE, ONE)
    _pack(members, row, columns)
    return U(long_at(words, ZERO) > law.cover_last)


def _row_unary(law: Any, x: Any, words: Any, row: Any, beside: Any, columns: Any) -> Any:
    _cover_bits(law, words, row, columns)
    others = long_at(row, x >> SIX) & ~(ONE << (x & LAST))
    put_long(row, x >> SIX, others | U(long_at(words, x) < law.own) << (x & LAST))


def _cover_row_unary(law: Any, words: Any, row: Any, members: Any, columns: Any) -> Any:
    _cover_bits(law, words, row, columns)
    return U(long_at(words, law.size) > law.cover_last)


@inline
def _cover_bits(law: Any, words: Any, row: Any, columns: Any) -> Any:
    for word in range(columns):
        first = word << SIX
        count = min(U(64), law.size - min(first, law.size))
        put_long(row, word, bits_below(law.other, longs_from(words, first), count))


def _row_high_low(law: Any, x: Any, words: Any, row: Any, beside: Any, columns: Any) -> Any:
    entry = short_at(law.entries, x)
    place, other = entry >> ONE, entry & ONE
    draw_row(law.inner, select(other, ZERO, place), words, row, beside, columns)
    passes = other & cover_row(law.inner, words, beside, longs_from(beside, columns), columns)
    for word in range(columns):
        written = select(other, long_at(beside, word), long_at(row, word))
        put_long(row, word, select(passes, ZERO, written))
    put_long(row, ZERO, long_at(row, ZERO) | place & (ZERO - passes))
    put_long(row, columns - ONE, long_at(row, columns - ONE) | passes)


choose_by_type(draw_row, {PackedSubset: _row_subset, PackedUnary: _row_unary, PackedHighLow: _row_high_low})
choose_by_type(cover_row, {PackedSubset: _cover_row_subset, PackedUnary: _cover_row_unary})
