"""How far the error of an estimate from people or clusters that count unequally can be trusted.

A linearised variance to which few units contribute much is too small, because residuals are closer to the fit than
errors are, and it is itself uncertain. Both are known if errors are independent between units, and of one correlation
within them: the variance is then a quadratic form of the sums of errors over units, whose mean and variance give a
factor and, as of a chi-square variable, degrees of freedom (Satterthwaite1946, Bell2002, Imbens2016). A unit is a
cluster, or a person where there are none: with weights some people count for many others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..reference_distribution import FEW_DF, Array, Codes, ReferenceDistribution
from .sampling import SamplingUnits

MANY_DF = 500.0
"""From so many degrees of freedom on, t is normal and the bias is not seen: they are taken at their first order."""
MAX_MULTIPLICATIONS = 1 << 33
"""The most multiplications for the law of all combinations."""
KNOWN = 1e-9
"""A variance whose mean is a smaller part of the true one tells nothing."""


class UnitSums:
    """Sums over units of what the law of one variance depends on, by stratum, or scaled for all strata.

    The sums of errors over units have the covariance ``P = diag(own) + L M L'``, with a row of the thin L for each
    unit. `own` and `squares` are the sums of ``own`` and its square, `thin` and `own_thin` those of L and ``own L``, by
    stratum; `gram` and `own_gram` are ``sum f L'L`` and ``sum f**2 L' own L`` with the factors f of the strata.
    """

    def __init__(self, units: SamplingUnits, width: int) -> None:
        self.units, strata = units, len(units.sizes)
        self.own, self.squares = np.zeros((2, strata))
        self.thin, self.own_thin = np.zeros((2, strata, width))
        self.gram, self.own_gram = np.zeros((2, width, width))

    def add(self, strata: Codes, own: Array, thin: Array) -> None:
        """Add these units, each of a stratum."""
        both = own[:, None] * thin
        for sums, terms in ((self.own, own), (self.squares, own**2), (self.thin, thin), (self.own_thin, both)):
            if len(sums) == 1:
                sums += terms.sum(axis=0)
            else:
                np.add.at(sums, strata, terms)
        f = self.units.factors[strata, None]
        self.gram += thin.T @ (thin * f)
        self.own_gram += thin.T @ (both * (f * f))

    def law(self, total: Array, true: float) -> tuple[float, float]:
        """The factor of the standard error and its degrees of freedom, where the true variance is `true`.

        The linearised variance is ``u' C u``, C centring in strata of m units, times ``m / (m - 1)``. Its mean is
        tr(CP) and its variance 2 tr(CPCP), with ``M = [V, -1; -1, 0]`` and V the covariance `total` of the whole sum.
        The factor is the root of ``true / tr(CP)``, at least 1, and the degrees of freedom are
        ``tr(CP)**2 / tr(CPCP)``.
        """
        m, f, p = self.units.sizes, self.units.factors, len(total)
        middle = np.block([[total, -np.eye(p)], [-np.eye(p), np.zeros((p, p))]])
        means = self.thin / m[:, None]
        turned = means * (f * f)[:, None]
        across = turned.T @ self.own_thin
        own_gram = self.own_gram - across - across.T + (turned * self.own[:, None]).T @ means
        low = middle @ (self.gram - (means * (f * m)[:, None]).T @ means)
        mean = float((f * (1 - 1 / m)) @ self.own + np.trace(low))
        spread = float((f * f) @ (self.squares * (1 - 2 / m) + (self.own / m) ** 2) + (low * low.T).sum())
        spread += 2 * float(np.trace(middle @ own_gram))
        if mean <= KNOWN * true or spread <= 0:
            return 1.0, 1.0
        return float(np.sqrt(max(1.0, true / mean))), max(1.0, mean**2 / spread)


class UnitLaw(Protocol):
    """What tells the law of the variance of any combination of coefficients."""

    def reference(self, contrasts: Array) -> ReferenceDistribution:
        """The reference distribution of each combination, a row each."""


def reference_of(units: SamplingUnits, laws: Sequence[tuple[float, float]]) -> ReferenceDistribution:
    """The reference distribution of estimates with these factors and degrees of freedom.

    Standard errors are made larger only where few degrees of freedom are left; with more the bias is no longer seen.
    """
    factor, df = np.array(laws, dtype=float).reshape(-1, 2).T
    clusters = 0 if units.unclustered else len(units)
    return ReferenceDistribution(np.where(df < FEW_DF, factor, 1.0), df, max(1, units.df), clusters)


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clusters of a regression: for each the sums of ``w x x'``, of ``w**2 x x'`` and of ``w x`` over its people.

    `within` is the correlation of errors of people of the same cluster.
    """

    units: SamplingUnits
    products: Array
    squares: Array
    sums: Array
    within: float = 0.0

    def reference(self, contrasts: Array) -> ReferenceDistribution:
        """The reference distribution of each combination of coefficients, a row each."""
        return reference_of(self.units, self.laws(contrasts))

    def laws(self, contrasts: Array) -> list[tuple[float, float]]:
        """The factor and the degrees of freedom of each combination of coefficients, a row each.

        With bread ``B = (sum O_c)**-1`` and ``g = B l`` the sums over clusters are ``u_c = g'(U_c - O_c B U)``, with
        ``Cov(U_c) = V_c``: ``own = g' V_c g`` and ``L = [B O_c g, V_c g]``.
        """
        v = (1 - self.within) * self.squares + self.within * self.sums[:, :, None] * self.sums[:, None, :]
        whole, bread = v.sum(axis=0), np.linalg.inv(self.products.sum(axis=0))
        laws = []
        for g in contrasts @ bread:
            away = v @ g
            thin = np.concatenate([(self.products @ g) @ bread, away], axis=1)
            sums = UnitSums(self.units, 2 * len(g))
            sums.add(self.units.stratum_of, away @ g, thin)
            laws.append(sums.law(whole, float(g @ whole @ g)))
        return laws


Rows = Callable[[], Iterable[tuple[slice, Array, Array, Array]]]
"""The people of a regression some at a time: their place, rows x, and the factors of ``x x'`` in O and in V."""


@dataclass(frozen=True, eq=False)
class People:
    """The people of a regression, each of whom is a unit: ``O = o x x'`` and ``V = v x x'``, o = w and v = w**2.

    Beside the columns x there may be `answers`, features of the answer that do not go with these: they add o and v
    to the diagonals.
    """

    units: SamplingUnits
    rows: Rows
    columns: int
    answers: int = 0

    def reference(self, contrasts: Array) -> ReferenceDistribution:
        """The reference distribution of each combination of coefficients, a row each, as in `Clusters`.

        Where ``(sum own)**2 / sum own**2``, the number of people that count, is large, that is the degrees of freedom.
        """
        products, whole = np.zeros((2, *[self.columns + self.answers] * 2))
        for _, x, o, v in self.rows():
            for matrix, scale in ((products, o), (whole, v)):
                matrix[: self.columns, : self.columns] += x.T @ (x * scale[:, None])
                matrix[range(self.columns, len(matrix)), range(self.columns, len(matrix))] += scale.sum()
        bread = np.linalg.inv(products)
        each = contrasts @ bread
        ones, twos = np.zeros((2, len(each)))
        for _, x, _, v in self.rows():
            own = ((x @ each[:, : self.columns].T) ** 2 + (each[:, self.columns :] ** 2).sum(axis=1)) * v[:, None]
            ones, twos = ones + own.sum(axis=0), twos + (own**2).sum(axis=0)
        first = np.minimum(ones**2 / np.maximum(twos, np.finfo(float).tiny), max(1, self.units.df))
        some = np.nonzero(first < MANY_DF)[0]
        laws = [(1.0, float(df)) for df in first]
        if 4 * len(some) * len(self.units) * len(whole) ** 2 <= MAX_MULTIPLICATIONS:
            for row in some:
                laws[row] = self._sums(each[row], bread).law(whole, float(ones[row]))
        return reference_of(self.units, laws)

    def _sums(self, g: Array, bread: Array) -> UnitSums:
        sums = UnitSums(self.units, 2 * len(g))
        for place, x, o, v in self.rows():
            along = np.broadcast_to(g, (len(x), len(g))).copy()
            along[:, : self.columns] = x * (x @ g[: self.columns])[:, None]
            thin = np.concatenate([along @ bread * o[:, None], along * v[:, None]], axis=1)
            sums.add(self.units.stratum_of[place], v * (along @ g), thin)
        return sums
