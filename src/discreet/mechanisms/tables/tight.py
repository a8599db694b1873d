"""The tight table: every ratio of reports as large as E allows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ...contexts import Context
from ...core.errors import NotServed
from ...core.exact import PRECISION, Epsilon, exp_below
from ...core.limits import spend
from .repair import repaired_units
from .table import Table

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
