"""Intervals and p-values of the coefficients of a randomized answer, by inverting the test of a mean score.

The coefficients ``A^-1 b`` of a corrected regression are ratios of mean scores, and where few people hold the answer
what they are divided by is poorly known. But if ``l . b`` is r, and the other coefficients are those that leave every
equation but one at 0, the mean of ``a . (o u - A_i b)`` with ``a = A^-1 l`` is 0 but for chance, whatever small errors
a has. The interval is the set of all r at which the confidence distribution of this mean holds 0.

References: Fieller1954, Neyman1959.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...estimation.results.intervals import check_confidence
from ...estimation.results.score_law import ScoreLaw, law_of_terms, powers_of
from ..inversion import invert
from ..reference_distribution import Array, JointTest, ReferenceDistribution, joint_test, quantiles, two_sided
from ..survey.survey import Survey

FARTHEST = 64.0
"""An end that is farther from the estimate, in standard errors, is infinite."""
MAX_TERMS = 1 << 18
"""The most terms, people times coefficients, whose means are inverted."""
MAX_HELD = 1 << 22
"""The most numbers that are held at a time."""


@dataclass(frozen=True, eq=False)
class InvertedMoments:
    """The terms of every coefficient: `still` where it has its estimate, and `moving` for each unit that it is lower.

    Rows are coefficients and columns people; `extremes` has both for people with any report that they could have sent,
    coefficients by cells, or nothing where these are too many.
    """

    survey: Survey
    estimates: Array
    stderr: Array
    reference: ReferenceDistribution
    still: Array
    moving: Array
    extremes: tuple[Array, Array] | None
    slopes: Array
    """``l . a`` of every coefficient l and every direction a."""
    across: Callable[[int, int], Array]
    """``a . A_i a`` of every person, for the directions of two coefficients."""

    def laws(self, place: int, values: Array) -> ScoreLaw:
        """The confidence distribution of the mean of the terms where one coefficient has each of these values.

        The mean is the estimate less the value.
        """
        gaps, weights, survey = self.estimates[place] - values, self.survey.relative_weights, self.survey
        terms = self.still[place][:, None] + self.moving[place][:, None] * gaps
        cells = terms
        if self.extremes is not None:
            still, moving = (side[place][:, None] for side in self.extremes)
            cells = still + moving * gaps
        own = weights[:, None] * (terms - gaps)
        if survey.design:
            variances = np.array([survey.covariance_of_sum(column[:, None])[0, 0] for column in own.T])
            own = survey.units.sums(own)
        above, below = map(list, powers_of(own))
        law = law_of_terms(float(weights @ weights), gaps, above, below, cells.min(axis=0), cells.max(axis=0))
        return law.rescaled(variances * self.reference.factor[place] ** 2) if survey.design else law

    @cached_property
    def p(self) -> Array:
        """The p-value of each coefficient being 0, two-sided."""
        z = [float(self.laws(place, np.zeros(1)).z_scores()[0]) for place in range(len(self.estimates))]
        return np.asarray(two_sided(np.array(z), self.reference.df))

    def jointly(self, rows: Sequence[int]) -> JointTest:
        """The test that these coefficients are 0: of one by its law, of several by the covariance of all their means.

        If they were 0 and the others left every other equation at 0, the terms would be higher by ``a . A_i a' m``,
        where m is the change of the multipliers that this takes.
        """
        places, survey = list(rows), self.survey
        df = self.reference.df[places]
        if len(places) == 1:
            z = float(self.laws(places[0], np.zeros(1)).z_scores()[0])
            rest = None if math.isinf(df[0]) else float(df[0])
            return JointTest(z**2, 1, float(self.p[places[0]]), rest, "confidence distribution")
        gaps = self.estimates[places]
        change = np.linalg.solve(self.slopes[np.ix_(places, places)], gaps)
        moved = [sum(m * self.across(one, other) for m, other in zip(change, places, strict=True)) for one in places]
        terms = survey.relative_weights * (self.still[places] + np.array(moved) - gaps[:, None])
        factor = self.reference.factor[places]
        spread = survey.covariance_of_sum(terms.T) * np.outer(factor, factor)
        return joint_test(gaps, spread, df, self.reference.design_df, "score")

    def interval(self, confidence: float) -> tuple[Array, Array]:
        """The ends of the interval of each coefficient; infinite where no value is rejected on a side."""
        check_confidence(confidence)
        ends = [self._ends(place, confidence) for place in range(len(self.estimates))]
        low, high = np.array(ends).reshape(-1, 2).T
        return low, high

    def _ends(self, place: int, confidence: float) -> tuple[float, float]:
        estimate, reach = float(self.estimates[place]), FARTHEST * float(self.stderr[place])
        if not (math.isfinite(reach) and reach > 0):
            return -math.inf, math.inf
        z, step = quantiles(confidence, self.reference.df[place]), max(1, MAX_HELD // max(1, self.still.shape[1]))

        def ends(values: Array) -> tuple[Array, Array]:
            parts = [self.laws(place, values[i : i + step]).ends(z) for i in range(0, len(values), step)]
            low, high = (np.concatenate(side) for side in zip(*parts, strict=True))
            return low, high

        low, high = invert(ends, estimate, (estimate - reach, estimate + reach))
        close = reach / 1e4
        return (
            -math.inf if low < estimate - reach + close else low,
            math.inf if high > estimate + reach - close else high,
        )
