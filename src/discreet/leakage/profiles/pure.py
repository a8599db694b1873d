"""Profiles of pure protocols that are counted report by report: two levels, by whether a report supports a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

import numpy as np

from ...core.errors import InvalidInput
from ...estimation.arrays.layout import Array
from ...estimation.decoders.pure import PureNumberedDecoder
from ...mechanisms.composed.even_cover import EvenCover
from ...mechanisms.uniform.cyclic import Cyclic
from ...mechanisms.uniform.general_hadamard import GeneralHadamard
from ...mechanisms.uniform.hadamard import Hadamard
from ...mechanisms.uniform.pure import PureNumbered, PureSampler
from ...mechanisms.uniform.randomized_response import RandomizedResponse
from . import posterior
from .posterior import PosteriorRange
from .profile import Profile
from .rows import Row, collision, hidden_by, listed, two_levels

Pure = TypeVar("Pure", bound=PureSampler)
Numbered = TypeVar("Numbered", bound=PureNumbered)


class PureProfile(Profile[Pure]):
    """The profile of a pure protocol, which others may write cover reports of."""

    def cover_shares(self, row: Row) -> tuple[Fraction, Fraction]:
        """At least and at most the probability that a cover report is one of those of a row.

        The blanket of a row is that of reports on the lower level, rounded down by the unevenness once.
        """
        cover = EvenCover(self.sampler)
        above, below = cover.largest_ratios
        return row.blanket * cover.places.odds / above, row.blanket / cover.places.even * below

    def bayes_success(self, shares: Array, *, beside: float = 0.0) -> float | None:
        """As for any; `beside` is the mass of somebody else, who writes cover reports, and may be guessed as well."""
        return posterior.bayes_success(self, shares, least=beside / self.sampler.outputs)

    def posterior_range(self, x: int, shares: Array) -> PosteriorRange | None:
        known = posterior.posterior_range(self, x, shares)
        return None if known is None else known._replace(own=float(self.sampler.p), other=float(self.sampler.q))


class TwoLevelProfile(PureProfile[Numbered]):
    """The profile of reports that have one of two probabilities."""

    def support_counts(self, x: int, z: int) -> tuple[int, int, int]:
        """How many reports support both x and z, x but not z, and neither; by looking at each unless overridden."""
        sampler = self.sampler
        own, other = ([sampler.probability(v, y) >= sampler.high for y in range(sampler.outputs)] for v in (x, z))
        both = sum(a and b for a, b in zip(own, other, strict=True))
        return both, sum(own) - both, sampler.outputs - sum(own) - sum(other) + both

    @property
    def spare(self) -> Fraction:
        """The share of reports that are drawn alike whatever the value."""
        return Fraction(getattr(self.sampler.law, "spare", 0), 1 << self.sampler.word_bits)

    def _rows(self, x: int, z: int, spare: Fraction) -> list[Row]:
        levels, even = (self.sampler.low, self.sampler.high), Fraction(1, self.sampler.outputs)
        return two_levels(levels, self.support_counts(x, z), spare=spare, even=even)

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Row] | None:
        if among is not None and (rows := listed(self, x, z, among)) is not None:
            return rows
        return hidden_by(self._rows(x, z, self.spare), x, z, (x,) if self.sampler.size == 1 else among)

    def bayes_success(self, shares: Array, *, beside: float = 0.0) -> float | None:
        outputs, share = self.sampler.outputs, float(shares.max())
        each = beside / outputs
        if share > float(shares.min()):
            return posterior.bayes_success(self, shares, least=each)
        decoder = self.decoder
        assert isinstance(decoder, PureNumberedDecoder)
        covered = int((decoder.cover(np.ones(self.sampler.size)) > 0.5).sum())
        high, low = (max(each, share * float(level)) for level in (self.sampler.high, self.sampler.low))
        return min(1.0, covered * high + (outputs - covered) * low + share * float(self.spare))

    def collision_probability(self, x: int, z: int) -> Fraction:
        """As for any; words that are spare, below one in 2**40, are not counted."""
        return collision(self._rows(x, z, Fraction(0)), self.sampler.outputs)


class RandomizedResponseProfile(TwoLevelProfile[RandomizedResponse]):
    """A report supports the value that it names."""

    def support_counts(self, x: int, z: int) -> tuple[int, int, int]:
        return (1, 0, self.sampler.size - 1) if x == z else (0, 1, self.sampler.size - 2)


class HadamardProfile(TwoLevelProfile[Hadamard]):
    """Column 0 supports every value, so nobody writes it less often than `high`."""

    def support_counts(self, x: int, z: int) -> tuple[int, int, int]:
        half, quarter = self.sampler.outputs // 2, self.sampler.outputs // 4
        return (half, 0, half) if x == z else (quarter, quarter, quarter)

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Row] | None:
        rows, low, high = super().pair_profile(x, z, among), self.sampler.low, self.sampler.high
        if rows is None or among is not None or self.sampler.size == 1:
            return rows
        both, *others = rows
        even = Fraction(1, self.sampler.outputs)
        left = Row(both.blanket - low, both.own - high, both.other - high, both.cover - even)
        return [Row(high, high, high, even), *([left] if left.blanket else []), *others]


class CyclicProfile(TwoLevelProfile[Cyclic]):
    """Two values share as many reports as their shifts have in common."""

    @cached_property
    def _is_balanced(self) -> bool:
        """True if any two values share equally many reports, as those of every law that is made here do."""
        try:
            return self.sampler.shared >= 0
        except InvalidInput:
            return False

    def _shared(self, x: int, z: int) -> int:
        """How many reports support both of two values."""
        modulus, apart = self.sampler.law.modulus, x - z
        return sum(len({(t + apart) % modulus for t in own} & set(own)) for own in self.sampler.sets)

    def support_counts(self, x: int, z: int) -> tuple[int, int, int]:
        many = len(self.sampler.law.shifts)
        both = many if x == z else self.sampler.shared if self._is_balanced else self._shared(x, z)
        return both, many - both, self.sampler.outputs - 2 * many + both

    def representative_pairs(self) -> Iterator[tuple[int, int]]:
        if self._is_balanced:
            yield from super().representative_pairs()
        else:  # a law that somebody else wrote, of no use for estimates: two values have what their distance has
            for z in range(1, self.sampler.size):
                yield from ((0, z), (z, 0))


class GeneralHadamardProfile(Profile[GeneralHadamard]):
    """Two values share a quarter of the columns of a part, or none if they are in different parts."""

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Row] | None:
        if among is not None and (rows := listed(self, x, z, among)) is not None:
            return rows
        sampler, b = self.sampler, self.sampler.columns
        half, outputs = b // 2, sampler.outputs
        counts = half, 0, outputs - half
        if x != z:
            apart = x // (b - 1) != z // (b - 1)
            counts = (0, half, outputs - b) if apart else (half // 2, half // 2, outputs - 3 * b // 4)
        spare = Fraction(sampler.law.spare, 1 << sampler.word_bits)
        return hidden_by(two_levels((sampler.low, sampler.high), counts, spare=spare), x, z, among)

    def representative_pairs(self) -> Iterator[tuple[int, int]]:
        yield from ((0, z) for z in (1, self.sampler.columns - 1) if 0 < z < self.sampler.size)
