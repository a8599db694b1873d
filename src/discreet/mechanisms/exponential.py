"""The exponential table for a metric context, repaired and certified in integers."""

from __future__ import annotations

from fractions import Fraction

from ..context import Context
from ..errors import InvalidInput, NotServed
from ..exact import exp_below, within
from .randomizer import WORD_BITS
from .table import Table

LIMIT = 512
"""Largest domain that is given a full table."""


def exponential_table(context: Context) -> Table:
    """``Q(y | x)`` proportional to ``exp(-E[x, y] / 2)`` over the closure of E, in whole units of word space.

    By the triangle inequality the ratio of two rows is at most e**E[x,z]. Rounding could pass that by a
    unit, so the rows are mixed with their mean by a weight that is doubled until the integers pass.

    References: Chatzikokolakis2013.
    """
    if context.size > LIMIT:
        raise NotServed(f"exponential needs at most {LIMIT} values; the context has {context.size}")
    E = context.closure().matrix()
    weights = [[_half(entry) for entry in row] for row in E]
    if any(E[x][z] != E[z][x] for x in range(len(E)) for z in range(x)):
        raise NotServed("exponential needs a symmetric E")
    rows = [[w / total for w in row] for row, total in ((row, sum(row)) for row in weights)]
    mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    mix = Fraction(0)
    while mix < 1:
        table = _rounded([[(1 - mix) * q + mix * m for q, m in zip(row, mean, strict=True)] for row in rows])
        if all(within(pair.ratio, E[pair.x][pair.z]) for pair in table.pairs()):
            return table
        mix = mix * 2 or Fraction(1, 1 << 56)
    raise InvalidInput("E: no exponential table could be certified")  # pragma: no cover - mix reaches equal rows


def _half(entry: object) -> Fraction:
    return 1 / exp_below(entry / 2) if isinstance(entry, Fraction) else Fraction(0)


def _rounded(rows: list[list[Fraction]]) -> Table:
    space = 1 << WORD_BITS
    whole = [[int(entry * space) for entry in row] for row in rows]
    for row in whole:
        row[row.index(max(row))] += space - sum(row)
    return Table(whole, name="exponential")
