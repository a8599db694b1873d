"""From exact rows that are nearly private to a certified table: mixed with their mean, rounded, verified."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from ...core.errors import NotServed
from ...core.exact import Epsilon, within
from ...core.limits import spend
from ..law import WORD_BITS
from .table import PAIR, Table, pairs_of

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
    pairs = [(x, z) for x, z in combinations(range(len(E)), 2) if Fraction in (type(E[x][z]), type(E[z][x]))]
    total, space = max(sum(row) for row in rows), SPACE << GUARD
    fine = [[int(entry * space // total) for entry in row] for row in rows]
    mean = [sum(column) // len(fine) for column in zip(*fine, strict=True)]
    for halvings in range(FINEST, 0, -2):
        spend(len(pairs) * (len(mean) + PAIR), f"a table of {len(fine)} rows")
        mixed = [
            [((own << halvings) - own + middle) >> halvings + GUARD for own, middle in zip(row, mean, strict=True)]
            for row in fine
        ]
        units = _fill(mixed, halvings)
        if satisfies(units, E, pairs):
            return units
    raise NotServed("no table near these rows could be certified for this E")


def _fill(rows: list[list[int]], halvings: int) -> list[list[int]]:
    """The rows with what is left of each given to its first reports, or to one more report."""
    left = [SPACE - sum(row) for row in rows]
    if max(left) <= len(rows[0]):
        return [[unit + (y < rest) for y, unit in enumerate(row)] for row, rest in zip(rows, left, strict=True)]
    shrunk = [[unit - (unit >> halvings) for unit in row] for row in rows]
    return [[*row, SPACE - sum(row)] for row in shrunk]


def satisfies(units: Sequence[Sequence[int]], E: Entries, pairs: Sequence[tuple[int, int]] | None = None) -> bool:
    """True if the ratios of these pairs of rows, of all unless given, are within what E allows."""
    pairs = list(combinations(range(len(E)), 2)) if pairs is None else pairs
    left = sum(isinstance(E[x][z], Fraction) + isinstance(E[z][x], Fraction) for x, z in pairs)
    for pair in pairs_of(units, SPACE, pairs):
        if not within(pair.ratio, E[pair.x][pair.z]):
            return False
        left -= isinstance(E[pair.x][pair.z], Fraction)
    return left == 0
