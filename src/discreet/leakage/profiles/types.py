"""The profile of classwise mixtures, type by type, with a blanket that is no larger than the true one.

Given the type, sub-reports are independent and cover reports in every class but the own one. Those of classes that hold
neither x nor z have one law for both, so only the sub-reports of their two classes are looked at, in the rows of their
own profiles. Whoever is of a third class writes a cover report there, and at least ``1 / B`` of one in their own class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from ...mechanisms.composed.even_cover import EvenCover
from ...mechanisms.tables.types import Types
from ...mechanisms.uniform.pure import PureSampler
from .profile import Profile
from .pure import PureProfile
from .registry import profile_of
from .rows import Row, listed, merged

ONE = Fraction(1)


class TypesProfile(Profile[Types]):
    """Type by type, or by enumeration where some users are named."""

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Row] | None:
        if among is not None and (listing := listed(self, x, z, among)) is not None:
            return listing
        return _rows(self.sampler, x, z)


class Shown(NamedTuple):
    """Sub-reports of a class: the blanket of its values, x and z there, and a cover report at least and at most."""

    blanket: Fraction
    own: Fraction
    other: Fraction
    least: Fraction
    most: Fraction


NOTHING = Shown(ONE, ONE, ONE, ONE, ONE)
"""A class that the type shows nothing of."""


def _rows(types: Types, x: int, z: int) -> Sequence[Row] | None:
    """The profile of x against z, type by type; None where a sampler inside has none."""
    c, d = types.class_of[x], types.class_of[z]
    found: list[Row] = []
    for kind, shown in enumerate(types.marked):
        inner = {mark.group: mark.inner for mark in shown}
        chances = [Fraction(row[kind], 1 << types.word_bits) for row in types.law.units]
        least = [
            chance / EvenCover(inner[group]).largest_ratios[1] if group in inner else chance
            for group, chance in enumerate(chances)
        ]
        first = _shown(inner.get(c), types.place[x], types.place[z] if c == d else types.place[x])
        second = [NOTHING] if c == d else _shown(inner.get(d), types.place[z], types.place[z])
        if first is None or second is None:
            return None
        for one, two in product(first, second):
            blankets = [least[f] * one.least * two.least for f in range(types.classes) if f not in (c, d)]
            blankets += [chances[c] * one.blanket * two.least]
            blankets += [chances[d] * one.least * two.blanket] if c != d else []
            own = chances[c] * one.own * two.most
            other = chances[d] * (one.other if c == d else one.least * two.other)
            found.append(Row(min(blankets), own, other))
    return merged(found)


def _shown(inner: PureSampler | None, x: int, z: int) -> list[Shown] | None:
    """The groups of a class's sub-reports."""
    if inner is None:
        return [NOTHING]
    rows = profile_of(inner).pair_profile(x, z)
    return None if rows is None else list(_levels(inner, rows))


def _levels(inner: PureSampler, rows: Sequence[Row]) -> Iterator[Shown]:
    for row in rows:
        if row.blanket:
            yield Shown(row.blanket, row.own, row.other, *_pure(inner).cover_shares(row))
        else:  # spare words, the same for all: told, and hidden by nobody
            yield Shown(row.blanket, row.own, row.other, row.other, row.own)


def _pure(part: PureSampler) -> PureProfile[Any]:
    profile = profile_of(part)
    assert isinstance(profile, PureProfile)
    return profile
