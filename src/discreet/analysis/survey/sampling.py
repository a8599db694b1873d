"""Errors of sums over people drawn in clusters and strata, and how far those from few clusters can be trusted.

Sums are linearised, as survey statistics do it. A variance from few clusters is too small, because residuals are
closer to the fit than errors are, and it is itself uncertain, the more so if some clusters are larger than others or a
label hardly varies but between clusters. Both are known if errors are independent between clusters, and of one
correlation within them. The variance is then a quadratic form of the sums of errors over clusters, whose mean and
variance give a factor and, as of a chi-square variable, degrees of freedom (Bell2002, Imbens2016).
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from ...core.errors import InvalidInput
from ..reference_distribution import FEW_CLUSTERS, Array, Codes, ReferenceDistribution

MAX_SUMS = 1 << 26
"""The most sums over a cluster and a group that are held at a time."""


class SamplingUnits:
    """The units in which n people were drawn: clusters, or people where there are none, inside strata if there are any.

    `unit_of` is the unit of each person, `stratum_of` the stratum of each unit, `sizes` the number of units of each
    stratum and `factors` their ``m / (m - 1)``. `InvalidInput` for a stratum with one unit, which tells nothing of its
    own spread.
    """

    def __init__(self, n: int, clusters: Codes | None, strata: Codes | None) -> None:
        self.unclustered = clusters is None
        self.unit_of, self.stratum_of = np.arange(n), np.zeros(n, dtype=np.int64) if strata is None else strata
        if clusters is not None:
            both = self.stratum_of * (int(clusters.max(initial=0)) + 1) + clusters
            _, first, unit_of = np.unique(both, return_index=True, return_inverse=True)
            self.unit_of, self.stratum_of = unit_of.astype(np.int64).reshape(-1), self.stratum_of[first]
        self.sizes = np.bincount(self.stratum_of)
        if (self.sizes < 2).any() or not n:
            raise InvalidInput(
                "a stratum has one cluster, which tells nothing of its own spread: join it to another"
                if strata is not None
                else "one person or cluster tells nothing of the spread: more are needed"
            )
        self.factors: Array = self.sizes / (self.sizes - 1)

    def __len__(self) -> int:
        return len(self.stratum_of)

    @property
    def df(self) -> int:
        """The degrees of freedom of the errors: units less strata."""
        return len(self) - len(self.sizes)

    def covariance(self, terms: Array) -> Array:
        """The covariance of the sum of one row of terms a person, ``n x p`` in and ``p x p`` out.

        ``sum_h m_h / (m_h - 1) sum_c (z_hc - mean_h)(z_hc - mean_h)'`` with z_hc the sum over the cluster c of stratum
        h, and m_h the number of its clusters; a person is a cluster where there are none (Binder1983).
        """
        sums = terms
        if not self.unclustered:
            sums = np.stack([np.bincount(self.unit_of, column, minlength=len(self)) for column in terms.T], axis=1)
        means = np.stack([np.bincount(self.stratum_of, column) for column in sums.T], axis=1) / self.sizes[:, None]
        spread = sums - means[self.stratum_of]
        return np.asarray((spread * self.factors[self.stratum_of, None]).T @ spread)

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


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clusters of a regression: for each the sums of ``w x x'``, of ``w**2 x x'`` and of ``w x`` over its people.

    `within` is the correlation of errors of people of the same cluster.
    """

    products: Array
    squares: Array
    sums: Array
    strata: Codes
    within: float = 0.0

    def reference(self, contrasts: Array) -> ReferenceDistribution:
        """The factor and the degrees of freedom of each combination of coefficients, a row each.

        With bread ``B = (sum O_c)**-1`` and ``g = B l`` the sums over clusters are ``u_c = g'(U_c - O_c B U)``, with
        ``Cov(U_c) = V_c``; so their covariance is ``P = diag(g' V_c g) + L M L'`` with a thin L. The linearised
        variance is ``u' C u``, C centring in strata, with the mean tr(CP) and the variance 2 tr(CPCP). The factor is
        the root of ``g' V g / tr(CP)``, at least 1, and the degrees of freedom are ``tr(CP)**2 / tr(CPCP)``.
        """
        v = (1 - self.within) * self.squares + self.within * self.sums[:, :, None] * self.sums[:, None, :]
        whole, bread = v.sum(axis=0), np.linalg.inv(self.products.sum(axis=0))
        p = len(bread)
        middle = np.block([[whole, -np.eye(p)], [-np.eye(p), np.zeros((p, p))]])
        sizes = np.bincount(self.strata)
        scale = sizes / (sizes - 1)
        factors, df = [], []
        for g in contrasts @ bread:
            away = v @ g
            thin = np.concatenate([(self.products @ g) @ bread, away], axis=1)
            means = np.stack([np.bincount(self.strata, column) for column in thin.T], axis=1) / sizes[:, None]
            centred = scale[self.strata, None] * (thin - means[self.strata])
            own = away @ g
            low = middle @ (thin.T @ centred)
            mean = own.sum() + np.trace(low)
            ones, twos = np.bincount(self.strata, own), np.bincount(self.strata, own**2)
            spread = (scale**2 * (twos * (1 - 2 / sizes) + ones**2 / sizes**2)).sum() + (low * low.T).sum()
            spread += 2 * np.trace(middle @ (centred.T @ (own[:, None] * centred)))
            true = float(g @ whole @ g)
            known = mean > 1e-9 * true and spread > 0
            factors.append(max(1.0, true / mean) if known else 1.0)
            df.append(max(1.0, mean**2 / spread) if known else 1.0)
        clusters = len(self.strata)
        factor = np.sqrt(factors) if clusters < FEW_CLUSTERS else np.ones(len(factors))
        return ReferenceDistribution(factor, np.array(df), clusters - len(sizes), clusters)
