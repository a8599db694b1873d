"""Utility-optimised RAPPOR: one noisy bit per sensitive value, one honest bit per other value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ...core.arithmetic import Arithmetic
from ..composed.cover import CoverUnits, UnaryCover
from ..composed.high_low import HighLowLaw, HighLowResponse
from ..law import WORD_BITS, Bits, Law
from ..sampler import RatioBound
from ..units import check_law
from .bitwise import Bitwise
from .unary import Unary, UnaryLaw


@dataclass(frozen=True)
class UtilityRapporLaw(Law):
    """The bits of the sensitive values follow `inner`; any other value's own bit is off below `neutral`."""

    kind = "utility_rappor"

    sensitive: Bits
    inner: UnaryLaw
    neutral: int


class UtilityRappor(Bitwise):
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
        self.word_bits, self.words = law.inner.word_bits, self.inner.size + 1
        self.cover = UnaryCover(self.inner, CoverUnits(law.neutral))
        self.passes = self.cover.disclosing
        self.sensitive = tuple(law.sensitive)
        self.place = {x: place for place, x in enumerate(self.sensitive)}
        self.others = tuple(x for x in range(self.size) if x not in self.place)
        self.is_other = tuple(int(x not in self.place) for x in range(self.size))

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> UtilityRappor:
        level = self.inner.actual_epsilon if epsilon is None else epsilon
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
            return neutral * self.passes if seen == [x] else Fraction(0)
        return neutral * (1 - self.passes)

    # -- what hides a report, and what it tells: the noise beside a value that is shown says nothing -------------
    @cached_property
    def without_noise(self) -> HighLowResponse:
        """The same reports without the sensitive bits of those that show a value."""
        units = self.law.neutral if self.others else 0
        return HighLowResponse.from_law(HighLowLaw(self.law.sensitive, self.law.inner, units, ()))

    def reports(self) -> Iterable[int]:
        return (y for y in range(self.outputs) if self.is_report(y))

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs and sum(y >> bit & 1 for bit in self.others) <= 1

    @property
    def labels(self) -> Sequence[int]:
        return self.is_other

    def ratio_bounds(self) -> Iterator[RatioBound]:
        of = self.sensitive
        yield from (RatioBound(of[p.x], of[p.z], p.ratio) for p in self.inner.ratio_bounds())
        if self.others:
            yield RatioBound(of[0], self.others[0], self.cover.ratio)
