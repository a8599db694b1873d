"""A channel written out in whole units: its law, certificate and statistics, however it is sampled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from ...core.errors import InvalidInput
from ...core.limits import spend
from ..ratios import pairs_of
from ..sampler import RatioBound, Sampler

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

    def probability(self, x: int, y: int) -> Fraction:
        return Fraction(self.rows[x][y], self.space) if 0 <= y < self.outputs else Fraction(0)

    def reports(self) -> Iterable[int]:
        return (y for y in range(self.outputs) if self.is_report(y))

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs and any(row[y] for row in self.rows)

    @cached_property
    def is_numbered(self) -> bool:
        return all(map(any, zip(*self.rows, strict=True)))

    def ratio_bounds(self) -> Iterator[RatioBound]:
        spend(self.size**2 * (self.outputs + PAIR), f"{self.name} of {self.size} rows")
        yield from pairs_of(self.rows, self.space)


def check_row(row: Sequence[int], count: int, space: int, *, name: str) -> None:
    """Refuse a row that is not `count` units, at least one, that add up to `space`."""
    if not row:
        raise InvalidInput(f"{name} must not be empty")
    if len(row) != count or min(row) < 0 or sum(row) != space:
        raise InvalidInput(f"{name} must be {count} non-negative units that add up to 2**{space.bit_length() - 1}")
