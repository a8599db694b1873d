"""Profiles of composed mechanisms: blocks, high-low, mixtures, and two questions at once.

The profile of classwise mixtures, type by type, with a blanket that is no larger than the true one.

Given the type, sub-reports are independent and cover reports in every class but the own one. Those of classes that hold
neither x nor z have one law for both, so only the sub-reports of their two classes are looked at, in the rows of their
own profiles. Whoever is of a third class writes a cover report there, and at least ``1 / B`` of one in their own class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np

from ...core.errors import NotServed
from ...estimation.arrays.layout import Array
from ...mechanisms.composed.blocks import BlockResponse
from ...mechanisms.composed.even_cover import EvenCover
from ...mechanisms.composed.high_low import HighLowResponse
from ...mechanisms.composed.mixture import Mixture
from ...mechanisms.composed.paired import Paired
from ...mechanisms.tables.classwise_mixture import ClasswiseMixture
from ...mechanisms.uniform.pure import PureSampler
from . import posterior
from .posterior import PosteriorRange
from .profile import Profile
from .pure import PureProfile, SetProfile
from .registry import profile_of
from .rows import NONE, CoveredRow, ReportGroup, enumerate_reports, hidden_by, merged


class BlocksProfile(Profile[BlockResponse]):
    """A report is hidden by the others of its block, as many as are known to be in it."""

    def _inner(self, block: int) -> Profile[Any]:
        return profile_of(self.sampler.inner[block])

    def other_users(self, x: int) -> Sequence[int]:
        return self.sampler.members[self.sampler.block_of[x]]

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        block_of, place = self.sampler.block_of, self.sampler.place
        if block_of[z] != block_of[x]:
            return [ReportGroup(NONE, Fraction(1), NONE), ReportGroup(NONE, NONE, Fraction(1))]
        inside = None if among is None else [place[v] for v in among if block_of[v] == block_of[x]]
        rows = self._inner(block_of[x]).pair_profile(place[x], place[z], inside)
        if rows is None or inside is None or among is None or len(inside) == len(among):
            return rows
        return [row._replace(blanket=NONE) for row in rows]  # who is in another block hides nobody here

    def collision_probability(self, x: int, z: int) -> Fraction | None:
        block_of, place = self.sampler.block_of, self.sampler.place
        if block_of[z] != block_of[x]:
            return NONE
        return self._inner(block_of[x]).collision_probability(place[x], place[z])

    def bayes_success(self, shares: Array) -> float | None:
        total, known = 0.0, dict[tuple[int, bytes], float | None]()
        for block, members in enumerate(self.sampler.members):
            inside = shares[np.array(members)]
            key = self.sampler.kind_of[block], inside.tobytes()
            if key not in known:
                known[key] = self._inner(block).bayes_success(inside)
            one = known[key]
            if one is None:
                return None
            total += one
        return total

    def posterior_range(self, x: int, shares: Array) -> PosteriorRange | None:
        block = self.sampler.block_of[x]
        inside = shares[np.array(self.sampler.members[block])]
        return self._inner(block).posterior_range(self.sampler.place[x], inside / max(float(inside.sum()), 1e-300))

    def representative_pairs(self) -> Iterator[tuple[int, int]]:
        known = [list(profile_of(part).representative_pairs()) for part in self.sampler.kinds]
        for members, kind in zip(self.sampler.members, self.sampler.kind_of, strict=True):
            yield from ((members[x], members[z]) for x, z in known[kind])


class HighLowProfile(Profile[HighLowResponse]):
    """Cover reports hide whatever is sensitive."""

    @property
    def _inner(self) -> PureProfile[Any]:
        inner = profile_of(self.sampler.inner)
        if not isinstance(inner, PureProfile):
            kind = self.sampler.inner.law.kind
            raise NotServed(f"high_low: laws of kind {kind!r} need a PureProfile of their own in PROFILES")
        return inner

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        if among is not None and (listing := enumerate_reports(self, x, z, among)) is not None:
            return listing
        sampler, passes = self.sampler, self.sampler.disclosing
        own, other = sampler.is_other[x], sampler.is_other[z]
        hidden = (0 if own else sampler.place[x]), (0 if other else sampler.place[z])
        pair = (hidden[1], hidden[1]) if own else (hidden[0], hidden[0]) if other else hidden
        rows = self._inner.pair_profile(*pair)
        if rows is None or not sampler.others:
            return rows
        even = sampler.cover.evenness
        least, most = (1 - passes) * even, (1 - passes) / even
        seen = among is not None and all(sampler.is_other[v] for v in among)
        covered = [
            ReportGroup(
                least * row.cover if seen else min(row.blanket, least * row.cover),
                most * row.cover if own else row.own,
                least * row.cover if other else row.other,
            )
            for row in rows
        ]
        alone = among[0] if among is not None and seen and len(set(among)) == 1 else None
        shown = [
            ReportGroup(passes * (v == alone), passes * (v == x), passes * (v == z))
            for v in {x, z, *(() if alone is None else (alone,))}
            if sampler.is_other[v] and passes
        ]
        return [*covered, *shown]

    def _parted(self, shares: Array) -> tuple[Array, Array]:
        return shares[list(self.sampler.sensitive)], shares[list(self.sampler.others)]

    def bayes_success(self, shares: Array) -> float | None:
        (mine, theirs), passes = self._parted(shares), float(self.sampler.disclosing)
        top = float(1 - self.sampler.disclosing) * max(theirs.tolist(), default=0.0)
        inside = self._inner.bayes_success(mine, beside=top)
        return None if inside is None else inside + passes * float(theirs.sum())

    def posterior_range(self, x: int, shares: Array) -> PosteriorRange | None:
        (mine, theirs), sampler, inner = self._parted(shares), self.sampler, self._inner
        share, hidden = float(shares[x]), float(1 - sampler.disclosing)
        covers = hidden * float(theirs.sum())
        known = None if isinstance(inner, SetProfile) else posterior.posterior_range(self, x, shares)
        if sampler.is_other[x]:
            if isinstance(inner, SetProfile):
                least = hidden * share / (inner.most_covered(mine) + covers) if share else 0.0
                known = PosteriorRange(least, 1.0 if sampler.disclosing and share else least, 0.0, 0.0)
            return None if known is None else known._replace(own=float(sampler.disclosing), other=0.0)
        if isinstance(inner, SetProfile):
            known = inner.posterior_range(sampler.place[x], mine, beside=covers)
        inside = float(sampler.inner.q) * (float(mine.sum()) - share) + float(sampler.inner.r) * covers
        other = inside / (1 - share) if share < 1 else 0.0
        return None if known is None else known._replace(own=float(sampler.inner.p), other=other)


class MixtureProfile(Profile[Mixture]):
    """What each part shows, by how often it is used."""

    @property
    def _parts(self) -> list[tuple[Fraction, Profile[Any]]]:
        space = 1 << self.sampler.word_bits
        parts = zip(self.sampler.units, self.sampler.parts, strict=True)
        return [(Fraction(unit, space), profile_of(part)) for unit, part in parts]

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        joined: list[ReportGroup] = []
        for odds, part in self._parts:
            rows = part.pair_profile(x, z, among)
            if rows is None:
                return None
            joined += (row.scaled(odds) for row in rows)
        return joined

    def collision_probability(self, x: int, z: int) -> Fraction | None:
        total = NONE
        for odds, part in self._parts:
            chance = part.collision_probability(x, z)
            if chance is None:
                return None
            total += odds * odds * chance
        return total

    def bayes_success(self, shares: Array) -> float | None:
        total = 0.0
        for odds, part in self._parts:
            chance = part.bayes_success(shares)
            if chance is None:
                return None
            total += float(odds) * chance
        return total

    def posterior_range(self, x: int, shares: Array) -> PosteriorRange | None:
        known = [(float(odds), part.posterior_range(x, shares)) for odds, part in self._parts]
        ranges = [(odds, one) for odds, one in known if one is not None]
        if len(ranges) < len(known):
            return None
        own, other = (sum(odds * one[at] for odds, one in ranges) for at in (2, 3))
        return PosteriorRange(min(one.least for _, one in ranges), max(one.most for _, one in ranges), own, other)

    def other_users(self, x: int) -> Sequence[int]:
        return self._parts[0][1].other_users(x)

    def representative_pairs(self) -> Iterator[tuple[int, int]]:
        parts = [part for _, part in self._parts]
        alike = len({tuple(part.representative_pairs()) for part in parts}) == 1
        return parts[0].representative_pairs() if alike else permutations(range(self.sampler.size), 2)


class PairedProfile(Profile[Paired]):
    """The product of the profiles of both questions."""

    def _both(self, x: int, z: int) -> Iterator[tuple[Profile[Any], int, int]]:
        (x1, x2), (z1, z2) = divmod(x, self.sampler.second.size), divmod(z, self.sampler.second.size)
        yield profile_of(self.sampler.first), x1, z1
        yield profile_of(self.sampler.second), x2, z2

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        if among is not None and (listing := enumerate_reports(self, x, z, among)) is not None:
            return listing
        first, second = (part.pair_profile(a, b) for part, a, b in self._both(x, z))
        if first is None or second is None:
            return None
        rows = (ReportGroup(*(a * b for a, b in zip(one, two, strict=True))) for one, two in product(first, second))
        return hidden_by(merged(rows), x, z, among)

    def collision_probability(self, x: int, z: int) -> Fraction | None:
        first, second = (part.collision_probability(a, b) for part, a, b in self._both(x, z))
        return None if first is None or second is None else first * second


ONE = Fraction(1)


class ClasswiseMixtureProfile(Profile[ClasswiseMixture]):
    """Type by type, or by enumeration where some users are named."""

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        if among is not None and (listing := enumerate_reports(self, x, z, among)) is not None:
            return listing
        return _rows(self.sampler, x, z)


NOTHING = CoveredRow(ONE, ONE, ONE, ONE, ONE)
"""A class that the type shows nothing of."""


def _rows(types: ClasswiseMixture, x: int, z: int) -> Sequence[ReportGroup] | None:
    """The profile of x against z, type by type; None where a sampler inside has none."""
    c, d = types.class_of[x], types.class_of[z]
    rows: list[ReportGroup] = []
    for kind, shown in enumerate(types.marked):
        inner = {mark.group: mark.inner for mark in shown}
        chances = [Fraction(row[kind], 1 << types.word_bits) for row in types.law.units]
        least = [
            chance / EvenCover(inner[group]).largest_ratios[1] if group in inner else chance
            for group, chance in enumerate(chances)
        ]
        first = _covered(inner.get(c), types.place[x], types.place[z] if c == d else types.place[x])
        second = [NOTHING] if c == d else _covered(inner.get(d), types.place[z], types.place[z])
        if first is None or second is None:
            return None
        for one, two in product(first, second):
            blankets = [least[f] * one.least * two.least for f in range(types.classes) if f not in (c, d)]
            blankets += [chances[c] * one.blanket * two.least]
            blankets += [chances[d] * one.least * two.blanket] if c != d else []
            own = chances[c] * one.own * two.most
            other = chances[d] * (one.other if c == d else one.least * two.other)
            rows.append(ReportGroup(min(blankets), own, other))
    return merged(rows)


def _covered(inner: PureSampler | None, x: int, z: int) -> list[CoveredRow] | None:
    """The groups of a class's sub-reports."""
    if inner is None:
        return [NOTHING]
    profile = profile_of(inner)
    assert isinstance(profile, PureProfile)
    return profile.covered_rows(x, z)
