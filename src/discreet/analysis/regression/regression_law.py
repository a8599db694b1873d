"""The law that the coefficients of a regression are held against, by the way people were drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...bulk.labelled.columns import codes_of
from ..survey.few_clusters import Clusters, Law, within_clusters
from ..survey.sampling import Drawn
from .design_matrix import Design

Array = NDArray[np.float64]

MOST = 1 << 24
"""The most numbers that are held for all clusters."""
WORK = 1 << 30
"""The most multiplications for the laws of many combinations of coefficients."""


@dataclass(frozen=True, eq=False)
class RegressionLaw:
    """The law of combinations of coefficients: that of `clusters` where these are known, else t on `freedom`.

    `turn` makes coefficients of the columns as given from those of the scaled ones, which the clusters are of.
    """

    turn: Array
    freedom: float
    clusters: Clusters | None = None

    def law(self, rows: Array) -> Law:
        """The law of ``row . coefficients``, for each row."""
        if self.clusters is None:
            return Law.even(len(rows), self.freedom)
        if self.clusters.products.size * len(rows) > WORK:
            least = self.coefficients
            return replace(
                least, factor=np.full(len(rows), least.factor.max()), freedom=np.full(len(rows), least.freedom.min())
            )
        return self.clusters.law(rows @ self.turn)

    @property
    def coefficients(self) -> Law:
        """The law of every coefficient."""
        return self.law(np.eye(len(self.turn)))


def regression_law(design: Design, turn: Array, errors: Array | None = None, *, answers: int = 0) -> RegressionLaw:
    """The law of a regression with these errors, one a person, after the labels on so many features of the answer.

    Without a design it is the normal one, and without clusters t on units less strata less what the labels take. The
    features of the answer are taken for ones that do not go with the labels, which says enough of who decides them.
    """
    survey, p = design.survey, len(design.formula.names)
    if survey.weights is None and survey.clusters is None and survey.strata is None:
        return RegressionLaw(turn, math.inf)
    clusters, strata = (None if one is None else codes_of(one)[1] for one in (survey.clusters, survey.strata))
    drawn = Drawn(survey.n, clusters, strata)
    plain = RegressionLaw(turn, max(1.0, drawn.freedom - (p + answers - 1)))
    if drawn.alone or drawn.units * (p + answers) ** 2 > MOST:
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


def corrected(covariance: Array, law: Law) -> Array:
    """The covariance with every standard error times its factor."""
    return np.asarray(covariance * np.outer(law.factor, law.factor))
