"""The compiled form of a sampler, used only after it has reproduced the reports of plain integers.

Here are also the kernels for reports of several words, sets of many values; `row` is where such a report is written.
Importing this module imports Numba.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.arithmetic import INTEGERS, MASK
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
from ..estimation.decoders import decoder_of
from . import kernels
from .kernels import EIGHT, LAST, ONE, SIX, ZERO, U, all_below, bits_below, select, step
from .packed import Packed, PackedCycle, PackedCycles, PackedHighLow, PackedSubset, PackedUnary, pack
from .randomizing import Fill, outside_domain, report_type
from .words import seeded

if TYPE_CHECKING:
    from ..mechanisms.sampler import Sampler


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


TRIAL_WORDS = 1 << 14
"""Words used for random reports of the trial; the first and last values of every group are tried in any case."""

MAX_TRIAL_REPORTS = 1 << 10
"""The most random reports of the trial: more than the compiled loops take at a time."""

MAX_TRIAL_WORDS_HELD = 1 << 17
"""Words of the trial held at a time, or those of one report if that is more."""

_compiled: weakref.WeakKeyDictionary[Sampler, Fill | None] = weakref.WeakKeyDictionary()


def compiled_sampler(sampler: Sampler) -> Fill | None:
    """The sampler as machine code; None if there is none.

    It is first tried on the first, last and random values of every group. If one report differs, a warning says so
    and the sampler is not used.
    """
    if sampler not in _compiled:
        law = pack(sampler)
        _compiled[sampler] = None if law is None else _try(sampler, law)
    return _compiled[sampler]


def _try(sampler: Sampler, law: Packed) -> Fill | None:
    fill = _compiled_fill(law, sampler.size, sampler.words)
    edges = first_and_last(sampler)
    values = np.concatenate([edges, edges, edges, _random_values(sampler)])
    source, step = seeded(0), max(1, MAX_TRIAL_WORDS_HELD // sampler.words)
    for begin in range(0, len(values), step):
        x = values[begin : begin + step]
        words = source.fill(len(x) * sampler.words).reshape(len(x), sampler.words)
        words[: max(0, len(edges) - begin)] = 0
        words[max(0, len(edges) - begin) : max(0, 2 * len(edges) - begin)] = MASK
        if _differs(fill, sampler, x, words):
            warnings.warn(
                f"the compiled sampler of {sampler.name} differs from the plain one and is not used",
                RuntimeWarning,
                stacklevel=2,
            )
            return None
    return fill


def first_and_last(sampler: Sampler) -> NDArray[np.uint32]:
    """The first and last values of all: of the domain, of every group's first and last part, and of those that pass."""
    ends = [0, sampler.size - 1]
    for group in decoder_of(sampler).groups():
        ends += np.asarray(group.values)[[0, 0, -1, -1], [0, -1, 0, -1]].tolist()
    if passed := sampler.disclosed:
        held = np.setdiff1d(np.arange(sampler.size), passed)
        ends += [passed[0], passed[-1], *held[[0, -1][: held.size]].tolist()]
    return np.unique(np.array(ends, dtype=np.uint32))


def _random_values(sampler: Sampler) -> NDArray[np.uint32]:
    """All values of a small domain, else some of every group; then some of all."""
    rng, count = np.random.default_rng(0), min(MAX_TRIAL_REPORTS, TRIAL_WORDS // sampler.words)
    if sampler.size <= count // 2:
        chosen = [np.arange(sampler.size)]
    else:
        groups = decoder_of(sampler).groups()
        each = max(1, count // 2 // len(groups))
        chosen = [rng.choice(np.ravel(group.values), each) for group in groups]
    return np.concatenate([*chosen, rng.integers(0, sampler.size, count // 2)]).astype(np.uint32)


def _differs(fill: Fill, sampler: Sampler, x: NDArray[np.uint32], words: NDArray[np.uint64]) -> bool:
    """True if a compiled report is not that of plain integers."""
    columns = -(-sampler.bits // 64)
    out = np.empty(len(x) if columns == 1 else (len(x), columns), dtype=report_type(sampler.bits))
    fill(x, words.reshape(-1), out)
    drawn = zip(x.tolist(), words.tolist(), out.reshape(len(x), columns).tolist(), strict=True)
    return any(sampler.draw(value, row, INTEGERS) != _integer(report) for value, row, report in drawn)


def _integer(words: Sequence[int]) -> int:
    return sum(word << 64 * place for place, word in enumerate(words))


def _compiled_fill(law: Packed, size: int, stride: int) -> Fill:
    below, each = np.uint64(size), np.uint64(stride)
    one_word = kernels.fill_by_place if isinstance(law.form, PackedCycle | PackedCycles) else kernels.fill
    if hasattr(law.form, "entries"):
        one_word = kernels.fill_by_entry

    def fill(x: NDArray[Any], words: NDArray[np.uint64], out: NDArray[Any]) -> None:
        kernel = fill_rows if out.ndim == 2 else one_word
        if not kernel(law.form, below, np.ascontiguousarray(x), words, each, out):
            raise outside_domain(size)

    return fill
