"""A table of whole units: any channel on a small domain, drawn and certified as it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any

from ..arithmetic import Arithmetic
from ..errors import InvalidInput, NotIdentifiable
from .randomizer import WORD_BITS, Pair, Randomizer, check_size


class Table(Randomizer):
    """The channel whose row x gives report y ``rows[x][y]`` of the 2**word_bits words.

    *Why private.* Whatever the rows are, verification compares every pair of entries exactly.
    *Why unbiased.* The estimator is the least-variance linear one at the uniform prior,
    ``phi_y = M**-1 q_y / q_y.p`` with ``M = sum_y q_y q_y^T / q_y.p``; for as many reports as
    values it is the inverse of the channel. Rows that do not tell the values apart are refused
    when an estimate is asked for.

    References: Acharya2020 (Definition 2), Kairouz2016 (decoding by the channel's inverse).
    """

    name = "table"
    disjoint = True

    def __init__(self, rows: Sequence[Sequence[int]], *, word_bits: int = WORD_BITS) -> None:
        check_size(len(rows), word_bits)
        self.size, self.word_bits, self.words = len(rows), word_bits, 1
        self.rows = tuple(tuple(int(unit) for unit in row) for row in rows)
        self.outputs = self.cells = len(self.rows[0])
        space = 1 << word_bits
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

    def probability(self, x: int, y: int) -> Fraction:
        return Fraction(self.rows[x][y], 1 << self.word_bits) if 0 <= y < self.outputs else Fraction(0)

    def reports(self) -> Iterable[int]:
        return (y for y in range(self.outputs) if self.is_report(y))

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs and any(row[y] for row in self.rows)

    def pairs(self) -> Iterator[Pair]:
        for x, row in enumerate(self.rows):
            for z, other in enumerate(self.rows):
                if x == z:
                    continue
                worst, over = 0, 1
                for a, b in zip(row, other, strict=True):
                    if a * over > worst * b:
                        worst, over = a, b
                        if b == 0:
                            break
                if over:
                    yield Pair(x, z, Fraction(worst, over))

    def cells_of(self, y: int) -> Sequence[int]:
        return (self.check_report(y),)

    def count(self, counts: Any, reports: Any, start: Any, ops: Any) -> None:
        added = ops.zeros_like(counts)
        ops.count_cells(added, reports, start, self.outputs)
        ops.refuse_cells(added, start, [y for y in range(self.outputs) if not self.is_report(y)])
        counts += added

    def total(self, counts: Any, ops: Any) -> Any:
        return ops.sum(counts)

    @cached_property
    def _channel(self) -> list[list[float]]:
        space = 1 << self.word_bits
        return [[unit / space for unit in row] for row in self.rows]

    def _phi(self, ops: Any) -> Any:
        if not hasattr(self, "_inverse"):
            q = ops.array(self._channel)
            weights = q.mean(axis=0)
            used = weights > 0
            scaled = q[:, used] / weights[used]
            information = scaled @ q[:, used].T
            if ops.rank_of(information) < self.size:
                raise NotIdentifiable(f"{self.name}: the reports do not tell all {self.size} values apart")
            phi = ops.zeros((self.size, self.outputs))
            phi[:, used] = ops.solve(information, scaled)
            self._inverse = phi
        return self._inverse

    def decode(self, counts: Any, ops: Any) -> Any:
        return counts @ self._phi(ops).T

    def second_moments(self, shares: Any, ops: Any) -> Any:
        return self.push(shares, ops) @ (self._phi(ops) ** 2).T

    def cross_moment(self, shares: Any, first: Any, second: Any, ops: Any) -> Any:
        phi = self._phi(ops)
        return ops.sum(self.push(shares, ops) * (first @ phi) * (second @ phi))

    def push(self, shares: Any, ops: Any) -> Any:
        return shares @ ops.array(self._channel)

    def pull(self, weights: Any, ops: Any) -> Any:
        return weights @ ops.array(self._channel).T

    def slopes(self, shares: Any, ops: Any) -> Any:
        squares = self._phi(ops) ** 2
        own = (squares * ops.array(self._channel)).sum(axis=1)
        others = self.push(shares, ops) @ squares.T - own * shares
        return own - others / ops.maximum(1 - shares, 1e-9)

    def influence(self, ops: Any) -> float:
        return float(self._phi(ops).max())

    @property
    def decode_cost(self) -> float:
        return float(self.size * self.outputs)

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "rows": [[str(unit) for unit in row] for row in self.rows]}
