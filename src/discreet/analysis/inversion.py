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

from ..estimation.results.intervals import quantile
from ..estimation.results.score_law import concatenate_laws, law_of_cells
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
    distribution. Where people were drawn by a design there are none, and t on `df` is used with the `covariance`.
    """

    means: Array
    rows: Array
    counts: Array
    covariance: Array | None
    df: float

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
        covariance = pairs.covariance(rows[own] - means) if pairs.survey.design else None
        return cls(means, rows, counts, covariance, float(pairs.reference.df[0]))

    def ends(self, combinations: Array, confidence: float) -> tuple[Array, Array]:
        """The low and the high end for the mean of each combination of the scores, a row of factors each."""
        if self.covariance is None:
            n, step, z = int(self.counts.sum()), max(1, MAX_SCORES // len(self.rows)), quantile(confidence)
            parts = (combinations[begin : begin + step] for begin in range(0, len(combinations), step))
            laws = concatenate_laws([law_of_cells(n, self.counts, part @ self.rows.T) for part in parts])
            return laws.ends(z)
        variances = np.einsum("ri,ij,rj->r", combinations, self.covariance, combinations)
        middle, reach = combinations @ self.means, quantiles(confidence, self.df) * np.sqrt(np.maximum(variances, 0.0))
        return middle - reach, middle + reach


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
