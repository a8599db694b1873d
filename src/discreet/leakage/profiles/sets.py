"""Profiles of reports that are sets of values: subset selection, and encodings with one bit per value."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeVar

from ...estimation.arrays.layout import Array
from ...estimation.decoders.sets import PureSetDecoder
from ...mechanisms.uniform.graded_unary import GradedUnary
from ...mechanisms.uniform.set_valued import SetValued
from ...mechanisms.uniform.subset import Subset
from ...mechanisms.uniform.unary import Unary
from ...mechanisms.uniform.utility_rappor import UtilityRappor
from .posterior import PosteriorRange
from .profile import Profile
from .pure import PureProfile
from .registry import profile_of
from .rows import Row, collision, hidden_by, listed, two_levels

Sets = TypeVar("Sets", bound=SetValued)


class SetProfile(PureProfile[Sets]):
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

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Row] | None:
        if among is not None and (rows := listed(self, x, z, among)) is not None:
            return rows
        k, d, even, p = self.sampler.size, self.sampler.d, self.sampler.evenness, self.sampler.p
        high, low = p / math.comb(k - 1, d - 1), (1 - p) / math.comb(k - 1, d)
        counts = math.comb(k - 1, d - 1), 0, math.comb(k - 1, d)
        if x != z:
            counts = math.comb(k - 2, d - 2) if d > 1 else 0, math.comb(k - 2, d - 1), math.comb(k - 2, d)
        rows = hidden_by(two_levels((low, high), counts, even=Fraction(1, math.comb(k, d))), x, z, among)
        return [Row(row.blanket * even, row.own / even, row.other * even, row.cover) for row in rows]

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

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Row] | None:
        if among is not None and (listing := listed(self, x, z, among)) is not None:
            return listing
        p, q = self.sampler.p, self.sampler.q
        off, on = (1 - p) / (1 - q), p / q
        rows, bits = [], [(0, 0), (1, 1)] if x == z else [(0, 0), (0, 1), (1, 0), (1, 1)]
        for a, b in bits:
            chance = math.prod((q if bit else 1 - q for bit in ((a,) if x == z else (a, b))), start=Fraction(1))
            own, other = (on if bit else off for bit in (a, b))
            rows.append(Row(off * chance, own * chance, other * chance, chance))
        return hidden_by(rows, x, z, (x,) if self.sampler.size == 1 else among)

    def collision_probability(self, x: int, z: int) -> Fraction:
        p, q, k = self.sampler.p, self.sampler.q, self.sampler.size
        apart, same, others = p * q + (1 - p) * (1 - q), p * p + (1 - p) ** 2, q * q + (1 - q) ** 2
        return Fraction(same * others ** (k - 1) if x == z else apart**2 * others ** (k - 2))


class GradedUnaryProfile(Profile[GradedUnary]):
    """The bits of x and z, all others being drawn alike; who holds neither writes at least `least` of them."""

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Row] | None:
        if among is not None and (listing := listed(self, x, z, among)) is not None:
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
            rows.append(Row(chance * least, chance * odds[0], chance * odds[1]))
        return hidden_by(rows, x, z, among)


class UtilityRapporProfile(Profile[UtilityRappor]):
    """What the same reports show without the sensitive bits of those that disclose a value."""

    @property
    def _without_noise(self) -> Profile[UtilityRappor]:
        return profile_of(self.sampler.without_noise)

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Row] | None:
        return self._without_noise.pair_profile(x, z, among)

    def collision_probability(self, x: int, z: int) -> Fraction | None:
        sampler, inner = self.sampler, self.sampler.inner
        hidden = [v in sampler.place for v in (x, z)]
        if all(hidden):
            return profile_of(inner).collision_probability(sampler.place[x], sampler.place[z])
        p, q, bits = inner.p, inner.q, inner.size
        alike, own = q * q + (1 - q) ** 2, p * q + (1 - p) * (1 - q)
        if any(hidden):
            return Fraction((1 - sampler.passes) * own * alike ** (bits - 1))
        return Fraction((1 - sampler.passes) ** 2 * alike**bits)

    def bayes_success(self, shares: Array) -> float | None:
        return self._without_noise.bayes_success(shares)

    def posterior_range(self, x: int, shares: Array) -> PosteriorRange | None:
        return self._without_noise.posterior_range(x, shares)
