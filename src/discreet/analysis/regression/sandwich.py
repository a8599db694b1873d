"""The covariance of a sum over people, from their terms a few at a time, and what coefficients are compared with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...core.errors import InvalidInput
from ..reference_distribution import Array, ReferenceDistribution
from ..survey.degrees_of_freedom import Clusters, People, UnitLaw
from ..survey.sampling import SamplingUnits
from .design_matrix import DesignMatrix, gram

TermsOfRows = Callable[[slice, Array], Array]
"""From the place of some people and their scaled rows to a row of terms each."""

NOTHING = 1e-9
"""A variance by clusters that is a smaller part of that by people is 0 but for rounding."""
TINY = 1e-300
"""Instead of a zero below the line."""
MAX_CLUSTER_SUMS = 1 << 24
"""The most numbers that are held for all clusters."""
MAX_COMBINATIONS = 1 << 30
"""The most combinations of coefficients, times units and squared coefficients, whose law is worked out one by one."""


def sandwich(design: DesignMatrix, bread: Any, terms: TermsOfRows, kind: str | None) -> tuple[Array, Array]:
    """``bread M bread'`` with M for the sum of the terms, and the largest part of each variance that one person makes.

    M is the sum of squares for a `kind` (times ``n / (n - p)`` for HC1), else the covariance as people were drawn. The
    part of a person is that of the terms, or that which all terms of one size would have, if it is larger: whoever
    decides a coefficient alone has a residual of 0.
    """

    def pieces() -> Iterator[tuple[slice, Array, Array, Array]]:
        for place, rows in design.chunks(len(bread)):
            even = design.weights[place, None] * rows
            yield place, even, terms(place, rows), np.ones(len(rows))

    return sandwich_of_pieces(design, bread, pieces(), kind)


def sandwich_of_pieces(
    design: DesignMatrix, bread: Any, pieces: Iterable[tuple[slice, Array, Array, Array]], kind: str | None
) -> tuple[Array, Array]:
    """The same for pieces: their place, what all terms of one size would be, the terms, and how many people have them.

    Only without a design may one row be of several people.
    """
    p = len(bread)
    each, largest, total = np.zeros((p, p)), np.zeros((2, p)), np.zeros((2, p))

    def seen() -> Iterator[tuple[slice, Array]]:
        for place, even, terms, counts in pieces:
            squares = [(even @ bread.T) ** 2 if even.shape[1] == p else np.zeros((1, p)), (terms @ bread.T) ** 2]
            np.maximum(largest, [one.max(axis=0) for one in squares], out=largest)
            np.add(total, [(one * counts[: len(one), None]).sum(axis=0) for one in squares], out=total)
            np.add(each, gram(terms * np.sqrt(counts)[:, None]), out=each)
            yield place, terms

    if kind is None:
        meat = covariance_of_pieces(design.survey.units, seen(), p)
        apart, drawn = (np.diag(bread @ one @ bread.T) for one in (each, meat))
        added = np.diag(np.abs(bread) @ np.abs(each) @ np.abs(bread).T)
        if ((drawn < NOTHING * apart) & (apart > NOTHING * added)).any():  # what is less is left of a sum by rounding
            raise InvalidInput(
                "clusters: everybody who decides one of the coefficients is of one cluster, which tells nothing of "
                "their spread: leave that label out, or the clusters"
            )
    else:
        for _ in seen():
            pass
        meat = each * (design.n / (design.n - p)) if kind == "HC1" else each
    return np.asarray(bread @ meat @ bread.T), (largest / np.maximum(total, TINY)).max(axis=0)


def covariance_of_pieces(units: SamplingUnits, pieces: Iterable[tuple[slice, Array]], width: int) -> Array:
    """`SamplingUnits.covariance` from the terms of some people after the other.

    Only sums of clusters are held, or a matrix where there are none: with f_h = m_h / (m_h - 1) for the m_h people of
    stratum h it is ``sum f_h z z' - sum_h f_h m_h mean_h mean_h'``.
    """
    if not units.unclustered:
        sums = np.zeros((len(units), width))
        for place, terms in pieces:
            np.add.at(sums, units.unit_of[place], terms)
        return units.as_people().covariance(sums)
    square, totals = np.zeros((width, width)), np.zeros((len(units.sizes), width))
    for place, terms in pieces:
        strata = units.stratum_of[place]
        square += gram(terms * np.sqrt(units.factors)[strata, None])
        if len(totals) == 1:
            totals[0] += terms.sum(axis=0)
        else:
            np.add.at(totals, strata, terms)
    return np.asarray(square - totals.T @ (totals * (units.factors / units.sizes)[:, None]))


@dataclass(frozen=True, eq=False)
class RegressionReference:
    """The reference distribution of combinations of coefficients: by the law of the units that people were drawn in.

    `turn` makes coefficients of the columns as given from those of the scaled ones, which the law is of. Without a
    `law` people are alike, or the clusters too many to hold: then it is t on `df`.
    """

    turn: Array
    df: float
    law: UnitLaw | None = None
    units: int = 0

    def reference(self, rows: Array) -> ReferenceDistribution:
        """The reference distribution of ``row . coefficients``, for each row."""
        if self.law is None:
            return ReferenceDistribution.unclustered(len(rows), self.df)
        if self.units * len(self.turn) ** 2 * len(rows) > MAX_COMBINATIONS and len(rows) > len(self.turn):
            least = self.coefficients
            return replace(least, factor=np.full(len(rows), least.factor.max()), df=np.full(len(rows), least.df.min()))
        return self.law.reference(rows @ self.turn)

    @cached_property
    def coefficients(self) -> ReferenceDistribution:
        """The reference distribution of every coefficient."""
        return self.reference(np.eye(len(self.turn)))


def regression_reference(
    design: DesignMatrix,
    turn: Array,
    errors: Array | None = None,
    *,
    answers: int = 0,
    working: tuple[Array, Array] | None = None,
) -> RegressionReference:
    """The reference distribution of a regression with these errors, one a person, on labels and features of the answer.

    Without a design it is the normal one, else that of the law of its units. `working` are the factors of ``x x'`` in
    the bread and in the variance of the sum, w and w**2 unless given. The features of the answer are taken for ones
    that do not go with the labels, which says enough of who decides them.
    """
    p = len(design.formula.names)
    if not design.survey.design:
        return RegressionReference(turn, math.inf)
    units, q = design.survey.units, p + answers
    plain = RegressionReference(turn, max(1.0, units.df - (q - 1)), units=len(units))
    bread, spread = (design.weights, design.weights**2) if working is None else working
    if units.unclustered:

        def pieces() -> Iterator[tuple[slice, Array, Array, Array]]:
            return ((place, rows, bread[place], spread[place]) for place, rows in design.chunks(2 * q))

        return replace(plain, law=People(units, pieces, p, answers))
    if len(units) * q**2 > MAX_CLUSTER_SUMS:
        return plain
    products, squares, sums = (np.zeros((len(units), *shape)) for shape in ((q, q), (q, q), (q,)))
    for place, rows in design.chunks():
        o, v, unit = bread[place], spread[place], units.unit_of[place]
        for a in range(p):
            sums[:, a] += np.bincount(unit, np.sqrt(v) * rows[:, a], minlength=len(units))
            for b in range(a + 1):
                both = rows[:, a] * rows[:, b]
                products[:, a, b] += np.bincount(unit, o * both, minlength=len(units))
                squares[:, a, b] += np.bincount(unit, v * both, minlength=len(units))
    upper, features = np.triu_indices(p, 1), np.arange(p, q)
    for matrices in (products, squares):
        matrices[:, upper[0], upper[1]] = matrices[:, upper[1], upper[0]]
        matrices[:, features, features] = matrices[:, :1, 0]
    within = 0.0 if errors is None else units.correlation(errors)
    return replace(plain, law=Clusters(units, products, squares, sums, within))


def scale_errors(covariance: Array, reference: ReferenceDistribution) -> Array:
    """The covariance with every standard error times its factor."""
    return np.asarray(covariance * np.outer(reference.factor, reference.factor))
