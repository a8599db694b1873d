"""A randomizer on the sensitive values; the others show themselves as often as privacy allows."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..arithmetic import Arithmetic
from .randomizer import Pair, Randomizer, beyond_words, too_few
from .support import Design, Indexed


class HighLow(Randomizer):
    """A sensitive value writes what the inner design writes; another value shows itself, or writes a neutral report.

    The neutral report gives every inner report just the mass that hides the sensitive values:
    ``Pr(y | b) >= max_x Q(y | x) / R``. What is left over is the probability sigma to show itself.
    Both branches are computed from the same words and one is selected.

    *Why private.* For x sensitive: the inner ratio against sensitive values, the neutral one against
    the others, and reports that show a value never come from a sensitive one.
    *Why unbiased.* phi_a(y) = (1{y supports a} - h)/(g - h) for inner reports and the constant
    ``kappa = -(1-sigma)(nu-h) / (sigma (g-h))`` for shown values; phi_b = 1{y = b}/sigma.

    References: Acharya2020, Section 5 (with Hadamard); Murakami2019 (uRR with randomised response,
    uRAP with unary); He2025 (with subsets).
    """

    name = "high_low"

    def __init__(self, size: int, sensitive: Sequence[int], inner: Design) -> None:
        self.size, self.inner = size, inner
        self.sensitive = tuple(sensitive)
        chosen = set(self.sensitive)
        self.others = tuple(x for x in range(size) if x not in chosen)
        if self.others and inner.size == 1 and too_few(int((1 - inner.shown) * 2**inner.word_bits), inner.word_bits):
            raise beyond_words(inner.epsilon, inner.word_bits)
        self.word_bits, self.disjoint = inner.word_bits, inner.disjoint
        self.words = max(inner.words, inner.outside_words) if self.others else inner.words
        self.base = inner.outputs if inner.outputs <= 1 << 63 else 1 << 64 * -(-inner.bits // 64)
        self.outputs = self.base + len(self.others) if self.others else inner.outputs
        self.cells = inner.cells + len(self.others)
        self._place = array("l", bytes(array("l").itemsize * size))
        self._other = array("b", bytes(size))
        for place, x in enumerate(self.sensitive):
            self._place[x] = place
        for place, x in enumerate(self.others):
            self._place[x], self._other[x] = place, 1

    @cached_property
    def sigma(self) -> float:
        """The probability that a value that is not sensitive shows itself."""
        return float(self.inner.shown)

    @cached_property
    def kappa(self) -> float:
        """What a shown value contributes to every sensitive share."""
        i = self.inner
        return float(-(1 - i.shown) * (i.nu - i.h) / (i.shown * (i.g - i.h))) if self.others else 0.0

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        place = ops.look_up(self._place, x)
        if not self.others:
            return self.inner.draw(place, words, ops)
        other = ops.look_up(self._other, x)
        hidden = self.inner.draw(ops.select(other, 0, place), words, ops)
        shown, neutral = self.inner.outside(words, ops)
        written = ops.widen(ops.select(other, neutral, hidden), self.bits)
        return ops.show(written, ops.select(other, shown, 0), place, self.base)

    def probability(self, x: int, y: int) -> Fraction:
        if not self._other[x]:
            return self.inner.probability(self._place[x], y) if y < self.base else Fraction(0)
        if y < self.base:
            return self.inner.outside_probability(y)
        return self.inner.shown if y - self.base == self._place[x] else Fraction(0)

    def reports(self) -> Iterable[int]:
        yield from self.inner.reports()
        yield from (self.base + place for place in range(len(self.others)))

    def is_report(self, y: int) -> bool:
        return self.inner.is_report(y) if y < self.base else y < self.outputs

    @property
    def labels(self) -> Sequence[int]:
        return self._other

    def pairs(self) -> Iterator[Pair]:
        of = self.sensitive
        yield from (Pair(of[p.x], of[p.z], p.ratio) for p in self.inner.pairs())
        if self.others:
            yield Pair(of[0], self.others[0], self.inner.outside_ratio)

    def cells_of(self, y: int) -> Sequence[int]:
        self.check_report(y)
        return self.inner.cells_of(y) if y < self.base else (self.inner.cells + y - self.base,)

    def count(self, counts: Any, reports: Any, start: Any, ops: Any) -> None:
        if not self.others:
            self.inner.count(counts, reports, start, ops)
            return
        if isinstance(self.inner, Indexed):  # the cell of a report is the report itself
            ops.count_cells(counts, reports, start, self.outputs)
            return
        hidden, shown, place = ops.hidden_and_shown(reports, self.base, self.outputs)
        added = ops.zeros_like(counts)
        self.inner.count(added, ops.narrow(reports[hidden], self.inner.bits), ops.pick(start, hidden), ops)
        ops.count_cells(added, place, self.inner.cells + ops.pick(start, shown), len(self.others))
        counts += added

    def totals_of(self, ops: Any) -> Any:
        return ops.join(self.inner.totals_of(ops), ops.integers([-1] * len(self.others)))

    def _halves(self, counts: Any) -> tuple[Any, Any]:
        return counts[..., : self.inner.cells], counts[..., self.inner.cells :]

    def total(self, counts: Any, ops: Any) -> Any:
        hidden, shown = self._halves(counts)
        return self.inner.total(hidden, ops) + ops.sum(shown)

    def _joined(self, sensitive: Any, others: Any, ops: Any) -> Any:
        out = ops.zeros(self.size)
        out[ops.integers(self.sensitive)] = sensitive
        out[ops.integers(self.others)] = others
        return out

    def _parted(self, values: Any, ops: Any) -> tuple[Any, Any]:
        return values[ops.integers(self.sensitive)], values[ops.integers(self.others)]

    def decode(self, counts: Any, ops: Any) -> Any:
        hidden, shown = self._halves(counts)
        sensitive = self.inner.decode(hidden, ops) + self.kappa * ops.sum(shown)
        return self._joined(sensitive, shown / self.sigma if self.others else shown, ops)

    @cached_property
    def _outside_moment(self) -> float:
        """E[phi_a(Y)**2] of a sensitive value a when somebody holds another one that is not sensitive."""
        return (1 - self.sigma) * self.inner.neutral_moment + self.sigma * self.kappa**2 if self.others else 0.0

    def second_moments(self, shares: Any, ops: Any) -> Any:
        mine, theirs = self._parted(shares, ops)
        sensitive = self.inner.second_moments(mine, ops) + self._outside_moment * ops.sum(theirs)
        return self._joined(sensitive, theirs / self.sigma if self.others else theirs, ops)

    def slopes(self, shares: Any, ops: Any) -> Any:
        mine, theirs = self._parted(shares, ops)
        # a single sensitive value grows at the expense of the others, several at each other's
        inside = self.inner.slopes(mine, ops) - (self._outside_moment if self.inner.size == 1 else 0.0)
        return self._joined(inside, (1 / self.sigma if self.others else 0.0) + 0 * theirs, ops)

    def cross_moment(self, shares: Any, first: Any, second: Any, ops: Any) -> Any:
        (mine, theirs), (w, a), (u, b) = (self._parted(part, ops) for part in (shares, first, second))
        if not self.others:
            return self.inner.cross_moment(mine, w, u, ops)
        neutral = (1 - self.sigma) * ops.sum(theirs)
        seen = (self.kappa * ops.sum(w) + a / self.sigma) * (self.kappa * ops.sum(u) + b / self.sigma)
        return self.inner.joint_moment(mine, neutral, w, u, ops) + self.sigma * ops.sum(theirs * seen)

    def push(self, shares: Any, ops: Any) -> Any:
        mine, theirs = self._parted(shares, ops)
        hidden = self.inner.push(mine, ops)
        if not self.others:
            return hidden
        hidden = hidden + self.inner.push_neutral((1 - self.sigma) * ops.sum(theirs), ops)
        return ops.join(hidden, self.sigma * theirs)

    def pull(self, weights: Any, ops: Any) -> Any:
        hidden, shown = self._halves(weights)
        if not self.others:
            return self._joined(self.inner.pull(hidden, ops), shown, ops)
        others = (1 - self.sigma) * self.inner.pull_neutral(hidden, ops) + self.sigma * shown
        return self._joined(self.inner.pull(hidden, ops), others, ops)

    def influence(self, ops: Any) -> float:
        most = self.inner.influence(ops)
        return max(most, 1 / self.sigma, self.kappa) if self.others else most

    @property
    def decode_cost(self) -> float:
        return self.inner.decode_cost + len(self.others)

    @property
    def epsilons(self) -> tuple[Fraction, ...]:
        return self.inner.epsilons

    def describe(self) -> dict[str, Any]:
        return self.inner.describe()
