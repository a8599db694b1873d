"""Unary encoding: every bit of the one-hot vector flipped on its own (binary randomised response, RAPPOR)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from ..arithmetic import Arithmetic
from ..exact import ceil_div, exp_below
from .randomizer import WORD_BITS, beyond_words, check_size, too_few
from .support import SetValued


class Unary(SetValued):
    """Each bit kept with probability e**(epsilon/2) / (e**(epsilon/2) + 1): symmetric RAPPOR.

    One word a bit. The own bit is on with probability p = T1/N, each other with q = T0/N.

    *Why private.* Two values differ in two bits, so the worst ratio is p (1-q) / (q (1-p)),
    compared exactly with e**epsilon.
    *Why unbiased.* p and q are exact.

    References: Wang2016 (binary randomised response), Erlingsson2014 (one-time, symmetric).
    """

    name: ClassVar[str] = "unary"

    def __init__(self, size: int, epsilon: Fraction, *, word_bits: int = WORD_BITS) -> None:
        check_size(size, word_bits)
        self.size, self.epsilon, self.word_bits = size, epsilon, word_bits
        self.words, self.outside_words = size, size + 1
        space = 1 << word_bits
        self._own, self._other = self._thresholds(space)
        if too_few(self._other, word_bits) or self._own <= self._other:
            raise beyond_words(epsilon, word_bits)
        p, q = Fraction(self._own, space), Fraction(self._other, space)
        self.g, self.h, self.nu = p, q, q
        self.both_own, self.both_other, self.both_neutral = p * q, q * q, q * q
        self.ratio = p * (1 - q) / (q * (1 - p))
        aside = p / q / exp_below(epsilon)
        self._aside = min(space, ceil_div(space * aside.numerator, aside.denominator))
        self.shown = 1 - Fraction(self._aside, space)
        self.outside_ratio = p / q / (1 - self.shown)

    def _thresholds(self, space: int) -> tuple[int, int]:
        half = exp_below(self.epsilon / 2)
        own = int(space * half / (half + 1))
        return own, space - own

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        own, other = self._own * self.scale, self._other * self.scale
        members = ops.empty_set(words[0], self.size)
        for bit in range(self.size):
            u = words[bit]
            on = ops.select(ops.equal(x, bit), ops.less(u, own), ops.less(u, other))
            members = ops.insert(members, bit, on)
        return ops.set_report(members, self.size)

    def outside(self, words: Sequence[Any], ops: Arithmetic) -> tuple[Any, Any]:
        members = ops.empty_set(words[0], self.size)
        for bit in range(self.size):
            members = ops.insert(members, bit, ops.less(words[bit], self._other * self.scale))
        shown = 1 - ops.less(words[self.size], self._aside * self.scale)
        return shown, ops.set_report(members, self.size)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        on = y.bit_count() - (y >> x & 1)
        own = self.g if y >> x & 1 else 1 - self.g
        return own * self.h**on * (1 - self.h) ** (self.size - 1 - on)

    def outside_probability(self, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        on = y.bit_count()
        return (1 - self.shown) * self.h**on * (1 - self.h) ** (self.size - on)

    def reports(self) -> Iterable[int]:
        return range(self.outputs)

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs

    def describe(self) -> dict[str, Any]:
        return {"name": self.name}


class OptimisedUnary(Unary):
    """The own bit on with probability 1/2, each other with 1/(e + 1): the least error of its kind.

    *Why private.* As `Unary`; here the ratio is (1-q)/q <= R.
    *Why unbiased.* As `Unary`.

    References: Wang2017.
    """

    name = "optimised_unary"

    def _thresholds(self, space: int) -> tuple[int, int]:
        return space // 2, ceil_div(space, exp_below(self.epsilon) + 1)  # type: ignore[arg-type]
