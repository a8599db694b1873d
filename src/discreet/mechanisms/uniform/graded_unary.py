"""Unary encodings for values of unequal sensitivity: graded unary, and utility-optimised RAPPOR."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.exact import approx, ceil_div, exp_below
from ...core.limits import spend
from ..composed.cover import CoverUnits, UnaryCover
from ..composed.high_low import HighLowLaw, HighLowResponse
from ..law import WORD_BITS, Bits, Law, Row
from ..sampler import LawExample, RatioBound, Sampler, actual_epsilon
from ..units import beyond_words, check_law, check_size
from .unary import Unary, UnaryLaw

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


class GradedUnary(Sampler):
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
        self.grade_of, self.outputs = grade_of, 1 << self.size

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

    @property
    def class_of(self) -> Sequence[int]:
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

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        yield LawExample(cls.name, Context.graded({"a": "1", "b": "1/2", "c": "2", "d": "3"}))
        yield LawExample(cls.name, Context.uniform(range(8), "2") & Context.high_low(range(8), [1, 2, 5], "1"))


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


@dataclass(frozen=True)
class UtilityRapporLaw(Law):
    """The bits of the sensitive values follow `inner`; any other value's own bit is off below `neutral`."""

    kind = "utility_rappor"

    sensitive: Bits
    inner: UnaryLaw
    neutral: int


class UtilityRappor(Sampler):
    """The one-hot vector, with sensitive bits flipped as in symmetric RAPPOR and other bits at most dropped.

    A value that is not sensitive keeps its own bit with probability 1 - d2, d2 just large enough to hide the
    sensitive ones. Kept as a baseline: `HighLowResponse` around `Unary` leaves out the noise bits of people whose
    value passes, at the same privacy, and so has less error.

    *Why private.* Between sensitive values as `Unary`; against another value the ratio is p / (q d2).

    References: Murakami2019 (uRAP).
    """

    name = "utility_rappor"
    law: UtilityRapporLaw
    follows = UtilityRapporLaw

    def __init__(self, size: int, sensitive: Sequence[int], epsilon: Fraction, *, word_bits: int = WORD_BITS) -> None:
        inner = Unary(len(sensitive), epsilon, word_bits=word_bits)
        self.follow(UtilityRapporLaw(Bits.of(sensitive, size), inner.law, UnaryCover.fewest(inner, epsilon).units))

    def follow(self, law: UtilityRapporLaw) -> None:
        self.law, self.size, self.inner = law, law.sensitive.size, Unary.from_law(law.inner)
        sound = len(law.sensitive) == self.inner.size and 0 < law.neutral <= 1 << law.inner.word_bits
        check_law(sound, law.kind, f"one bit per sensitive value and 0 < neutral <= 2**{law.inner.word_bits} must hold")
        self.word_bits, self.words, self.outputs = law.inner.word_bits, self.inner.size + 1, 1 << self.size
        self.cover = UnaryCover(self.inner, CoverUnits(law.neutral))
        self.disclosing = self.cover.disclosing
        self.sensitive = tuple(law.sensitive)
        self.place = {x: place for place, x in enumerate(self.sensitive)}
        self.others = tuple(x for x in range(self.size) if x not in self.place)
        self.is_other = tuple(int(x not in self.place) for x in range(self.size))

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> UtilityRappor:
        level = actual_epsilon(self.inner) if epsilon is None else epsilon
        return UtilityRappor(self.size, self.sensitive, level, word_bits=word_bits)

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        own, other = self.law.inner.own * self.scale, self.law.inner.other * self.scale
        members = ops.empty_set(words[0], self.size)
        for place, bit in enumerate(self.sensitive):
            u = words[place]
            members = ops.insert(members, bit, ops.select(ops.equal(x, bit), ops.less(u, own), ops.less(u, other)))
        passes = 1 - ops.less(words[-1], self.law.neutral * self.scale)
        members = ops.insert(members, x, ops.select(ops.look_up(self.is_other, x), passes, 0))
        return ops.set_report(members, self.size)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        seen = [bit for bit in self.others if y >> bit & 1]
        hidden = sum((y >> bit & 1) << place for place, bit in enumerate(self.sensitive))
        if x in self.place:
            return Fraction(0) if seen else self.inner.probability(self.place[x], hidden)
        neutral = self.cover.set_probability(hidden)
        if seen:
            return neutral * self.disclosing if seen == [x] else Fraction(0)
        return neutral * (1 - self.disclosing)

    # -- what hides a report, and what it tells: the noise beside a value that is shown says nothing -------------
    @cached_property
    def without_noise(self) -> HighLowResponse:
        """The same reports without the sensitive bits of those that show a value."""
        units = self.law.neutral if self.others else 0
        return HighLowResponse.from_law(HighLowLaw(self.law.sensitive, self.law.inner, units, ()))

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs and sum(y >> bit & 1 for bit in self.others) <= 1

    @property
    def class_of(self) -> Sequence[int]:
        return self.is_other

    def ratio_bounds(self) -> Iterator[RatioBound]:
        of = self.sensitive
        yield from (RatioBound(of[p.x], of[p.z], p.ratio) for p in self.inner.ratio_bounds())
        if self.others:
            yield RatioBound(of[0], self.others[0], self.cover.ratio)

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        yield LawExample(cls.name, Context.high_low(range(6), [0, 2, 3, 5], "1"))
