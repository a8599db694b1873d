"""k-ary randomized response: report the value itself or any other one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.exact import ceil_div, exp_below
from ..law import WORD_BITS, Law, plain_law
from ..sampler import LawExample
from ..units import Units, beyond_words, check_law, check_size
from .pure import PureSampler

WIDE = 1 << 17
"""Above this size the words do not divide evenly enough, and some are spare."""


@dataclass(frozen=True)
class ResponseLaw(Law):
    """Each other value has `low` words, the own value `high`; `spare` words go one each to values 0, 1, ..."""

    kind = "response"

    size: int
    low: int
    high: int
    spare: int
    word_bits: int


class RandomizedResponse(PureSampler):
    """Report the value with probability e/(e + k - 1), each other value with 1/(e + k - 1), e = exp(epsilon).

    One word u decides: the first (k - 1) s words are lies, s to each other value, the rest the
    truth, with ``s = ceil(2**64 / (R + k - 1))`` and R a rational at most e**epsilon.

    From `WIDE` values on, rounding s up would cost each of so many values a word and open a gap of
    k**2 / 2**64 in epsilon; there s is rounded down, the truth gets floor(R s), and the words left
    over, fewer than k, go one each to the first values, whatever the value is.

    *Why private.* Every report has s units under the values it is not, and at most R s under the
    value it is; a spare word adds the same unit to both.

    References: Warner1965 (k = 2), Kairouz2016.
    """

    name = "randomized_response"
    is_numbered = True
    law: ResponseLaw
    follows = ResponseLaw

    def __init__(self, size: int, epsilon: Fraction, *, word_bits: int = WORD_BITS) -> None:
        check_size(size, word_bits)
        if size == 1:
            self.follow(ResponseLaw(1, 0, 1 << word_bits, 0, word_bits))
            return
        split = Units.fine if size > WIDE else Units.split
        units = split(word_bits, epsilon, a=1, b=size - 1)
        self.follow(ResponseLaw(size, units.low, units.high, units.spare, word_bits))
        if ceil_div(self.likeliest, exp_below(epsilon)) * size > 1 << word_bits:
            raise beyond_words(epsilon, word_bits)

    def follow(self, law: ResponseLaw) -> None:
        check_size(law.size, law.word_bits)
        space = 1 << law.word_bits
        used = (law.size - 1) * law.low + law.high + law.spare
        levels = 0 < law.low < law.high if law.size > 1 else law.low == 0 < law.high
        sound = levels and 0 <= law.spare < law.size and used == space
        check_law(sound, law.kind, f"0 < low < high must hold and its words must add up to 2**{law.word_bits}")
        self.law, self.size, self.word_bits, self.words, self.outputs = law, law.size, law.word_bits, 1, law.size
        self.low, self.high = Fraction(law.low, space), Fraction(law.high, space)
        self.likeliest = law.high + (law.spare > 0)
        self.p, self.q, self.r = self.high, self.low, Fraction(1, law.size)
        # a single value has no other to be mistaken for
        self.ratio = self.high / self.low if law.size > 1 else Fraction(1)

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        (u,) = words[:1]
        unit = max(1, self.law.low * self.scale)
        lie = ops.less(u, (self.size - 1) * unit)
        other = ops.divide(u, unit)
        report = ops.select(lie, other + ops.at_least(other, x), x)
        if not self.law.spare:
            return report
        used = ((self.size - 1) * self.law.low + self.law.high) * self.scale
        return ops.select(ops.less(u, used), report, ops.divide(u - used, self.scale))

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        extra = Fraction(int(y < self.law.spare), 1 << self.word_bits)
        return (self.high if x == y else self.low) + extra

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        """One that no name gives: words to spare, which are given to values 0, 1, ... one by one."""
        law = cls(5, Fraction(1)).law
        spare = replace(law, high=law.high - 1, spare=law.spare + 1)
        yield LawExample("law", Context.uniform(range(5), "1"), {"law": plain_law(spare)})
