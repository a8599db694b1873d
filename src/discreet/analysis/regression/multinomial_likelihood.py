"""The likelihood of reports under a multinomial logit of the values, and its maximum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput
from ...mechanisms.mechanism import Mechanism
from ..reference_distribution import Array, Codes
from .design_matrix import DesignMatrix, gram
from .sandwich import sandwich

MAX_STEPS = 200
MAX_HALVINGS = 40
MIN_GAIN = 1e-10
"""The gain that a step promises below which the maximum is reached."""
MIN_GAIN_PART = 1e-4
"""The part of the promised gain that a step must bring."""
MAX_REPORTS = 4096
"""The most different reports whose probabilities are worked out exactly."""
MAX_SCALED = 10.0
"""A coefficient of a scaled column beyond this is taken for one that has no finite value."""


@dataclass(frozen=True, eq=False)
class Answers:
    """How likely each report is under each value, in an order: a table of different columns, and each report's.

    Columns are scaled to a largest entry of 1; `constant` is what that took from the log-likelihood, and `complete`
    tells whether it is known.
    """

    table: Array
    column_of: Codes
    constant: float
    complete: bool

    def at(self, place: slice) -> Array:
        """How likely the reports at this place are under each value, a column a report."""
        return self.table[:, self.column_of[place]]


@dataclass(frozen=True, eq=False)
class Maximum:
    """The coefficients (k-1) x p of the scaled columns where the likelihood is largest, and their covariance.

    `infinite` marks the values whose coefficients have no finite maximum: they stay where they were left.
    """

    coefficients: Array
    covariance: Array
    log_likelihood: float
    infinite: NDArray[np.bool_]
    converged: bool


def answers_of(design: DesignMatrix, order: Codes) -> Answers:
    """The likelihoods of a survey's reports, their columns in this order of values; once for every different report."""
    logs = list[Array | None]()

    def likelihoods(mechanism: Mechanism, reports: NDArray[Any]) -> Array:
        table = np.asarray(mechanism.columns(reports))[:, order]
        logs.append(_log_largest(mechanism, reports, order[table.argmax(axis=1)]))
        return np.asarray(table / table.max(axis=1, keepdims=True))

    table, column_of = design.survey.by_distinct_report(likelihoods)
    known = [log for log in logs if log is not None]
    complete = len(known) == len(logs)
    weights = np.bincount(column_of, design.weights, minlength=len(table))
    constant = float(weights @ np.concatenate(known)) if complete else 0.0
    return Answers(np.ascontiguousarray(table.T), column_of, constant, complete)


def _log_largest(mechanism: Mechanism, reports: NDArray[Any], likeliest: Codes) -> Array | None:
    """The logarithm of the probability of each report under the value that it is likeliest from; None for too many."""
    if len(reports) > MAX_REPORTS:
        return None
    words = reports[:, None] if reports.ndim == 1 else reports
    numbers = [sum(int(word) << 64 * place for place, word in enumerate(row)) for row in words]
    pairs = zip(likeliest.tolist(), numbers, strict=True)
    try:
        chances = [mechanism.sampler.probability(x, y) for x, y in pairs]
        return np.array([math.log(one.numerator) - math.log(one.denominator) for one in chances])
    except InvalidInput:  # sets too large for their probability to be written out
        return None


def _chances(columns: Array, likely: Array, b: Array) -> tuple[Array, Array, Array]:
    """The shares of values among these people, how likely each report is, and each value given it; a column each."""
    logits = np.zeros((len(b) + 1, columns.shape[1]))
    np.matmul(b, columns, out=logits[1:])
    logits -= logits.max(axis=0)
    shares = np.exp(logits, out=logits)
    shares /= shares.sum(axis=0)
    given = shares * likely
    chance = given.sum(axis=0)
    given /= chance
    return shares, chance, given


def _log_likelihood(design: DesignMatrix, answers: Answers, b: Array) -> float:
    total = answers.constant
    with np.errstate(all="ignore"):
        for place, rows in design.chunks(b.size):
            chance = _chances(np.ascontiguousarray(rows.T), answers.at(place), b)[1]
            total += float(design.weights[place] @ np.log(chance))
    return total if math.isfinite(total) else -math.inf


class Point(NamedTuple):
    """The log-likelihood at some coefficients, its gradient, and two parts of the information.

    The observed information is the first less the second (Louis1982): with the shares pi and the chances r of the
    values given the report, ``sum w (diag pi - pi pi') (x) x x'`` and ``sum w (diag r - r r') (x) x x'``.
    """

    b: Array
    log_likelihood: float
    gradient: Array
    complete: Array
    left: Array


def point(design: DesignMatrix, answers: Answers, b: Array) -> Point:
    """The log-likelihood and its derivatives at these coefficients."""
    total, gradient = answers.constant, np.zeros_like(b)
    complete, left = np.zeros((b.size, b.size)), np.zeros((b.size, b.size))
    with np.errstate(all="ignore"):
        for place, rows in design.chunks(b.size):
            columns, weights = np.ascontiguousarray(rows.T), design.weights[place]
            shares, chance, given = _chances(columns, answers.at(place), b)
            total += float(weights @ np.log(chance))
            gradient += ((given - shares)[1:] * weights) @ rows
            for matrix, chances in ((complete, shares), (left, given)):
                _add_information(matrix, chances[1:], columns, weights)
    return Point(b, total if math.isfinite(total) else -math.inf, gradient, complete, left)


def _add_information(matrix: Array, chances: Array, columns: Array, weights: Array) -> None:
    """Add ``sum w (diag q - q q') (x) x x'`` for the chances q."""
    (k, n), p = chances.shape, len(columns)
    squares = (columns[:, None] * columns).reshape(p * p, n)
    blocks = ((chances * weights) @ squares.T).reshape(k, p, p)
    spread = ((chances * np.sqrt(weights))[:, None] * columns).reshape(k * p, n)
    matrix -= gram(spread.T)
    by_value = matrix.reshape(k, p, k, p)
    for value in range(k):
        by_value[value, :, value, :] += blocks[value]


def _step(gradient: Array, complete: Array, left: Array) -> Array:
    """The step ``(H + mu C)^-1 gradient`` with the smallest mu from 0, .01, .02, .04, .. for which it goes uphill."""
    mu = 0.0
    while mu < 1:
        try:
            half = np.linalg.cholesky(complete * (1 + mu) - left)
        except np.linalg.LinAlgError:
            mu = 2 * mu or 0.01
            continue
        return np.asarray(np.linalg.solve(half.T, np.linalg.solve(half, gradient)))
    return np.asarray(np.linalg.lstsq(complete, gradient, rcond=None)[0])


def fit_multinomial(design: DesignMatrix, answers: Answers, start: Array) -> Maximum:
    """The maximum of the likelihood, from `start`: Newton's steps, damped towards those of EM.

    The covariance is the inverse of the observed information H, or ``H^-1 M H^-1`` where people were drawn with
    weights, clusters or strata.
    """
    here, converged = point(design, answers, start), False
    k, p = start.shape
    infinite = np.zeros(k, dtype=bool)
    for _ in range(MAX_STEPS):
        free = np.repeat(~infinite, p)
        some = np.ix_(free, free)
        move = np.zeros(k * p)
        move[free] = _step(here.gradient.reshape(-1)[free], here.complete[some], here.left[some])
        promised = float(move @ here.gradient.reshape(-1))
        converged = promised < MIN_GAIN  # then the step is too small to be seen in the likelihood, and the last one
        here = _uphill(design, answers, here, move.reshape(k, p), -math.inf if converged else promised)
        infinite |= np.abs(here.b).max(axis=1) > MAX_SCALED
        if converged:
            break
    free = np.repeat(~infinite, p)
    covariance = np.full((k * p, k * p), np.nan)
    if converged and free.any():
        covariance[np.ix_(free, free)] = _covariance(design, answers, here, free)
    return Maximum(here.b, covariance, here.log_likelihood, infinite, converged)


def _uphill(design: DesignMatrix, answers: Answers, here: Point, move: Array, promised: float) -> Point:
    """The point after this step, or after so small a part of it that it brings enough of the gain it promises."""
    there = point(design, answers, here.b + move)
    if there.log_likelihood >= here.log_likelihood + MIN_GAIN_PART * promised:
        return there
    part = 1.0
    for _ in range(MAX_HALVINGS):
        part /= 2
        value = _log_likelihood(design, answers, here.b + part * move)
        if value >= here.log_likelihood + MIN_GAIN_PART * part * promised:
            break
    return point(design, answers, here.b + part * move)


def _covariance(design: DesignMatrix, answers: Answers, here: Point, free: NDArray[np.bool_]) -> Array:
    own = (here.complete - here.left)[np.ix_(free, free)]
    if np.linalg.eigvalsh(own)[0] <= 0:
        return np.full_like(own, np.nan)
    bread = np.asarray(np.linalg.inv(own), dtype=float)
    if not design.survey.design:
        return bread

    def terms(place: slice, rows: Array) -> Array:
        columns = np.ascontiguousarray(rows.T)
        shares, _, given = _chances(columns, answers.at(place), here.b)
        away = (given - shares)[1:] * design.weights[place]
        return np.ascontiguousarray((away[:, None] * columns).reshape(len(free), -1)[free].T)

    return sandwich(design, bread, terms, None)[0]
