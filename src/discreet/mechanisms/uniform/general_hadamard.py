"""Hadamard response for any epsilon: small Hadamard matrices, one per part of the values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ...contexts import Context
from ...core.arithmetic import MASK, Arithmetic
from ...core.domain import Alike
from ..law import WORD_BITS, Law, plain_law
from ..sampler import LawExample, RatioBound, Sampler
from ..units import Units, check_law, check_size


@dataclass(frozen=True)
class GeneralHadamardLaw(Law):
    """`parts` of `columns` columns; the half that supports a value has `high` words each, all others `low`.

    `spare` words go one each to columns 0, 1, ...
    """

    kind = "general_hadamard"

    size: int
    parts: int
    columns: int
    low: int
    high: int
    spare: int
    word_bits: int


class GeneralHadamard(Sampler):
    """B parts of b columns each; value x is supported by half of the columns of its own part and no others.

    ``B = 2**(ceil(log2 min(e**epsilon, 2k)) - 1)`` and b the power of two above k/B, so a
    supporting set is about a 2B-th of all K = B b columns instead of half of them.

    *Why private.* Supporting columns have t units and all others s, with t <= R s; spare words go
    to the same columns whatever the value.

    References: Acharya2019 (Section 4).
    """

    name = "general_hadamard"

    law: GeneralHadamardLaw
    follows = GeneralHadamardLaw

    def __init__(self, size: int, epsilon: Fraction, *, word_bits: int = WORD_BITS) -> None:
        check_size(size, word_bits)
        reach = min(math.exp(min(float(epsilon), 700.0)), 2 * size)
        parts = 1 << max(0, math.ceil(math.log2(reach)) - 1)
        columns = 1 << (-(-size // parts)).bit_length()
        units = Units.split(word_bits, epsilon, a=columns // 2, b=parts * columns - columns // 2)
        self.follow(GeneralHadamardLaw(size, parts, columns, units.low, units.high, units.spare, word_bits))

    def follow(self, law: GeneralHadamardLaw) -> None:
        check_size(law.size, law.word_bits)
        space, outputs, half = 1 << law.word_bits, law.parts * law.columns, law.columns // 2
        room = law.columns > 1 and law.columns & (law.columns - 1) == 0 and law.size <= law.parts * (law.columns - 1)
        check_law(room, law.kind, "its columns must be a power of two with one row per value")
        used = half * law.high + (outputs - half) * law.low + law.spare
        sound = 0 < law.low < law.high and 0 <= law.spare < outputs and used == space
        check_law(sound, law.kind, f"0 < low < high must hold and its words must add up to 2**{law.word_bits}")
        self.law, self.size, self.word_bits, self.words = law, law.size, law.word_bits, 1
        self.parts, self.columns = law.parts, law.columns
        self.outputs = outputs
        self.low, self.high = Fraction(law.low, space), Fraction(law.high, space)

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        (u,) = words[:1]
        low, high = self.law.low * self.scale, self.law.high * self.scale
        half = self.columns // 2
        few = self.outputs - half
        used = few * low + half * high
        part = ops.divide(x, self.columns - 1)
        row = x - part * (self.columns - 1) + 1
        lowest = row & (MASK - row + 1)
        is_low = ops.less(u, few * low)
        lie, truth = ops.divide(u, low), ops.divide(u - few * low, high)
        index = ops.select(is_low, lie, truth) & (half - 1)
        lower = index & (lowest - 1)
        spread = 2 * index - lower
        column = spread + lowest * (ops.parity(row & spread) ^ is_low)
        away = lie - half + self.columns * ops.at_least(lie, part * self.columns + half)
        beside = is_low & ops.at_least(lie, half)
        report = ops.select(beside, away, part * self.columns + column)
        return ops.select(ops.less(u, used), report, ops.divide(u - used % (1 << 64), self.scale))

    def _supported(self, x: int, y: int) -> bool:
        part, row = divmod(x, self.columns - 1)
        return y // self.columns == part and ((row + 1) & y % self.columns).bit_count() % 2 == 0

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        extra = Fraction(int(y < self.law.spare), 1 << self.word_bits)
        return (self.high if self._supported(x, y) else self.low) + extra

    @property
    def class_of(self) -> Sequence[int]:
        return Alike(self.size)

    def ratio_bounds(self) -> Iterator[RatioBound]:
        if self.size > 1:
            yield RatioBound(0, 1, self.high / self.low)

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        """One that no name gives: a unit less for each likely report, and as many words more to spare."""
        law = cls(5, Fraction(1)).law
        spare = replace(law, high=law.high - 1, spare=law.spare + law.columns // 2)
        yield LawExample("law", Context.uniform(range(5), "1"), {"law": plain_law(spare)})
