"""From exact rows that are nearly private to a certified table: mixed with their mean, rounded, verified."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from ...core.errors import NotServed
from ...core.exact import Epsilon, within
from ...core.limits import spend
from ..law import WORD_BITS
from ..ratios import pairs_of
from .channel import PAIR
from .table import Table

FINEST = 44
"""The first attempt takes 2**-44 of the mean, the next ones four times as much each."""

GUARD = 64
"""Bits that entries are held with beyond those of a word."""

SPACE = 1 << WORD_BITS

Entries = Sequence[Sequence[Epsilon]]


def repaired(rows: Sequence[Sequence[int | Fraction]], E: Entries) -> Table:
    """The table next to these rows that is certain to satisfy every finite entry of E, see `repaired_units`."""
    return Table(repaired_units(rows, E))


def repaired_units(rows: Sequence[Sequence[int | Fraction]], E: Entries) -> list[list[int]]:
    """Rows of exact numbers, none negative, as whole units of word space that satisfy every finite entry of E.

    The rows are on one scale: Q is they divided by the largest of their sums. Rounded down to units, a ratio could
    exceed e**E, so Q is mixed with the mean of its rows, ``(1 - t) Q + t mean``, t = 2**-44 first and four times as
    much until the integers satisfy E. What is then left of a row goes to reports 0, 1, ..., one unit each, where that
    is enough; else to one more report, of which a share t is set aside in every row.

    E is closed. An entry that follows from others may be given as infinite, which saves the time to compare it.
    `NotServed` if no mixture satisfies E.
    """
    asked = [(x, z) for x, z in combinations(range(len(E)), 2) if Fraction in (type(E[x][z]), type(E[z][x]))]
    fine = _fine(rows)
    mean = [sum(column) // len(fine) for column in zip(*fine, strict=True)]
    for halvings in range(FINEST, 0, -2):
        spend(len(asked) * (len(mean) + PAIR), f"a table of {len(fine)} rows")
        units = _rounded([_mixed(row, mean, halvings) for row in fine], halvings)
        if _satisfied(units, asked, E):
            return units
    raise NotServed("no table near these rows could be certified for this E")


def _fine(rows: Sequence[Sequence[int | Fraction]]) -> list[list[int]]:
    """The rows divided by their largest sum, in units of 2**-GUARD of a word."""
    total = max(sum(row) for row in rows)
    space = SPACE << GUARD
    return [[int(entry * space // total) for entry in row] for row in rows]


def _mixed(row: Sequence[int], mean: Sequence[int], halvings: int) -> list[int]:
    """``(1 - t) row + t mean`` in units of a word, rounded down."""
    shift = halvings + GUARD
    return [((own << halvings) - own + middle) >> shift for own, middle in zip(row, mean, strict=True)]


def _rounded(rows: list[list[int]], halvings: int) -> list[list[int]]:
    """The rows with what is left of each given to its first reports, or to one more report."""
    left = [SPACE - sum(row) for row in rows]
    if max(left) <= len(rows[0]):
        return [[unit + (y < rest) for y, unit in enumerate(row)] for row, rest in zip(rows, left, strict=True)]
    shrunk = [[unit - (unit >> halvings) for unit in row] for row in rows]
    return [[*row, SPACE - sum(row)] for row in shrunk]


def _satisfied(units: Sequence[Sequence[int]], asked: Sequence[tuple[int, int]], E: Entries) -> bool:
    """True if the ratios of these pairs of rows are all within what E allows."""
    left = sum(isinstance(E[x][z], Fraction) + isinstance(E[z][x], Fraction) for x, z in asked)
    for pair in pairs_of(units, SPACE, asked):
        if not within(pair.ratio, E[pair.x][pair.z]):
            return False
        left -= isinstance(E[pair.x][pair.z], Fraction)
    return left == 0
