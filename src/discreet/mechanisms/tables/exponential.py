"""The exponential table for a metric context, repaired and certified in integers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ...contexts import Context
from ...core.errors import NotServed
from ...core.exact import PRECISION, Epsilon, exp_below, within
from ..law import WORD_BITS
from .table import Table, filled

LIMIT = 512
"""The largest domain that gets a full table."""

SPACE = 1 << WORD_BITS
FINEST = 57
"""The first mixed attempt takes 2**-56 of the mean."""


class Exponential(Table):
    """The table that `exponential_table` makes from a context; it has no other parameters."""

    name = "exponential"

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, **self._asked()}


def exponential_table(context: Context) -> Table:
    """``Q(y | x)`` proportional to ``exp(-E[x, y] / 2)`` over the closure of E, in whole units of word space.

    By the triangle inequality the ratio of two rows is at most e**E[x,z]. Rounding could exceed that by a
    unit, so the rows are mixed with their mean by a weight that is doubled until the integers satisfy it.

    References: Chatzikokolakis2013.
    """
    if context.size > LIMIT:
        raise NotServed(f"exponential needs at most {LIMIT} values; the context has {context.size}")
    E = context.closure().matrix()
    if any(E[x][z] != E[z][x] for x in range(len(E)) for z in range(x)):
        raise NotServed("exponential needs a symmetric E")
    fade = {entry: _half(entry) for row in E for entry in row}
    weights = [[fade[entry] for entry in row] for row in E]
    totals = [sum(row) for row in weights]
    rows = [[weight * SPACE // total for weight in row] for row, total in zip(weights, totals, strict=True)]
    mean = [sum(column) // len(rows) for column in zip(*rows, strict=True)]
    for halvings in range(FINEST, 0, -1):
        # the first attempt is not mixed at all; the others take 1/2**halvings of the mean
        mixed = [
            [unit - (unit >> halvings) + (share >> halvings) for unit, share in zip(row, mean, strict=True)]
            if halvings < FINEST
            else row
            for row in rows
        ]
        table = _whole(mixed)
        if _holds(table, E):
            return table
    raise NotServed("exponential: no table could be certified for this E")


def _half(entry: Epsilon) -> int:
    """``e**(-entry / 2)`` in units of 2**-PRECISION; rounding errors are repaired later, never trusted."""
    if not isinstance(entry, Fraction):
        return 0
    bound = exp_below(entry / 2)
    return (bound.denominator << PRECISION) // bound.numerator


def _holds(table: Table, E: Sequence[Sequence[Epsilon]]) -> bool:
    """True if the table satisfies every finite entry of E."""
    ratios = {(pair.x, pair.z): pair.ratio for pair in table.ratio_bounds()}
    return all(
        (x, z) in ratios and within(ratios[x, z], entry)
        for x, row in enumerate(E)
        for z, entry in enumerate(row)
        if x != z and isinstance(entry, Fraction)
    )


def _whole(rows: list[list[int]]) -> Table:
    """The rows in units of word space, with each row's rounding error put on its largest entry."""
    return Exponential([filled(row, SPACE) for row in rows])
