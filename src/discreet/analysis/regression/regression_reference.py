"""The reference distribution of the coefficients of a regression, by the way people were drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...bulk.labelled.columns import codes_of
from ..reference_distribution import ReferenceDistribution
from ..survey.few_clusters import Clusters, within_clusters
from ..survey.sampling import Drawn
from .design_matrix import Design

Array = NDArray[np.float64]

MAX_CLUSTER_SUMS = 1 << 24
"""The most numbers that are held for all clusters."""
MAX_MULTIPLICATIONS = 1 << 30
"""The most multiplications for many combinations of coefficients."""


@dataclass(frozen=True, eq=False)
class RegressionReference:
    """The reference distribution of combinations of coefficients: by `clusters` where they are known, else t on `df`.

    `turn` makes coefficients of the columns as given from those of the scaled ones, which the clusters are of.
    """

    turn: Array
    df: float
    clusters: Clusters | None = None

    def reference(self, rows: Array) -> ReferenceDistribution:
        """That of ``row . coefficients``, for each row."""
        if self.clusters is None:
            return ReferenceDistribution.even(len(rows), self.df)
        if self.clusters.products.size * len(rows) > MAX_MULTIPLICATIONS:
            least = self.coefficients
            return replace(least, factor=np.full(len(rows), least.factor.max()), df=np.full(len(rows), least.df.min()))
        return self.clusters.reference(rows @ self.turn)

    @property
    def coefficients(self) -> ReferenceDistribution:
        """That of every coefficient."""
        return self.reference(np.eye(len(self.turn)))


def regression_reference(
    design: Design, turn: Array, errors: Array | None = None, *, answers: int = 0
) -> RegressionReference:
    """The reference distribution of a regression with these errors, one a person, on labels and features of the answer.

    Without a design it is the normal one, and without clusters t on units less strata less what the labels take. The
    features of the answer are taken for ones that do not go with the labels, which says enough of who decides them.
    """
    survey, p = design.survey, len(design.formula.names)
    if survey.weights is None and survey.clusters is None and survey.strata is None:
        return RegressionReference(turn, math.inf)
    clusters, strata = (None if one is None else codes_of(one)[1] for one in (survey.clusters, survey.strata))
    drawn = Drawn(survey.n, clusters, strata)
    plain = RegressionReference(turn, max(1.0, drawn.df - (p + answers - 1)))
    if drawn.alone or drawn.units * (p + answers) ** 2 > MAX_CLUSTER_SUMS:
        return plain
    products, squares, sums = (np.zeros((drawn.units, *shape)) for shape in ((p, p), (p, p), (p,)))
    for place, rows in design.chunks():
        w, unit = design.weights[place], drawn.unit_of[place]
        for a in range(p):
            sums[:, a] += np.bincount(unit, w * rows[:, a], minlength=drawn.units)
            for b in range(a + 1):
                both = w * rows[:, a] * rows[:, b]
                products[:, a, b] += np.bincount(unit, both, minlength=drawn.units)
                squares[:, a, b] += np.bincount(unit, w * both, minlength=drawn.units)
    for found in (products, squares):
        upper = np.triu_indices(p, 1)
        found[:, upper[0], upper[1]] = found[:, upper[1], upper[0]]
    if answers:
        products, squares = (
            _beside(found, found[:, 0, 0][:, None, None] * np.eye(answers)) for found in (products, squares)
        )
        sums = np.pad(sums, ((0, 0), (0, answers)))
    within = 0.0 if errors is None else within_clusters(drawn, errors)
    return replace(plain, clusters=Clusters(products, squares, sums, drawn.layer_of, within))


def _beside(first: Array, second: Array) -> Array:
    """Matrices with those of both along the diagonal."""
    p, q = first.shape[-1], second.shape[-1]
    found = np.zeros((len(first), p + q, p + q))
    found[:, :p, :p], found[:, p:, p:] = first, second
    return found


def corrected(covariance: Array, reference: ReferenceDistribution) -> Array:
    """The covariance with every standard error times its factor."""
    return np.asarray(covariance * np.outer(reference.factor, reference.factor))
