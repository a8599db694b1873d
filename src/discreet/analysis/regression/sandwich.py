"""The covariance of a sum over people, from their terms a few at a time.

The reference distribution of the coefficients of a regression, by the way people were drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...bulk.labelled.columns import codes_of
from ...core.errors import InvalidInput
from ..reference_distribution import ReferenceDistribution
from ..survey.few_clusters import Clusters, within_clusters
from ..survey.sampling import Drawn
from ..survey.survey import Survey
from .design_matrix import Design, squared

Array = NDArray[np.float64]


Terms = Callable[[slice, Array], Array]
"""From the place of some people and their scaled rows to a row of terms each."""

NOTHING = 1e-9
"""A variance by clusters that is a smaller part of that by people is 0 but for rounding."""

TINY = 1e-300
"""Instead of a zero below the line."""


def inverse(matrix: Array) -> Array:
    """The inverse of a matrix."""
    return np.asarray(np.linalg.inv(matrix), dtype=float)


def sandwich(design: Design, bread: Array, terms: Terms, kind: str | None) -> tuple[Array, Array]:
    """``bread M bread'`` with M for the sum of the terms, and the largest part of each variance that one person makes.

    M is the sum of squares for a `kind` (times ``n / (n - p)`` for HC1), else the covariance as people were drawn. The
    part of a person is that of the terms, or that which all terms of one size would have, if it is larger: whoever
    decides a coefficient alone has a residual of 0.
    """
    p = len(bread)
    spread = Spread(design.survey, p) if kind is None else None
    each, largest, even = np.zeros((p, p)), Largest(p), Largest(p)
    for place, rows in design.chunks(p):
        if rows.shape[1] == p:
            even.add(((design.weights[place, None] * rows) @ bread.T) ** 2)
        some = terms(place, rows)
        largest.add((some @ bread.T) ** 2)
        each += squared(some)
        if spread is not None:
            spread.add(place, some)
    meat = each if spread is None else spread.covariance()
    if spread is not None:
        apart, drawn = (np.diag(bread @ one @ bread.T) for one in (each, meat))
        if (drawn < NOTHING * apart).any():
            raise InvalidInput(
                "clusters: everybody who decides one of the coefficients is of one cluster, which tells nothing of "
                "their spread: leave that label out, or the clusters"
            )
    elif kind == "HC1":
        meat = each * (design.n / (design.n - p))
    return np.asarray(bread @ meat @ bread.T), np.maximum(largest.parts(), even.parts())


class Largest:
    """The largest of each column as a part of its sum, from some rows after the other."""

    def __init__(self, width: int) -> None:
        self._most, self._total = np.zeros(width), np.zeros(width)

    def add(self, rows: Array) -> None:
        """Count these rows."""
        self._most = np.maximum(self._most, rows.max(axis=0))
        self._total += rows.sum(axis=0)

    def parts(self) -> Array:
        """The largest of each column over its sum."""
        return np.asarray(self._most / np.maximum(self._total, TINY))


class Spread:
    """The covariance of the sum of one row of terms a person, as `Survey.covariance_of_sum` has it.

    Only sums of clusters are kept, or a matrix where there are none: with f_h = m_h / (m_h - 1) for the m_h clusters
    (or people) of stratum h it is ``sum f_h z z' - sum_h f_h m_h mean_h mean_h'``.
    """

    def __init__(self, survey: Survey, width: int) -> None:
        one = np.broadcast_to(np.int64(0), survey.n)
        strata = one if survey.strata is None else codes_of(survey.strata)[1]
        self._cluster: NDArray[np.int64] | None = None
        self._stratum = strata
        if survey.clusters is not None:
            pairs = np.stack([strata, codes_of(survey.clusters)[1]])
            _, first, cluster = np.unique(pairs, axis=1, return_index=True, return_inverse=True)
            self._cluster, self._stratum = cluster.reshape(-1), strata[first]
            self._sums = np.zeros((len(first), width))
        sizes = np.array([survey.n]) if self._stratum is one else np.bincount(self._stratum)
        if not len(sizes) or (sizes < 2).any():
            raise InvalidInput(
                "a stratum has one cluster, which tells nothing of its own spread: join it to another"
                if survey.strata is not None
                else "one person or cluster tells nothing of the spread: more are needed"
            )
        self._sizes, self._factor = sizes, sizes / (sizes - 1)
        self._square, self._totals = np.zeros((width, width)), np.zeros((len(sizes), width))

    def add(self, place: slice, terms: Array) -> None:
        """Count the terms of the people at this place."""
        if self._cluster is not None:
            np.add.at(self._sums, self._cluster[place], terms)
        else:
            self._add(self._stratum[place], terms)

    def _add(self, strata: NDArray[np.int64], terms: Array) -> None:
        self._square += squared(terms * np.sqrt(self._factor)[strata, None])
        if len(self._sizes) == 1:
            self._totals[0] += terms.sum(axis=0)
        else:
            np.add.at(self._totals, strata, terms)

    def covariance(self) -> Array:
        """The covariance of the sum of all terms that were added."""
        if self._cluster is not None:
            self._add(self._stratum, self._sums)
            self._cluster = None
        return np.asarray(self._square - self._totals.T @ (self._totals * (self._factor / self._sizes)[:, None]))


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
