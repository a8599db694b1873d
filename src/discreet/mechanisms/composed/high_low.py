"""A sampler on the sensitive values; other values are reported as they are as often as privacy allows."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...core.arithmetic import Arithmetic
from ...core.errors import InvalidInput
from ..law import Bits, Law
from ..laws import sampler_of
from ..sampler import RatioBound, Sampler
from ..uniform.floyd import Steps
from ..uniform.pure import PureSampler
from ..units import beyond_words, check_law, too_few
from .cover import Cover, CoverUnits, cover_kind


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


class HighLowResponse(Sampler):
    """A sensitive value writes what the inner sampler writes; any other passes as it is or writes a neutral report.

    The neutral report gives every inner report just the mass that hides the sensitive values:
    ``Pr(y | b) >= max_x Q(y | x) / R``. What is left over is the probability sigma of passing.
    Both branches are computed from the same words and one is selected.

    *Why private.* For x sensitive: the inner ratio against sensitive values, the neutral one against
    the others; a report that shows a passed value never comes from a sensitive one.

    References: Acharya2020, Section 5 (with Hadamard); Murakami2019 (uRR with randomized response,
    uRAP with unary); He2025 (with subsets).
    """

    name = "high_low"
    law: HighLowLaw
    follows = HighLowLaw
    cover: Cover[Any]
    """The cover reports of values that are not sensitive, where there are any."""

    def __init__(self, size: int, sensitive: Sequence[int], inner: PureSampler, epsilon: Fraction) -> None:
        kind = cover_kind(inner)
        neutral = kind.fewest(inner, epsilon) if len(sensitive) < size else CoverUnits(0)
        if len(sensitive) < size and inner.size == 1:
            written = int((1 - kind(inner, neutral).disclosing) * 2**inner.word_bits)
            if too_few(written, inner.word_bits):
                raise beyond_words(epsilon, inner.word_bits)
        self._follow(HighLowLaw(Bits.of(sensitive, size), inner.law, neutral.units, neutral.steps), inner)

    def follow(self, law: HighLowLaw) -> None:
        inner = sampler_of(law.inner)
        if not isinstance(inner, PureSampler):
            raise InvalidInput(f"law of kind {law.kind!r}: its inner law must have reports that support values")
        self._follow(law, inner)

    def _follow(self, law: HighLowLaw, inner: PureSampler) -> None:
        check_law(len(law.sensitive) == inner.size, law.kind, "its inner law must have one value per sensitive value")
        self.law, self.size, self.inner = law, law.sensitive.size, inner
        self.sensitive = tuple(law.sensitive)
        chosen = set(self.sensitive)
        self.others = tuple(x for x in range(self.size) if x not in chosen)
        neutral = CoverUnits(law.neutral, law.steps)
        self.passes = Fraction(0)
        self.words = inner.words
        check_law(bool(self.others) or neutral == CoverUnits(0), law.kind, "without others nothing is neutral")
        if self.others:
            self.cover = cover_kind(inner)(inner, neutral)
            self.passes = self.cover.disclosing
            self.words = max(inner.words, self.cover.words)
        self.word_bits = inner.word_bits
        self.base = inner.outputs if inner.outputs <= 1 << 63 else 1 << 64 * -(-inner.bits // 64)
        self.outputs = self.base + len(self.others) if self.others else inner.outputs
        self.place = array("I", bytes(array("I").itemsize * self.size))
        self.is_other = array("B", bytes(self.size))
        for place, x in enumerate(self.sensitive):
            self.place[x] = place
        for place, x in enumerate(self.others):
            self.place[x], self.is_other[x] = place, 1

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> HighLowResponse:
        level = self.actual_epsilon if epsilon is None else epsilon
        inner: Any = self.inner.with_word_bits(word_bits, level)
        return HighLowResponse(self.size, self.sensitive, inner, level)

    @property
    def is_identifiable(self) -> bool:
        return self.passes > 0 or not self.others

    @property
    def is_numbered(self) -> bool:
        return self.inner.is_numbered and self.base == self.inner.outputs

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        place = ops.look_up(self.place, x)
        if not self.others:
            return self.inner.draw(place, words, ops)
        other = ops.look_up(self.is_other, x)
        hidden = self.inner.draw(ops.select(other, 0, place), words, ops)
        passes, cover = self.cover.draw(words, ops)
        written = ops.widen(ops.select(other, cover, hidden), self.bits)
        return ops.pass_on(written, ops.select(other, passes, 0), place, self.base)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_other[x]:
            return self.inner.probability(self.place[x], y) if y < self.base else Fraction(0)
        if y < self.base:
            return self.cover.probability(y)
        return self.passes if y - self.base == self.place[x] else Fraction(0)

    def reports(self) -> Iterable[int]:
        yield from self.inner.reports()
        yield from (self.base + place for place in range(len(self.others)))

    def is_report(self, y: int) -> bool:
        return self.inner.is_report(y) if y < self.base else y < self.outputs

    @property
    def labels(self) -> Sequence[int]:
        return self.is_other

    @property
    def disclosed(self) -> Sequence[int]:
        return self.others

    def ratio_bounds(self) -> Iterator[RatioBound]:
        of = self.sensitive
        yield from (RatioBound(of[p.x], of[p.z], p.ratio) for p in self.inner.ratio_bounds())
        if self.others:
            yield RatioBound(of[0], self.others[0], self.cover.ratio)

    def describe(self) -> dict[str, Any]:
        return self.inner.describe()
