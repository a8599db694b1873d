"""A table of whole units: any channel on a small domain, drawn and certified as it stands.

The largest ratio of any two rows of a channel, exactly.

A channel written out in whole units: its law, certificate and statistics, however it is sampled.

The exponential table for a metric context, repaired and certified in integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations
from operator import truediv
from typing import Any, Self

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.errors import InvalidInput, NotServed
from ...core.exact import PRECISION, Epsilon, exp_below, probability_of, within
from ...core.limits import spend
from ..law import WORD_BITS, Law
from ..sampler import RatioBound, Sampler
from ..units import check_size

EXACT_BITS = 1000
"""Units of at most so many bits have quotients that doubles hold without overflow."""

MARGIN = 2.0**-48
"""More than three roundings of a double can change a quotient by, twice."""


def pairs_of(
    rows: Sequence[Sequence[int]], space: int, among: Iterable[tuple[int, int]] | None = None
) -> Iterator[RatioBound]:
    """The pairs x, z of rows, each adding up to `space`, with max_y rows[x][y] / rows[z][y]; none if that is infinite.

    Both orders of all pairs, or of those `among` them. Quotients of doubles sort out the reports that are too far from
    the largest ratio to be it; the others are compared as whole numbers. One pass serves both orders.
    """
    rounded = [_floored(row, space) for row in rows]
    for x, z in combinations(range(len(rows)), 2) if among is None else among:
        own, other = rounded[x], rounded[z]
        if own is None or other is None:
            every = range(len(rows[x]))
            found = _largest(rows[x], rows[z], every), _largest(rows[z], rows[x], every)
        else:
            quotients = list(map(truediv, own, other))
            least, most = min(quotients) * (1 + MARGIN), max(quotients) * (1 - MARGIN)
            found = (
                _largest(rows[x], rows[z], [y for y, quotient in enumerate(quotients) if quotient >= most]),
                _largest(rows[z], rows[x], [y for y, quotient in enumerate(quotients) if quotient <= least]),
            )
        yield from (
            RatioBound(*of, ratio) for of, ratio in zip(((x, z), (z, x)), found, strict=True) if ratio is not None
        )


def _floored(row: Sequence[int], space: int) -> list[float] | None:
    """The row in doubles, each within 2**-53 of its unit; None where a quotient could overflow or divide by zero."""
    return None if space.bit_length() > EXACT_BITS or not min(row) else list(map(float, row))


def _largest(row: Sequence[int], other: Sequence[int], reports: Sequence[int]) -> Fraction | None:
    """The largest of ``row[y] / other[y]`` over these reports, exactly; None where a report has only the first."""
    worst, over = 0, 1
    for y in reports:
        if row[y] * over > worst * other[y]:
            worst, over = row[y], other[y]
            if over == 0:
                return None
    return Fraction(worst, over)


PAIR = 50
"""Steps that it takes to certify a pair of values, beside one for each report."""


class WrittenOut(Sampler):
    """The channel whose row x gives report y ``rows[x][y]`` of `space` units; a subclass says how to sample it.

    *Why private.* Whatever the rows are, verification compares every pair of entries exactly.

    References: Acharya2020 (Definition 2), Kairouz2016 (decoding by the channel's inverse).
    """

    rows: tuple[tuple[int, ...], ...]
    space: int
    prior: Sequence[float] | None = None
    """The shares that the estimator has the least variance at; None for even ones."""

    def weighted(self, prior: Sequence[float]) -> Self:
        shares = tuple(float(share) for share in prior)
        if shares == (self.prior or self._even):
            return self
        made = copy(self)
        made.prior = None if shares == self._even else shares
        return made

    @property
    def _even(self) -> tuple[float, ...]:
        return (1 / self.size,) * self.size

    def _asked(self) -> dict[str, Any]:
        """What `describe` says of the prior: nothing where it is even."""
        return {} if self.prior is None else {"prior": list(self.prior)}

    def _check_rows(self) -> None:
        for x, row in enumerate(self.rows):
            check_row(row, self.outputs, self.space, name=f"rows[{x}]")
        self.is_numbered = all(map(any, zip(*self.rows, strict=True)))

    def probability(self, x: int, y: int) -> Fraction:
        return Fraction(self.rows[x][y], self.space) if 0 <= y < self.outputs else Fraction(0)

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs and any(row[y] for row in self.rows)

    def ratio_bounds(self) -> Iterator[RatioBound]:
        spend(self.size**2 * (self.outputs + PAIR), f"{self.name} of {self.size} rows")
        yield from pairs_of(self.rows, self.space)


def check_row(row: Sequence[int], count: int, space: int, *, name: str) -> None:
    """Refuse a row that is not `count` units, at least one, that add up to `space`."""
    if not row:
        raise InvalidInput(f"{name} must not be empty")
    if len(row) != count or min(row) < 0 or sum(row) != space:
        raise InvalidInput(f"{name} must be {count} non-negative units that add up to 2**{space.bit_length() - 1}")


@dataclass(frozen=True)
class TableLaw(Law):
    """Value x writes report y with ``rows[x][y]`` of the words."""

    kind = "table"

    rows: tuple[tuple[int, ...], ...]
    word_bits: int


class Table(WrittenOut):
    """The channel whose row x gives report y ``rows[x][y]`` of the 2**word_bits words.

    One word decides, by the bounds of the row.

    *Why private.* As any channel that is `WrittenOut`: verification compares every pair of entries exactly.

    References: Acharya2020 (Definition 2).
    """

    name = "table"

    law: TableLaw
    follows = TableLaw

    def __init__(self, rows: Sequence[Sequence[int]], *, word_bits: int = WORD_BITS) -> None:
        self.follow(TableLaw(tuple(tuple(int(unit) for unit in row) for row in rows), word_bits))

    def follow(self, law: TableLaw) -> None:
        check_size(len(law.rows), law.word_bits)
        self.law, self.size, self.word_bits, self.words = law, len(law.rows), law.word_bits, 1
        self.rows, self.space = law.rows, 1 << law.word_bits
        self.outputs = len(law.rows[0])
        self._check_rows()
        self._bounds = tuple(tuple(bound * self.scale for bound in accumulate(row)) for row in law.rows)

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> Table:
        rows = [[unit >> self.word_bits - word_bits for unit in row] for row in self.rows]
        return Table([filled(row, 1 << word_bits) for row in rows], word_bits=word_bits)

    @classmethod
    def of_fractions(cls, rows: Sequence[Sequence[Fraction]]) -> Table:
        """The table nearest to exact probabilities, with each row's rounding error put on its largest entry."""
        space = 1 << WORD_BITS
        return cls([filled([int(Fraction(entry) * space) for entry in row], space) for row in rows])

    @classmethod
    def of_rows(cls, rows: Iterable[Iterable[Any]]) -> Table:
        """The table of rows that somebody wrote: exact probabilities if every row adds up to 1, else whole units."""
        exact = [
            [probability_of(entry, name=f"rows[{x}][{y}]") for y, entry in enumerate(row)] for x, row in enumerate(rows)
        ]
        if {sum(row) for row in exact} == {1}:
            return cls.of_fractions(exact)
        return cls([[int(entry) for entry in row] for row in exact])

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        return ops.rank(self._bounds, x, words[0])

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "rows": [[str(unit) for unit in row] for row in self.rows], **self._asked()}


def filled(units: list[int], space: int) -> list[int]:
    """Units rounded down, with what is missing from `space` added to the largest."""
    units[units.index(max(units))] += space - sum(units)
    return units


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
