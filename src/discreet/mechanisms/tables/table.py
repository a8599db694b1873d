"""A table of whole units: any channel on a small domain, drawn and certified as it stands."""

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
from ...core.errors import InvalidInput
from ...core.exact import probability_of
from ...core.limits import spend
from ..law import WORD_BITS, Law
from ..sampler import LawExample, RatioBound, Sampler
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
            ratios = _largest(rows[x], rows[z], every), _largest(rows[z], rows[x], every)
        else:
            quotients = list(map(truediv, own, other))
            least, most = min(quotients) * (1 + MARGIN), max(quotients) * (1 - MARGIN)
            ratios = (
                _largest(rows[x], rows[z], [y for y, quotient in enumerate(quotients) if quotient >= most]),
                _largest(rows[z], rows[x], [y for y, quotient in enumerate(quotients) if quotient <= least]),
            )
        pairs = zip(((x, z), (z, x)), ratios, strict=True)
        yield from (RatioBound(*pair, ratio) for pair, ratio in pairs if ratio is not None)


def _floored(row: Sequence[int], space: int) -> list[float] | None:
    """The row in doubles, each within 2**-53 of its unit; None where a quotient could overflow or divide by zero."""
    return None if space.bit_length() > EXACT_BITS or not min(row) else list(map(float, row))


def _largest(row: Sequence[int], other: Sequence[int], reports: Sequence[int]) -> Fraction | None:
    """The largest of ``row[y] / other[y]`` over these reports, exactly; None where a report has only the first."""
    worst, over = largest_quotient((row[y], other[y]) for y in reports)
    return Fraction(worst, over) if over else None


def largest_quotient(pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """The pair a, b of whole numbers with the largest a / b, infinite where only b is 0; compared without division."""
    worst, over = 0, 1
    for a, b in pairs:
        if a * over > worst * b:
            worst, over = a, b
            if b == 0:
                break
    return worst, over


BINARY = "binary", "warner", "mangat"
"""Tables of two values, whose one unbiased estimator no shares can weight."""

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
        weighted = copy(self)
        weighted.prior = None if shares == self._even else shares
        return weighted

    @property
    def _even(self) -> tuple[float, ...]:
        return (1 / self.size,) * self.size

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

    One word decides, by the bounds of the row. A table that a context alone determines has the name by which a spec
    asks for it, and is described by that name.

    *Why private.* As any channel that is `WrittenOut`: verification compares every pair of entries exactly.

    References: Acharya2020 (Definition 2).
    """

    name = "table"

    law: TableLaw
    follows = TableLaw

    def __init__(self, rows: Sequence[Sequence[int]], *, word_bits: int = WORD_BITS, name: str | None = None) -> None:
        self.follow(TableLaw(tuple(tuple(int(unit) for unit in row) for row in rows), word_bits))
        if name is not None:
            self.name = name  # type: ignore[misc]  # in place of that of the class

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
        prior = {} if self.prior is None else {"prior": list(self.prior)}
        if self.name == "table":
            return {"name": self.name, "rows": [[str(unit) for unit in row] for row in self.rows], **prior}
        return {"name": self.name, **({} if self.name in BINARY else prior)}

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        for pair in (("1", "1"), ("2", "0.5"), ("inf", "1"), ("0", "inf")):
            yield LawExample("binary", Context.binary("no", "yes", pair))
        yield LawExample("warner", Context.binary("no", "yes", ("1", "2")))
        yield LawExample("mangat", Context.binary("no", "yes", ("inf", "1")))
        yield LawExample("exponential", Context.metric([0, 1, 3], "line", "1"))
        yield LawExample("tight", Context.metric([0, 1, 3], "line", "1"))
        rows = [["1/2", "1/4", "1/4", 0], ["1/4", "1/2", "1/4", 0], ["1/4", "1/4", "1/2", 0]]
        yield LawExample(cls.name, Context.uniform(range(3), "1"), {"rows": rows})


def filled(units: list[int], space: int) -> list[int]:
    """Units rounded down, with what is missing from `space` added to the largest."""
    units[units.index(max(units))] += space - sum(units)
    return units
