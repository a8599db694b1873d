"""The decoder of a channel that is written out, however it is sampled; it serves any mechanism with few reports."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...core.errors import InvalidInput, NotIdentifiable
from ..arrays.layout import Array, Cells
from ..arrays.reports import count_cells, gather_cells, refuse_cells, refuse_reports
from .decoder import Decoder, Drawn, replacing_others

LEAST_SHARE = 1e-9
"""No value is taken for rarer than this, divided by k: a report that only it writes still says something."""

MAX_ENTRIES = 1 << 22
"""The most entries of a channel that are written out."""


class WrittenOutDecoder(Decoder[Drawn]):
    """The least-variance linear unbiased estimator at the sampler's prior, uniform unless it has one.

    *Why unbiased.* ``phi_y = M**-1 q_y / q_y.p`` with ``M = sum_y q_y q_y^T / q_y.p`` for the prior p is unbiased
    whatever p is. With as many reports as values it is the inverse of the channel. Rows that do not tell the values
    apart are refused when an estimate is requested.

    References: Kairouz2016 (decoding by the channel's inverse).
    """

    def __init__(self, sampler: Drawn) -> None:
        super().__init__(sampler)
        if self.cells * self.size > MAX_ENTRIES and not hasattr(sampler, "rows"):
            raise InvalidInput(f"{sampler.name}: {self.size} x {self.cells} entries are too many to write out")

    @property
    def layout(self) -> Cells | None:
        return None if self._unused else Cells(self.cells)

    @cached_property
    def _unused(self) -> list[int]:
        """The numbers below `outputs` that are no reports."""
        return [y for y in range(self.cells) if not self.sampler.is_report(y)]

    def count(self, counts: Array, reports: Array, start: Any) -> None:
        added = np.zeros_like(counts)
        count_cells(added, reports, start, self.cells)
        refuse_cells(added, start, self._unused)
        counts += added

    def gather(self, entries: Array, reports: Array, start: Any) -> Array:
        refuse_reports(reports, self._unused)
        return gather_cells(entries, reports, start, self.cells)

    def inconsistency(self, counts: Array) -> str | None:
        wrong = next((y for y in self._unused if counts[..., y].any()), None)
        return None if wrong is None else f"report {wrong} cannot occur, so its count must be 0"

    @cached_property
    def channel(self) -> Array:
        """Pr(report | value), one row per value."""
        rows, space = getattr(self.sampler, "rows", None), getattr(self.sampler, "space", 1)
        if rows is not None:
            return np.array([[unit / space for unit in row] for row in rows])
        return np.array([[float(self.sampler.probability(x, y)) for y in range(self.cells)] for x in range(self.size)])

    @cached_property
    def phi(self) -> Array:
        """The estimator: one row per value, one column per report."""
        prior = getattr(self.sampler, "prior", None) or (1 / self.size,) * self.size
        q, root = self.channel, np.maximum(np.array(prior)[:, None], LEAST_SHARE / self.size) ** 0.5
        weights = (root**2 * q).sum(axis=0)
        used = weights > 0
        scaled = root * q[:, used] / weights[used]
        information = (scaled @ q[:, used].T) * root.T  # M with its rows and columns scaled by the roots of p
        if np.linalg.matrix_rank(information, hermitian=True) < self.size:
            raise NotIdentifiable(f"{self.sampler.name}: the reports do not tell all {self.size} values apart")
        phi = np.zeros((self.size, self.cells))
        phi[:, used] = root * np.linalg.solve(information, scaled)
        return phi

    def decode(self, counts: Array) -> Array:
        return counts @ self.phi.T

    def decode_adjoint(self, weights: Array) -> Array:
        return weights @ self.phi

    def second_moments(self, shares: Array) -> Array:
        return np.asarray(self.expected_counts(shares) @ (self.phi**2).T)

    def second_moment_derivative(self, shares: Array) -> Array:
        own = (self.phi**2 * self.channel).sum(axis=1)
        return replacing_others(own, self.second_moments(shares), shares)

    def expected_counts(self, shares: Array) -> Array:
        return shares @ self.channel

    def expected_counts_adjoint(self, weights: Array) -> Array:
        return weights @ self.channel.T

    def likelihoods(self, reports: Array) -> Array:
        return np.asarray(self.channel.T[self.gather(np.arange(self.cells), reports, 0)])

    def reach(self) -> tuple[Array, Array]:
        phi = np.delete(self.phi, self._unused, axis=1)
        return phi.min(axis=1), phi.max(axis=1)

    def square_sums(self, counts: Array) -> Array:
        return np.asarray(counts @ (self.phi**2).T)

    @property
    def decode_cost(self) -> float:
        return float(self.size * self.cells)
