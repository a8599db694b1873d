"""What hides a report that shows a type and sub-reports of classes: a floor that is no larger than the true one.

Given the type, sub-reports are independent and blank in every class but the own one. Those of classes that hold neither
x nor z have one law for both, so only the sub-reports of their two classes are looked at, in the groups of their
randomizers. Whoever is of a third class writes a blank there, and at least ``1 / B`` of a blank in their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from ..contrast import Contrast, merged

if TYPE_CHECKING:
    from ..uniform.support import Supporting
    from .types import Types

ONE = Fraction(1)


class Shown(NamedTuple):
    """Sub-reports of a class: the floor of its own values, of x and of z there, and of a blank at least and at most."""

    floor: Fraction
    own: Fraction
    other: Fraction
    least: Fraction
    most: Fraction


NOTHING = Shown(ONE, ONE, ONE, ONE, ONE)
"""A class that the type shows nothing of."""


def type_contrast(types: Types, x: int, z: int) -> Sequence[Contrast] | None:
    """The contrast of x against z, type by type; None where a randomizer inside has none."""
    c, d = types.class_of[x], types.class_of[z]
    found: list[Contrast] = []
    for kind, shown in enumerate(types.marked):
        inner = {mark.group: mark.inner for mark in shown}
        chances = [Fraction(row[kind], 1 << types.word_bits) for row in types.law.units]
        least = [
            chance / inner[group].blank_ratios[1] if group in inner else chance for group, chance in enumerate(chances)
        ]
        first = _shown(inner.get(c), types.place[x], types.place[z] if c == d else types.place[x])
        second = [NOTHING] if c == d else _shown(inner.get(d), types.place[z], types.place[z])
        if first is None or second is None:
            return None
        for one, two in product(first, second):
            floors = [least[f] * one.least * two.least for f in range(types.classes) if f not in (c, d)]
            floors += [chances[c] * one.floor * two.least]
            floors += [chances[d] * one.least * two.floor] if c != d else []
            own = chances[c] * one.own * two.most
            other = chances[d] * (one.other if c == d else one.least * two.other)
            found.append(Contrast(min(floors), own, other))
    return merged(found)


def _shown(inner: Supporting | None, x: int, z: int) -> list[Shown] | None:
    """The groups of a class's sub-reports."""
    if inner is None:
        return [NOTHING]
    rows = inner.contrast(x, z)
    return None if rows is None else list(_levels(inner, rows))


def _levels(inner: Supporting, rows: Sequence[Contrast]) -> Iterator[Shown]:
    for row in rows:
        if row.floor:
            yield Shown(row.floor, row.own, row.other, *inner.blank_shares(row))
        else:  # spare words, the same for all: told, and hidden by nobody
            yield Shown(row.floor, row.own, row.other, row.other, row.own)
