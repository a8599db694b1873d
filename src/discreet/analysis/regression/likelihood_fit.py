"""The coefficients where a likelihood is largest, with their covariance and their tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..reference_distribution import Array, Codes, JointTest
from .firth import Likelihood, Penalised
from .maximum import maximise
from .sandwich import sandwich_of_pieces
from .score_tests import ScoreTests, inverse_of, unknown_of


@dataclass(frozen=True, eq=False)
class LikelihoodFit:
    """Coefficients of the scaled columns in one row, their covariance, and the tests of any combination of them.

    `infinite` marks those with no finite maximum: they stay where they were left, and have no covariance. `carried` is
    the largest part of each coefficient's variance that one person makes.
    """

    coefficients: Array
    covariance: Array
    carried: Array
    log_likelihood: float
    infinite: NDArray[np.bool_]
    converged: bool
    tests: ScoreTests


def fit_likelihood(
    likelihood: Likelihood, start: Array, groups: Codes, *, kind: str | None = None, penalty: str | None = None
) -> LikelihoodFit:
    """The maximum of a likelihood, from `start`, with Firth's penalty if that is wanted.

    The covariance is the inverse of the observed information H (the expected one where that is not positive definite,
    and with the penalty), or ``H^-1 M H^-1`` for a `kind` of sandwich without a penalty, or where people were drawn
    with weights, clusters or strata. Coefficients of a group are infinite together.
    """
    best, converged = maximise(likelihood, likelihood.at(start))
    tests, design, weights = ScoreTests(likelihood, best), likelihood.cells.design, likelihood.cells.weights
    value = best.value * likelihood.cells.unit
    size, here = likelihood.size, best
    infinite = np.zeros(size, dtype=bool)
    if penalty is not None:
        here, converged = maximise(Penalised(likelihood), Penalised(likelihood).at(start))
        information = likelihood.expected(here.b, weights)
        value = likelihood.value(here.b) * likelihood.cells.unit
    else:
        information = best.complete - best.left
        infinite = np.isin(groups, groups[unknown_of(information, np.eye(size))])
    free = ~infinite
    own = information[np.ix_(free, free)]
    if free.any() and np.linalg.eigvalsh(own)[0] <= 0:
        own = likelihood.expected(here.b, weights)[np.ix_(free, free)]
    covariance, carried = np.full((size, size), np.nan), np.zeros(size)
    if converged and free.any():
        covariance[np.ix_(free, free)] = bread = inverse_of(own)
        if design.survey.design or (kind is not None and penalty is None):

            def pieces() -> Iterator[tuple[slice, Array, Array, Array]]:
                apart = bool(design.survey.design)
                for place, terms in likelihood.terms(here.b):
                    counts = weights[place]
                    some = (terms * counts[:, None] if apart else terms)[:, free]
                    yield place, likelihood.evenly(place), some, np.ones(len(some)) if apart else counts

            covariance[np.ix_(free, free)], carried[free] = sandwich_of_pieces(design, bread, pieces(), kind)
    return LikelihoodFit(here.b, covariance, carried, value, infinite, converged, tests)


@dataclass(frozen=True, eq=False)
class CoefficientTests:
    """Tests and intervals of coefficients, each a combination ``turn @ b`` of those of the scaled columns."""

    tests: ScoreTests
    turn: Array
    _ends: dict[float, tuple[Array, Array]] = field(default_factory=dict)

    @property
    def affordable(self) -> bool:
        """Whether all of their intervals and p-values take a reasonable time."""
        return self.tests.affordable(len(self.turn))

    def combined(self, rows: Array) -> CoefficientTests:
        """The tests of combinations of these coefficients, a row of factors each."""
        return CoefficientTests(self.tests, rows @ self.turn)

    @cached_property
    def both(self) -> Array:
        """The p-value of each coefficient being 0, and the degrees of freedom that it is on."""
        return np.array([self.tests.p(row) for row in self.turn]).reshape(-1, 2).T

    def interval(self, confidence: float) -> tuple[Array, Array]:
        """The ends of the interval of each coefficient."""
        if confidence not in self._ends:
            low, high = np.array([self.tests.interval(row, confidence) for row in self.turn]).reshape(-1, 2).T
            self._ends[confidence] = low, high
        return self._ends[confidence]

    def jointly(self, places: list[int]) -> JointTest:
        """The test that the coefficients in these places are 0 together."""
        return self.tests.jointly(self.turn[places])
