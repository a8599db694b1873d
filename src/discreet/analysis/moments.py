"""Means and covariances of queries from tallies alone: what the reports of a mechanism say of several at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import InvalidInput
from ..mechanisms.mechanism import Mechanism
from ..results.calibration import constants
from ..results.weights import weights_of
from ..statistics.numeric import NUMERIC
from ..tally import Tally

Array = NDArray[np.float64]

MOST_CALIBRATED = 1024
"""The most queries that are calibrated and held together; where there are more values, their shares are taken plain,
for what calibration saves is then little."""

NAMED = 3
"""The most values by which an event is named."""


def queries_of(values: Domain, query: Any) -> tuple[list[Any], Array | None]:
    """The names of the queries and their weights, a row each; those of all values where `query` is None.

    For very many values there are no weights: their shares are the queries.
    """
    if query is None:
        return list(values), np.eye(len(values)) if len(values) <= MOST_CALIBRATED else None
    weights = weights_of(values, query, name="query")
    if not np.ptp(weights):
        raise InvalidInput("query must weigh some values differently from others: else nothing is asked")
    if isinstance(query, str):
        return [query], weights[None, :]
    held = np.nonzero(weights)[0]
    event = set(weights[held].tolist()) == {1.0} and len(held) <= NAMED
    return [" or ".join(str(values[int(x)]) for x in held) if event else "query"], weights[None, :]


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries to the reports of one mechanism, a row of weights each, calibrated at even shares or not at all.

    A report's score is ``(w - c_b) . phi(y) + c_b``, b its block; see `discreet.results.calibration`. Without weights
    the queries are the plain shares of all values.
    """

    mechanism: Mechanism
    weights: Array | None
    calibrated: bool = True

    @cached_property
    def _parts(self) -> tuple[Array, Array]:
        """w - c and c, which is equal inside a block."""
        assert self.weights is not None
        if not self.calibrated:
            return self.weights, np.zeros_like(self.weights)
        even = np.full(self.weights.shape[1], 1 / self.weights.shape[1])
        found = np.array([constants(self.mechanism.randomizer, row, even) for row in self.weights])
        return self.weights - found, found

    def sums(self, counts: NDArray[Any]) -> Array:
        """The sum of the scores of reports with these counts, for each query; over the last axis."""
        randomizer = self.mechanism.randomizer
        decoded = np.asarray(randomizer.decode(counts, NUMERIC))
        if self.weights is None:
            return decoded
        loose, constant = self._parts
        found = decoded @ loose.T
        for part, _, cells, values in randomizer.groups(NUMERIC):
            found += np.asarray(part.total(counts[..., cells], NUMERIC))[..., 0] @ constant[:, values[:, 0]].T
        return found

    def means(self, tally: Tally) -> Array:
        """The mean score of each query."""
        return np.asarray(self.sums(tally.counts) / tally.n)

    def variances(self, shares: Array) -> Array:
        """The variance of one report's score under each query, when values follow `shares`."""
        randomizer = self.mechanism.randomizer
        if self.weights is None:
            return np.asarray(np.maximum(randomizer.second_moments(shares, NUMERIC) - shares**2, 0.0))
        loose, constant = self._parts
        moments = np.asarray(randomizer.cross_moment(shares, loose, loose, NUMERIC)).reshape(len(loose), -1).sum(axis=1)
        seen = (constant * (2 * loose + constant)) @ shares
        return np.maximum(moments + seen - (self.weights @ shares) ** 2, 0.0)

    def spreads(self, shares: Array) -> Array:
        """The variance of the weight that people hold, without any randomization: what sampling alone gives."""
        if self.weights is None:
            return np.asarray(shares - shares**2)
        return np.maximum(self.weights**2 @ shares - (self.weights @ shares) ** 2, 0.0)

    def covariance(self, shares: Array) -> Array:
        """The covariance of one report's scores, query by query, when values follow `shares`."""
        assert self.weights is not None
        mean = self.weights @ shares
        if self.mechanism.randomizer.disjoint:
            return self._by_cells(np.asarray(self.mechanism.randomizer.push(shares, NUMERIC)), mean)
        randomizer, (loose, c) = self.mechanism.randomizer, self._parts
        rows = [np.asarray(randomizer.cross_moment(shares, loose, one, NUMERIC)).reshape(len(c), -1) for one in loose]
        seen = (c * shares) @ loose.T
        moments = np.array([row.sum(axis=1) for row in rows]) + seen + seen.T + (c * shares) @ c.T
        return np.asarray((moments + moments.T) / 2 - np.outer(mean, mean))

    def covariance_in(self, tally: Tally, shares: Array) -> Array:
        """The covariance of the scores of these very reports; the formula's, at `shares`, if counts do not tell it."""
        if not self.mechanism.randomizer.disjoint:
            return self.covariance(shares)
        return self._by_cells(tally.counts / tally.n, self.means(tally))

    def _by_cells(self, law: Array, mean: Array) -> Array:
        """The covariance where every report has a cell of its own, and these follow `law`."""
        loose, constant = self._parts
        scores = np.array(loose @ self._decoded.T)
        for _, _, cells, values in self.mechanism.randomizer.groups(NUMERIC):
            scores[:, cells] += constant[:, values[:, :1]]
        return np.asarray((scores * law) @ scores.T - np.outer(mean, mean))

    @cached_property
    def _decoded(self) -> Array:
        """phi of every cell, a row each."""
        randomizer = self.mechanism.randomizer
        return np.asarray(randomizer.decode(np.eye(randomizer.cells), NUMERIC))

    def spread(self, shares: Array) -> Array:
        """The covariance of the weights that people hold."""
        assert self.weights is not None
        mean = self.weights @ shares
        return np.asarray((self.weights * shares) @ self.weights.T - np.outer(mean, mean))
