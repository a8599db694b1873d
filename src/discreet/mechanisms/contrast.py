"""What tells x from z, report by report: groups of reports, and how often each is written by those who hide.

Whoever sees reports without who sent them learns of a person only what stands out from the others' reports. What the
others write at least, whatever they hold, is the *floor*; `discreet.leakage` works with that.

References: Balle2019 (the floor of randomized response); Su2026 (no other floor gives more).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .randomizer import Randomizer

LISTED = 1 << 17
"""The most entries of a channel that are looked at to list a contrast."""

NONE = Fraction(0)


FAINT = Fraction(1, 1 << 64)
"""A floor that is less than this part of what it hides hides nothing, however many people there are."""


class Floor(NamedTuple):
    """What people who may hide a report write at least: `cost` probabilities are looked at for each report."""

    cost: int
    of: Callable[[int], Fraction]


class Contrast(NamedTuple):
    """Some reports for which x, z and those who hide are in one proportion.

    `floor` is at most the probability that any of those who hide writes one of them, `own` at least that of x and
    `other` at most that of z. `neutral` is at most the share of the group in a report that says nothing of any value,
    for randomizers that can write one.
    """

    floor: Fraction
    own: Fraction
    other: Fraction
    neutral: Fraction = NONE

    def scaled(self, by: Fraction) -> Contrast:
        """The group as part of reports that are written with this probability."""
        return Contrast(self.floor * by, self.own * by, self.other * by, self.neutral * by)


def listed(randomizer: Randomizer, x: int, z: int, among: Sequence[int] | None) -> list[Contrast] | None:
    """The contrast of x against z by looking at every report; None where there are too many."""
    floor = randomizer.floor(randomizer.hiders(x) if among is None else among)
    if randomizer.outputs * (2 + floor.cost) > LISTED:
        return None
    rows = []
    for y in randomizer.reports():
        own, other, least = randomizer.probability(x, y), randomizer.probability(z, y), floor.of(y)
        rows.append(Contrast(least if least > FAINT * max(own, other) else NONE, own, other))
    return merged(rows)


def merged(rows: Iterable[Contrast]) -> list[Contrast]:
    """Groups of one proportion put together."""
    found: dict[tuple[Fraction, ...], Contrast] = {}
    for row in rows:
        scale = row.floor or row.other or row.own
        if not scale:
            continue
        key = tuple(entry / scale for entry in row)
        known = found.get(key)
        found[key] = row if known is None else Contrast(*(a + b for a, b in zip(known, row, strict=True)))
    return list(found.values())


def two_levels(
    levels: tuple[Fraction, Fraction], counts: tuple[int, int, int], *, spare: Fraction = NONE, even: Fraction = NONE
) -> list[Contrast]:
    """The contrast of a randomizer whose reports have probability `low` or `high`, high if they support the value.

    `counts` says how many reports support both x and z, x alone (and as many z alone), and neither. The `spare` share
    of reports is the same for every value: told which they are, nobody learns anything. A report has the share `even`
    among neutral ones.
    """
    (low, high), (both, only, none) = levels, counts
    rows = [(both, high, high), (only, high, low), (only, low, high), (none, low, low)]
    made = [Contrast(count * low, count * own, count * other, count * even) for count, own, other in rows if count]
    return [*made, Contrast(NONE, spare, spare)] if spare else made


def meeting(rows: Iterable[Contrast], reports: int) -> Fraction:
    """The probability that reports of x and z are the same, where every report has an equal share of neutral ones."""
    groups = ((row, row.neutral * reports) for row in rows if row.neutral)
    return sum((row.own * row.other / count for row, count in groups), NONE)


def hidden_by(rows: Iterable[Contrast], x: int, z: int, among: Sequence[int] | None) -> list[Contrast]:
    """The same groups where all who hide hold x, or all hold z; with the floor of everybody otherwise."""
    if among is not None and len(among) == 1 and among[0] in (x, z):
        own = among[0] == x
        return [row._replace(floor=row.own if own else row.other) for row in rows]
    return list(rows)


def extremal(above: Fraction | None, below: Fraction | None) -> list[Contrast]:
    """The contrast that tells the most of all in which Q(y|x) / Q(y|z) is at most `above` and its inverse `below`.

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
    return [Contrast(NONE, *row) for row in rows if any(row)]
