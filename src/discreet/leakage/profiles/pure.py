"""Profiles of pure protocols, of sets of values, and of noise on a line, a ring and a torus."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any, TypeVar

import numpy as np

from ...estimation.arrays.layout import Array
from ...estimation.decoders.pure import PureDecoder
from ...estimation.decoders.sets import PureSetDecoder
from ...mechanisms.composed.even_cover import EvenCover
from ...mechanisms.lines_and_grids.geometric import Geometric
from ...mechanisms.lines_and_grids.ring import Circular, RingResponse
from ...mechanisms.lines_and_grids.torus import Torus, displacement, fold, shifted
from ...mechanisms.uniform.cyclic import Cyclic
from ...mechanisms.uniform.general_hadamard import GeneralHadamard
from ...mechanisms.uniform.graded_unary import GradedUnary, UtilityRappor
from ...mechanisms.uniform.hadamard import Hadamard
from ...mechanisms.uniform.pure import PureSampler
from ...mechanisms.uniform.randomized_response import RandomizedResponse
from ...mechanisms.uniform.subset import Subset
from ...mechanisms.uniform.unary import Unary
from . import posterior
from .posterior import PosteriorRange
from .profile import Profile
from .registry import profile_of
from .rows import (
    MAX_LISTED,
    Blanket,
    CoveredRow,
    ReportGroup,
    collision,
    enumerate_reports,
    hidden_by,
    merged,
    two_levels,
)

Pure = TypeVar("Pure", bound=PureSampler)


class PureProfile(Profile[Pure]):
    """The profile of a pure protocol, which others may write cover reports of."""

    def cover_shares(self, row: ReportGroup) -> tuple[Fraction, Fraction]:
        """At least and at most the probability that a cover report is one of those of a row.

        The blanket of a row is that of reports on the lower level, rounded down by the unevenness once.
        """
        cover = EvenCover(self.sampler)
        above, below = cover.largest_ratios
        return row.blanket * cover.places.odds / above, row.blanket / cover.places.even * below

    def covered_rows(self, x: int, z: int) -> list[CoveredRow] | None:
        """The pair profile with bounds on cover reports; spare words are the same for all, and hide nobody."""
        rows = self.pair_profile(x, z)
        if rows is None:
            return None
        bounds = (self.cover_shares(row) if row.blanket else (row.other, row.own) for row in rows)
        return [CoveredRow(row.blanket, row.own, row.other, *of) for row, of in zip(rows, bounds, strict=True)]

    def bayes_success(self, shares: Array, *, beside: float = 0.0) -> float | None:
        """As for any; `beside` is the mass of somebody else, who writes cover reports, and may be guessed as well."""
        return posterior.bayes_success(self, shares, least=beside / self.sampler.outputs)

    def posterior_range(self, x: int, shares: Array) -> PosteriorRange | None:
        known = posterior.posterior_range(self, x, shares)
        return None if known is None else known._replace(own=float(self.sampler.p), other=float(self.sampler.q))


class TwoLevelProfile(PureProfile[Pure]):
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

    def _rows(self, x: int, z: int, spare: Fraction) -> list[ReportGroup]:
        levels, even = (self.sampler.low, self.sampler.high), Fraction(1, self.sampler.outputs)
        return two_levels(levels, self.support_counts(x, z), spare=spare, even=even)

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        if among is not None and (rows := enumerate_reports(self, x, z, among)) is not None:
            return rows
        return hidden_by(self._rows(x, z, self.spare), x, z, (x,) if self.sampler.size == 1 else among)

    def bayes_success(self, shares: Array, *, beside: float = 0.0) -> float | None:
        outputs, share = self.sampler.outputs, float(shares.max())
        each = beside / outputs
        if share > float(shares.min()):
            return posterior.bayes_success(self, shares, least=each)
        decoder = self.decoder
        assert isinstance(decoder, PureDecoder)
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

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        rows, low, high = super().pair_profile(x, z, among), self.sampler.low, self.sampler.high
        if rows is None or among is not None or self.sampler.size == 1:
            return rows
        both, *others = rows
        even = Fraction(1, self.sampler.outputs)
        left = ReportGroup(both.blanket - low, both.own - high, both.other - high, both.cover - even)
        return [ReportGroup(high, high, high, even), *([left] if left.blanket else []), *others]


class CyclicProfile(TwoLevelProfile[Cyclic]):
    """Two values share as many reports as their shifts have in common."""

    @classmethod
    def of(cls, sampler: Cyclic) -> Profile[Any]:
        return cls(sampler) if sampler.is_even else CirculantProfile(sampler)

    def support_counts(self, x: int, z: int) -> tuple[int, int, int]:
        many = len(self.sampler.law.shifts)
        both = many if x == z else self.sampler.shared
        return both, many - both, self.sampler.outputs - 2 * many + both


class CirculantProfile(TwoLevelProfile[Cyclic]):
    """Two values share what their distance says."""

    def support_counts(self, x: int, z: int) -> tuple[int, int, int]:
        many, modulus, apart = len(self.sampler.law.shifts), self.sampler.law.modulus, x - z
        both = sum(len({(t + apart) % modulus for t in own} & set(own)) for own in self.sampler.sets)
        return both, many - both, self.sampler.outputs - 2 * many + both

    def representative_pairs(self) -> Iterator[tuple[int, int]]:
        for z in range(1, self.sampler.size):
            yield from ((0, z), (z, 0))

    def bayes_success(self, shares: Array, *, beside: float = 0.0) -> float | None:
        return posterior.bayes_success(self, shares, least=beside / self.sampler.outputs)

    def posterior_range(self, x: int, shares: Array) -> PosteriorRange | None:
        return posterior.posterior_range(self, x, shares)


class GeneralHadamardProfile(Profile[GeneralHadamard]):
    """Two values share a quarter of the columns of a part, or none if they are in different parts."""

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        if among is not None and (rows := enumerate_reports(self, x, z, among)) is not None:
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


class SetProfile(PureProfile[Pure]):
    """A set with the person's value, and one without it, is so much likelier than among cover reports."""

    @property
    def _odds(self) -> tuple[float, float]:
        decoder = self.decoder
        assert isinstance(decoder, PureSetDecoder)
        return decoder.odds

    def first_members(self) -> Iterator[float]:
        """Pr(the first value in a cover report is the i-th), for i = 1 .. k in any order of the values."""
        left, q = 1.0, float(self.sampler.q)
        for _ in range(self.sampler.size):
            yield left * q
            left *= 1 - q

    def bayes_success(self, shares: Array, *, beside: float = 0.0) -> float:
        inside, outside = self._odds
        ranked: list[float] = sorted(shares.tolist(), reverse=True)
        total, left = 0.0, 1.0
        for share, chance in zip(ranked, self.first_members(), strict=True):
            total += chance * max(inside * share, outside * ranked[0], beside)
            left -= chance
        return total + max(0.0, left) * max(outside * ranked[0], beside)

    def posterior_range(self, x: int, shares: Array, *, beside: float = 0.0) -> PosteriorRange:
        """As for any; `beside` is the mass of others who write cover reports."""
        inside, outside = self._odds
        share, others = float(shares[x]), sorted((*shares[:x].tolist(), *shares[x + 1 :].tolist()))
        whole, d = share + sum(others), self.sampler.set_size
        fewest = share + (sum(others[: d - 1]) if d else 0.0)
        most = sum(others[len(others) - d :]) if d else sum(others)
        high = inside * share / (outside * whole + (inside - outside) * fewest + beside) if share else 0.0
        low = outside * share / (outside * whole + (inside - outside) * most + beside) if share else 0.0
        return PosteriorRange(low, high, float(self.sampler.p), float(self.sampler.q))

    def most_covered(self, shares: Array) -> float:
        """The most that a set can be likelier from somebody whose value follows `shares` than among cover reports."""
        inside, outside = self._odds
        ranked: list[float] = sorted(shares.tolist(), reverse=True)
        return outside * sum(ranked) + (inside - outside) * sum(ranked[: self.sampler.set_size])


class SubsetProfile(SetProfile[Subset]):
    """Sets by whether they hold x and z, each up to the unevenness of the draws."""

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        if among is not None and (rows := enumerate_reports(self, x, z, among)) is not None:
            return rows
        k, d, even, p = self.sampler.size, self.sampler.d, self.sampler.evenness, self.sampler.p
        high, low = p / math.comb(k - 1, d - 1), (1 - p) / math.comb(k - 1, d)
        counts = math.comb(k - 1, d - 1), 0, math.comb(k - 1, d)
        if x != z:
            counts = math.comb(k - 2, d - 2) if d > 1 else 0, math.comb(k - 2, d - 1), math.comb(k - 2, d)
        rows = hidden_by(two_levels((low, high), counts, even=Fraction(1, math.comb(k, d))), x, z, among)
        return [ReportGroup(row.blanket * even, row.own / even, row.other * even, row.cover) for row in rows]

    def first_members(self) -> Iterator[float]:
        k, d = self.sampler.size, self.sampler.d
        chance = d / k
        for i in range(1, k + 1):
            yield chance
            chance *= max(0, k - i - d + 1) / max(1, k - i)

    def collision_probability(self, x: int, z: int) -> Fraction:
        return collision(self.pair_profile(x, z) or (), math.comb(self.sampler.size, self.sampler.d))


class UnaryProfile(SetProfile[Unary]):
    """The bits of x and z, all others being drawn alike."""

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        if among is not None and (listing := enumerate_reports(self, x, z, among)) is not None:
            return listing
        p, q = self.sampler.p, self.sampler.q
        off, on = (1 - p) / (1 - q), p / q
        rows, bits = [], [(0, 0), (1, 1)] if x == z else [(0, 0), (0, 1), (1, 0), (1, 1)]
        for a, b in bits:
            chance = math.prod((q if bit else 1 - q for bit in ((a,) if x == z else (a, b))), start=Fraction(1))
            own, other = (on if bit else off for bit in (a, b))
            rows.append(ReportGroup(off * chance, own * chance, other * chance, chance))
        return hidden_by(rows, x, z, (x,) if self.sampler.size == 1 else among)

    def collision_probability(self, x: int, z: int) -> Fraction:
        p, q, k = self.sampler.p, self.sampler.q, self.sampler.size
        apart, same, others = p * q + (1 - p) * (1 - q), p * p + (1 - p) ** 2, q * q + (1 - q) ** 2
        return Fraction(same * others ** (k - 1) if x == z else apart**2 * others ** (k - 2))


class GradedUnaryProfile(Profile[GradedUnary]):
    """The bits of x and z, all others being drawn alike; who holds neither writes at least `least` of them."""

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        if among is not None and (listing := enumerate_reports(self, x, z, among)) is not None:
            return listing
        space, law, grade_of = 1 << self.sampler.word_bits, self.sampler.law, self.sampler.grade_of
        least = min(Fraction(space - a, space - b) for a, b in zip(law.own, law.other, strict=True))
        rows = []
        for bits in product((0, 1), repeat=2):
            chance, odds = Fraction(1), []
            for value, bit in zip((x, z), bits, strict=True):
                a, b = law.own[grade_of[value]], law.other[grade_of[value]]
                odds.append(Fraction(a, b) if bit else Fraction(space - a, space - b))
                chance *= Fraction(b if bit else space - b, space)
            rows.append(ReportGroup(chance * least, chance * odds[0], chance * odds[1]))
        return hidden_by(rows, x, z, among)


class UtilityRapporProfile(Profile[UtilityRappor]):
    """What the same reports show without the sensitive bits of those that disclose a value."""

    @property
    def _without_noise(self) -> Profile[UtilityRappor]:
        return profile_of(self.sampler.without_noise)

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        return self._without_noise.pair_profile(x, z, among)

    def collision_probability(self, x: int, z: int) -> Fraction | None:
        sampler, inner = self.sampler, self.sampler.inner
        hidden = [v in sampler.place for v in (x, z)]
        if all(hidden):
            return profile_of(inner).collision_probability(sampler.place[x], sampler.place[z])
        p, q, bits = inner.p, inner.q, inner.size
        alike, own = q * q + (1 - q) ** 2, p * q + (1 - p) * (1 - q)
        if any(hidden):
            return Fraction((1 - sampler.disclosing) * own * alike ** (bits - 1))
        return Fraction((1 - sampler.disclosing) ** 2 * alike**bits)

    def bayes_success(self, shares: Array) -> float | None:
        return self._without_noise.bayes_success(shares)

    def posterior_range(self, x: int, shares: Array) -> PosteriorRange | None:
        return self._without_noise.posterior_range(x, shares)


Around = TypeVar("Around", bound=Circular)


class CircularProfile(Profile[Around]):
    """Noise that depends on nothing: nobody writes a report less often than the furthest that anybody may be away."""

    def blanket(self, among: Sequence[int]) -> Blanket:
        if self.sampler.outputs * (2 + len(among)) <= MAX_LISTED:
            return super().blanket(among)
        least = Fraction(min(self.sampler.noise), 1 << self.sampler.word_bits)
        return Blanket(1, lambda _: least)


class RingProfile(CircularProfile[RingResponse]):
    """One place against those up to half a ring away: where they are, and which way round, makes no difference."""

    def representative_pairs(self) -> Iterator[tuple[int, int]]:
        places, size = self.sampler.places, self.sampler.size
        at = {place: x for x, place in enumerate(places)} if places else range(size)
        return ((at[0], at[place]) for place in range(1, size // 2 + 1))


class TorusProfile(CircularProfile[Torus]):
    """A spare word counts for every report of x, so that only displacements matter."""

    def _apart(self, x: int, z: int) -> int:
        return displacement(self.sampler.places[x], self.sampler.places[z], self.sampler.shape)

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        if among is not None:
            return enumerate_reports(self, x, z, among)
        if 3 * self.sampler.outputs > MAX_LISTED:
            return None
        law, space = self.sampler.law, 1 << self.sampler.word_bits
        least, more = Fraction(min(law.units), space), int(law.spare > 0)
        pairs = zip(law.units, shifted(self._apart(x, z), self.sampler.shape), strict=True)
        return merged(
            ReportGroup(least, Fraction(own + more, space), Fraction(law.units[t], space)) for own, t in pairs
        )

    def representative_pairs(self) -> Iterator[tuple[int, int]]:
        """One pair for every displacement, up to its mirror images."""
        first: dict[int, tuple[int, int]] = {}
        for x, z in combinations(range(self.sampler.size), 2):
            first.setdefault(fold(self._apart(x, z), self.sampler.shape), (x, z))
        return iter(first.values())


class GeometricProfile(Profile[Geometric]):
    """A place against every one above it: seen from the other end of the line, those below are the same."""

    def blanket(self, among: Sequence[int]) -> Blanket:
        sampler, size = self.sampler, self.sampler.size
        places = [sampler.place_of(v) for v in among] if len(among) < size else [0, size - 1]
        first, last = min(places), max(places)

        def least(y: int) -> Fraction:
            away = max(abs(y - first), abs(y - last))
            lows = sampler.least_units[y in (0, size - 1)]
            units = lows[away] if away < len(lows) else min(lows[-1], sampler.law.flat)
            return Fraction(units, 1 << sampler.word_bits)

        return Blanket(1, least)

    def representative_pairs(self) -> Iterator[tuple[int, int]]:
        places, size = self.sampler.places, self.sampler.size
        at = {place: x for x, place in enumerate(places)} if places else range(size)
        return ((at[a], at[b]) for a, b in combinations(range(size), 2))
