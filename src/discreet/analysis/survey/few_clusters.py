"""How far errors by clusters can be trusted: their bias, and the degrees of freedom that they have.

A variance from few clusters is too small, because residuals are closer to the fit than errors are, and it is itself
uncertain, the more so if some clusters are larger than others or a label hardly varies but between clusters. Both are
known if errors are independent between clusters, and of one correlation within them. The variance is then a quadratic
form of the sums of errors over clusters, whose mean and variance give a factor and, as of a
chi-square variable, degrees of freedom (Bell2002, Imbens2016).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..reference_distribution import FEW_CLUSTERS, ReferenceDistribution
from .sampling import Codes, Drawn

Array = NDArray[np.float64]


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
        held = np.maximum(sizes, 1)
        scale = (sizes / np.maximum(sizes - 1, 1))[self.strata]
        factors, df = [], []
        for g in contrasts @ bread:
            away = v @ g
            thin = np.concatenate([(self.products @ g) @ bread, away], axis=1)
            means = np.stack([np.bincount(self.strata, column) for column in thin.T], axis=1) / held[:, None]
            centred = scale[:, None] * (thin - means[self.strata])
            own = away @ g
            low = middle @ (thin.T @ centred)
            mean = own.sum() + np.trace(low)
            ones, twos = np.bincount(self.strata, own), np.bincount(self.strata, own**2)
            spread = (sizes / np.maximum(sizes - 1, 1)) ** 2 * (twos * (1 - 2 / held) + ones**2 / held**2)
            spread = spread.sum() + 2 * np.trace(middle @ (centred.T @ (own[:, None] * centred))) + (low * low.T).sum()
            true = float(g @ whole @ g)
            known = mean > 1e-9 * true and spread > 0
            factors.append(max(1.0, true / mean) if known else 1.0)
            df.append(max(1.0, mean**2 / spread) if known else 1.0)
        clusters = len(self.strata)
        return ReferenceDistribution(
            np.sqrt(factors) if clusters < FEW_CLUSTERS else np.ones(len(factors)),
            np.array(df),
            clusters - int(np.count_nonzero(sizes)),
            clusters,
        )


def within_clusters(drawn: Drawn, errors: Array) -> float:
    """The correlation of errors of people of the same cluster, by moments, from 0 to 1."""
    sizes = np.bincount(drawn.unit_of, minlength=drawn.units).astype(float)
    sums = np.bincount(drawn.unit_of, errors, minlength=drawn.units)
    own, pairs = float(errors @ errors), float(sizes @ sizes) - len(errors)
    if own <= 0 or pairs <= 0:
        return 0.0
    between = float(sums @ sums) * drawn.units / (drawn.units - 1)  # errors are nearer to their mean than to the truth
    return min(1.0, max(0.0, (between - own) / pairs / (own / len(errors))))
