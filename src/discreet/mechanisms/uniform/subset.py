"""k-subset: report a set of d values that holds the person's value more often than any other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.errors import InvalidInput
from ...core.exact import approx, exp_below
from ..law import WORD_BITS, Law, plain_law
from ..sampler import LawExample
from ..units import beyond_words, check_law, check_size, too_few
from .floyd import Steps, draws, evenness, is_plan, set_law, steps_of, words_of
from .pure import PureSampler


@dataclass(frozen=True)
class SubsetLaw(Law):
    """A set of `d` values: the own value is in it below `true`, the others are drawn from the other values in `steps`.

    Each step says how many draws share its words and how many words they take: draw j of all, from 0 on, is
    uniform below ``size - d + j``.
    """

    kind = "subset"

    size: int
    d: int
    true: int
    steps: Steps
    word_bits: int


class Subset(PureSampler):
    """Report d of the k values; the own value is among them with probability d e / (d e + k - d).

    The first word decides whether the own value is in. The others are drawn from the k - 1 other
    values by Floyd's algorithm: step j takes t uniform in 0..j and adds t, or j if t is already
    in. Leaving its first step out gives d - 1 values instead of d, so both cases use the same words.
    The report is the set as a bit mask: no order exists that could leak.

    *Why private.* With equal parts, a set holding x has T/C(k-1, d-1) units and one without
    (N - T)/C(k-1, d). Parts of a word are uneven by at most one word; rho, a bound on the
    product of smallest over largest parts over all draws, is exact, and T is set for R rho instead of R.

    References: Wang2016; Ye2018.
    """

    name = "subset"
    law: SubsetLaw
    follows = SubsetLaw

    def __init__(self, size: int, epsilon: Fraction, *, d: int | str | None = None, word_bits: int = WORD_BITS) -> None:
        check_size(size, word_bits)
        if size < 2:
            raise InvalidInput(f"size={size} must be at least 2 for subset selection")
        if d is None or isinstance(d, str):
            d = _size_named("k_sharp" if d is None else d, size, approx(epsilon))
        if isinstance(d, bool) or not isinstance(d, int) or not 1 <= d < size:
            raise InvalidInput(f"d={d} must be a whole number from 1 to {size - 1}")
        steps = steps_of(size - d, d, word_bits)
        space = 1 << word_bits
        fair = exp_below(epsilon) * evenness(size - d, steps, word_bits) * d
        true = int(space * fair / (fair + size - d))
        if too_few(space - true, word_bits) or true * (size - d) <= (space - true) * d:
            raise beyond_words(epsilon, word_bits)
        self.follow(SubsetLaw(size, d, true, steps, word_bits))

    def follow(self, law: SubsetLaw) -> None:
        check_size(law.size, law.word_bits)
        space, k, d = 1 << law.word_bits, law.size, law.d
        plan = 1 <= d < k and is_plan(law.steps, d)
        check_law(plan, law.kind, "0 < d < size must hold and its steps must make d draws")
        true = law.true * (k - d) > (space - law.true) * d and law.true < space
        check_law(true, law.kind, f"its own value must be the likeliest, and true must be below 2**{law.word_bits}")
        self.law, self.size, self.word_bits, self.d = law, k, law.word_bits, d
        self.words, self.outputs, self.set_size = 1 + words_of(law.steps), 1 << k, d
        self.evenness = evenness(k - d, law.steps, law.word_bits)
        # a set with x has p / C(k-1, d-1), one without (1-p) / C(k-1, d)
        self.p = p = Fraction(law.true, space)
        self.ratio = p / (1 - p) * Fraction(k - d, d) / self.evenness
        self.q = (p * (d - 1) + (1 - p) * d) / (k - 1)
        self.r = Fraction(d, k)
        self.both_own = p * Fraction(d - 1, k - 1)
        self.both_other = (
            (p * (d - 1) * (d - 2) + (1 - p) * d * (d - 1)) / ((k - 1) * (k - 2)) if k > 2 else Fraction(0)
        )
        self.both_cover = Fraction(d * (d - 1), k * (k - 1))

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        truth = ops.less(words[0], self.law.true * self.scale)
        members = ops.empty_set(words[0], self.size)
        first = True
        for j, t in draws(self.size - self.d, self.law.steps, words[1:], ops):
            t = t + ops.at_least(t, x)
            if first:
                members = ops.insert(members, t, 1 - truth)
                first = False
                continue
            taken = ops.contains(members, t)
            last = j - 1 + ops.at_least(j - 1, x)
            members = ops.insert(members, ops.select(taken, last, t), 1)
        return ops.set_report(ops.insert(members, x, truth), self.size)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        others = (y & (1 << x) - 1) | y >> x + 1 << x
        holds = y >> x & 1
        law = set_law(self.size - self.d, self.law.steps, self.word_bits, skip=holds)
        return (self.p if holds else 1 - self.p) * law.get(others, Fraction(0))

    def reports(self) -> Iterable[int]:
        return sorted(sum(1 << x for x in chosen) for chosen in combinations(range(self.size), self.d))

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs and y.bit_count() == self.d

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "d": self.d}

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        """One that no name gives: every draw from two words of its own."""
        law = replace(cls(5, Fraction(1), d=2).law, steps=((1, 2),) * 2)
        yield LawExample("law", Context.uniform(range(5), "1"), {"law": plain_law(law)})


def _size_named(name: str, size: int, epsilon: float) -> int:
    sizes = {"k_star": most_information_size, "k_sharp": least_error_size}
    if name not in sizes:
        raise InvalidInput(f"d={name!r} must be a whole number, k_star or k_sharp")
    return sizes[name](size, epsilon)


def total_error(size: int, d: int, epsilon: float) -> float:
    """n times the expected squared error of all shares, less the terms that do not depend on d.

    ``(k-1)**2 / (e-1)**2 * (e**2 / (k-d) + 1/d)`` (Wang2016, corrected), scaled by e**-2 to stay finite.
    """
    shrink = -math.expm1(-epsilon)
    return (size - 1) ** 2 / shrink**2 * (1 / (size - d) + math.exp(-2 * epsilon) / d)


def least_error_size(size: int, epsilon: float) -> int:
    """k#: the set size with the smallest expected squared error, next to k / (1 + e**epsilon)."""
    return _best(size, epsilon, lambda d: -total_error(size, d, epsilon), size / (1 + math.exp(epsilon)))


def most_information_size(size: int, epsilon: float) -> int:
    """k*: the set size with the largest mutual information at the uniform prior (Wang2016, Theorem 2.1)."""
    odds = epsilon * math.exp(epsilon) - math.expm1(epsilon)
    middle = size * odds / (math.expm1(epsilon) ** 2) if epsilon < 300 else 1.0
    return _best(size, epsilon, lambda d: information(size, d, epsilon), middle)


def information(size: int, d: int, epsilon: float) -> float:
    """I(X; Y) in nats at the uniform prior: ``log(k / (d e + k - d)) + d e epsilon / (d e + k - d)``."""
    share = d / (d + (size - d) * math.exp(-epsilon))
    return math.log(size / (d + (size - d) * math.exp(-epsilon))) - epsilon + share * epsilon


def _best(size: int, epsilon: float, gain: Any, middle: float) -> int:
    near = {min(max(1, math.floor(middle) + step), size - 1) for step in (-1, 0, 1, 2)}
    return max(sorted(near), key=gain)
