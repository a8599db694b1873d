"""Intervals by inverting tests: the parameters at which a mean score that is 0 at the truth may well be 0.

A share among some people is a ratio of two mean scores, a correlation one of moments. Where what they are divided by is
poorly known, the estimate and so many standard errors mislead. But for every r that a ratio could be, there is a score
whose mean is 0 if that is what it is; the interval is the set of all r at which the confidence distribution of this
mean holds 0. If the divisor cannot be told from 0 it is the whole range.

References: Fieller1954.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..estimation.results.score_law import ScoreLaw, concatenate_laws, law_of_cells, law_of_terms, powers_of
from .reference_distribution import Array, Codes, quantiles

if TYPE_CHECKING:
    from .tables.paired_answers import PairedAnswers

POINTS, ROUNDS = 65, 4
"""How many parameters are tried at a time, and how often the step with an end in it is divided again."""
DIGITS = 11
"""Scores that agree in so many decimals are the same."""
MAX_ROWS = 1 << 14
"""The most pairs of different scores that are held with those that nobody has."""
MAX_SCORES = 1 << 22
"""The most scores that are computed at a time."""


@dataclass(frozen=True, eq=False)
class ScoreMeans:
    """The means of several scores of each person, and how far any combination of them can be from its truth.

    `rows` are the scores that a person may have and `counts` how many do, by which combinations have a confidence
    distribution. Where people were drawn by a design it is that of `units`, the sums of weighted scores less their
    means in each unit that was drawn, with the errors of `covariance`, t on `df` and, as `weight`, the sum of squared
    weights.
    """

    means: Array
    rows: Array
    counts: Array
    covariance: Array | None
    df: float
    units: Array | None = None
    weight: float = 0.0

    @classmethod
    def of(cls, pairs: PairedAnswers, queries: Sequence[tuple[Array, Array]]) -> ScoreMeans:
        """The means of ``f(x) g(z)`` over people who hold x and z, for each pair of weights f and g."""
        first, second = (np.stack(weights, axis=1) for weights in zip(*queries, strict=True))
        if len(pairs.tables) == 1:
            ((table, own),) = pairs.tables
            rows = table @ (first[:, None, :] * second).reshape(-1, len(queries))
        else:
            (left, numbers), (right, others) = pairs.tables
            one, row = _distinct(left @ first, numbers)
            two, column = _distinct(right @ second, others)
            own, size = row * len(two) + column, len(one) * len(two)
            if size <= MAX_ROWS:
                kept = np.arange(size)
            else:
                kept, codes = np.unique(own, return_inverse=True)
                own = np.asarray(codes.reshape(-1), dtype=np.int64)
            rows = one[kept // len(two)] * two[kept % len(two)]
        means = np.bincount(own, pairs.weights, len(rows)) @ rows
        counts = np.bincount(own, minlength=len(rows)).astype(float)
        df = float(pairs.reference.df[0])
        if not pairs.survey.design:
            return cls(means, rows, counts, None, df)
        apart, w = rows[own] - means, pairs.weights
        units = pairs.survey.units.sums(w[:, None] * apart)
        return cls(means, rows, counts, pairs.covariance(apart), df, units, float(w @ w))

    def ends(self, combinations: Array, confidence: float) -> tuple[Array, Array]:
        """The low and the high end for the mean of each combination of the scores, a row of factors each."""
        step = max(1, MAX_SCORES // max(len(self.rows), 0 if self.units is None else len(self.units)))
        parts = (combinations[begin : begin + step] for begin in range(0, len(combinations), step))
        laws = concatenate_laws([self._law(part) for part in parts])
        return laws.ends(quantiles(confidence, self.df))

    def _law(self, combinations: Array) -> ScoreLaw:
        """The confidence distribution of the mean of each combination."""
        scores = combinations @ self.rows.T
        if self.units is None or self.covariance is None:
            return law_of_cells(int(self.counts.sum()), self.counts, scores)
        above, below = powers_of(self.units @ combinations.T)
        ends, value = (scores.min(axis=1), scores.max(axis=1)), combinations @ self.means
        variances = np.einsum("ri,ij,rj->r", combinations, self.covariance, combinations)
        return law_of_terms(self.weight, value, list(above), list(below), *ends).rescaled(variances)


def _distinct(scores: Array, numbers: Codes) -> tuple[Array, Codes]:
    """The different rows of scores, and that of each person."""
    rows, own = np.unique(np.round(scores, DIGITS), axis=0, return_inverse=True)
    return rows, np.asarray(own.reshape(-1)[numbers], dtype=np.int64)


def invert(
    ends: Callable[[Array], tuple[Array, Array]], estimate: float, limits: tuple[float, float]
) -> tuple[float, float]:
    """The least and the largest parameter within limits at which the ends hold 0; an estimate beyond them is held too.

    Parameters are tried from each limit to the estimate, and then finer before the first whose ends hold 0.
    """
    low, high = limits
    rejected, held = np.array([min(low, estimate), max(high, estimate)]), np.array([estimate, estimate])
    sides = np.arange(2)
    for _ in range(ROUNDS):
        tried = np.linspace(rejected, held, POINTS, axis=1)
        down, up = (end.reshape(tried.shape) for end in ends(tried.reshape(-1)))
        accepted = (down <= 0) & (up >= 0)
        accepted[:, -1] = True
        first = np.argmax(accepted, axis=1)
        rejected, held = tried[sides, np.maximum(first - 1, 0)], tried[sides, first]
    down, up = np.clip(rejected, low, high).tolist()
    return min(down, estimate), max(up, estimate)
