"""Compiled samplers for one-word reports: in one pass, the same as `Sampler.draw` on arrays, word for word.

Choices are made by selection, not by branches, as in `draw`; the mechanisms explain why they are private.
`words` is where the words of one report begin. Importing this file imports Numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimation.arrays.compiled import (
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
from .packed import (
    Divisor,
    PackedBlocks,
    PackedCycle,
    PackedCycles,
    PackedGeometric,
    PackedHadamard,
    PackedHadamardBlocks,
    PackedHighLow,
    PackedResponse,
    PackedSubset,
    PackedTable,
    PackedUnary,
)

U = np.uint64
ZERO, ONE, TWO, SIX, EIGHT, HALF, LAST, ONES = U(0), U(1), U(2), U(6), U(8), U(32), U(63), ~U(0)
LOW_HALF, ROW = U(0xFFFFFFFF), U(0x3FFFFFF)
TILE = 512
"""Entries looked up at a time."""


# -- loops ------------------------------------------------------------------------------------------------------
@jit
def fill(law: Any, size: Any, x: Any, words: Any, stride: Any, out: Any) -> Any:
    """Write the report of every x from `stride` words each; False, writing nothing, if an x is not below `size`."""
    if not all_below(x, size):
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
    """Like `fill`, for laws with a table of entries, which are looked up first, a tile at a time."""
    if not all_below(x, size):
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
def fill_by_place(law: Any, size: Any, x: Any, words: Any, stride: Any, out: Any) -> Any:
    """Like `fill`, for laws with a table of shifts, whose places are worked out first, a tile at a time.

    What depends on the word alone is then one loop without a table, which the compiler makes wide.
    """
    if not all_below(x, size):
        return False
    tile = np.empty(TILE, dtype=np.uint64)
    longs, places = longs_of(words), longs_of(tile)
    n = U(out.size)
    for begin in range(ZERO, n, U(TILE)):
        count = min(U(TILE), n - begin)
        if stride == ONE:
            for i in range(count):
                put_long(places, i, place_of(law, long_at(longs, begin + i)))
            for i in range(count):
                put_long(places, i, shift_at(law, long_at(places, i)))
            for i in range(count):
                out[begin + i] = draw_shifted(law, U(x[begin + i]), long_at(longs, begin + i), long_at(places, i))
        else:
            for i in range(count):
                word = long_at(longs, (begin + i) * stride)
                out[begin + i] = draw_shifted(law, U(x[begin + i]), word, shift_at(law, place_of(law, word)))
    return tile.size > 0


@inline
def all_below(x: Any, size: Any) -> Any:
    """True if every x is below `size`."""
    largest = x.dtype.type(0)
    for i in range(U(x.size)):
        largest = max(largest, x[i])
    return U(largest) < size


# -- values as numbers --------------------------------------------------------------------------------------------
@jit
def subtract_capped(x: Any, low: Any, beyond: Any, out: Any) -> None:
    """Write ``x - low`` for every x, and `beyond` where that is more, or negative."""
    for i in range(U(out.size)):
        out[i] = min(U(np.int64(x[i])) - low, beyond)


@jit
def look_up_capped(x: Any, low: Any, beyond: Any, table: Any, out: Any) -> None:
    """Write ``table[x - low]`` for every x, and ``table[beyond]`` where that is more, or negative."""
    for i in range(U(out.size)):
        out[i] = table[min(U(np.int64(x[i])) - low, beyond)]


# -- what the laws share ----------------------------------------------------------------------------------------
@inline
def _divided(u: Any, by: Any) -> Any:
    q = multiply_high(u, by.inverse) >> by.shift
    return q + U(u - q * by.unit >= by.unit)


@inline
def select(flag: Any, a: Any, b: Any) -> Any:
    """`a` where the flag is 1, `b` where it is 0."""
    return b ^ ((a ^ b) & (ZERO - flag))


@inline
def step(steps: Any, s: Any, u: Any, words: Any) -> Any:
    """Step s of Floyd's algorithm: its range, the number drawn, and the word and words for the next step."""
    size, fresh = short_at(steps, s + s), short_at(steps, s + s + ONE)
    if fresh == TWO:
        u, v = long_at(words, ZERO), long_at(words, ONE)
        rest = u * size
        return size, multiply_high(u, size) + U(rest + multiply_high(v, size) < rest), u, longs_from(words, TWO)
    if fresh == ONE:  # a branch that depends on the step alone, so that steps of different words can overlap
        u = long_at(words, ZERO)
    return size, multiply_high(u, size), u * size, longs_from(words, fresh)


@inline
def bits_below(bound: Any, words: Any, count: Any) -> Any:
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
    """The entry of x in the law's table."""
    raise NotImplementedError


def draw_entry(law: Any, entry: Any, words: Any) -> Any:
    """The report of the value with this entry."""
    raise NotImplementedError


def place_of(law: Any, u: Any) -> Any:
    """The place in the law's table of shifts that a word chooses."""
    raise NotImplementedError


def shift_at(law: Any, place: Any) -> Any:
    """The shift at a place of the law's table."""
    raise NotImplementedError


def draw_shifted(law: Any, x: Any, u: Any, shift: Any) -> Any:
    """The report of x by the word u, which chooses this shift."""
    raise NotImplementedError


def _short_entry(law: Any, x: Any) -> Any:
    return short_at(law.entries, x)


def _long_entry(law: Any, x: Any) -> Any:
    return long_at(law.entries, x)


def cover_report(law: Any, words: Any) -> Any:
    """Whether a value that needs no protection passes as it is, and the cover report if not."""
    raise NotImplementedError


def _draw_hadamard(law: Any, x: Any, words: Any) -> Any:
    u, row = long_at(words, ZERO), x + ONE
    column = u >> law.shift
    wrong = (count_bits(row & column) & ONE) ^ U((u << law.width) > law.true_last)
    return column ^ ((row & (ZERO - row)) & (ZERO - wrong))


def _cover_hadamard(law: Any, words: Any) -> Any:
    u = long_at(words, ZERO)
    return U((u << law.width) > law.cover_last), u >> law.shift


def _draw_response(law: Any, x: Any, words: Any) -> Any:
    u = long_at(words, ZERO)
    other = _divided(u, law.lie)
    return select(U(u < law.lies), other + U(other >= x), x)


def _cover_divided(law: Any, words: Any) -> Any:
    u = long_at(words, ZERO)
    passes = U(u > law.cover_last)
    return passes, select(passes, ZERO, _divided(u, law.cover))


def _place_cycle(law: Any, u: Any) -> Any:
    """The place in `shifts` that a word chooses; 0 for a spare word."""
    low = U(u < law.low_end)
    by = Divisor(
        select(low, law.low.unit, law.high.unit),
        select(low, law.low.inverse, law.high.inverse),
        select(low, law.low.shift, law.high.shift),
    )
    chosen = _divided(u - select(low, ZERO, law.low_end), by) + select(low, ZERO, law.few)
    return select(U(u > law.used_last), ZERO, chosen)


@inline
def _added(x: Any, shift: Any, v: Any) -> Any:
    """``x + shift mod v``, both below v; a comparison would become a branch."""
    moved = x + shift - v
    return moved + (v & U(np.int64(moved) >> 63))


@inline
def _spare_or(law: Any, u: Any, report: Any) -> Any:
    """The report, or that of a spare word."""
    return select(U(u > law.used_last), (u - law.used_last - ONE) >> law.scale_shift, report)


def _place_cycles(law: Any, u: Any) -> Any:
    return place_of(law.levels, u)


def _shift_cycle(law: Any, place: Any) -> Any:
    return short_at(law.shifts, place)


def _shift_cycles(law: Any, place: Any) -> Any:
    return short_at(law.levels.shifts, place)


def _shifted_cycle(law: Any, x: Any, u: Any, shift: Any) -> Any:
    return _spare_or(law, u, _added(x, shift, law.v))


def _shifted_cycles(law: Any, x: Any, u: Any, shift: Any) -> Any:
    levels = law.levels
    start = _divided(shift, law.by_v) * levels.v
    return _spare_or(levels, u, start + _added(x, shift - start, levels.v))


def _draw_cycle(law: Any, x: Any, words: Any) -> Any:
    u = long_at(words, ZERO)
    return draw_shifted(law, x, u, shift_at(law, place_of(law, u)))


def _draw_subset(law: Any, x: Any, words: Any) -> Any:
    truth = U(long_at(words, ZERO) <= law.true_last)
    members, flag, u, at = ZERO, ONE - truth, ZERO, longs_from(words, ONE)
    for s in range(law.d):
        size, t, u, at = step(law.steps, s, u, at)
        last = size - ONE
        t, last = t + U(t >= x), last + U(last >= x)
        members |= flag << select(members >> t & ONE, last, t)
        flag = ONE
    return members | truth << x


def _cover_subset(law: Any, words: Any) -> Any:
    members, u, at = ZERO, ZERO, longs_from(words, ONE)
    for s in range(law.d):
        size, t, u, at = step(law.cover, s, u, at)
        members |= ONE << select(members >> t & ONE, size - ONE, t)
    return U(long_at(words, ZERO) > law.cover_last), members


def _draw_unary(law: Any, x: Any, words: Any) -> Any:
    others = bits_below(law.other, words, law.size)
    return others & ~(ONE << x) | U(long_at(words, x) < law.own) << x


def _cover_unary(law: Any, words: Any) -> Any:
    return U(long_at(words, law.size) > law.cover_last), bits_below(law.other, words, law.size)


@inline
def _rank(bounds: Any, first: Any, count: Any, u: Any) -> Any:
    """How many of `count` increasing bounds, from number `first` on, are at most u."""
    at = first
    while count > ZERO:
        half = count >> ONE
        right = U(long_at(bounds, at + half) <= u)
        at += (half + ONE) & (ZERO - right)
        count = select(right, count - half - ONE, half)
    return at - first


def _draw_table(law: Any, x: Any, words: Any) -> Any:
    return _rank(law.bounds, x * law.width, short_at(law.used, x), long_at(words, ZERO))


def _draw_geometric(law: Any, x: Any, words: Any) -> Any:
    u = long_at(words, ZERO)
    rank = _rank(law.bounds, ZERO, law.count, u)
    moved = x + rank - law.reach
    moved &= ZERO - U(np.int64(moved) >= 0)
    return select(U(rank == ZERO), _divided(u, law.flat), min(moved, law.last))


def _entry_high_low(law: Any, entry: Any, words: Any) -> Any:
    place, other = entry >> ONE, entry & ONE
    hidden = draw(law.inner, select(other, ZERO, place), words)
    passes, cover = cover_report(law.inner, words)
    return select(other & passes, law.base + place, select(other, cover, hidden))


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
        inner = draw(PackedHadamard(long_at(kind, ONE), long_at(kind, TWO), long_at(kind, U(3)), ZERO), place, words)
    elif number == ONE:
        lie = _divisor_at(kind, TWO)
        inner = draw(PackedResponse(long_at(kind, ONE), lie, ZERO, lie), place, words)
    elif number == TWO:
        inner = draw(_cycle_at(kind), place, words)
    elif number == U(3):
        steps = long_at(kind, U(3))
        inner = draw(PackedSubset(long_at(kind, ONE), long_at(kind, TWO), steps, ZERO, steps), place, words)
    elif number == U(4):
        inner = draw(PackedUnary(long_at(kind, ONE), long_at(kind, TWO), long_at(kind, U(3)), ZERO), place, words)
    else:
        levels = _cycle_at(kind)
        inner = draw(PackedCycles(levels, _divisor_at(kind, U(17)), ZERO, levels.low), place, words)
    return long_at(law.blocks, block) + inner


@inline
def _cycle_at(kind: Any) -> Any:
    v, few, low_end = long_at(kind, ONE), long_at(kind, TWO), long_at(kind, U(3))
    low, high = _divisor_at(kind, U(4)), _divisor_at(kind, U(7))
    used_last, scale_shift, shifts = long_at(kind, U(10)), long_at(kind, U(11)), long_at(kind, U(12))
    return PackedCycle(v, few, low_end, low, high, used_last, scale_shift, shifts, ZERO, low)


@inline
def _divisor_at(kind: Any, i: Any) -> Any:
    return Divisor(long_at(kind, i), long_at(kind, i + ONE), long_at(kind, i + TWO))


# -- the form of each law ------------------------------------------------------------------------------------------
choose_by_type(
    draw,
    {
        PackedHadamard: _draw_hadamard,
        PackedResponse: _draw_response,
        PackedCycle: _draw_cycle,
        PackedCycles: _draw_cycle,
        PackedSubset: _draw_subset,
        PackedUnary: _draw_unary,
        PackedTable: _draw_table,
        PackedGeometric: _draw_geometric,
    },
)
choose_by_type(
    cover_report,
    {
        PackedHadamard: _cover_hadamard,
        PackedResponse: _cover_divided,
        PackedCycle: _cover_divided,
        PackedCycles: _cover_divided,
        PackedSubset: _cover_subset,
        PackedUnary: _cover_unary,
    },
)
choose_by_type(place_of, {PackedCycle: _place_cycle, PackedCycles: _place_cycles})
choose_by_type(shift_at, {PackedCycle: _shift_cycle, PackedCycles: _shift_cycles})
choose_by_type(draw_shifted, {PackedCycle: _shifted_cycle, PackedCycles: _shifted_cycles})
choose_by_type(entry_of, {PackedHighLow: _short_entry, PackedHadamardBlocks: _long_entry, PackedBlocks: _long_entry})
choose_by_type(
    draw_entry,
    {PackedHighLow: _entry_high_low, PackedHadamardBlocks: _entry_hadamard_blocks, PackedBlocks: _entry_blocks},
)
