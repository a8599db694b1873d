"""Errors of sums over people who were drawn in clusters and strata: linearisation, as survey statistics do it."""

from __future__ import annotations

from copy import copy

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

MAX_SUMS = 1 << 26
"""The most sums over a cluster and a group that are held at a time."""


class Drawn:
    """The units in which n people were drawn: clusters, or people where there are none, inside strata if there are any.

    `InvalidInput` for a stratum with one cluster, which tells nothing of its own spread.
    """

    def __init__(self, n: int, clusters: Codes | None, strata: Codes | None) -> None:
        self.alone = clusters is None
        layers = np.zeros(n, dtype=np.int64) if strata is None else strata
        if clusters is None:
            self.unit_of, self.layer_of = np.arange(n), layers
        else:
            both = layers * (int(clusters.max(initial=0)) + 1) + clusters
            _, first, unit_of = np.unique(both, return_index=True, return_inverse=True)
            self.unit_of, self.layer_of = unit_of.astype(np.int64).reshape(-1), layers[first]
        self.sizes = np.bincount(self.layer_of)
        if (self.sizes[np.unique(self.layer_of)] < 2).any() or not n:
            raise InvalidInput(
                "a stratum has one cluster, which tells nothing of its own spread: join it to another"
                if strata is not None
                else "one person or cluster tells nothing of the spread: more are needed"
            )

    @property
    def units(self) -> int:
        """How many were drawn."""
        return len(self.layer_of)

    @property
    def df(self) -> int:
        """The degrees of freedom of the errors: units less strata."""
        return self.units - int(np.count_nonzero(self.sizes))

    @property
    def _factors(self) -> Array:
        """m / (m - 1) for the stratum of each unit, m its units."""
        found: Array = self.sizes / np.maximum(self.sizes - 1, 1)
        return found[self.layer_of]

    def covariance(self, terms: Array) -> Array:
        """The covariance of the sum of one row of terms a person, ``n x p`` in and ``p x p`` out.

        ``sum_h m_h / (m_h - 1) sum_c (z_hc - mean_h)(z_hc - mean_h)'`` with z_hc the sum over the cluster c of stratum
        h, and m_h the number of its clusters; a person is a cluster where there are none (Binder1983).
        """
        sums = terms
        if not self.alone:
            sums = np.stack([np.bincount(self.unit_of, column, minlength=self.units) for column in terms.T], axis=1)
        means = np.stack([np.bincount(self.layer_of, column) for column in sums.T], axis=1)
        spread = sums - (means / np.maximum(self.sizes, 1)[:, None])[self.layer_of]
        return np.asarray((spread * self._factors[:, None]).T @ spread)

    def covariance_of_groups(self, terms: Array, codes: Codes, groups: int) -> Array:
        """The covariance of the sums of a column of terms over the people of each group, ``groups x groups``."""
        if self.alone:
            means = np.bincount(self.layer_of * groups + codes, terms, minlength=len(self.sizes) * groups)
            means = means.reshape(-1, groups)
            factors = self.sizes / np.maximum(self.sizes - 1, 1)
            squares = np.bincount(codes, self._factors * terms * terms, minlength=groups)
            between = (means * (factors / np.maximum(self.sizes, 1))[:, None]).T @ means
            return np.asarray(np.diag(squares) - between)
        if self.units * groups > MAX_SUMS:
            raise InvalidInput(f"{self.units} clusters and {groups} groups are more than can be held together")
        sums = np.bincount(self.unit_of * groups + codes, terms, minlength=self.units * groups)
        return self.of_units().covariance(np.asarray(sums, dtype=float).reshape(-1, groups))

    def of_units(self) -> Drawn:
        """The same units, each of them one row."""
        found = copy(self)
        found.alone, found.unit_of = True, np.arange(self.units)
        return found


def covariance_of_sum(terms: Array, clusters: Codes | None, strata: Codes | None) -> Array:
    """The covariance of the sum of one row of terms a person; see `Drawn.covariance`."""
    return Drawn(len(terms), clusters, strata).covariance(terms)
