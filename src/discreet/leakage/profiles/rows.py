"""The rows of a pair profile: groups of reports, and how often x, z and the blanket of other users write each.

Whoever sees reports without who sent them learns of a person only what stands out from the others' reports. What the
others write at least, whatever they hold, is the *blanket* (Balle2019).

References: Balle2019 (the blanket of randomized response); Su2026 (no other blanket gives more).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .profile import Profile

MAX_LISTED = 1 << 17
"""The most entries of a channel that are looked at to list a pair profile."""

NONE = Fraction(0)


FAINT = Fraction(1, 1 << 64)
"""A blanket that is less than this part of what it hides hides nothing, however many people there are."""


class Blanket(NamedTuple):
    """What other users write at least: `cost` probabilities are looked at for each report."""

    cost: int
    of: Callable[[int], Fraction]


class ReportGroup(NamedTuple):
    """Some reports that x, z and the blanket write in one proportion.

    `blanket` is at most the probability that any other user writes one of them, `own` at least that of x and `other` at
    most that of z. `cover` is at most the share of the group among cover reports, where there are any.
    """

    blanket: Fraction
    own: Fraction
    other: Fraction
    cover: Fraction = NONE

    def scaled(self, by: Fraction) -> ReportGroup:
        """The group as part of reports that are written with this probability."""
        return ReportGroup(self.blanket * by, self.own * by, self.other * by, self.cover * by)


class CoveredRow(NamedTuple):
    """Some sub-reports of a class or block: the blanket of its values, x and z, and a cover report's least and most."""

    blanket: Fraction
    own: Fraction
    other: Fraction
    least: Fraction
    most: Fraction


def enumerate_reports(profile: Profile[Any], x: int, z: int, among: Sequence[int] | None) -> list[ReportGroup] | None:
    """The profile of x against z by looking at every report; None where there are too many."""
    sampler = profile.sampler
    blanket = profile.blanket(profile.other_users(x) if among is None else among)
    if sampler.outputs * (2 + blanket.cost) > MAX_LISTED:
        return None
    rows = []
    for y in sampler.reports():
        own, other, least = sampler.probability(x, y), sampler.probability(z, y), blanket.of(y)
        rows.append(ReportGroup(least if least > FAINT * max(own, other) else NONE, own, other))
    return merged(rows)


def merged(rows: Iterable[ReportGroup]) -> list[ReportGroup]:
    """Groups of one proportion put together."""
    groups: dict[tuple[Fraction, ...], ReportGroup] = {}
    for row in rows:
        scale = row.blanket or row.other or row.own
        if not scale:
            continue
        key = tuple(entry / scale for entry in row)
        known = groups.get(key)
        groups[key] = row if known is None else ReportGroup(*(a + b for a, b in zip(known, row, strict=True)))
    return list(groups.values())


def two_levels(
    levels: tuple[Fraction, Fraction], counts: tuple[int, int, int], *, spare: Fraction = NONE, even: Fraction = NONE
) -> list[ReportGroup]:
    """The profile of reports that have probability `low` or `high`, high if they support the value.

    `counts` says how many reports support both x and z, x alone (and as many z alone), and neither. The `spare` share
    of reports is the same for every value: told which they are, nobody learns anything. A report has the share `even`
    among cover reports.
    """
    (low, high), (both, only, none) = levels, counts
    rows = [(both, high, high), (only, high, low), (only, low, high), (none, low, low)]
    groups = [ReportGroup(count * low, count * own, count * other, count * even) for count, own, other in rows if count]
    return [*groups, ReportGroup(NONE, spare, spare)] if spare else groups


def collision(rows: Iterable[ReportGroup], reports: int) -> Fraction:
    """The probability that reports of x and z are the same, where cover reports are even."""
    groups = ((row, row.cover * reports) for row in rows if row.cover)
    return sum((row.own * row.other / count for row, count in groups), NONE)


def hidden_by(rows: Iterable[ReportGroup], x: int, z: int, among: Sequence[int] | None) -> list[ReportGroup]:
    """The same rows where all other users hold x, or all hold z; with the blanket of everybody otherwise."""
    if among is not None and len(among) == 1 and among[0] in (x, z):
        own = among[0] == x
        return [row._replace(blanket=row.own if own else row.other) for row in rows]
    return list(rows)


def extremal(above: Fraction | None, below: Fraction | None) -> list[ReportGroup]:
    """The profile that tells the most of all in which Q(y|x) / Q(y|z) is at most `above` and its inverse `below`.

    None stands for no bound at all. Nobody hides here. No other pair of laws with these ratios is easier to tell
    apart, however often it is seen (Kairouz2015).
    """
    one = Fraction(1)
    if above is None or below is None:
        own = one if below is None else 1 - 1 / below
        other = 1 / above if above is not None else NONE
        rows = [(own, other), (1 - own, 1 - other)]
    elif above * below == 1:
        rows = [(one, one)]
    else:
        rest = above * below - 1
        rows = [(above * (below - 1) / rest, (below - 1) / rest), ((above - 1) / rest, below * (above - 1) / rest)]
    return [ReportGroup(NONE, *row) for row in rows if any(row)]
