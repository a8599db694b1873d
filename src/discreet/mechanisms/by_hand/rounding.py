"""From a table in decimals, or one that leaks too much, to the next one that is certified for a context."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from ...contexts import Context
from ...core.errors import InvalidInput, check_type
from ...core.exact import Epsilon, exp_below
from ..law import WORD_BITS
from ..tables.repair import repaired
from .exact_table import ByHand, common_denominator, rows_of

SLACK = Fraction(1, 10**6)
"""How far from 1 a row may add up to: more is no rounding."""


def rounded(rows: Iterable[Iterable[Any]], context: Context, *, reports: Iterable[str] | None = None) -> ByHand:
    """The table next to `rows` that is certified for `context`: for tables of floats, and for those that leak too much.

    Every row is divided by its sum, which must be 1 but for rounding. Then Q is mixed with the mean of its rows,
    ``(1 - t) Q + t mean``, with the smallest t for which every ratio is within ``e**E``,
    ``t = max (Q(y|x) - e**E Q(y|z)) / (Q(y|x) - e**E Q(y|z) + (e**E - 1) mean_y)``, and rounded to whole units.

    >>> import discreet as dc
    >>> context = dc.Context.uniform(["no", "yes"], epsilon="1")
    >>> design = dc.by_hand.rounded([[0.9, 0.1], [0.1, 0.9]], context)
    >>> design.certificate.realised <= 1, len(design.reports())
    (True, 2)
    """
    check_type("context", context, Context, "a context")
    exact = rows_of(rows)
    common_denominator(exact)
    if len(exact) != context.size:
        raise InvalidInput(f"rows: {len(exact)} must be as many as the values of the context, {context.size}")
    for x, row in enumerate(exact):
        if abs(sum(row, Fraction(-1))) > SLACK:
            raise InvalidInput(f"rows[{x}] adds up to {float(sum(row)):.9g}; it must add up to 1 but for rounding")
    whole = [[entry / sum(row) for entry in row] for row in exact]
    E = context.closure().matrix()
    mean = [sum(column, Fraction(0)) / len(whole) for column in zip(*whole, strict=True)]
    t = _needed(whole, mean, E)
    mixed = [[(1 - t) * entry + t * middle for entry, middle in zip(row, mean, strict=True)] for row in whole]
    units = repaired(mixed, E).rows
    final = [[Fraction(unit, 1 << WORD_BITS) for unit in row] for row in units]
    return ByHand(context, final, "table", map(str, range(len(final[0]))) if reports is None else reports)


def _needed(rows: Sequence[Sequence[Fraction]], mean: Sequence[Fraction], E: Sequence[Sequence[Epsilon]]) -> Fraction:
    """The smallest share of the mean that brings every ratio within what E allows."""
    most = Fraction(0)
    for x, row in enumerate(rows):
        for z, other in enumerate(rows):
            if x == z or not isinstance(allowed := E[x][z], Fraction):
                continue
            bound = exp_below(allowed)
            for own, its, middle in zip(row, other, mean, strict=True):
                if (over := own - bound * its) > 0:
                    most = max(most, over / (over + (bound - 1) * middle))
    return most
