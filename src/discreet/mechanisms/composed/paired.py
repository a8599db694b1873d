"""Two questions at once: each answered by a sampler of its own, decoded together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.limits import spend
from ..law import Law
from ..laws import sampler_of
from ..sampler import LawExample, RatioBound, Sampler
from ..units import check_law

PAIR = 10
"""Steps that it takes to certify two values that differ in one answer."""

MAX_REPORTS = 1 << 12
"""The most reports of each question; every pair of them has a cell."""


@dataclass(frozen=True)
class PairedLaw(Law):
    """The first words draw a report of x / k2 by `first`, the others one of x mod k2 by `second`, of k2 values."""

    kind = "paired"

    first: Law
    second: Law


class Paired(Sampler):
    """Both reports as one: ``y1 * (outputs of the second) + y2``, each from its own words.

    *Why private.* The reports are independent, so the largest ratio is the product of the two largest, which is within
    e**(E1 + E2).

    References: Acharya2020 (Proposition 2).
    """

    name = "paired"
    is_numbered = True
    law: PairedLaw
    follows = PairedLaw

    def __init__(self, first: Sampler, second: Sampler) -> None:
        self._follow(PairedLaw(first.law, second.law), first, second)

    def follow(self, law: PairedLaw) -> None:
        self._follow(law, sampler_of(law.first), sampler_of(law.second))

    def _follow(self, law: PairedLaw, first: Sampler, second: Sampler) -> None:
        single = first.is_numbered and second.is_numbered
        check_law(single, law.kind, "both its laws must have reports that are counted one by one")
        check_law(first.word_bits == second.word_bits, law.kind, "both its laws must have one width of words")
        self.law, self.first, self.second = law, first, second
        self.size, self.outputs = first.size * second.size, first.outputs * second.outputs
        few = max(first.outputs, second.outputs) <= MAX_REPORTS
        check_law(few, law.kind, f"both its laws must have at most {MAX_REPORTS} reports")
        self.word_bits, self.words = first.word_bits, first.words + second.words

    def weighted(self, prior: Sequence[float]) -> Paired:
        k = self.second.size
        one = [sum(prior[x * k : (x + 1) * k]) for x in range(self.first.size)]
        two = [sum(prior[x::k]) for x in range(k)]
        return Paired(self.first.weighted(one), self.second.weighted(two))

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> Paired:
        return Paired(self.first.with_word_bits(word_bits, epsilon), self.second.with_word_bits(word_bits, epsilon))

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        one = ops.divide(x, self.second.size)
        report = self.first.draw(one, words[: self.first.words], ops)
        other = self.second.draw(x - one * self.second.size, words[self.first.words :], ops)
        return report * self.second.outputs + other

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        (one, two), (left, right) = divmod(x, self.second.size), divmod(y, self.second.outputs)
        return self.first.probability(one, left) * self.second.probability(two, right)

    def ratio_bounds(self) -> Iterator[RatioBound]:
        spend(self.size**2, f"{self.name} of {self.size} values")
        leak = self.max_ratios()
        for x, z in permutations(range(self.size), 2):
            if (ratio := leak(x, z)) is not None:
                yield RatioBound(x, z, ratio)

    def max_ratios(self) -> Callable[[int, int], Fraction | None]:
        spend(PAIR * self.size * (self.first.size + self.second.size), f"{self.name} of {self.size} values")
        one, two, k, same = self.first.max_ratios(), self.second.max_ratios(), self.second.size, Fraction(1)

        def leak(x: int, z: int) -> Fraction | None:
            (x1, x2), (z1, z2) = divmod(x, k), divmod(z, k)
            left, right = same if x1 == z1 else one(x1, z1), same if x2 == z2 else two(x2, z2)
            if left is None or right is None:
                return None
            return left if right is same else right if left is same else left * right

        return leak

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "first": self.first.describe(), "second": self.second.describe()}

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        first, second = Context.uniform(["p", "q", "r"], "1"), Context.metric(range(4), "line", "0.5")
        shown = Context.high_low(range(5), range(0, 5, 2), "1")
        for context, *names in (
            (first * second, "hadamard", "geometric"),
            (first * second, "projective", "tight"),
            (second * shown, "geometric", "randomized_response"),
        ):
            yield LawExample(cls.name, context, {"first": {"name": names[0]}, "second": {"name": names[1]}})
