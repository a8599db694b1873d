"""Profiles of noise on a line, a ring and a torus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

from ...mechanisms.lines_and_grids.circular import Circular
from ...mechanisms.lines_and_grids.geometric import Geometric
from ...mechanisms.lines_and_grids.ring import RingResponse
from ...mechanisms.lines_and_grids.torus import Torus, displacement, fold, shifted
from .profile import Profile
from .rows import MAX_LISTED, Blanket, Row, listed, merged

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

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Row] | None:
        if among is not None:
            return listed(self, x, z, among)
        if 3 * self.sampler.outputs > MAX_LISTED:
            return None
        law, space = self.sampler.law, 1 << self.sampler.word_bits
        least, more = Fraction(min(law.units), space), int(law.spare > 0)
        pairs = zip(law.units, shifted(self._apart(x, z), self.sampler.shape), strict=True)
        return merged(Row(least, Fraction(own + more, space), Fraction(law.units[t], space)) for own, t in pairs)

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
