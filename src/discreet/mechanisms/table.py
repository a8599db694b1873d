"""A table of whole units: any channel on a small domain, drawn and certified as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

from ..arithmetic import Arithmetic
from ..errors import InvalidInput
from .channel import Written
from .randomizer import WORD_BITS, check_size


class Table(Written):
    """The channel whose row x gives report y ``rows[x][y]`` of the 2**word_bits words.

    One word decides, by the bounds of the row.

    *Why private.* As any channel that is `Written`: verification compares every pair of entries exactly.
    *Why unbiased.* As `Written`.

    References: Acharya2020 (Definition 2).
    """

    name = "table"

    def __init__(self, rows: Sequence[Sequence[int]], *, word_bits: int = WORD_BITS) -> None:
        check_size(len(rows), word_bits)
        self.size, self.word_bits, self.words = len(rows), word_bits, 1
        self.rows = tuple(tuple(int(unit) for unit in row) for row in rows)
        self.outputs = self.cells = len(self.rows[0])
        self.space = space = 1 << word_bits
        for x, row in enumerate(self.rows):
            if not row:
                raise InvalidInput(f"rows[{x}] must not be empty")
            if len(row) != self.outputs or min(row) < 0 or sum(row) != space:
                raise InvalidInput(f"rows[{x}] must be {self.outputs} non-negative units that add up to 2**{word_bits}")
        self._bounds = tuple(tuple(bound * self.scale for bound in accumulate(row)) for row in self.rows)

    @classmethod
    def of_fractions(cls, rows: Sequence[Sequence[Fraction]]) -> Table:
        """The table nearest to exact probabilities, each row's rounding left to its largest entry."""
        space = 1 << WORD_BITS
        whole = [[int(Fraction(entry) * space) for entry in row] for row in rows]
        for row in whole:
            row[row.index(max(row))] += space - sum(row)
        return cls(whole)

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        return ops.rank(self._bounds, x, words[0])

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "rows": [[str(unit) for unit in row] for row in self.rows]}
