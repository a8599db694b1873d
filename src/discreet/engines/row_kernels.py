"""Compiled samplers of reports of several words, as `kernels`: sets of many values.

`row` is where a report is written. Importing this file imports Numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numerics.compiled import choose_by_type, inline, jit, long_at, longs_from, longs_of, put_long, short_at
from .kernels import LAST, ONE, SIX, ZERO, U, all_below, bits_below, select, step
from .laws import HighLowLaw, SubsetLaw, UnaryLaw


@jit
def fill_rows(law: Any, size: Any, x: Any, words: Any, stride: Any, out: Any) -> Any:
    """As `fill` for reports of several words, each a row of `out`."""
    if not all_below(x, size):
        return False
    columns = U(out.shape[1])
    spare = np.zeros(out.shape[1], dtype=np.uint64)
    longs, rows, beside = longs_of(words), longs_of(out), longs_of(spare)
    for i in range(U(out.shape[0])):
        draw_row(law, U(x[i]), longs_from(longs, i * stride), longs_from(rows, i * columns), beside, columns)
    return spare.size > 0


@inline
def _is_member(row: Any, i: Any) -> Any:
    return long_at(row, i >> SIX) >> (i & LAST) & ONE


@inline
def _insert(row: Any, i: Any, flag: Any) -> Any:
    put_long(row, i >> SIX, long_at(row, i >> SIX) | flag << (i & LAST))


@inline
def _clear(row: Any, columns: Any) -> Any:
    for word in range(columns):
        put_long(row, word, ZERO)


def draw_row(law: Any, x: Any, words: Any, row: Any, beside: Any, columns: Any) -> Any:
    """Write the report of x to `row`; `beside` is another row to work in."""
    raise NotImplementedError


def outside_row(law: Any, words: Any, row: Any, columns: Any) -> Any:
    """Write a neutral report to `row`; whether a value that needs no protection shows itself."""
    raise NotImplementedError


def _row_subset(law: Any, x: Any, words: Any, row: Any, beside: Any, columns: Any) -> Any:
    _clear(row, columns)
    truth = U(long_at(words, ZERO) <= law.true_last)
    flag, u, at = ONE - truth, ZERO, longs_from(words, ONE)
    for s in range(law.d):
        size, t, u, at = step(law.steps, s, u, at)
        last = size - ONE
        t, last = t + U(t >= x), last + U(last >= x)
        _insert(row, select(_is_member(row, t), last, t), flag)
        flag = ONE
    _insert(row, x, truth)


def _outside_row_subset(law: Any, words: Any, row: Any, columns: Any) -> Any:
    _clear(row, columns)
    u, at = ZERO, longs_from(words, ONE)
    for s in range(law.d):
        size, t, u, at = step(law.neutral, s, u, at)
        _insert(row, select(_is_member(row, t), size - ONE, t), ONE)
    return U(long_at(words, ZERO) > law.aside_last)


def _row_unary(law: Any, x: Any, words: Any, row: Any, beside: Any, columns: Any) -> Any:
    _neutral_bits(law, words, row, columns)
    others = long_at(row, x >> SIX) & ~(ONE << (x & LAST))
    put_long(row, x >> SIX, others | U(long_at(words, x) < law.own) << (x & LAST))


def _outside_row_unary(law: Any, words: Any, row: Any, columns: Any) -> Any:
    _neutral_bits(law, words, row, columns)
    return U(long_at(words, law.size) > law.aside_last)


@inline
def _neutral_bits(law: Any, words: Any, row: Any, columns: Any) -> Any:
    _clear(row, columns)
    for word in range((law.size + LAST) >> SIX):
        first = word << SIX
        put_long(row, word, bits_below(law.other, longs_from(words, first), min(U(64), law.size - first)))


def _row_high_low(law: Any, x: Any, words: Any, row: Any, beside: Any, columns: Any) -> Any:
    entry = short_at(law.entries, x)
    place, other = entry >> ONE, entry & ONE
    draw_row(law.inner, select(other, ZERO, place), words, row, beside, columns)
    shown = other & outside_row(law.inner, words, beside, columns)
    for word in range(columns):
        written = select(other, long_at(beside, word), long_at(row, word))
        put_long(row, word, select(shown, ZERO, written))
    put_long(row, ZERO, long_at(row, ZERO) | place & (ZERO - shown))
    put_long(row, columns - ONE, long_at(row, columns - ONE) | shown)


choose_by_type(draw_row, {SubsetLaw: _row_subset, UnaryLaw: _row_unary, HighLowLaw: _row_high_low})
choose_by_type(outside_row, {SubsetLaw: _outside_row_subset, UnaryLaw: _outside_row_unary})
