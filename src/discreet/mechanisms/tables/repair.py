"""From exact rows that are nearly private to a certified table: mixed with their mean, rounded, verified.

The tight table: every ratio of reports as large as E allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from ...contexts import Context
from ...core.errors import NotServed
from ...core.exact import PRECISION, Epsilon, exp_below, within
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


LIMIT = 256
"""The largest domain that the equations are solved for."""

BITS = PRECISION + 64
"""Fractional bits of the numbers in the equations."""

LEAST = 1 << BITS - 40
"""A report of less weight than 2**-40 tells nothing."""

STEP = 3
"""Steps that one multiplication of the elimination takes."""


class Tight(Table):
    """The table that `tight_table` makes from a context; it has no other parameters."""

    name = "tight"

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, **self._asked()}


def tight_table(context: Context) -> Table:
    """``Q(y | x) = c_y exp(-E[y, x])`` over the closure of E, a report per value, where all c_y are positive.

    c solves ``sum_y c_y exp(-E[y, x]) = 1`` for every x. This is randomized response for a uniform context, the
    truncated geometric on a line, their products for sums of contexts. E may be asymmetric, and infinite.

    *Why private.* ``Q(y | x) / Q(y | z) = exp(E[y, z] - E[y, x]) <= exp(E[x, z])``, with equality at y = x. The
    equations are solved in whole numbers of 320 bits and rounded; `repaired_units` restores what rounding breaks, and
    the certificate compares the entries.

    References: Chatzikokolakis2013; Ghosh2012 (on a line); Kairouz2016 (randomized response).
    """
    if context.size > LIMIT:
        raise NotServed(f"tight needs at most {LIMIT} values; the context has {context.size}")
    spend(STEP * context.size**3 // 3, f"tight of {context.size} values")
    E = context.closure().matrix()
    fade = {entry: faded(entry) for row in E for entry in row}
    columns = [[fade[entry] for entry in row] for row in E]
    weights = _solved([list(row) for row in zip(*columns, strict=True)])
    if weights is None or min(weights) < LEAST:
        raise NotServed("tight needs an E with a positive weight for every value, which small steps do not have")
    rows = [[c * column[x] >> BITS for c, column in zip(weights, columns, strict=True)] for x in range(len(E))]
    return Tight(repaired_units(rows, E))


def faded(entry: Epsilon) -> int:
    """``e**-entry`` in units of 2**-BITS; rounding errors are repaired later, never trusted."""
    if not isinstance(entry, Fraction):
        return 0
    bound = exp_below(entry)
    return (bound.denominator << BITS) // bound.numerator


def _solved(rows: list[list[int]]) -> list[int] | None:
    """The c with ``rows c = 1``, in units of 2**-BITS, by elimination with pivots; None where there is no one c."""
    size, right = len(rows), [1 << BITS] * len(rows)
    for i in range(size):
        best = max(range(i, size), key=lambda j: abs(rows[j][i]))
        rows[i], rows[best], right[i], right[best] = rows[best], rows[i], right[best], right[i]
        pivot, own = rows[i][i], rows[i]
        if abs(pivot) < LEAST >> 40:
            return None
        for j in range(i + 1, size):
            if factor := (rows[j][i] << BITS) // pivot:
                rows[j][i + 1 :] = _less(rows[j][i + 1 :], own[i + 1 :], factor)
                right[j] -= factor * right[i] >> BITS
    found = [0] * size
    for i in reversed(range(size)):
        rest = right[i] - sum(a * c >> BITS for a, c in zip(rows[i][i + 1 :], found[i + 1 :], strict=True))
        found[i] = (rest << BITS) // rows[i][i]
    return found


def _less(row: Sequence[int], other: Sequence[int], factor: int) -> list[int]:
    """``row - factor other``."""
    return [a - (factor * b >> BITS) for a, b in zip(row, other, strict=True)]
