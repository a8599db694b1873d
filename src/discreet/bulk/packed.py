"""Laws packed for compiled samplers: plain 64-bit words and the arrays that they point to.

A packed law is a form, which is a named tuple of 64-bit words, and its arrays: a field may be the address of
`longs` (64-bit numbers) or `shorts` (32-bit numbers). A bound named ``..._last`` is inclusive, so that 2**64 needs no
65th bit. Everything is read from the law of the sampler and from the layout that follows from it.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..mechanisms.composed.blocks import BlockResponse
from ..mechanisms.composed.cover import CoverUnits
from ..mechanisms.composed.high_low import HighLowResponse
from ..mechanisms.lines_and_grids.geometric import Geometric
from ..mechanisms.sampler import Sampler
from ..mechanisms.tables.table import Table
from ..mechanisms.uniform.cyclic import Cyclic
from ..mechanisms.uniform.floyd import Steps, ranges
from ..mechanisms.uniform.hadamard import Hadamard
from ..mechanisms.uniform.randomized_response import RandomizedResponse
from ..mechanisms.uniform.subset import Subset
from ..mechanisms.uniform.unary import Unary

WORD = 1 << 64

Divisor = namedtuple("Divisor", "unit inverse shift")
"""A number to divide words by: ``u // unit`` is the high word of u * inverse, shifted, plus at most one."""

PackedHadamard = namedtuple("PackedHadamard", "shift width true_last cover_last")
"""The column is ``u >> shift``; ``u << width`` decides truth or lie."""

PackedResponse = namedtuple("PackedResponse", "lies lie cover_last cover")
"""Words below `lies` are lies, one unit of `lie` to each other value."""

PackedCycle = namedtuple("PackedCycle", "v few low_end low high used_last scale_shift shifts cover_last cover")
"""Words below `low_end` choose one of the first `few` of `shifts` (shorts), the others one of the rest.

The shift is added to the value modulo v.
"""

PackedCycles = namedtuple("PackedCycles", "levels by_v cover_last cover")
"""Like its levels, with several times v reports: a shift is a multiple of v plus a remainder."""

PackedSubset = namedtuple("PackedSubset", "d true_last steps cover_last cover")
"""Floyd's d steps: for each, the shorts at `steps` hold its range and how many new words it takes."""

PackedUnary = namedtuple("PackedUnary", "size own other cover_last")
"""One word per bit: on below `own` for the own bit, below `other` for the others."""

PackedTable = namedtuple("PackedTable", "width bounds used")
"""Row x of `bounds` (longs), `width` numbers wide, has ``used[x]`` (shorts) increasing bounds."""

PackedGeometric = namedtuple("PackedGeometric", "bounds count flat reach last")
"""The first of `count` increasing `bounds` (longs) ends the words that go evenly to all places, one `flat` each.

The others are those of all distances from the own place, the `reach` - 1 downwards first; `last` is the last place.
"""

PackedHighLow = namedtuple("PackedHighLow", "entries base inner")
"""``entries[x]`` (shorts) is twice the place of x, plus one if x is not sensitive."""

PackedBlocks = namedtuple("PackedBlocks", "entries blocks kinds")
"""``entries[x]`` (longs) is the block of x in the high half and its place in the low one.

``blocks[2 b]`` (longs) is the offset of block b, ``blocks[2 b + 1]`` the place in `kinds` (longs) of
the number of its class in `KINDS`, followed by the words of its form.
"""

PackedHadamardBlocks = namedtuple("PackedHadamardBlocks", "entries bound")
"""Blocks of Hadamard response at one epsilon, and of single values.

``entries[x]`` (longs) is, from the top, the width m of the block in 6 bits, the row in 26 (0 in a block
of one value) and the offset of the block in 32. Words shifted by m lie from ``bound`` on, m bits cleared.
"""

Packed = namedtuple("Packed", "form arrays")
"""A form, and the arrays whose addresses it holds."""

Arrays = list[NDArray[Any]]
KINDS = (PackedHadamard, PackedResponse, PackedCycle, PackedSubset, PackedUnary, PackedCycles)
"""The forms that a block may have, by number."""


class _NoForm(Exception):
    """Raised when a law has no compiled form."""


def pack(sampler: Sampler) -> Packed | None:
    """The form of a sampler's law and its arrays; None where there is no compiled sampler and NumPy is used."""
    arrays: Arrays = []
    try:
        return Packed(_as_words(_form(sampler, arrays)), arrays)
    except _NoForm:
        return None


def _form(sampler: Sampler, arrays: Arrays) -> Any:
    pack_law = WHOLE.get(sampler.law.kind)
    return _inner(sampler, arrays, None) if pack_law is None else pack_law(sampler, arrays)


def _table(r: Table, arrays: Arrays) -> PackedTable:
    bounds = np.zeros((r.size, r.outputs), dtype=np.uint64)
    used = []
    for x, row in enumerate(r.law.rows):
        below = [bound for bound in np.cumsum(np.array(row, dtype=object) * r.scale) if bound < WORD]
        bounds[x, : len(below)] = below
        used.append(len(below))
    return PackedTable(r.outputs, _store(arrays, bounds, np.uint64), _store(arrays, used, np.uint32))


def _geometric(r: Geometric, arrays: Arrays) -> PackedGeometric:
    if r.places:
        raise _NoForm
    bounds = [bound for bound in r.bounds if bound < WORD]
    flat = _divisor(r.law.flat * r.scale)
    return PackedGeometric(_store(arrays, bounds, np.uint64), len(bounds), flat, r.reach + 1, r.size - 1)


def _high_low(r: HighLowResponse, arrays: Arrays) -> Any:
    if not r.others and r.sensitive == tuple(range(r.size)):
        return _form(r.inner, arrays)
    if not r.others:
        raise _NoForm
    inner = _inner(r.inner, arrays, r.cover.units)
    entries = 2 * np.array(r.place, dtype=np.uint32) + np.array(r.is_other, dtype=np.uint32)
    return PackedHighLow(_store(arrays, entries, np.uint32), r.base % WORD, inner)


def _blocks(r: BlockResponse, arrays: Arrays) -> PackedBlocks | PackedHadamardBlocks:
    if r.outputs > WORD:
        raise _NoForm
    if (fast := _hadamard_blocks(r, arrays)) is not None:
        return fast
    kinds: list[int] = []
    places = []
    for part in r.kinds:
        form = _inner(part, arrays, None)
        places.append(len(kinds))
        kinds += [KINDS.index(type(form)), *_flat(form)]
    entries = np.array(r.block_of, dtype=np.uint64) << np.uint64(32) | np.array(r.place, dtype=np.uint64)
    blocks = [(offset, places[kind]) for offset, kind in zip(r.offsets, r.kind_of, strict=True)]
    return PackedBlocks(*(_store(arrays, numbers, np.uint64) for numbers in (entries, blocks, kinds)))


def _hadamard_blocks(r: BlockResponse, arrays: Arrays) -> PackedHadamardBlocks | None:
    """The faster form, if every block fits it: Hadamard response with one bound, or a single value."""
    hadamard: list[Any] = [part for part in r.kinds if part.law.kind == "hadamard"]
    single = all(part.outputs == 1 or part.law.kind == "hadamard" for part in r.kinds)
    if not single or r.outputs > 1 << 32 or max(part.size for part in r.kinds) >= 1 << 26:
        return None
    bounds = {part.outputs: part.bound for part in hadamard}
    bound = bounds.get(min(bounds, default=0), 0)
    if any(part.bound != bound & -part.outputs for part in hadamard):
        return None
    blocks = np.array(r.block_of, dtype=np.int64)
    widths, rows = (np.array(column, dtype=np.uint64)[blocks] for column in zip(*_width_and_row(r), strict=True))
    entries = widths << np.uint64(58) | (rows * (np.array(r.place, dtype=np.uint64) + np.uint64(1))) << np.uint64(32)
    entries |= np.array(r.offsets, dtype=np.uint64)[blocks]
    return PackedHadamardBlocks(_store(arrays, entries, np.uint64), bound)


def _width_and_row(r: BlockResponse) -> Iterator[tuple[int, int]]:
    """The width m of each block, and 1 if it has rows."""
    for part in r.inner:
        yield (part.outputs.bit_length() - 1, 1) if part.law.kind == "hadamard" else (0, 0)


def _inner(sampler: Sampler, arrays: Arrays, cover: CoverUnits | None) -> Any:
    """The form of a base in plain integers; `cover` if cover reports are drawn from it too."""
    pack_law = INNER.get(sampler.law.kind)
    if pack_law is None:
        raise _NoForm
    return pack_law(sampler, arrays, cover)


def _hadamard(r: Hadamard, arrays: Arrays, cover: CoverUnits | None) -> PackedHadamard:
    width = r.outputs.bit_length() - 1
    units = 0 if cover is None else cover.units << 64 - r.word_bits + width
    return PackedHadamard(64 - width, width, r.bound - 1, max(0, units - 1))


def _response(r: RandomizedResponse, arrays: Arrays, cover: CoverUnits | None) -> PackedResponse:
    if r.law.spare:
        raise _NoForm
    unit, each = max(1, r.law.low * r.scale), _unit_of(cover, r.scale)
    return PackedResponse((r.size - 1) * unit, _divisor(unit), r.size * each - 1, _divisor(each))


def _cyclic(r: Cyclic, arrays: Arrays, cover: CoverUnits | None) -> PackedCycle | PackedCycles:
    law, each = r.law, _unit_of(cover, r.scale)
    few = r.outputs - len(law.shifts)
    cycle = PackedCycle(
        v=law.modulus,
        few=few,
        low_end=few * law.low * r.scale,
        low=_divisor(law.low * r.scale),
        high=_divisor(law.high * r.scale),
        used_last=WORD - law.spare * r.scale - 1,
        scale_shift=r.scale.bit_length() - 1,
        shifts=_store(arrays, r.table, np.uint32),
        cover_last=r.outputs * each - 1,
        cover=_divisor(each),
    )
    if law.modulus == r.outputs:
        return cycle
    return PackedCycles(cycle, _divisor(law.modulus), cycle.cover_last, cycle.cover)


def _subset(r: Subset, arrays: Arrays, cover: CoverUnits | None) -> PackedSubset:
    first = r.size - r.d
    steps = _store(arrays, _draws(first, r.law.steps), np.uint32)
    if cover is None:
        return PackedSubset(r.d, r.law.true * r.scale - 1, steps, 0, steps)
    others = _store(arrays, _draws(first + 1, cover.steps), np.uint32)
    return PackedSubset(r.d, r.law.true * r.scale - 1, steps, cover.units * r.scale - 1, others)


def _draws(first: int, steps: Steps) -> list[tuple[int, int]]:
    """The range of each draw, and how many new words it takes."""
    return [(size, 0 if i else words) for sizes, words in ranges(first, steps) for i, size in enumerate(sizes)]


def _unary(r: Unary, arrays: Arrays, cover: CoverUnits | None) -> PackedUnary:
    last = 0 if cover is None else cover.units * r.scale - 1
    return PackedUnary(r.size, r.law.own * r.scale, r.law.other * r.scale, last)


WHOLE: dict[str, Callable[[Any, Arrays], Any]] = {
    "table": _table,
    "geometric": _geometric,
    "high_low": _high_low,
    "blocks": _blocks,
}
"""How to pack laws that are never part of another one."""

INNER: dict[str, Callable[[Any, Arrays, CoverUnits | None], Any]] = {
    "hadamard": _hadamard,
    "response": _response,
    "cyclic": _cyclic,
    "subset": _subset,
    "unary": _unary,
}
"""How to pack laws that may also be used in blocks or on sensitive values."""


def _unit_of(cover: CoverUnits | None, scale: int) -> int:
    return 1 if cover is None else cover.units * scale


def _store(arrays: list[NDArray[Any]], numbers: Any, kind: Any) -> int:
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
