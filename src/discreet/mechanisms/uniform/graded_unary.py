"""Graded unary: every bit of the one-hot vector flipped on its own, more for values that are more sensitive."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...core.arithmetic import Arithmetic
from ...core.exact import approx, ceil_div, exp_below
from ...core.limits import spend
from ..law import WORD_BITS, Law, Row
from ..sampler import RatioBound
from ..units import beyond_words, check_law, check_size
from .bitwise import Bitwise

SCANNED = 64
"""How many numbers c are compared over their whole range, and twice more around the best of them."""


@dataclass(frozen=True)
class GradedUnaryLaw(Law):
    """One word per bit: bit z of a value x is on below ``own[grade]`` if z = x and below ``other[grade]`` if not.

    ``grade_of[z]`` is the grade of the bit.
    """

    kind = "graded_unary"

    grade_of: Row
    own: tuple[int, ...]
    other: tuple[int, ...]
    word_bits: int


class GradedUnary(Bitwise):
    """Bit z is on with probability b_z, and with a_z for the value z itself: for contexts with E[x, z] = epsilon_x.

    With e_z = exp(epsilon_z) and one number c for all values, ``b_z = c / (e_z - 1)`` and
    ``a_z = e_z b_z / (1 + c)``: then a_z / b_z = e_z / (1 + c) and (1 - b_z) / (1 - a_z) = 1 + c for every z.

    *Why private.* Two values x and z differ in two bits; the worst report has bit x on and bit z off, and its ratio,
    ``a_x / b_x`` times ``(1 - b_z) / (1 - a_z)``, is e_x before a is rounded down and b up, which lowers both factors.
    The certificate compares the product of the rounded ones.

    References: Wang2017 (unary encoding with two probabilities); Murakami2019 (bits by sensitivity).
    """

    name = "graded_unary"
    law: GradedUnaryLaw
    follows = GradedUnaryLaw

    def __init__(self, grades: Sequence[Fraction], *, prior: Sequence[float], word_bits: int = WORD_BITS) -> None:
        numbers: dict[Fraction, int] = {}
        grade_of = [numbers.setdefault(epsilon, len(numbers)) for epsilon in grades]
        check_size(len(grade_of), word_bits)
        masses, counts = [0.0] * len(numbers), [0] * len(numbers)
        for grade, share in zip(grade_of, prior, strict=True):
            masses[grade] += share
            counts[grade] += 1
        c, space = _best(list(map(approx, numbers)), masses, counts), 1 << word_bits
        limits = [exp_below(epsilon) for epsilon in numbers]
        ratio = min(Fraction(c), (min(limits) - 1) * Fraction(1023, 1024))
        others = [ratio / (limit - 1) for limit in limits]
        owns = [limit * b / (1 + ratio) for limit, b in zip(limits, others, strict=True)]
        own, other = tuple(int(space * a) for a in owns), tuple(ceil_div(space * b, 1) for b in others)
        if any(a <= b for a, b in zip(own, other, strict=True)):
            raise beyond_words(min(numbers), word_bits)
        self.follow(GradedUnaryLaw(Row.of(grade_of), own, other, word_bits))

    def follow(self, law: GradedUnaryLaw) -> None:
        grade_of, grades = law.grade_of.numbers(), len(law.own)
        check_size(len(grade_of), law.word_bits)
        space = 1 << law.word_bits
        used = set(grade_of) == set(range(grades)) and len(law.other) == grades
        check_law(used, law.kind, "its grades must be numbered from 0, each with one own, one other and some value")
        sound = all(0 < b < a < space for a, b in zip(law.own, law.other, strict=True))
        check_law(sound, law.kind, f"0 < other < own < 2**{law.word_bits} must hold for each grade")
        self.law, self.size, self.word_bits, self.words = law, len(grade_of), law.word_bits, len(grade_of)
        self.grade_of = grade_of

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> GradedUnary:
        shift = self.word_bits - word_bits
        own = tuple(a >> shift for a in self.law.own)
        other = tuple(-(-b >> shift) for b in self.law.other)
        return GradedUnary.from_law(GradedUnaryLaw(self.law.grade_of, own, other, word_bits))

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        members = ops.empty_set(words[0], self.size)
        for bit, grade in enumerate(self.grade_of):
            own, other = self.law.own[grade] * self.scale, self.law.other[grade] * self.scale
            on = ops.select(ops.equal(x, bit), ops.less(words[bit], own), ops.less(words[bit], other))
            members = ops.insert(members, bit, on)
        return ops.set_report(members, self.size)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        space = 1 << self.word_bits
        chances = (self.law.own[g] if z == x else self.law.other[g] for z, g in enumerate(self.grade_of))
        units = (unit if y >> z & 1 else space - unit for z, unit in enumerate(chances))
        return Fraction(math.prod(units), space**self.size)

    def reports(self) -> Iterable[int]:
        return range(self.outputs)

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs

    @property
    def labels(self) -> Sequence[int]:
        return self.grade_of

    def ratio_bounds(self) -> Iterator[RatioBound]:
        grades, space = len(self.law.own), 1 << self.word_bits
        spend(grades**2, f"{self.name} of {grades} grades")
        some: list[list[int]] = [[] for _ in range(grades)]
        for x, grade in enumerate(self.grade_of):
            some[grade][1:] = [x]
        on = [Fraction(a, b) for a, b in zip(self.law.own, self.law.other, strict=True)]
        off = [Fraction(space - b, space - a) for a, b in zip(self.law.own, self.law.other, strict=True)]
        for c, of in enumerate(some):
            for d, others in enumerate(some):
                if c != d or len(of) > 1:
                    yield RatioBound(of[0], others[-1], on[c] * off[d])


def _best(epsilons: Sequence[float], masses: Sequence[float], counts: Sequence[int]) -> float:
    """The number c of least expected squared error, between 0 and the least e - 1."""

    def error(c: float) -> float:
        total = 0.0
        for epsilon, mass, count in zip(epsilons, masses, counts, strict=True):
            b = c / math.expm1(epsilon)
            a = b / (1 + c) * math.exp(epsilon)
            total += (b * (1 - b) * (count - mass) + a * (1 - a) * mass) / (a - b) ** 2
        return total

    most = best = math.expm1(min(epsilons))
    low, high = most * 2.0**-SCANNED, most
    for _ in range(3):
        step = (high / low) ** (1 / SCANNED)
        best = min((low * step**number for number in range(1, SCANNED)), key=error)
        low, high = best / step, min(best * step, most)
    return best
