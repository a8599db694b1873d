"""Compiled samplers: the same reports as `Randomizer.draw` on NumPy arrays, word for word, in one pass.

All compiled code of the samplers is in this file, so that a kernel kept on disk is renewed when any of
it changes. Choices are made by selection, not by branches, as in `draw`; the mechanisms say why they are
private. `words` is where the words of one report begin, `row` where a report of several words is written.
Importing this file imports Numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numerics.compiled import (
    choose_by_type,
    count_bits,
    inline,
    jit,
    long_at,
    longs_from,
    longs_of,
    multiply_high,
    put_long,
    short_at,
)
from .laws import (
    BlocksLaw,
    Divisor,
    HadamardBlocksLaw,
    HadamardLaw,
    HighLowLaw,
    ProjectiveLaw,
    ResponseLaw,
    SubsetLaw,
    TableLaw,
    UnaryLaw,
)

U = np.uint64
ZERO, ONE, TWO, SIX, EIGHT, HALF, LAST, ONES = U(0), U(1), U(2), U(6), U(8), U(32), U(63), ~U(0)
LOW_HALF, ROW = U(0xFFFFFFFF), U(0x3FFFFFF)
TILE = 512
"""Entries looked up at a time."""


# -- loops ------------------------------------------------------------------------------------------------------
@jit
def fill(law: Any, size: Any, x: Any, words: Any, stride: Any, out: Any) -> Any:
    """Write the report of every x from `stride` words each; False, and nothing written, if an x is not below `size`."""
    if not _all_below(x, size):
        return False
    longs = longs_of(words)
    if stride == ONE:  # known when compiled, so that neighbours can share an instruction
        for i in range(U(out.size)):
            out[i] = draw(law, U(x[i]), longs_from(longs, i))
    else:
        for i in range(U(out.size)):
            out[i] = draw(law, U(x[i]), longs_from(longs, i * stride))
    return True


@jit
def fill_by_entry(law: Any, size: Any, x: Any, words: Any, stride: Any, out: Any) -> Any:
    """As `fill` for laws with a table of entries, which are looked up first, a tile at a time."""
    if not _all_below(x, size):
        return False
    tile = np.empty(TILE, dtype=np.uint64)
    longs, entries = longs_of(words), longs_of(tile)
    n = U(out.size)
    for begin in range(ZERO, n, U(TILE)):
        count = min(U(TILE), n - begin)
        for i in range(count):
            put_long(entries, i, entry_of(law, U(x[begin + i])))
        if stride == ONE:
            for i in range(count):
                out[begin + i] = draw_entry(law, long_at(entries, i), longs_from(longs, begin + i))
        else:
            for i in range(count):
                out[begin + i] = draw_entry(law, long_at(entries, i), longs_from(longs, (begin + i) * stride))
    return tile.size > 0


@jit
def fill_rows(law: Any, size: Any, x: Any, words: Any, stride: Any, out: Any) -> Any:
    """As `fill` for reports of several words, each a row of `out`."""
    if not _all_below(x, size):
        return False
    columns = U(out.shape[1])
    spare = np.zeros(out.shape[1], dtype=np.uint64)
    longs, rows, beside = longs_of(words), longs_of(out), longs_of(spare)
    for i in range(U(out.shape[0])):
        draw_row(law, U(x[i]), longs_from(longs, i * stride), longs_from(rows, i * columns), beside, columns)
    return spare.size > 0


@inline
def _all_below(x: Any, size: Any) -> Any:
    largest = x.dtype.type(0)
    for i in range(U(x.size)):
        largest = max(largest, x[i])
    return U(largest) < size


# -- what the laws share ----------------------------------------------------------------------------------------
@inline
def _divided(u: Any, by: Any) -> Any:
    q = multiply_high(u, by.inverse) >> by.shift
    return q + U(u - q * by.unit >= by.unit)


@inline
def _select(flag: Any, a: Any, b: Any) -> Any:
    return b ^ ((a ^ b) & (ZERO - flag))


@inline
def _step(steps: Any, s: Any, u: Any, words: Any) -> Any:
    """Step s of Floyd's: its range, the number drawn, and the word and words that the next step goes on with."""
    size, fresh = short_at(steps, s + s), short_at(steps, s + s + ONE)
    if fresh == TWO:
        u, v = long_at(words, ZERO), long_at(words, ONE)
        rest = u * size
        return size, multiply_high(u, size) + U(rest + multiply_high(v, size) < rest), u, longs_from(words, TWO)
    u = _select(fresh, long_at(words, ZERO), u)
    return size, multiply_high(u, size), u * size, longs_from(words, fresh)


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


@inline
def _bits_below(bound: Any, words: Any, count: Any) -> Any:
    """A mask of `count` bits, on where the word is below the bound."""
    mask = ZERO
    for bit in range(count):
        mask |= U(long_at(words, bit) < bound) << bit
    return mask


# -- one report of at most 64 bits ------------------------------------------------------------------------------
def draw(law: Any, x: Any, words: Any) -> Any:
    """The report of x, by the form of its law."""
    raise NotImplementedError


def entry_of(law: Any, x: Any) -> Any:
    """What the table of a law with entries says of x."""
    raise NotImplementedError


def draw_entry(law: Any, entry: Any, words: Any) -> Any:
    """The report of the value with this entry."""
    raise NotImplementedError


def _short_entry(law: Any, x: Any) -> Any:
    return short_at(law.entries, x)


def _long_entry(law: Any, x: Any) -> Any:
    return long_at(law.entries, x)


def outside(law: Any, words: Any) -> Any:
    """Whether a value that needs no protection shows itself, and the neutral report if not."""
    raise NotImplementedError


def _draw_hadamard(law: Any, x: Any, words: Any) -> Any:
    u, row = long_at(words, ZERO), x + ONE
    column = u >> law.shift
    wrong = (count_bits(row & column) & ONE) ^ U((u << law.width) > law.true_last)
    return column ^ ((row & (ZERO - row)) & (ZERO - wrong))


def _outside_hadamard(law: Any, words: Any) -> Any:
    u = long_at(words, ZERO)
    return U((u << law.width) > law.aside_last), u >> law.shift


def _draw_response(law: Any, x: Any, words: Any) -> Any:
    u = long_at(words, ZERO)
    other = _divided(u, law.lie)
    return _select(U(u < law.lies), other + U(other >= x), x)


def _outside_divided(law: Any, words: Any) -> Any:
    u = long_at(words, ZERO)
    shown = U(u > law.aside_last)
    return shown, _select(shown, ZERO, _divided(u, law.aside))


def _draw_projective(law: Any, x: Any, words: Any) -> Any:
    u = long_at(words, ZERO)
    low, spare = U(u < law.low_end), U(u > law.used_last)
    by = Divisor(
        _select(low, law.low.unit, law.high.unit),
        _select(low, law.low.inverse, law.high.inverse),
        _select(low, law.low.shift, law.high.shift),
    )
    chosen = _divided(u - _select(low, ZERO, law.low_end), by) + _select(low, ZERO, law.few)
    moved = x + short_at(law.shifts, _select(spare, ZERO, chosen))
    moved -= law.v
    moved += law.v & U(np.int64(moved) >> 63)  # back if that went below zero; a comparison would become a branch
    return _select(spare, (u - law.used_last - ONE) >> law.scale_shift, moved)


def _draw_subset(law: Any, x: Any, words: Any) -> Any:
    truth = U(long_at(words, ZERO) <= law.true_last)
    members, flag, u, at = ZERO, ONE - truth, ZERO, longs_from(words, ONE)
    for s in range(law.d):
        size, t, u, at = _step(law.steps, s, u, at)
        last = size - ONE
        t, last = t + U(t >= x), last + U(last >= x)
        members |= flag << _select(members >> t & ONE, last, t)
        flag = ONE
    return members | truth << x


def _outside_subset(law: Any, words: Any) -> Any:
    members, u, at = ZERO, ZERO, longs_from(words, ONE)
    for s in range(law.d):
        size, t, u, at = _step(law.neutral, s, u, at)
        members |= ONE << _select(members >> t & ONE, size - ONE, t)
    return U(long_at(words, ZERO) > law.aside_last), members


def _draw_unary(law: Any, x: Any, words: Any) -> Any:
    others = _bits_below(law.other, words, law.size)
    return others & ~(ONE << x) | U(long_at(words, x) < law.own) << x


def _outside_unary(law: Any, words: Any) -> Any:
    return U(long_at(words, law.size) > law.aside_last), _bits_below(law.other, words, law.size)


def _draw_table(law: Any, x: Any, words: Any) -> Any:
    u, first, count = long_at(words, ZERO), x * law.width, short_at(law.used, x)
    while count > ZERO:  # how many bounds are at most u
        half = count >> ONE
        right = U(long_at(law.bounds, first + half) <= u)
        first += (half + ONE) & (ZERO - right)
        count = _select(right, count - half - ONE, half)
    return first - x * law.width


def _entry_high_low(law: Any, entry: Any, words: Any) -> Any:
    place, other = entry >> ONE, entry & ONE
    hidden = draw(law.inner, _select(other, ZERO, place), words)
    shown, neutral = outside(law.inner, words)
    return _select(other & shown, law.base + place, _select(other, neutral, hidden))


def _entry_hadamard_blocks(law: Any, entry: Any, words: Any) -> Any:
    u, row, width = long_at(words, ZERO), entry >> HALF & ROW, entry >> U(58)
    column = (u >> ONE) >> (LAST - width)
    wrong = (count_bits(row & column) & ONE) ^ U((u << width) >= law.bound & (ONES << width))
    return (entry & LOW_HALF) + (column ^ ((row & (ZERO - row)) & (ZERO - wrong)))


def _entry_blocks(law: Any, entry: Any, words: Any) -> Any:
    block, place = (entry >> HALF) << ONE, entry & LOW_HALF
    kind = law.kinds + EIGHT * long_at(law.blocks, block + ONE)
    number = long_at(kind, ZERO)
    if number == ZERO:
        inner = draw(HadamardLaw(long_at(kind, ONE), long_at(kind, TWO), long_at(kind, U(3)), ZERO), place, words)
    elif number == ONE:
        lie = _divisor_at(kind, TWO)
        inner = draw(ResponseLaw(long_at(kind, ONE), lie, ZERO, lie), place, words)
    elif number == TWO:
        inner = draw(_projective_at(kind), place, words)
    elif number == U(3):
        steps = long_at(kind, U(3))
        inner = draw(SubsetLaw(long_at(kind, ONE), long_at(kind, TWO), steps, ZERO, steps), place, words)
    else:
        inner = draw(UnaryLaw(long_at(kind, ONE), long_at(kind, TWO), long_at(kind, U(3)), ZERO), place, words)
    return long_at(law.blocks, block) + inner


@inline
def _projective_at(kind: Any) -> Any:
    low, high = _divisor_at(kind, U(4)), _divisor_at(kind, U(7))
    v, few, low_end = long_at(kind, ONE), long_at(kind, TWO), long_at(kind, U(3))
    used_last, scale_shift, shifts = long_at(kind, U(10)), long_at(kind, U(11)), long_at(kind, U(12))
    return ProjectiveLaw(v, few, low_end, low, high, used_last, scale_shift, shifts, ZERO, low)


@inline
def _divisor_at(kind: Any, i: Any) -> Any:
    return Divisor(long_at(kind, i), long_at(kind, i + ONE), long_at(kind, i + TWO))


# -- one report of several words --------------------------------------------------------------------------------
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
        size, t, u, at = _step(law.steps, s, u, at)
        last = size - ONE
        t, last = t + U(t >= x), last + U(last >= x)
        _insert(row, _select(_is_member(row, t), last, t), flag)
        flag = ONE
    _insert(row, x, truth)


def _outside_row_subset(law: Any, words: Any, row: Any, columns: Any) -> Any:
    _clear(row, columns)
    u, at = ZERO, longs_from(words, ONE)
    for s in range(law.d):
        size, t, u, at = _step(law.neutral, s, u, at)
        _insert(row, _select(_is_member(row, t), size - ONE, t), ONE)
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
        put_long(row, word, _bits_below(law.other, longs_from(words, first), min(U(64), law.size - first)))


def _row_high_low(law: Any, x: Any, words: Any, row: Any, beside: Any, columns: Any) -> Any:
    entry = short_at(law.entries, x)
    place, other = entry >> ONE, entry & ONE
    draw_row(law.inner, _select(other, ZERO, place), words, row, beside, columns)
    shown = other & outside_row(law.inner, words, beside, columns)
    for word in range(columns):
        written = _select(other, long_at(beside, word), long_at(row, word))
        put_long(row, word, _select(shown, ZERO, written))
    put_long(row, ZERO, long_at(row, ZERO) | place & (ZERO - shown))
    put_long(row, columns - ONE, long_at(row, columns - ONE) | shown)


# -- the form of each law ------------------------------------------------------------------------------------------
choose_by_type(
    draw,
    {
        HadamardLaw: _draw_hadamard,
        ResponseLaw: _draw_response,
        ProjectiveLaw: _draw_projective,
        SubsetLaw: _draw_subset,
        UnaryLaw: _draw_unary,
        TableLaw: _draw_table,
    },
)
choose_by_type(
    outside,
    {
        HadamardLaw: _outside_hadamard,
        ResponseLaw: _outside_divided,
        ProjectiveLaw: _outside_divided,
        SubsetLaw: _outside_subset,
        UnaryLaw: _outside_unary,
    },
)
choose_by_type(entry_of, {HighLowLaw: _short_entry, HadamardBlocksLaw: _long_entry, BlocksLaw: _long_entry})
choose_by_type(
    draw_entry,
    {HighLowLaw: _entry_high_low, HadamardBlocksLaw: _entry_hadamard_blocks, BlocksLaw: _entry_blocks},
)
choose_by_type(draw_row, {SubsetLaw: _row_subset, UnaryLaw: _row_unary, HighLowLaw: _row_high_low})
choose_by_type(outside_row, {SubsetLaw: _outside_row_subset, UnaryLaw: _outside_row_unary})
