"""A randomizer's law as the plain numbers that a compiled sampler needs.

A `Law` is a form, which is a named tuple of 64-bit words, and the arrays that it points into: a field
may be the address of `longs` (64-bit numbers) or `shorts` (32-bit numbers). A bound named ``..._last`` is
inclusive, so that 2**64 needs no 65th bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..mechanisms.blocks import Blocks
from ..mechanisms.cyclotomic import Cyclotomic
from ..mechanisms.hadamard import Hadamard
from ..mechanisms.high_low import HighLow
from ..mechanisms.projective import Projective
from ..mechanisms.randomized_response import RandomizedResponse
from ..mechanisms.randomizer import Randomizer
from ..mechanisms.subset import Subset
from ..mechanisms.table import Table
from ..mechanisms.unary import OptimisedUnary, Unary

WORD = 1 << 64


class Divisor(NamedTuple):
    """A number to divide words by: ``u // unit`` is the high word of u * inverse, shifted, plus at most one."""

    unit: Any
    inverse: Any
    shift: Any


class HadamardLaw(NamedTuple):
    """The column is ``u >> shift``; ``u << width`` decides truth or lie."""

    shift: Any
    width: Any
    true_last: Any
    aside_last: Any


class ResponseLaw(NamedTuple):
    """Words below `lies` are lies, one unit of `lie` to each other value."""

    lies: Any
    lie: Divisor
    aside_last: Any
    aside: Divisor


class TwoLevelLaw(NamedTuple):
    """Words below `low_end` choose one of the first `few` of `shifts` (shorts), the others one of the rest.

    The shift is added to the value modulo v.
    """

    v: Any
    few: Any
    low_end: Any
    low: Divisor
    high: Divisor
    used_last: Any
    scale_shift: Any
    shifts: Any
    aside_last: Any
    aside: Divisor


class FamilyLaw(NamedTuple):
    """As its levels, with several times v reports: a shift is a multiple of v and a rest."""

    levels: TwoLevelLaw
    by_v: Divisor
    aside_last: Any
    aside: Divisor


class SubsetLaw(NamedTuple):
    """Floyd's d steps: for each, the shorts at `steps` have its range and how many new words it takes."""

    d: Any
    true_last: Any
    steps: Any
    aside_last: Any
    neutral: Any


class UnaryLaw(NamedTuple):
    """One word a bit: on below `own` for the own bit, below `other` for the others."""

    size: Any
    own: Any
    other: Any
    aside_last: Any


class TableLaw(NamedTuple):
    """Row x of `bounds` (longs), `width` numbers wide, has ``used[x]`` (shorts) increasing bounds."""

    width: Any
    bounds: Any
    used: Any


class HighLowLaw(NamedTuple):
    """``entries[x]`` (shorts) is twice the place of x, plus one if x is not sensitive."""

    entries: Any
    base: Any
    inner: Any


class BlocksLaw(NamedTuple):
    """``entries[x]`` (longs) is the block of x in the high half and its place in the low one.

    ``blocks[2 b]`` (longs) is the offset of block b, ``blocks[2 b + 1]`` the place in `kinds` (longs) of
    the number of its class in `KINDS`, followed by the words of its form.
    """

    entries: Any
    blocks: Any
    kinds: Any


class HadamardBlocksLaw(NamedTuple):
    """Blocks of Hadamard response at one epsilon, and of single values.

    ``entries[x]`` (longs) is, from the top, the width m of the block in 6 bits, the row in 26 (0 in a block
    of one value) and the offset of the block in 32. Words shifted by m lie from ``bound`` on, m bits cleared.
    """

    entries: Any
    bound: Any


class Law(NamedTuple):
    """A form, and the arrays whose addresses it holds."""

    form: Any
    arrays: list[NDArray[Any]]


KINDS = (HadamardLaw, ResponseLaw, TwoLevelLaw, SubsetLaw, UnaryLaw, FamilyLaw)
"""The forms that a block may have, by number."""


class _NoForm(Exception):
    """There is no compiled form for a randomizer."""


def law_of(randomizer: Randomizer) -> Law | None:
    """What the compiled sampler needs, or None where there is none and NumPy serves."""
    arrays: list[NDArray[Any]] = []
    try:
        return Law(_as_words(_form(randomizer, arrays)), arrays)
    except _NoForm:
        return None


def _form(randomizer: Randomizer, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(randomizer, Table):
        return _table(randomizer, arrays)
    if isinstance(randomizer, Blocks):
        return _blocks(randomizer, arrays)
    if isinstance(randomizer, HighLow) and randomizer.others:
        return _high_low(randomizer, arrays)
    if isinstance(randomizer, HighLow) and randomizer.sensitive == tuple(range(randomizer.size)):
        return _form(randomizer.inner, arrays)
    return _base(randomizer, arrays, outside=False)


def _table(r: Any, arrays: list[NDArray[Any]]) -> TableLaw:
    bounds = np.zeros((r.size, r.outputs), dtype=np.uint64)
    used = []
    for x, row in enumerate(r._bounds):
        below = [bound for bound in row if bound < WORD]
        bounds[x, : len(below)] = below
        used.append(len(below))
    return TableLaw(r.outputs, _kept(arrays, bounds, np.uint64), _kept(arrays, used, np.uint32))


def _high_low(r: HighLow, arrays: list[NDArray[Any]]) -> HighLowLaw:
    inner = _base(r.inner, arrays, outside=True)
    entries = 2 * np.array(r._place, dtype=np.uint32) + np.array(r._other, dtype=np.uint32)
    return HighLowLaw(_kept(arrays, entries, np.uint32), r.base % WORD, inner)


def _blocks(r: Blocks, arrays: list[NDArray[Any]]) -> BlocksLaw | HadamardBlocksLaw:
    if r.outputs > WORD:
        raise _NoForm
    if (fast := _hadamard_blocks(r, arrays)) is not None:
        return fast
    kinds: list[int] = []
    places = []
    for part in r.kinds:
        form = _base(part, arrays, outside=False)
        places.append(len(kinds))
        kinds += [KINDS.index(type(form)), *_flat(form)]
    entries = np.array(r.block_of, dtype=np.uint64) << np.uint64(32) | np.array(r._place, dtype=np.uint64)
    blocks = [(offset, places[kind]) for offset, kind in zip(r.offsets, r.kind_of, strict=True)]
    return BlocksLaw(*(_kept(arrays, numbers, np.uint64) for numbers in (entries, blocks, kinds)))


def _hadamard_blocks(r: Any, arrays: list[NDArray[Any]]) -> HadamardBlocksLaw | None:
    """The faster form, where every block is Hadamard response with one bound, or a single value, and fits."""
    bounds = {part.outputs: part._true * part._step for part in r.kinds if type(part) is Hadamard}
    single = all(type(part) is Hadamard or part.size == 1 for part in r.kinds)
    if not single or r.outputs > 1 << 32 or max(part.size for part in r.kinds) >= 1 << 26:
        return None
    bound = bounds.get(min(bounds, default=0), 0)
    if any(part._true * part._step != bound & -part.outputs for part in r.kinds if type(part) is Hadamard):
        return None
    blocks = np.array(r.block_of, dtype=np.int64)
    widths, rows = (np.array(column, dtype=np.uint64)[blocks] for column in zip(*_width_and_row(r), strict=True))
    entries = widths << np.uint64(58) | (rows * (np.array(r._place, dtype=np.uint64) + np.uint64(1))) << np.uint64(32)
    entries |= np.array(r.offsets, dtype=np.uint64)[blocks]
    return HadamardBlocksLaw(_kept(arrays, entries, np.uint64), bound)


def _width_and_row(r: Any) -> Iterator[tuple[int, int]]:
    """For each block its width m, and 1 if it has rows."""
    for part in r.inner:
        yield (part.outputs.bit_length() - 1, 1) if type(part) is Hadamard else (0, 0)


def _base(randomizer: Randomizer, arrays: list[NDArray[Any]], *, outside: bool) -> Any:
    """The form of a base in plain integers; `outside` if values that need no protection use it too."""
    make = _FORMS.get(type(randomizer))
    if make is None:
        raise _NoForm
    return make(randomizer, arrays, outside)


def _hadamard(r: Any, arrays: list[NDArray[Any]], outside: bool) -> HadamardLaw:
    width = r.outputs.bit_length() - 1
    return HadamardLaw(64 - width, width, r._true * r._step - 1, r._aside * r._step - 1)


def _response(r: Any, arrays: list[NDArray[Any]], outside: bool) -> ResponseLaw:
    if r._spare:
        raise _NoForm
    unit, aside = r._lie * r.scale, r._aside * r.scale if outside else 1
    return ResponseLaw((r.size - 1) * unit, _divisor(unit), r.size * aside - 1, _divisor(aside))


def _projective(r: Any, arrays: list[NDArray[Any]], outside: bool) -> TwoLevelLaw:
    low, high, aside = r._units.low * r.scale, r._units.high * r.scale, r._aside * r.scale if outside else 1
    few = r.outputs - r._many
    return TwoLevelLaw(
        v=r.outputs,
        few=few,
        low_end=few * low,
        low=_divisor(low),
        high=_divisor(high),
        used_last=few * low + r._many * high - 1,
        scale_shift=r.scale.bit_length() - 1,
        shifts=_kept(arrays, r.table, np.uint32),
        aside_last=r.outputs * aside - 1,
        aside=_divisor(aside),
    )


def _cyclotomic(r: Any, arrays: list[NDArray[Any]], outside: bool) -> FamilyLaw:
    levels = _projective(r, arrays, outside)._replace(v=r.family.p)
    return FamilyLaw(levels, _divisor(r.family.p), levels.aside_last, levels.aside)


def _subset(r: Any, arrays: list[NDArray[Any]], outside: bool) -> SubsetLaw:
    steps, neutral = (
        _kept(
            arrays, [(size, 0 if i else parts.words) for parts in plan for i, size in enumerate(parts.sizes)], np.uint32
        )
        for plan in (r._inner, r._neutral if outside else r._inner)
    )
    return SubsetLaw(r.d, r._true * r.scale - 1, steps, r._aside * r.scale - 1 if outside else 0, neutral)


def _unary(r: Any, arrays: list[NDArray[Any]], outside: bool) -> UnaryLaw:
    return UnaryLaw(r.size, r._own * r.scale, r._other * r.scale, r._aside * r.scale - 1)


_FORMS: dict[type[Randomizer], Any] = {
    Hadamard: _hadamard,
    RandomizedResponse: _response,
    Projective: _projective,
    Cyclotomic: _cyclotomic,
    Subset: _subset,
    Unary: _unary,
    OptimisedUnary: _unary,
}


def _kept(arrays: list[NDArray[Any]], numbers: Any, kind: Any) -> int:
    """The address of these numbers as an array, which is added to `arrays`."""
    arrays.append(np.array(numbers, dtype=kind, order="C"))
    return int(arrays[-1].ctypes.data)


def _divisor(unit: int) -> Divisor:
    """The inverse is below 2**64 and at least 2**(63 + e) / unit - 1, e the bits of unit: off by at most one."""
    if not 1 <= unit < WORD:
        raise _NoForm
    bits = unit.bit_length()
    return Divisor(unit, min((1 << 63 + bits) // unit, WORD - 1), bits - 1)


def _flat(form: Any) -> Iterator[int]:
    for field in form:
        yield from _flat(field) if isinstance(field, tuple) else (field,)


def _as_words(form: Any) -> Any:
    """The form with its integers as 64-bit words."""
    return type(form)(*(_as_words(field) if isinstance(field, tuple) else np.uint64(field) for field in form))
