"""Confidence distributions of what is linear in the scores: coefficients by least squares, and what they predict.

A combination of the coefficients is a sum ``sum c_i s_i`` over people: the weighted mean of the scores of those with c
above 0, times the sum of their c, less that of those with c below 0. Each of the two has the confidence
distribution of a weighted mean, and so has their difference: with two groups for labels that of `compare`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...estimation.results.score_law import ScoreLaw, combine, law_of_terms, scale_law
from ..groups.moments import MechanismQueries, least_variance
from ..reference_distribution import Array, JointTest, ReferenceDistribution, f_test, joint_test
from ..survey.degrees_of_freedom import MANY_DF
from ..survey.survey import Survey
from .design_matrix import DesignMatrix

ROUNDING = 1e-10
"""A smaller part of the largest that a person could have in a combination is 0 but for rounding."""
MAX_PARTS = 1 << 30
"""The most parts of people in combinations that are worked out for one result."""
SIDES = (1.0, -1.0)


def parts_of(design: DesignMatrix, combinations: Array) -> Iterator[tuple[slice, Array, Array]]:
    """The part c of each person in each combination of the scaled coefficients, and the leverage, some at a time."""
    inverse, weights = design.inverse, design.weights
    along = inverse @ combinations.T
    norms = np.sqrt((combinations.T * along).sum(axis=0))
    for place, rows in design.chunks(max(1, len(combinations))):
        lengths = ((rows @ inverse) * rows).sum(axis=1)
        parts = weights[place, None] * (rows @ along)
        parts[np.abs(parts) <= ROUNDING * (weights[place] * np.sqrt(lengths))[:, None] * norms] = 0.0
        yield place, parts, weights[place] * lengths


@dataclass(frozen=True, eq=False)
class Leverages:
    """What tells the law of the variance of any combination of coefficients where people were not drawn by a design."""

    design: DesignMatrix

    def reference(self, contrasts: Array) -> ReferenceDistribution:
        """The reference distribution of each combination of the scaled coefficients, a row each.

        Residuals vary less than errors by ``1 - h``, h the leverage, where those about a weighted mean vary less by
        ``1 - a``, a the part of a person in it: that much the pseudo-reports allow for, so that the factor of the
        standard error is the root of ``sum c**2 / sum c**2 min(1, (1 - h) / (1 - a))``. In the same way the degrees of
        freedom d are those of people who count unequally: ``1 / d`` is ``sum c**4 / (sum c**2)**2`` less what it would
        be if people of one side counted equally. Among groups the factor is 1, and d infinite (Bell2002, Imbens2016).
        """
        size = len(contrasts)
        totals, counts = np.zeros((2, 2, size))
        for _, parts, _ in parts_of(self.design, contrasts):
            for side, sign in enumerate(SIDES):
                own = sign * parts
                totals[side] += np.maximum(own, 0.0).sum(axis=0)
                counts[side] += (own > 0).sum(axis=0)
        squares, fourths, left = np.zeros((3, size))
        for _, parts, leverage in parts_of(self.design, contrasts):
            own = parts**2
            share = np.abs(parts) / np.where(parts > 0, totals[0], np.where(totals[1] > 0, totals[1], 1.0))
            room = np.maximum(1 - share, np.finfo(float).tiny)
            squares, fourths = squares + own.sum(axis=0), fourths + (own**2).sum(axis=0)
            left += (own * np.minimum(1.0, np.maximum(1 - leverage, 0.0)[:, None] / room)).sum(axis=0)
        people = np.maximum(counts, 1.0)
        even = (totals**4 / people**3).sum(axis=0) / (totals**2 / people).sum(axis=0) ** 2
        uneven = fourths / squares**2 - even
        df = np.where(uneven * MANY_DF > 1, 1 / np.maximum(uneven, 1 / MANY_DF), math.inf)
        factor = np.sqrt(squares / np.where(left > 0, left, squares))
        return ReferenceDistribution(
            factor, np.maximum(df, 1.0), float(max(1, self.design.n - len(self.design.inverse)))
        )


@dataclass(frozen=True, eq=False)
class LinearLaws:
    """The confidence distributions of combinations of coefficients, from the scores and the scaled coefficients.

    `turn` makes coefficients of the columns as given from those of the scaled ones, and no score of a report is below
    `least` or above `most`.
    """

    design: DesignMatrix
    scores: Array
    coefficients: Array
    turn: Array
    least: float
    most: float

    @classmethod
    def of(cls, design: DesignMatrix, query: Array, scores: Array, coefficients: Array) -> LinearLaws:
        """Those of the regression of a query on labels."""
        return cls(design, scores, coefficients, design.unscaling, *score_range(design.survey, query))

    def affordable(self, combinations: int) -> bool:
        """Whether so many of them are worked out in a reasonable time."""
        return self.design.n * combinations <= MAX_PARTS

    def laws(self, rows: Array, variances: Array) -> ScoreLaw:
        """The confidence distribution of ``row . coefficients`` for each row, with these variances.

        On each side of 0 the mean has the terms ``c_i e_i / sum c`` with the residuals e, summed in the units that
        were drawn, and pseudo-reports of the weight ``sum c**2 / (sum c)**2``.
        """
        totals, means, squares, above, below = self._sides(rows @ self.turn)
        laws = []
        for side, sign in enumerate(SIDES):
            total = np.where(totals[side] > 0, totals[side], 1.0)
            weight = squares[side] / total**2
            up, down = (
                [sums / total**power for sums, power in zip(own[side], (2, 3), strict=True)] for own in (above, below)
            )
            ends = np.full(len(rows), self.least), np.full(len(rows), self.most)
            mean = np.where(totals[side] > 0, means[side] / total, self.least)
            laws.append(scale_law(law_of_terms(weight, mean, up, down, *ends), sign * totals[side]))
        whole = combine([(1.0, law) for law in laws])
        value = rows @ (self.turn @ self.coefficients)
        low, high = whole.limits
        limits = np.minimum(low, value), np.maximum(high, value)
        return replace(whole, value=value, limits=limits).rescaled(variances)

    @property
    def told(self) -> bool:
        """Whether the reports differ at all; if not, errors are those of rounding."""
        return float(np.ptp(self.scores)) > ROUNDING * (self.most - self.least)

    def jointly(self, rows: Array) -> JointTest:
        """The score test that ``row . coefficients`` is 0 for all of these rows.

        Its errors are those of least squares in which they are 0, with the residuals e there: the larger of ``sum c c'
        e**2`` and of what it is if all people vary alike, as `compare` takes it. With the residuals of the fit itself,
        or with the first of the two alone, small samples reject too often.
        """
        combinations, away, null = self._without(rows)
        spread, even = np.zeros((2, len(rows), len(rows)))
        variance = 0.0
        for (place, parts, _), (_, columns) in zip(
            parts_of(self.design, combinations), self.design.chunks(max(1, len(rows))), strict=True
        ):
            errors = self.scores[place] - columns @ null
            own = parts * errors[:, None]
            spread, even = spread + own.T @ own, even + parts.T @ parts
            variance += float(errors @ errors) / self.design.n
        tests = [joint_test(away, covariance, method="score") for covariance in (spread, variance * even)]
        return min(tests, key=lambda test: test.statistic)

    def alike(self, rows: Array, rest: float) -> JointTest:
        """The same under a design, by the covariance if all people vary alike and those of a cluster go together.

        The statistic is compared with F, with `rest` degrees of freedom for the errors.
        """
        combinations, away, null = self._without(rows)
        pieces = zip(parts_of(self.design, combinations), self.design.chunks(max(1, len(rows))), strict=True)
        errors, parts = (
            np.concatenate(side)
            for side in zip(
                *((self.scores[place] - columns @ null, own) for (place, own, _), (_, columns) in pieces), strict=True
            )
        )
        among, spread = self.design.survey.units.alike(errors[:, None], parts)
        statistic = joint_test(away, among * spread[0, 0]).statistic
        return f_test(statistic, len(rows), rest)

    def _without(self, rows: Array) -> tuple[Array, Array, Array]:
        """The combinations of scaled coefficients, their estimates, and the coefficients with which they are 0."""
        combinations = rows @ self.turn
        away, along = combinations @ self.coefficients, self.design.inverse @ combinations.T
        return combinations, away, self.coefficients - along @ np.linalg.solve(combinations @ along, away)

    def _sides(self, combinations: Array) -> tuple[Array, Array, Array, Array, Array]:
        """By side and combination: the sums of c, c times what is fitted, c squared, and of powers of terms."""
        size, units = len(combinations), self.design.survey.units if self.design.survey.clusters is not None else None
        totals, means, squares = np.zeros((3, 2, size))
        above, below = np.zeros((2, 2, 2, size))
        clustered = None if units is None else np.zeros((2, len(units), size))
        for (place, parts, _), (_, rows) in zip(
            parts_of(self.design, combinations), self.design.chunks(max(1, size)), strict=True
        ):
            fitted = rows @ self.coefficients
            errors = self.scores[place] - fitted
            for side, sign in enumerate(SIDES):
                own = np.maximum(sign * parts, 0.0)
                totals[side] += own.sum(axis=0)
                means[side] += fitted @ own
                squares[side] += (own**2).sum(axis=0)
                if units is not None and clustered is not None:
                    np.add.at(clustered[side], units.unit_of[place], own * errors[:, None])
                    continue
                for sums, away in ((above, np.maximum(errors, 0.0)), (below, np.maximum(-errors, 0.0))):
                    sums[side] += away**2 @ own**2, away**3 @ own**3
        if clustered is not None:
            for sums, sign in zip((above, below), SIDES, strict=True):
                away = np.maximum(sign * clustered, 0.0)
                sums[:, 0], sums[:, 1] = (away**2).sum(axis=1), (away**3).sum(axis=1)
        return totals, means, squares, above, below


def score_range(survey: Survey, query: Array) -> tuple[float, float]:
    """The least and the largest score of a report of a survey under a calibrated query."""
    ends = [MechanismQueries(wave.mechanism, query[None]).extremes() for wave in survey.waves]
    return min(float(least[0]) for least, _ in ends), max(float(most[0]) for _, most in ends)


def working_variance(design: DesignMatrix, errors: Array) -> Array:
    """The variance of each person's error, fitted to the squared errors by the same columns; never next to nothing.

    With groups for labels it is that of each group, as `compare` takes it.
    """
    columns = len(design.formula.names)
    gram, right = np.zeros((columns, columns)), np.zeros(columns)
    for place, rows in design.chunks():
        gram, right = gram + rows.T @ rows, right + rows.T @ errors[place] ** 2
    b = np.linalg.lstsq(gram, right, rcond=None)[0]
    fitted = np.concatenate([rows @ b for _, rows in design.chunks()])
    return np.asarray(np.maximum(fitted, least_variance(errors)))
