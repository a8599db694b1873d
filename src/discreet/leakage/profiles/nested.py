"""The profile of nested blocks: a report that shows a block, mostly the own one, is hidden by cover reports as well.

A report of a block that is neither that of x nor that of z is a cover report for both. In the block of x the others
write cover reports, and its own values at least their blanket. A block that holds blocks itself is gone through in the
same way. The blanket is no larger than the true one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from ...mechanisms.composed.even_cover import places_of
from ...mechanisms.sampler import Sampler
from ...mechanisms.tree.nested import Nested, NestedCover, cover_of
from ...mechanisms.uniform.pure import PureSampler
from .profile import Profile
from .pure import PureProfile
from .registry import profile_of
from .rows import CoveredRow, ReportGroup, enumerate_reports, merged

ONE = Fraction(1)


class NestedProfile(Profile[Nested]):
    """Block by block, and by enumeration only where some users are named."""

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        if among is None and (rows := _rows(self.sampler, x, z)) is not None:
            return rows
        listing = enumerate_reports(self, x, z, among)
        return _rows(self.sampler, x, z) if listing is None else listing

    def representative_pairs(self) -> Iterator[tuple[int, int]]:
        """One pair for every two kinds of places that values may have in the tree."""
        law, members = self.sampler.law, self.sampler.blocks.members
        alike: dict[tuple[int, int], list[int]] = {}
        for b, key in enumerate(zip(law.kind_of, law.units, strict=True)):
            of = alike.setdefault(key, [])
            if len(of) < 2:
                of.append(b)
        for blocks in alike.values():
            inner = profile_of(self.sampler.kinds[law.kind_of[blocks[0]]])
            yield from ((members[blocks[0]][i], members[blocks[0]][j]) for i, j in inner.representative_pairs())
        for first in alike.values():
            for second in alike.values():
                b, d = first[0], second[-1] if first is second else second[0]
                if b != d:
                    yield from product(self._one_of_each(b), self._one_of_each(d))

    def _one_of_each(self, b: int) -> list[int]:
        """A value of every kind in a block."""
        return [
            self.sampler.blocks.members[b][i] for i in _one_of_each(self.sampler.kinds[self.sampler.law.kind_of[b]])
        ]


def _one_of_each(part: Sampler) -> list[int]:
    """A value of every kind: those of one class, in blocks that are alike, are of one kind."""
    if not isinstance(part, Nested):
        firsts: dict[int, int] = {}
        for x, number in enumerate(part.class_of):
            firsts.setdefault(number, x)
        return list(firsts.values())
    blocks = {key: b for b, key in reversed(list(enumerate(zip(part.law.kind_of, part.law.units, strict=True))))}
    members = part.blocks.members
    return [members[b][i] for b in blocks.values() for i in _one_of_each(part.kinds[part.law.kind_of[b]])]


def _rows(nested: Nested, x: int, z: int) -> Sequence[ReportGroup] | None:
    """The profile of x against z, block by block; None unless the innermost blocks of both hold bases."""
    rows = _between(nested, x, z)
    return None if rows is None else merged(ReportGroup(row.blanket, row.own, row.other) for row in rows)


def _inside(part: Sampler, x: int | None, z: int | None) -> list[CoveredRow] | None:
    """The groups of a block's reports, for x and z that are in it; what is said of one that is not means nothing."""
    some = x if x is not None else z
    if some is None:
        places = range(1 if isinstance(part, PureSampler) else part.size)
        cover = cover_of(part)
        assert cover is not None
        return [CoveredRow(1 / max(cover.ratios(v)[1] for v in places), ONE, ONE, ONE, ONE)]
    if isinstance(part, Nested):
        return _between(part, x, z)
    if not isinstance(part, PureSampler) or places_of(part) is None:
        return None
    profile = profile_of(part)
    assert isinstance(profile, PureProfile)
    return profile.covered_rows(some, some if z is None else z)


def _between(nested: Nested, x: int | None, z: int | None) -> list[CoveredRow] | None:
    """The groups of all reports, by the block that they show."""
    space, block_of, place = 1 << nested.word_bits, nested.blocks.block_of, nested.blocks.place
    own, other = (None if v is None else block_of[v] for v in (x, z))
    units = NestedCover(nested).units
    groups: list[CoveredRow] = []
    plain: dict[int, list[CoveredRow] | None] = {}
    for b, kind in enumerate(nested.law.kind_of):
        inner = nested.kinds[kind]
        if b in (own, other):
            rows = _inside(inner, *(None if v is None or block_of[v] != b else place[v] for v in (x, z)))
        else:
            rows = plain[kind] if kind in plain else plain.setdefault(kind, _inside(inner, None, None))
        if rows is None:
            return None
        elsewhere, inside = (Fraction(nested.shown_units(of, b), space) for of in (-1, b))
        least, most = (entry / space for entry in units[b])
        groups += [
            CoveredRow(
                min(inside * row.blanket, elsewhere * row.least),
                inside * row.own if b == own else elsewhere * row.most,
                inside * row.other if b == other else elsewhere * row.least,
                least * row.least,
                most * row.most,
            )
            for row in rows
        ]
    return groups
