"""k-ary randomised response: the value itself, or any other one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..arithmetic import Arithmetic
from ..exact import ceil_div, exp_below
from .randomizer import WORD_BITS, Units, beyond_words, check_size
from .support import Indexed

WIDE = 1 << 17
"""Above this size the words do not divide evenly enough, and some are spare."""


class RandomizedResponse(Indexed):
    """Report the value with probability e/(e + k - 1), each other value with 1/(e + k - 1), e = exp(epsilon).

    One word u decides: the first (k - 1) s words are lies, s to each other value, the rest the
    truth, with ``s = ceil(2**64 / (R + k - 1))`` and R a rational at most e**epsilon.

    From `WIDE` values on, rounding s up would cost each of so many values a word and open a gap of
    k**2 / 2**64 in epsilon; there s is rounded down, the truth gets floor(R s), and the words left
    over, fewer than k, go one each to the first values whatever the value is.

    *Why private.* Every report has s units under the values it is not, and at most R s under the
    value it is; a spare word adds the same unit to both.
    *Why unbiased.* g and h are the exact shares of the two counts of words, up to the spare ones.

    References: Warner1965 (k = 2), Kairouz2016.
    """

    name = "randomized_response"

    def __init__(self, size: int, epsilon: Fraction, *, word_bits: int = WORD_BITS) -> None:
        check_size(size, word_bits)
        self.size, self.epsilon, self.word_bits = size, epsilon, word_bits
        self.words = self.outside_words = 1
        self.outputs = size
        space = 1 << word_bits
        split = Units.fine if size > WIDE else Units.split
        units = split(word_bits, epsilon, a=1, b=size - 1)
        self._lie, self._truth, self._spare = units.low, units.high, units.spare
        most = units.high + (units.spare > 0)
        self._aside = ceil_div(most, exp_below(epsilon))  # type: ignore[arg-type]
        if size * self._aside > space:
            raise beyond_words(epsilon, word_bits)
        self.low, self.high = Fraction(units.low, space), Fraction(units.high, space)
        # one value alone has no other to be mistaken for
        self.g, self.h, self.nu = self.high, self.low if size > 1 else Fraction(0), Fraction(1, size)
        self.ratio = self.high / self.low
        self.outside_ratio = Fraction(most, self._aside)
        self.shown = 1 - Fraction(size * self._aside, space)

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        (u,) = words[:1]
        unit = self._lie * self.scale
        lie = ops.less(u, (self.size - 1) * unit)
        other = ops.divide(u, unit)
        report = ops.select(lie, other + ops.at_least(other, x), x)
        if not self._spare:
            return report
        used = ((self.size - 1) * self._lie + self._truth) * self.scale
        spare = 1 - ops.less(u, used)
        return ops.select(spare, ops.divide(ops.select(spare, u - used, 0), self.scale), report)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        extra = Fraction(int(y < self._spare), 1 << self.word_bits)
        return (self.high if x == y else self.low) + extra

    def outside(self, words: Sequence[Any], ops: Arithmetic) -> tuple[Any, Any]:
        (u,) = words[:1]
        unit = self._aside * self.scale
        shown = 1 - ops.less(u, self.size * unit)
        return shown, ops.select(shown, 0, ops.divide(u, unit))

    def outside_probability(self, y: int) -> Fraction:
        return Fraction(self._aside, 1 << self.word_bits) if self.is_report(y) else Fraction(0)

    def supports(self, counts: Any, ops: Any) -> Any:
        return counts

    def cover(self, weights: Any, ops: Any) -> Any:
        return weights

    def describe(self) -> dict[str, Any]:
        return {"name": self.name}
