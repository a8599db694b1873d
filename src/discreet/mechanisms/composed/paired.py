"""Two questions at once: each answered by a randomizer of its own, decoded together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from typing import TYPE_CHECKING, Any

from ...core.arithmetic import Arithmetic
from ...core.limits import spend
from ..contrast import Contrast, hidden_by, listed, merged
from ..kinds import randomizer_of
from ..law import Law
from ..numbered import Numbered
from ..randomizer import Cells, Pair, Randomizer
from ..units import check_law

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric

PAIR = 10
"""Steps that it takes to certify two values that differ in one answer."""

REPORTS = 1 << 12
"""The most reports of each question; every pair of them has a cell."""


@dataclass(frozen=True)
class PairedLaw(Law):
    """The first words draw a report of x / k2 by `first`, the others one of x mod k2 by `second`, of k2 values."""

    kind = "paired"

    first: Law
    second: Law


class Paired(Numbered):
    """Both reports as one: ``y1 * (outputs of the second) + y2``, each from its own words.

    *Why private.* The reports are independent, so the largest ratio is the product of the two largest, which is within
    e**(E1 + E2).
    *Why unbiased.* ``phi_(x1, x2) = phi_x1(y1) phi_x2(y2)``, whose mean is a product of two indicators.

    References: Acharya2020 (Proposition 2).
    """

    name = "paired"
    law: PairedLaw
    follows = PairedLaw

    def __init__(self, first: Randomizer, second: Randomizer) -> None:
        self._follow(PairedLaw(first.law, second.law), first, second)

    def follow(self, law: PairedLaw) -> None:
        self._follow(law, randomizer_of(law.first), randomizer_of(law.second))

    def _follow(self, law: PairedLaw, first: Randomizer, second: Randomizer) -> None:
        single = all(part.counted == Cells(part.outputs) for part in (first, second))
        check_law(single, law.kind, "both its laws must have reports that are counted one by one")
        check_law(first.word_bits == second.word_bits, law.kind, "both its laws must have one width of words")
        self.law, self.first, self.second = law, first, second
        self.size, self.outputs = first.size * second.size, first.outputs * second.outputs
        few = max(first.outputs, second.outputs) <= REPORTS
        check_law(few, law.kind, f"both its laws must have at most {REPORTS} reports")
        self.word_bits, self.words = first.word_bits, first.words + second.words

    def weighted(self, prior: Sequence[float]) -> Paired:
        k = self.second.size
        one = [sum(prior[x * k : (x + 1) * k]) for x in range(self.first.size)]
        two = [sum(prior[x::k]) for x in range(k)]
        return Paired(self.first.weighted(one), self.second.weighted(two))

    def narrowed(self, word_bits: int, epsilon: Fraction | None = None) -> Paired:
        return Paired(self.first.narrowed(word_bits, epsilon), self.second.narrowed(word_bits, epsilon))

    @property
    def identifies(self) -> bool:
        return self.first.identifies and self.second.identifies

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

    def contrast(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Contrast] | None:
        if among is not None and (found := listed(self, x, z, among)) is not None:
            return found
        (x1, x2), (z1, z2) = divmod(x, self.second.size), divmod(z, self.second.size)
        first, second = self.first.contrast(x1, z1), self.second.contrast(x2, z2)
        if first is None or second is None:
            return None
        rows = (tuple(a * b for a, b in zip(one, two, strict=True)) for one, two in product(first, second))
        return hidden_by(merged(Contrast(*row) for row in rows), x, z, among)

    def meeting(self, x: int, z: int) -> Fraction | None:
        (x1, x2), (z1, z2) = divmod(x, self.second.size), divmod(z, self.second.size)
        first, second = self.first.meeting(x1, z1), self.second.meeting(x2, z2)
        return None if first is None or second is None else first * second

    def pairs(self) -> Iterator[Pair]:
        spend(self.size**2, f"{self.name} of {self.size} values")
        leak = self.leaks()
        for x, z in permutations(range(self.size), 2):
            if (ratio := leak(x, z)) is not None:
                yield Pair(x, z, ratio)

    def leaks(self) -> Callable[[int, int], Fraction | None]:
        spend(PAIR * self.size * (self.first.size + self.second.size), f"{self.name} of {self.size} values")
        one, two, k, same = self.first.leaks(), self.second.leaks(), self.second.size, Fraction(1)

        def leak(x: int, z: int) -> Fraction | None:
            (x1, x2), (z1, z2) = divmod(x, k), divmod(z, k)
            left, right = same if x1 == z1 else one(x1, z1), same if x2 == z2 else two(x2, z2)
            if left is None or right is None:
                return None
            return left if right is same else right if left is same else left * right

        return leak

    # -- statistics: those of the second question over the last axis, then those of the first over the other -------
    def _both(self, array: Array, shape: tuple[int, int], first: Any, second: Any) -> Array:
        """A linear map of each question applied to pairs, laid out as a matrix of this shape."""
        across = second(array.reshape(*array.shape[:-1], *shape))
        both = first(across.swapaxes(-1, -2)).swapaxes(-1, -2)
        found: Array = both.reshape(*array.shape[:-1], both.shape[-1] * both.shape[-2])
        return found

    def _of_values(self, name: str, shares: Array, ops: Numeric) -> Array:
        first, second = (_bound(part, name, ops) for part in (self.first, self.second))
        return self._both(shares, (self.first.size, self.second.size), first, second)

    def _of_reports(self, name: str, counts: Array, ops: Numeric) -> Array:
        first, second = (_bound(part, name, ops) for part in (self.first, self.second))
        return self._both(counts, (self.first.outputs, self.second.outputs), first, second)

    def decode(self, counts: Array, ops: Numeric) -> Array:
        return self._of_reports("decode", counts, ops)

    def weigh(self, weights: Array, ops: Numeric) -> Array:
        return self._of_values("weigh", weights, ops)

    def likelihoods(self, reports: Array, ops: Numeric) -> Array:
        both = self.gather(ops.row(self.outputs)[0], reports, 0, ops)
        left = both // self.second.outputs
        one = self.first.likelihoods(left, ops)
        two = self.second.likelihoods(both - left * self.second.outputs, ops)
        found: Array = (one[:, :, None] * two[:, None, :]).reshape(len(one), self.size)
        return found

    def pull(self, weights: Array, ops: Numeric) -> Array:
        return self._of_reports("pull", weights, ops)

    def push(self, shares: Array, ops: Numeric) -> Array:
        return self._of_values("push", shares, ops)

    def second_moments(self, shares: Array, ops: Numeric) -> Array:
        return self._of_values("second_moments", shares, ops)

    def slopes(self, shares: Array, ops: Numeric) -> Array:
        one, two = (_own_moments(part, ops) for part in (self.first, self.second))
        own = (one[:, None] * two).reshape(self.size)
        others = self.second_moments(shares, ops) - own * shares
        found: Array = own - others / ops.maximum(1 - shares, 1e-9)
        return found

    def _phi(self, ops: Numeric) -> tuple[Array, Array]:
        """phi of each report of the two questions, reports by values."""
        if not hasattr(self, "_cached_phi"):
            one, two = (part.decode(ops.identity(part.outputs), ops) for part in (self.first, self.second))
            self._cached_phi = one, two
        return self._cached_phi

    def cross_moment(self, shares: Array, first: Array, second: Array, ops: Numeric) -> Array:
        return ops.sum(self.push(shares, ops) * self.weigh(first, ops) * self.weigh(second, ops))

    def influence(self, ops: Numeric) -> float:
        one, two = self._phi(ops)
        return float(max(one.max() * two.max(), one.min() * two.min()))

    @property
    def decode_cost(self) -> float:
        return self.first.outputs * self.second.decode_cost + self.second.size * self.first.decode_cost

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "first": self.first.describe(), "second": self.second.describe()}


def _bound(part: Randomizer, name: str, ops: Numeric) -> Callable[[Array], Array]:
    """One of the linear maps of a randomizer by its name."""
    method = getattr(part, name)
    return lambda array: method(array, ops)


def _own_moments(part: Randomizer, ops: Numeric) -> Array:
    """E[phi_x**2] of a report of x itself, for every x."""
    found: Array = part.second_moments(ops.identity(part.size), ops).diagonal()
    return found
