"""Unary encoding: every bit of the one-hot vector flipped on its own (binary randomized response, RAPPOR)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from ...core.arithmetic import Arithmetic
from ...core.exact import ceil_div, exp_below
from ..law import WORD_BITS, Law
from ..units import beyond_words, check_law, check_size, too_few
from .pure import PureSampler


@dataclass(frozen=True)
class UnaryLaw(Law):
    """One word per bit: the own bit is on below `own`, each other bit below `other`."""

    kind = "unary"

    size: int
    own: int
    other: int
    word_bits: int


class Unary(PureSampler):
    """Symmetric RAPPOR: each bit is kept with probability e**(epsilon/2) / (e**(epsilon/2) + 1).

    One word per bit. The own bit is on with probability p = T1/N, each other with q = T0/N.

    *Why private.* Two values differ in two bits, so the worst ratio is p (1-q) / (q (1-p)),
    compared exactly with e**epsilon.

    References: Wang2016 (binary randomized response), Erlingsson2014 (one-time, symmetric).
    """

    name: ClassVar[str] = "unary"
    law: UnaryLaw
    follows = UnaryLaw

    def __init__(self, size: int, epsilon: Fraction, *, word_bits: int = WORD_BITS) -> None:
        check_size(size, word_bits)
        own, other = self.thresholds(epsilon, 1 << word_bits)
        if too_few(other, word_bits) or own <= other:
            raise beyond_words(epsilon, word_bits)
        self.follow(UnaryLaw(size, own, other, word_bits))

    @staticmethod
    def thresholds(epsilon: Fraction, space: int) -> tuple[int, int]:
        """T1 and T0 for words with this many states."""
        half = exp_below(epsilon / 2)
        own = int(space * half / (half + 1))
        return own, space - own

    def follow(self, law: UnaryLaw) -> None:
        check_size(law.size, law.word_bits)
        space = 1 << law.word_bits
        check_law(0 < law.other < law.own < space, law.kind, f"0 < other < own < 2**{law.word_bits} must hold")
        self.law, self.size, self.word_bits, self.words = law, law.size, law.word_bits, law.size
        self.outputs = 1 << law.size
        p, q = Fraction(law.own, space), Fraction(law.other, space)
        self.p, self.q, self.r = p, q, q
        self.both_own, self.both_other, self.both_cover = p * q, q * q, q * q
        self.ratio = p * (1 - q) / (q * (1 - p))

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        own, other = self.law.own * self.scale, self.law.other * self.scale
        members = ops.empty_set(words[0], self.size)
        for bit in range(self.size):
            u = words[bit]
            on = ops.select(ops.equal(x, bit), ops.less(u, own), ops.less(u, other))
            members = ops.insert(members, bit, on)
        return ops.set_report(members, self.size)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        on = y.bit_count() - (y >> x & 1)
        own = self.p if y >> x & 1 else 1 - self.p
        return own * self.q**on * (1 - self.q) ** (self.size - 1 - on)


class OptimisedUnary(Unary):
    """The own bit is on with probability 1/2, each other with 1/(e + 1): the least error of its kind.

    *Why private.* As `Unary`; here the ratio is (1-q)/q <= R.

    References: Wang2017.
    """

    name = "optimised_unary"

    @staticmethod
    def thresholds(epsilon: Fraction, space: int) -> tuple[int, int]:
        return space // 2, ceil_div(space, exp_below(epsilon) + 1)
