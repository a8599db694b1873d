"""A table of whole units: any channel on a small domain, drawn and certified as it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

from ...core.arithmetic import Arithmetic
from ...core.exact import probability_of
from ..law import WORD_BITS, Law
from ..units import check_size
from .channel import WrittenOut


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
