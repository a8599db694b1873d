"""The correlation of a public number with a randomized answer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..groups.moments import mean_reference
from ..reference_distribution import quantiles
from ..result import CONFIDENCE
from ..survey.survey import Survey

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Correlation:
    """A correlation with its standard error; the estimate may pass 1, and is nan where no spread of answers is seen.

    `df` are the degrees of freedom of the error, infinite where people were not drawn by a design.
    """

    estimate: float
    stderr: float
    df: float = math.inf

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """The ends of its interval, by t, or the normal distribution where `df` is infinite."""
        reach = float(quantiles(confidence, self.df)) * self.stderr
        return self.estimate - reach, self.estimate + reach

    def __str__(self) -> str:
        if math.isnan(self.estimate):
            return "no correlation: the reports are too few to show that answers differ at all"
        return f"correlation of outcome and answer: {self.estimate:.4f}, stderr {self.stderr:.4f}"


def correlation_of(survey: Survey, weights: Array, outcome: Array) -> Correlation:
    """``cov(s, o) / sqrt(v_s v_o)``, with the scores s of the weights and the variance v_s of the weights people hold.

    v_s is the mean score of the squared weights less the squared mean score: the scores themselves vary far more. The
    standard error is that of the linearised estimate.
    """
    w = np.full(survey.n, 1 / survey.n) if survey.weights is None else survey.weights / survey.weights.sum()
    centre = float(weights.mean())
    s, square = survey.scores(weights - centre), survey.scores((weights - centre) ** 2)
    away, apart = s - w @ s, outcome - w @ outcome
    joint, spread, own = w @ (away * apart), w @ square - (w @ s) ** 2, w @ apart**2
    if spread <= 0:
        return Correlation(math.nan, math.nan)
    found = float(joint / math.sqrt(spread * own))
    bend = (square - w @ square - 2 * (w @ s) * away) / spread + (apart**2 - own) / own
    terms = w * ((away * apart - joint) / math.sqrt(spread * own) - found / 2 * bend)
    reference = mean_reference(survey)
    error = math.sqrt(float(survey.covariance_of_sum(terms[:, None])[0, 0])) * float(reference.factor[0])
    return Correlation(found, error, float(reference.df[0]))
