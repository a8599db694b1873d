"""Utility-optimised RAPPOR: one noisy bit for every sensitive value, one honest bit for the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from ..arithmetic import Arithmetic
from .randomizer import WORD_BITS, Pair, Randomizer
from .unary import Unary


class UtilityRappor(Randomizer):
    """The one-hot vector with every sensitive bit flipped as in symmetric RAPPOR and other bits only dropped.

    A value that is not sensitive keeps its own bit with probability 1 - d2, d2 just large enough to hide the
    sensitive ones. Kept as a baseline: `HighLow` around `Unary` leaves out the noise bits of people who show
    their value, at the same privacy, and so has less error.

    *Why private.* Between sensitive values as `Unary`; against another value the ratio is p / (q d2).
    *Why unbiased.* Each bit's two probabilities are exact.

    References: Murakami2019 (uRAP).
    """

    name = "utility_rappor"
    disjoint = False

    def __init__(self, size: int, sensitive: Sequence[int], epsilon: Fraction, *, word_bits: int = WORD_BITS) -> None:
        self.size, self.word_bits = size, word_bits
        self.inner = Unary(len(sensitive), epsilon, word_bits=word_bits)
        self.sensitive = tuple(sensitive)
        self.place = {x: place for place, x in enumerate(self.sensitive)}
        self.others = tuple(x for x in range(size) if x not in self.place)
        self.words = len(self.sensitive) + 1
        self.outputs, self.cells = 1 << size, size + 1
        self._is_other = tuple(int(x not in self.place) for x in range(size))

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        own, other = self.inner._own * self.inner.scale, self.inner._other * self.inner.scale
        members = ops.empty_set(words[0], self.size)
        for place, bit in enumerate(self.sensitive):
            u = words[place]
            members = ops.insert(members, bit, ops.select(ops.equal(x, bit), ops.less(u, own), ops.less(u, other)))
        shown = 1 - ops.less(words[-1], self.inner._aside * self.inner.scale)
        members = ops.insert(members, x, ops.select(ops.look_up(self._is_other, x), shown, 0))
        return ops.set_report(members, self.size)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        seen = [bit for bit in self.others if y >> bit & 1]
        hidden = sum((y >> bit & 1) << place for place, bit in enumerate(self.sensitive))
        if x in self.place:
            return Fraction(0) if seen else self.inner.probability(self.place[x], hidden)
        neutral = self.inner.outside_probability(hidden) / (1 - self.inner.shown)
        if seen:
            return neutral * self.inner.shown if seen == [x] else Fraction(0)
        return neutral * (1 - self.inner.shown)

    def reports(self) -> Iterable[int]:
        return (y for y in range(self.outputs) if self.is_report(y))

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs and sum(y >> bit & 1 for bit in self.others) <= 1

    @property
    def labels(self) -> Sequence[int]:
        return self._is_other

    def pairs(self) -> Iterator[Pair]:
        of = self.sensitive
        yield from (Pair(of[p.x], of[p.z], p.ratio) for p in self.inner.pairs())
        if self.others:
            yield Pair(of[0], self.others[0], self.inner.outside_ratio)

    def cells_of(self, y: int) -> Sequence[int]:
        self.check_report(y)
        return [x for x in range(self.size) if y >> x & 1] + [self.size]

    def count(self, counts: Any, reports: Any, start: Any, ops: Any) -> None:
        ops.refuse_several(reports, self.others)
        ops.count_members(counts, reports, start, self.size, None)

    def totals_of(self, ops: Any) -> Any:
        return ops.integers([self.size] * self.size + [-1])

    def total(self, counts: Any, ops: Any) -> Any:
        return counts[..., -1:]

    def _levels(self, ops: Any) -> tuple[Any, Any, Any]:
        """For every bit: Pr(on | own value), Pr(on | another value), their difference."""
        g, h = ops.zeros(self.size) + float(self.inner.shown), ops.zeros(self.size)
        chosen = ops.integers(self.sensitive)
        g[chosen], h[chosen] = float(self.inner.g), float(self.inner.h)
        return g, h, g - h

    def decode(self, counts: Any, ops: Any) -> Any:
        _, h, gap = self._levels(ops)
        return (counts[..., :-1] - h * counts[..., -1:]) / gap

    def _noise(self, shares: Any, ops: Any) -> Any:
        """The part of the variance that the coins add: sum_v p_v Var(phi_x | v)."""
        g, h, gap = self._levels(ops)
        return (h * (1 - h) * ops.sum(shares) + (g * (1 - g) - h * (1 - h)) * shares) / gap**2

    def second_moments(self, shares: Any, ops: Any) -> Any:
        return self._noise(shares, ops) + shares

    def slopes(self, shares: Any, ops: Any) -> Any:
        g, h, gap = self._levels(ops)
        return (g * (1 - g) - h * (1 - h)) / gap**2 + 1

    def cross_moment(self, shares: Any, first: Any, second: Any, ops: Any) -> Any:
        return ops.sum(first * second * (shares + self._noise(shares, ops)))

    def push(self, shares: Any, ops: Any) -> Any:
        _, h, gap = self._levels(ops)
        return ops.join(h * ops.sum(shares) + gap * shares, ops.sum(shares))

    def pull(self, weights: Any, ops: Any) -> Any:
        _, h, gap = self._levels(ops)
        bits = weights[..., :-1]
        return ops.sum(h * bits) + gap * bits + weights[..., -1:]

    def influence(self, ops: Any) -> float:
        _, h, gap = self._levels(ops)
        return float(((1 - h) / gap).max())

    @property
    def epsilons(self) -> tuple[Fraction, ...]:
        return self.inner.epsilons

    def describe(self) -> dict[str, Any]:
        return {"name": self.name}
