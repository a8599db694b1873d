"""The profile of tree subsets, with a blanket that is no larger than the true one.

All is compared with reports in which every set is a cover report, which would be about even over all sets: a set is so
much likelier from the one whose child it marks, or does not mark. What tells x from z are the sets on the two paths
from the root to them, and of these no more than which of their own children they mark. Everybody else writes, whatever
they hold, at least the least product of such ratios along any path down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice, pairwise
from typing import NamedTuple

from ...mechanisms.tree.subset_encoding import SubsetEncoding
from ...mechanisms.tree.tree_subsets import TreeSubsets
from .profile import Profile
from .registry import profile_of
from .rows import ReportGroup, enumerate_reports, merged

MAX_GROUPS = 1 << 12
"""The most groups of reports."""

ONE = Fraction(1)


class TreeSubsetsProfile(Profile[TreeSubsets]):
    """The same for all pairs that part at one depth."""

    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        if among is not None and (listing := enumerate_reports(self, x, z, among)) is not None:
            return listing
        alone = (x, z).index(among[0]) + 1 if among is not None and len(among) == 1 and among[0] in (x, z) else 0
        return _rows(self.sampler, self._children_above(x), self._children_above(z), alone)

    def _children_above(self, x: int) -> list[int]:
        """Which child of the node above each node on the path to a value is, from the root on."""
        leaf, nodes = self.sampler.leaves[x], self.sampler.nodes
        spans = (nodes[-1] // count for count in nodes[1:])
        return [leaf // span % branch for span, branch in zip(spans, self.sampler.branches, strict=True)]

    def representative_pairs(self) -> Iterator[tuple[int, int]]:
        """One pair for every depth at which two values part, where sets tell any two children apart alike."""
        inner = (profile_of(mark.inner) for _, _, mark in self.sampler.parts)
        if any(len(list(islice(one.representative_pairs(), 2))) > 1 for one in inner):
            return super().representative_pairs()
        order = sorted(range(self.sampler.size), key=self.sampler.leaves.__getitem__)
        return iter({self.sampler.class_of.parting(x, z): (x, z) for x, z in pairwise(order)}.values())


class PathState(NamedTuple):
    """Reports that are alike so far: the states of the nodes above x and z, and how much likelier they are.

    Their share among even sets is counted beside; `own` and `other` are by how much x writes them at most and z at
    least as often, `even` what the unevenness of cover reports takes off a blanket.
    """

    above_x: int
    above_z: int
    own: Fraction
    other: Fraction
    even: Fraction


def _rows(levels: TreeSubsets, x: Sequence[int], z: Sequence[int], alone: int) -> Sequence[ReportGroup] | None:
    """The profile of two leaves, given by the child that they are below at every depth; None where it is too large.

    Hidden by everybody, or where `alone` is 1 or 2 by people who all hold the first, or the second.
    """
    groups: dict[PathState, Fraction] = {PathState(0, 0, ONE, ONE, ONE): ONE}
    shared = True
    for one, other in zip(x, z, strict=True):
        after: dict[PathState, Fraction] = {}
        for path, share in groups.items():
            for step, chance in _together(levels, path, one, other) if shared else _apart(levels, path, one, other):
                after[step] = after.get(step, Fraction(0)) + share * chance
        groups, shared = after, shared and one == other
        if len(groups) > MAX_GROUPS:
            return None
    least = _least(levels)
    return merged(
        ReportGroup(
            share * (path.even * least, path.own * path.even**3, path.other)[alone],
            share * path.own,
            share * path.other,
        )
        for path, share in groups.items()
    )


def _together(levels: TreeSubsets, path: PathState, x: int, z: int) -> Iterator[tuple[PathState, Fraction]]:
    """What a node above both does: its set marks both, one of them or none."""
    state = levels.states[path.above_x]
    if state.encoding is None:
        yield path._replace(above_x=state.unmarked, above_z=state.unmarked), ONE
        return
    bounds, rough = state.encoding.bounds, _uneven(state.encoding)
    for row in profile_of(state.encoding.inner).pair_profile(x, z) or ():
        if row.cover:  # spare words are part of the unevenness here
            i, j = int(row.own > row.cover), int(row.other > row.cover)
            one, two = (state.marked if mark else state.unmarked for mark in (i, j))
            own, other = path.own * rough * bounds.above[i], path.other / rough / bounds.below[j]
            yield PathState(one, two, own, other, path.even / rough), row.cover


def _apart(levels: TreeSubsets, path: PathState, x: int, z: int) -> Iterator[tuple[PathState, Fraction]]:
    """What two nodes do, one above x and one above z: the set of each is a cover report for the other."""
    for one, above, _, rough, first in _alone(levels, path.above_x, x):
        for two, _, below, other_rough, second in _alone(levels, path.above_z, z):
            own, other = path.own * above * other_rough, path.other / below / rough
            yield PathState(one, two, own, other, path.even / rough / other_rough), first * second


def _alone(
    levels: TreeSubsets, number: int, child: int
) -> Iterator[tuple[int, Fraction, Fraction, Fraction, Fraction]]:
    """The states that a node leads to, how much likelier and less likely its set is, its unevenness, and its share."""
    state = levels.states[number]
    if state.encoding is None:
        yield state.unmarked, ONE, ONE, ONE, ONE
        return
    bounds, rough = state.encoding.bounds, _uneven(state.encoding)
    for row in profile_of(state.encoding.inner).pair_profile(child, child) or ():
        if row.cover:
            mark = int(row.own > row.cover)
            to = state.marked if mark else state.unmarked
            yield to, rough * bounds.above[mark], rough * bounds.below[mark], rough, row.cover


def _uneven(encoding: SubsetEncoding) -> Fraction:
    """At most by what factor a cover report is off an even one: all cover reports are within this of each other."""
    return encoding.bounds.above[0] * encoding.bounds.below[0]


def _least(levels: TreeSubsets) -> Fraction:
    """The least that anybody's sets are likelier than cover reports, by every path down from the root."""
    least = [ONE] * len(levels.states)
    for number in reversed(range(len(levels.states))):
        state = levels.states[number]
        if state.unmarked >= 0:
            least[number] = least[state.unmarked]
            if state.encoding is not None:
                sides = zip((state.unmarked, state.marked), state.encoding.bounds.below, strict=True)
                least[number] = min(least[side] / below for side, below in sides)
    return least[0]
