"""A channel written out in whole units: its law, certificate and statistics, however it is sampled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from ...core.errors import InvalidInput, NotIdentifiable
from ...core.limits import spend
from ..randomizer import Cells, Pair, Randomizer
from ..ratios import pairs_of

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric

PAIR = 50
"""Steps that it takes to certify a pair of values, beside one for each report."""

LEAST_SHARE = 1e-9
"""No value is taken for rarer than this, divided by k: a report that only it writes still says something."""


class WrittenOut(Randomizer):
    """The channel whose row x gives report y ``rows[x][y]`` of `space` units; a subclass says how to sample it.

    *Why private.* Whatever the rows are, verification compares every pair of entries exactly.
    *Why unbiased.* The estimator is the least-variance linear one at the prior p, uniform unless it was `weighted`,
    ``phi_y = M**-1 q_y / q_y.p`` with ``M = sum_y q_y q_y^T / q_y.p``: unbiased whatever p is. With as many reports
    as values it is the inverse of the channel. Rows that do not tell the values apart are refused when an estimate
    is requested.

    References: Acharya2020 (Definition 2), Kairouz2016 (decoding by the channel's inverse).
    """

    disjoint = True
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
        vars(made).pop("_inverse", None)
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

    def probability(self, x: int, y: int) -> Fraction:
        return Fraction(self.rows[x][y], self.space) if 0 <= y < self.outputs else Fraction(0)

    def reports(self) -> Iterable[int]:
        return (y for y in range(self.outputs) if self.is_report(y))

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs and any(row[y] for row in self.rows)

    def pairs(self) -> Iterator[Pair]:
        spend(self.size**2 * (self.outputs + PAIR), f"{self.name} of {self.size} rows")
        yield from pairs_of(self.rows, self.space)

    @property
    def counted(self) -> Cells | None:
        return None if self._unused else Cells(self.outputs)

    @cached_property
    def _unused(self) -> list[int]:
        """The numbers below `outputs` that are no reports."""
        return [y for y in range(self.outputs) if not self.is_report(y)]

    def cells_of(self, y: int) -> Sequence[int]:
        return (self.check_report(y),)

    def count(self, counts: Array, reports: Array, start: Any, ops: Numeric) -> None:
        added = ops.zeros_like(counts)
        ops.count_cells(added, reports, start, self.outputs)
        ops.refuse_cells(added, start, self._unused)
        counts += added

    def gather(self, entries: Array, reports: Array, start: Any, ops: Numeric) -> Array:
        ops.refuse_reports(reports, self._unused)
        return ops.gather_cells(entries, reports, start, self.outputs)

    def likelihoods(self, reports: Array, ops: Numeric) -> Array:
        numbers = self.gather(ops.row(self.outputs)[0], reports, 0, ops)
        found: Array = ops.array(self._channel).T[numbers]
        return found

    def total(self, counts: Array, ops: Numeric) -> Array:
        return ops.sum(counts)

    def broken_rule(self, counts: Array, ops: Numeric) -> str | None:
        wrong = next((y for y in self._unused if counts[..., y].any()), None)
        return None if wrong is None else f"report {wrong} cannot occur, so its count must be 0"

    @cached_property
    def _channel(self) -> list[list[float]]:
        return [[unit / self.space for unit in row] for row in self.rows]

    def _phi(self, ops: Numeric) -> Array:
        if not hasattr(self, "_inverse"):
            q, root = ops.array(self._channel), ops.array(self.prior or self._even)[:, None]
            root = ops.maximum(root, LEAST_SHARE / self.size) ** 0.5
            weights = (root**2 * q).sum(axis=0)
            used = weights > 0
            scaled = root * q[:, used] / weights[used]
            information = (scaled @ q[:, used].T) * root.T  # M with its rows and columns scaled by the roots of p
            if ops.rank_of(information) < self.size:
                raise NotIdentifiable(f"{self.name}: the reports do not tell all {self.size} values apart")
            phi = ops.zeros((self.size, self.outputs))
            phi[:, used] = root * ops.solve(information, scaled)
            self._inverse = phi
        return self._inverse

    def decode(self, counts: Array, ops: Numeric) -> Array:
        return counts @ self._phi(ops).T

    def weigh(self, weights: Array, ops: Numeric) -> Array:
        return weights @ self._phi(ops)

    def second_moments(self, shares: Array, ops: Numeric) -> Array:
        found: Array = self.push(shares, ops) @ (self._phi(ops) ** 2).T
        return found

    def cross_moment(self, shares: Array, first: Array, second: Array, ops: Numeric) -> Array:
        return ops.sum(self.push(shares, ops) * self.weigh(first, ops) * self.weigh(second, ops))

    def push(self, shares: Array, ops: Numeric) -> Array:
        return shares @ ops.array(self._channel)

    def pull(self, weights: Array, ops: Numeric) -> Array:
        return weights @ ops.array(self._channel).T

    def slopes(self, shares: Array, ops: Numeric) -> Array:
        squares = self._phi(ops) ** 2
        own = (squares * ops.array(self._channel)).sum(axis=1)
        others = self.push(shares, ops) @ squares.T - own * shares
        found: Array = own - others / ops.maximum(1 - shares, 1e-9)
        return found

    def influence(self, ops: Numeric) -> float:
        return float(self._phi(ops).max())

    @property
    def decode_cost(self) -> float:
        return float(self.size * self.outputs)


def check_row(row: Sequence[int], count: int, space: int, *, name: str) -> None:
    """Refuse a row that is not `count` units, at least one, that add up to `space`."""
    if not row:
        raise InvalidInput(f"{name} must not be empty")
    if len(row) != count or min(row) < 0 or sum(row) != space:
        raise InvalidInput(f"{name} must be {count} non-negative units that add up to 2**{space.bit_length() - 1}")
