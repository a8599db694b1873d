"""Intervals of the shares that a multinomial logit predicts, by score tests of one value against all others.

At the maximum of the likelihood no share is below 0, and where some would be, the others are drawn away from the truth
with them: tests by the likelihood of all values cover the largest share in as few as 8 of 10 surveys. The scores of one
value are unbiased whatever the others do. If ``log-odds of z = b_z c``, those of x against all others together are
``b c - log(sum over z != x of exp(b_z c))``: a logit of the event, of which all but b is as it was fitted, to second
order without effect, and none at all where labels are groups. Intervals are then those of `regress` with the logit
link.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from ..reference_distribution import Array
from .likelihood_fit import CoefficientTests, fit_likelihood
from .score_fits import quasi_likelihood
from .score_tests import ScoreTests

if TYPE_CHECKING:
    from .multinomial import Multinomial


@dataclass(frozen=True, eq=False)
class Event:
    """Holding one value: the tests of its log-odds, and the log-odds of the others, a row of coefficients each."""

    tests: ScoreTests
    others: Array

    @classmethod
    def of(cls, model: Multinomial, number: int) -> Event:
        """That of holding the value of this number in the order of the model."""
        design, survey = model.design, model.design.survey
        scaled = np.linalg.solve(design.unscaling, np.concatenate([np.zeros((1, len(model.names))), model.matrix]).T).T
        others = np.delete(scaled, number, axis=0)
        event = np.zeros(len(survey.values))
        event[survey.values.number_of(model.values[number])] = 1.0
        offset = np.concatenate([logsumexp(rows @ others.T, axis=1) for _, rows in design.chunks(len(others))])
        likelihood = quasi_likelihood(design, survey.scores(event), event, offset)
        fit = fit_likelihood(likelihood, scaled[number], np.zeros(likelihood.size, dtype=int))
        return cls(fit.tests, others)

    def interval(self, rows: Array, confidence: float) -> tuple[Array, Array]:
        """The ends of the interval of the log-odds at these scaled rows of labels."""
        low, high = CoefficientTests(self.tests, rows).interval(confidence)
        offset = logsumexp(rows @ self.others.T, axis=1)
        return low - offset, high - offset


@dataclass(frozen=True, eq=False)
class ShareTests:
    """The intervals of the log-odds of all values against all others, for people with these labels, a row each."""

    model: Multinomial
    rows: Array

    @property
    def affordable(self) -> bool:
        """Whether all of them take a reasonable time."""
        return self.model.event_of(0).tests.affordable(len(self.rows) * len(self.model.values))

    def interval(self, confidence: float) -> tuple[Array, Array]:
        """The ends of the interval of each, all values of one row after the other."""
        rows = self.rows @ self.model.design.unscaling
        ends = [self.model.event_of(x).interval(rows, confidence) for x in range(len(self.model.values))]
        low, high = (np.stack(side, axis=1).reshape(-1) for side in zip(*ends, strict=True))
        return low, high
