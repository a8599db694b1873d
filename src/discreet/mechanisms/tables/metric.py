"""Tables for a metric context, certified in integers: the exponential one, and the tight one.

In the tight one every ratio of reports is as large as E allows.
"""

from __future__ import annotations

from fractions import Fraction

from ...contexts import Context
from ...core.errors import NotServed
from ...core.exact import PRECISION, Epsilon, exp_below
from ...core.limits import spend
from .repair import SPACE, repaired_units, satisfies
from .table import PAIR, Table, filled

MAX_EXPONENTIAL_SIZE = 512
"""The largest domain that gets an exponential table."""

FINEST = 57
"""The first mixed attempt at an exponential table takes 2**-56 of the mean."""

MAX_TIGHT_SIZE = 256
"""The largest domain that the equations of the tight table are solved for."""

BITS = PRECISION + 64
"""Fractional bits of the numbers in the equations."""

MIN_WEIGHT = 1 << BITS - 40
"""A report of less weight than 2**-40 tells nothing."""

ELIMINATION_STEPS = 3
"""Steps that one multiplication of the elimination takes."""


def exponential_table(context: Context) -> Table:
    """``Q(y | x)`` proportional to ``exp(-E[x, y] / 2)`` over the closure of E, in whole units of word space.

    By the triangle inequality the ratio of two rows is at most e**E[x,z]. Rounding could exceed that by a
    unit, so the rows are mixed with their mean by a weight that is doubled until the integers satisfy it.

    References: Chatzikokolakis2013.
    """
    if context.size > MAX_EXPONENTIAL_SIZE:
        raise NotServed(f"exponential needs at most {MAX_EXPONENTIAL_SIZE} values; the context has {context.size}")
    E = context.closure().matrix()
    if any(E[x][z] != E[z][x] for x in range(len(E)) for z in range(x)):
        raise NotServed("exponential needs a symmetric E")
    fade = {entry: faded(entry / 2, PRECISION) for row in E for entry in row}
    weights = [[fade[entry] for entry in row] for row in E]
    rows = [[weight * SPACE // sum(row) for weight in row] for row in weights]
    mean = [sum(column) // len(rows) for column in zip(*rows, strict=True)]
    mixed = rows  # the first attempt is not mixed at all; the others take 1/2**halvings of the mean
    for halvings in range(FINEST, 0, -1):
        spend(len(E) ** 2 * (len(E) + PAIR), f"exponential of {len(E)} rows")
        units = [filled(list(row), SPACE) for row in mixed]
        if satisfies(units, E):
            return Table(units, name="exponential")
        part = halvings - 1
        mixed = [
            [unit - (unit >> part) + (share >> part) for unit, share in zip(row, mean, strict=True)] for row in rows
        ]
    raise NotServed("exponential: no table could be certified for this E")


def tight_table(context: Context) -> Table:
    """``Q(y | x) = c_y exp(-E[y, x])`` over the closure of E, a report per value, where all c_y are positive.

    c solves ``sum_y c_y exp(-E[y, x]) = 1`` for every x. This is randomized response for a uniform context, the
    truncated geometric on a line, their products for sums of contexts. E may be asymmetric, and infinite.

    *Why private.* ``Q(y | x) / Q(y | z) = exp(E[y, z] - E[y, x]) <= exp(E[x, z])``, with equality at y = x. The
    equations are solved in whole numbers of 320 bits and rounded; `repaired_units` restores what rounding breaks, and
    the certificate compares the entries.

    References: Chatzikokolakis2013; Ghosh2012 (on a line); Kairouz2016 (randomized response).
    """
    if context.size > MAX_TIGHT_SIZE:
        raise NotServed(f"tight needs at most {MAX_TIGHT_SIZE} values; the context has {context.size}")
    spend(ELIMINATION_STEPS * context.size**3 // 3, f"tight of {context.size} values")
    E = context.closure().matrix()
    fade = {entry: faded(entry) for row in E for entry in row}
    columns = [[fade[entry] for entry in row] for row in E]
    weights = _solve([list(row) for row in zip(*columns, strict=True)])
    if weights is None or min(weights) < MIN_WEIGHT:
        raise NotServed("tight needs an E with a positive weight for every value, which small steps do not have")
    rows = [[c * column[x] >> BITS for c, column in zip(weights, columns, strict=True)] for x in range(len(E))]
    return Table(repaired_units(rows, E), name="tight")


def faded(entry: Epsilon, bits: int = BITS) -> int:
    """``e**-entry`` in units of 2**-bits; rounding errors are repaired later, never trusted."""
    if not isinstance(entry, Fraction):
        return 0
    bound = exp_below(entry)
    return (bound.denominator << bits) // bound.numerator


def _solve(rows: list[list[int]]) -> list[int] | None:
    """The c with ``rows c = 1``, in units of 2**-BITS, by elimination with pivots; None where there is no one c."""
    size, right = len(rows), [1 << BITS] * len(rows)
    for i in range(size):
        best = max(range(i, size), key=lambda j: abs(rows[j][i]))
        rows[i], rows[best], right[i], right[best] = rows[best], rows[i], right[best], right[i]
        pivot, own = rows[i][i], rows[i]
        if abs(pivot) < MIN_WEIGHT >> 40:
            return None
        for j in range(i + 1, size):
            if factor := (rows[j][i] << BITS) // pivot:
                rows[j][i + 1 :] = [
                    a - (factor * b >> BITS) for a, b in zip(rows[j][i + 1 :], own[i + 1 :], strict=True)
                ]
                right[j] -= factor * right[i] >> BITS
    solution = [0] * size
    for i in reversed(range(size)):
        rest = right[i] - sum(a * c >> BITS for a, c in zip(rows[i][i + 1 :], solution[i + 1 :], strict=True))
        solution[i] = (rest << BITS) // rows[i][i]
    return solution
