"""A randomizer on the sensitive values; other values are reported as they are as often as privacy allows."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...core.arithmetic import Arithmetic
from ...core.errors import InvalidInput, NotIdentifiable
from ..contrast import Contrast, listed
from ..kinds import randomizer_of
from ..law import Bits, Law
from ..randomizer import Cells, Pair, Randomizer
from ..telling import Telling, told_of
from ..uniform.floyd import Steps
from ..uniform.set_valued import SetValued
from ..uniform.support import Neutral, Supporting
from ..units import beyond_words, check_law, too_few

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric


@dataclass(frozen=True)
class HighLowLaw(Law):
    """A sensitive value follows `inner`; any other writes a neutral report with `neutral` units, else passes.

    The kind of `inner` determines what a unit is and how `steps` share out the words of a neutral set.
    """

    kind = "high_low"

    sensitive: Bits
    inner: Law
    neutral: int
    steps: Steps


class HighLowResponse(Randomizer):
    """A sensitive value writes what the inner randomizer writes; any other passes as it is or writes a neutral report.

    The neutral report gives every inner report just the mass that hides the sensitive values:
    ``Pr(y | b) >= max_x Q(y | x) / R``. What is left over is the probability sigma of passing.
    Both branches are computed from the same words and one is selected.

    *Why private.* For x sensitive: the inner ratio against sensitive values, the neutral one against
    the others; a report that shows a passed value never comes from a sensitive one.
    *Why unbiased.* phi_a(y) = (1{y supports a} - h)/(g - h) for inner reports and the constant
    ``kappa = -(1-sigma)(nu-h) / (sigma (g-h))`` for values that passed; phi_b = 1{y = b}/sigma.

    References: Acharya2020, Section 5 (with Hadamard); Murakami2019 (uRR with randomized response,
    uRAP with unary); He2025 (with subsets).
    """

    name = "high_low"
    law: HighLowLaw
    follows = HighLowLaw

    def __init__(self, size: int, sensitive: Sequence[int], inner: Supporting, epsilon: Fraction) -> None:
        neutral = inner.hiding(epsilon) if len(sensitive) < size else Neutral(0)
        if len(sensitive) < size and inner.size == 1:
            written = int((1 - inner.passing(neutral)) * 2**inner.word_bits)
            if too_few(written, inner.word_bits):
                raise beyond_words(epsilon, inner.word_bits)
        self._follow(HighLowLaw(Bits.of(sensitive, size), inner.law, neutral.units, neutral.steps), inner)

    def follow(self, law: HighLowLaw) -> None:
        inner = randomizer_of(law.inner)
        if not isinstance(inner, Supporting):
            raise InvalidInput(f"law of kind {law.kind!r}: its inner law must have reports that support values")
        self._follow(law, inner)

    def _follow(self, law: HighLowLaw, inner: Supporting) -> None:
        check_law(len(law.sensitive) == inner.size, law.kind, "its inner law must have one value per sensitive value")
        self.law, self.size, self.inner = law, law.sensitive.size, inner
        self.sensitive = tuple(law.sensitive)
        chosen = set(self.sensitive)
        self.others = tuple(x for x in range(self.size) if x not in chosen)
        self.neutral = Neutral(law.neutral, law.steps)
        self.passes = Fraction(0)
        self.words = inner.words
        check_law(bool(self.others) or self.neutral == Neutral(0), law.kind, "without others nothing is neutral")
        if self.others:
            inner.check_neutral(self.neutral)
            self.passes = inner.passing(self.neutral)
            self.words = max(inner.words, inner.neutral_words(self.neutral))
        self.word_bits, self.disjoint = inner.word_bits, inner.disjoint
        self.base = inner.outputs if inner.outputs <= 1 << 63 else 1 << 64 * -(-inner.bits // 64)
        self.outputs = self.base + len(self.others) if self.others else inner.outputs
        self.cells = inner.cells + len(self.others)
        self.place = array("I", bytes(array("I").itemsize * self.size))
        self.is_other = array("B", bytes(self.size))
        for place, x in enumerate(self.sensitive):
            self.place[x] = place
        for place, x in enumerate(self.others):
            self.place[x], self.is_other[x] = place, 1

    def narrowed(self, word_bits: int, epsilon: Fraction | None = None) -> HighLowResponse:
        level = self.realised if epsilon is None else epsilon
        inner: Any = self.inner.narrowed(word_bits, level)
        return HighLowResponse(self.size, self.sensitive, inner, level)

    @property
    def identifies(self) -> bool:
        return self.passes > 0 or not self.others

    @cached_property
    def sigma(self) -> float:
        """The probability that a value that is not sensitive passes as it is."""
        if not self.identifies:
            raise NotIdentifiable("high_low: values that are not sensitive never pass, so they cannot be told apart")
        return float(self.passes)

    @cached_property
    def kappa(self) -> float:
        """What a value that passed contributes to every sensitive share."""
        i, passes = self.inner, self.passes
        if not self.others:
            return 0.0
        return float(-(1 - passes) * (i.nu - i.h) / (i.g - i.h)) / self.sigma

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        place = ops.look_up(self.place, x)
        if not self.others:
            return self.inner.draw(place, words, ops)
        other = ops.look_up(self.is_other, x)
        hidden = self.inner.draw(ops.select(other, 0, place), words, ops)
        passes, neutral = self.inner.draw_neutral(self.neutral, words, ops)
        written = ops.widen(ops.select(other, neutral, hidden), self.bits)
        return ops.pass_on(written, ops.select(other, passes, 0), place, self.base)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_other[x]:
            return self.inner.probability(self.place[x], y) if y < self.base else Fraction(0)
        if y < self.base:
            return self.inner.neutral_probability(self.neutral, y)
        return self.passes if y - self.base == self.place[x] else Fraction(0)

    # -- what hides a report: neutral reports do, whatever is sensitive ------------------------------------
    def contrast(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Contrast] | None:
        if among is not None and (found := listed(self, x, z, among)) is not None:
            return found
        own, other = self.is_other[x], self.is_other[z]
        hidden = (0 if own else self.place[x]), (0 if other else self.place[z])
        pair = (hidden[1], hidden[1]) if own else (hidden[0], hidden[0]) if other else hidden
        rows = self.inner.contrast(*pair)
        if rows is None or not self.others:
            return rows
        least = (1 - self.passes) * self.inner.neutral_even(self.neutral)
        most = (1 - self.passes) / self.inner.neutral_even(self.neutral)
        seen = among is not None and all(self.is_other[v] for v in among)
        made = [
            Contrast(
                least * row.neutral if seen else min(row.floor, least * row.neutral),
                most * row.neutral if own else row.own,
                least * row.neutral if other else row.other,
            )
            for row in rows
        ]
        alone = among[0] if among is not None and seen and len(set(among)) == 1 else None
        shown = [
            Contrast(self.passes * (v == alone), self.passes * (v == x), self.passes * (v == z))
            for v in {x, z, *(() if alone is None else (alone,))}
            if self.is_other[v] and self.passes
        ]
        return [*made, *shown]

    # -- what one report tells of a person ------------------------------------------------------------------
    def guess(self, shares: Array, ops: Numeric) -> float | None:
        mine, theirs = self._parted(shares, ops)
        top = float(1 - self.passes) * max(theirs.tolist(), default=0.0)
        found = self.inner.guess(mine, ops, beside=top)
        return None if found is None else found + float(self.passes) * float(theirs.sum())

    def telling(self, x: int, shares: Array, ops: Numeric) -> Telling | None:
        mine, theirs = self._parted(shares, ops)
        share, crowd = float(shares[x]), float(1 - self.passes) * float(theirs.sum())
        found = None if isinstance(self.inner, SetValued) else told_of(self, x, shares, ops)
        if self.is_other[x]:
            if isinstance(self.inner, SetValued):
                hidden = float(1 - self.passes) * share
                least = hidden / (self.inner.crowding(mine) + crowd) if share else 0.0
                found = Telling(least, 1.0 if self.passes and share else least, 0.0, 0.0)
            return None if found is None else found._replace(own=float(self.passes), other=0.0)
        if isinstance(self.inner, SetValued):
            found = self.inner.telling(self.place[x], mine, ops, beside=crowd)
        inside = float(self.inner.h) * (float(mine.sum()) - share) + float(self.inner.nu) * crowd
        other = inside / (1 - share) if share < 1 else 0.0
        return None if found is None else found._replace(own=float(self.inner.g), other=other)

    def reports(self) -> Iterable[int]:
        yield from self.inner.reports()
        yield from (self.base + place for place in range(len(self.others)))

    def is_report(self, y: int) -> bool:
        return self.inner.is_report(y) if y < self.base else y < self.outputs

    @property
    def labels(self) -> Sequence[int]:
        return self.is_other

    @property
    def twins(self) -> Sequence[int]:
        return self.is_other

    @property
    def passed(self) -> Sequence[int]:
        return self.others

    def pairs(self) -> Iterator[Pair]:
        of = self.sensitive
        yield from (Pair(of[p.x], of[p.z], p.ratio) for p in self.inner.pairs())
        if self.others:
            yield Pair(of[0], self.others[0], self.inner.neutral_ratio(self.neutral))

    # -- counting: the cells of the inner randomizer, then one per value that may pass -------------------
    @property
    def counted(self) -> Cells | None:
        return Cells(self.outputs) if self.inner.counted == Cells(self.base) else None

    def cells_of(self, y: int) -> Sequence[int]:
        self.check_report(y)
        return self.inner.cells_of(y) if y < self.base else (self.inner.cells + y - self.base,)

    def count(self, counts: Array, reports: Array, start: Any, ops: Numeric) -> None:
        if not self.others:
            self.inner.count(counts, reports, start, ops)
            return
        if self.counted is not None:  # the cell of a report is the report itself
            ops.count_cells(counts, reports, start, self.outputs)
            return
        hidden, passed, place = ops.hidden_and_passed(reports, self.base, self.outputs)
        added = ops.zeros_like(counts)
        self.inner.count(added, ops.narrow(reports[hidden], self.inner.bits), ops.pick(start, hidden), ops)
        ops.count_cells(added, place, self.inner.cells + ops.pick(start, passed), len(self.others))
        counts += added

    def gather(self, entries: Array, reports: Array, start: Any, ops: Numeric) -> Array:
        if not self.others:
            return self.inner.gather(entries, reports, start, ops)
        if self.counted is not None:
            return ops.gather_cells(entries, reports, start, self.outputs)
        hidden, passed, place = ops.hidden_and_passed(reports, self.base, self.outputs)
        found = ops.zeros(len(reports))
        inside = ops.narrow(reports[hidden], self.inner.bits)
        found[hidden] = self.inner.gather(entries, inside, ops.pick(start, hidden), ops)
        begin = self.inner.cells + ops.pick(start, passed)
        found[passed] = ops.gather_cells(entries, place, begin, len(self.others))
        return found

    def likelihoods(self, reports: Array, ops: Numeric) -> Array:
        if not self.others:
            return self._joined(self.inner.likelihoods(reports, ops), ops.zeros((len(reports), 0)), ops)
        hidden, passed, place = ops.hidden_and_passed(reports, self.base, self.outputs)
        found = ops.zeros((len(reports), self.size))
        sensitive = self.inner.likelihoods(ops.narrow(reports[hidden], self.inner.bits), ops)
        others = ops.zeros((len(hidden), len(self.others))) + float(1 - self.passes)
        found[hidden] = self._joined(sensitive, others, ops)
        shown = ops.gather_cells(ops.integers(self.others), place, 0, len(self.others))
        found[passed, shown] = 1.0
        return found

    def totals_of(self, ops: Numeric) -> Array:
        return ops.join(self.inner.totals_of(ops), ops.integers([-1] * len(self.others)))

    def _halves(self, counts: Array) -> tuple[Array, Array]:
        return counts[..., : self.inner.cells], counts[..., self.inner.cells :]

    def total(self, counts: Array, ops: Numeric) -> Array:
        hidden, passed = self._halves(counts)
        return self.inner.total(hidden, ops) + ops.sum(passed)

    def broken_rule(self, counts: Array, ops: Numeric) -> str | None:
        hidden, passed = self._halves(counts)
        if not self.passes and passed.any():
            return "values that are not sensitive never pass, so their counts must be 0"
        return self.inner.broken_rule(hidden, ops)

    # -- statistics -----------------------------------------------------------------------------------
    def _joined(self, sensitive: Array, others: Array, ops: Numeric) -> Array:
        out = ops.zeros((*sensitive.shape[:-1], self.size))
        out[..., ops.integers(self.sensitive)] = sensitive
        out[..., ops.integers(self.others)] = others
        return out

    def _parted(self, values: Array, ops: Numeric) -> tuple[Array, Array]:
        return values[..., ops.integers(self.sensitive)], values[..., ops.integers(self.others)]

    def decode(self, counts: Array, ops: Numeric) -> Array:
        hidden, passed = self._halves(counts)
        sensitive = self.inner.decode(hidden, ops) + self.kappa * ops.sum(passed)
        return self._joined(sensitive, passed / self.sigma if self.others else passed, ops)

    def weigh(self, weights: Array, ops: Numeric) -> Array:
        mine, theirs = self._parted(weights, ops)
        inside = self.inner.weigh(mine, ops)
        return ops.join(inside, self.kappa * ops.sum(mine) + theirs / self.sigma) if self.others else inside

    @cached_property
    def _other_moment(self) -> float:
        """E[phi_a(Y)**2] of a sensitive value a for someone whose value is not sensitive."""
        return (1 - self.sigma) * self.inner.neutral_moment + self.sigma * self.kappa**2 if self.others else 0.0

    def second_moments(self, shares: Array, ops: Numeric) -> Array:
        mine, theirs = self._parted(shares, ops)
        sensitive = self.inner.second_moments(mine, ops) + self._other_moment * ops.sum(theirs)
        return self._joined(sensitive, theirs / self.sigma if self.others else theirs, ops)

    def slopes(self, shares: Array, ops: Numeric) -> Array:
        mine, theirs = self._parted(shares, ops)
        # a single sensitive value grows at the expense of the others, several at each other's
        inside = self.inner.slopes(mine, ops) - (self._other_moment if self.inner.size == 1 else 0.0)
        return self._joined(inside, (1 / self.sigma if self.others else 0.0) + 0 * theirs, ops)

    def cross_moment(self, shares: Array, first: Array, second: Array, ops: Numeric) -> Array:
        (mine, theirs), (w, a), (u, b) = (self._parted(part, ops) for part in (shares, first, second))
        if not self.others:
            return self.inner.cross_moment(mine, w, u, ops)
        neutral = (1 - self.sigma) * ops.sum(theirs)
        seen = (self.kappa * ops.sum(w) + a / self.sigma) * (self.kappa * ops.sum(u) + b / self.sigma)
        return self.inner.joint_moment(mine, neutral, w, u, ops) + self.sigma * ops.sum(theirs * seen)

    def push(self, shares: Array, ops: Numeric) -> Array:
        mine, theirs = self._parted(shares, ops)
        hidden = self.inner.push(mine, ops)
        if not self.others:
            return hidden
        hidden = hidden + self.inner.push_neutral((1 - self.sigma) * ops.sum(theirs), ops)
        return ops.join(hidden, self.sigma * theirs)

    def pull(self, weights: Array, ops: Numeric) -> Array:
        hidden, passed = self._halves(weights)
        if not self.others:
            return self._joined(self.inner.pull(hidden, ops), passed, ops)
        others = (1 - self.sigma) * self.inner.pull_neutral(hidden, ops) + self.sigma * passed
        return self._joined(self.inner.pull(hidden, ops), others, ops)

    def influence(self, ops: Numeric) -> float:
        most = self.inner.influence(ops)
        return max(most, 1 / self.sigma, self.kappa) if self.others else most

    @property
    def decode_cost(self) -> float:
        return self.inner.decode_cost + len(self.others)

    def describe(self) -> dict[str, Any]:
        return self.inner.describe()
