"""Errors of sums over people drawn in clusters and strata, as survey statistics linearises them."""

from __future__ import annotations

from copy import copy

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput
from ..reference_distribution import Array, Codes

MAX_SUMS = 1 << 26
"""The most sums over a cluster and a group that are held at a time."""


class SamplingUnits:
    """The units in which n people were drawn: clusters, or people where there are none, inside strata if there are any.

    `unit_of` is the unit of each person and `stratum_of` the stratum of each unit; `sizes` is the number of units that
    were drawn in each stratum, `factors` their ``m / (m - 1)``, and `fractions` the part of its people that was drawn,
    which is 0 where `populations`, the number of people of each stratum, is not given. `InvalidInput` for a stratum
    with one unit, which tells nothing of its own spread.
    """

    def __init__(self, n: int, clusters: Codes | None, strata: Codes | None, populations: Array | None = None) -> None:
        self.unclustered = clusters is None
        self.unit_of, self.stratum_of = np.arange(n), np.zeros(n, dtype=np.int64) if strata is None else strata
        people = np.bincount(self.stratum_of, minlength=1)
        self.fractions: Array = np.zeros(len(people)) if populations is None else people / populations
        if clusters is not None:
            both = self.stratum_of * (int(clusters.max(initial=0)) + 1) + clusters
            _, first, unit_of = np.unique(both, return_index=True, return_inverse=True)
            self.unit_of, self.stratum_of = unit_of.astype(np.int64).reshape(-1), self.stratum_of[first]
        self.sizes = np.bincount(self.stratum_of, minlength=1)
        if (self.sizes < 2).any():
            raise InvalidInput(
                "a stratum has one cluster, which tells nothing of its own spread: join it to another"
                if strata is not None
                else "one person or cluster tells nothing of the spread: more are needed"
            )
        self.factors: Array = self.sizes / (self.sizes - 1)

    def __len__(self) -> int:
        """The number of units that people are of."""
        return len(self.stratum_of)

    @property
    def df(self) -> int:
        """The degrees of freedom of the errors: units less strata, of those that people are of."""
        return len(self) - len(np.unique(self.stratum_of))

    def domain(self, chosen: NDArray[np.bool_]) -> SamplingUnits:
        """The units of these people, of the same sample: units without any of them count as drawn, with sums of 0."""
        units = copy(self)
        there, unit_of = np.unique(self.unit_of[chosen], return_inverse=True)
        if len(there) < 2:
            raise InvalidInput(
                "rows: these people are of one cluster, or one person, which tells nothing of their spread"
            )
        units.unit_of, units.stratum_of = unit_of.astype(np.int64).reshape(-1), self.stratum_of[there]
        return units

    def of_a_finite_population(self) -> SamplingUnits:
        """The same units, whose sums vary less by the part f of a stratum that was drawn: ``(1 - f) m / (m - 1)``."""
        units = copy(self)
        units.factors = self.factors * (1 - self.fractions)
        return units

    def covariance(self, terms: Array) -> Array:
        """The covariance of the sum of one row of terms a person, ``n x p`` in and ``p x p`` out.

        ``sum_h m_h / (m_h - 1) sum_c (z_hc - mean_h)(z_hc - mean_h)'`` with z_hc the sum over the cluster c of stratum
        h, and m_h the number of its clusters; a person is a cluster where there are none (Binder1983).
        """
        sums, strata = self.sums(terms), len(self.sizes)
        totals = [np.bincount(self.stratum_of, column, minlength=strata) for column in sums.T]
        means = np.stack(totals, axis=1) / self.sizes[:, None]
        spread = sums - means[self.stratum_of]
        absent = self.sizes - np.bincount(self.stratum_of, minlength=strata)
        of_absent = (means * (self.factors * absent)[:, None]).T @ means
        return np.asarray((spread * self.factors[self.stratum_of, None]).T @ spread + of_absent)

    def sums(self, terms: Array) -> Array:
        """The sums of rows of terms, a row a person, over the people of each unit."""
        if self.unclustered:
            return terms
        return np.stack([np.bincount(self.unit_of, column, minlength=len(self)) for column in terms.T], axis=1)

    def covariance_of_groups(self, terms: Array, codes: Codes, groups: int) -> Array:
        """The covariance of the sums of a column of terms over the people of each group, ``groups x groups``."""
        if self.unclustered:
            sums = np.bincount(self.stratum_of * groups + codes, terms, minlength=len(self.sizes) * groups)
            sums = sums.reshape(-1, groups)
            squares = np.bincount(codes, self.factors[self.stratum_of] * terms * terms, minlength=groups)
            return np.asarray(np.diag(squares) - (sums * (self.factors / self.sizes)[:, None]).T @ sums)
        if len(self) * groups > MAX_SUMS:
            raise InvalidInput(f"{len(self)} clusters and {groups} groups are more than can be held together")
        return self.as_people().covariance(self.sums_of_groups(terms, codes, groups))

    def sums_of_groups(self, terms: Array, codes: Codes, groups: int) -> Array:
        """The sums of a column of terms over the people of each unit and group, ``units x groups``."""
        sums = np.bincount(self.unit_of * groups + codes, terms, minlength=len(self) * groups)
        return np.asarray(sums, dtype=float).reshape(-1, groups)

    def alike(self, errors: Array, parts: Array) -> tuple[Array, Array]:
        """The covariance of the sums of ``part * error``, a part in each column, where all people vary alike.

        It is that of people who go together in clusters with the correlation r, ``(1 - r) A'A + r B'B`` with the parts
        A and their sums B over clusters, times the second matrix: the covariance of the errors inside strata.
        """
        strata = self.stratum_of[self.unit_of]
        counts = np.maximum(np.bincount(strata, minlength=len(self.sizes)), 1)
        means = np.stack([np.bincount(strata, e, minlength=len(counts)) / counts for e in errors.T], axis=1)
        own = errors - means[strata]
        among = parts.T @ parts
        if not self.unclustered:
            within = float(np.mean([self.correlation(column) for column in own.T]))
            sums = self.sums(parts)
            among = (1 - within) * among + within * sums.T @ sums
        return among, own.T @ own / len(own)

    def as_people(self) -> SamplingUnits:
        """The same units, each of them one row of terms."""
        units = copy(self)
        units.unclustered, units.unit_of = True, np.arange(len(self))
        return units

    def correlation(self, errors: Array) -> float:
        """The correlation of errors of people of the same cluster, by moments, from 0 to 1."""
        sizes = np.bincount(self.unit_of, minlength=len(self)).astype(float)
        sums = np.bincount(self.unit_of, errors, minlength=len(self))
        own, pairs = float(errors @ errors), float(sizes @ sizes) - len(errors)
        if own <= 0 or pairs <= 0:
            return 0.0
        between = float(sums @ sums) * len(self) / (len(self) - 1)  # errors are nearer to their mean than to the truth
        return min(1.0, max(0.0, (between - own) / pairs / (own / len(errors))))
