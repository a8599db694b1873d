"""The likelihood of reports under a multinomial logit of the values, and its maximum."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .design_matrix import Design
from .products import squared
from .spread import inverse, sandwich

Array = NDArray[np.float64]

STEPS = 200
HALVINGS = 40
SETTLED = 1e-10
"""The gain that a step promises below which the maximum is reached."""
ENOUGH = 1e-4
"""The part of the promised gain that a step must bring."""
FAR = 10.0
"""A coefficient of a scaled column beyond this is taken for one that has no finite value."""


@dataclass(frozen=True, eq=False)
class Answers:
    """How likely each report is under each value, the base first: a table of different rows, and each report's row.

    Rows are scaled to a largest entry of 1; `constant` is what that took from the log-likelihood.
    """

    table: Array
    row_of: NDArray[np.int64]
    constant: float

    def at(self, place: slice) -> Array:
        """The rows of the reports at this place."""
        return self.table[self.row_of[place]]


@dataclass(frozen=True, eq=False)
class Maximum:
    """The coefficients (k-1) x p of the scaled columns where the likelihood is largest, and their covariance.

    `lost` marks the values whose coefficients have no finite maximum: they are held where they were left.
    """

    coefficients: Array
    covariance: Array
    log_likelihood: float
    lost: NDArray[np.bool_]
    settled: bool


def answers_of(design: Design, order: NDArray[np.int64]) -> Answers:
    """The likelihoods of a survey's reports, their columns in this order of values; once for every different report."""
    tables, rows = list[Array](), list[NDArray[np.int64]]()
    constant, start, weights = 0.0, 0, design.weights
    for wave in design.survey.waves:
        axis = None if wave.reports.ndim == 1 else 0
        different, row_of = np.unique(wave.reports, axis=axis, return_inverse=True)
        table = np.asarray(wave.mechanism.columns(different))[:, order]
        most = table.max(axis=1)
        row_of = row_of.reshape(-1)
        own = weights[start : start + len(row_of)]
        constant += float(np.bincount(row_of, own, minlength=len(table)) @ np.log(most))
        rows.append(row_of + sum(len(earlier) for earlier in tables))
        tables.append(table / most[:, None])
        start += len(row_of)
    return Answers(np.concatenate(tables), np.concatenate(rows), constant)


def _chances(rows: Array, likely: Array, b: Array) -> tuple[Array, Array, Array]:
    """The shares of values among people with these rows, how likely each report is, and each value given it."""
    logits = np.zeros((len(rows), len(b) + 1))
    np.matmul(rows, b.T, out=logits[:, 1:])
    logits -= logits.max(axis=1, keepdims=True)
    shares = np.exp(logits, out=logits)
    shares /= shares.sum(axis=1, keepdims=True)
    given = shares * likely
    chance = given.sum(axis=1)
    given /= chance[:, None]
    return shares, chance, given


def _log_likelihood(design: Design, answers: Answers, b: Array) -> float:
    total = answers.constant
    with np.errstate(all="ignore"):
        for place, rows in design.chunks(b.size):
            chance = _chances(rows, answers.at(place), b)[1]
            total += float(design.weights[place] @ np.log(chance))
    return total if math.isfinite(total) else -math.inf


def _derivatives(design: Design, answers: Answers, b: Array) -> tuple[float, Array, Array, Array]:
    """The log-likelihood, its gradient, and the information of complete answers and of what reports leave open.

    The observed information is the first less the second (Louis1982): with the shares pi and the chances r of the
    values given the report, ``sum w (diag pi - pi pi') (x) x x'`` and ``sum w (diag r - r r') (x) x x'``.
    """
    total, gradient = answers.constant, np.zeros_like(b)
    complete, left = np.zeros((b.size, b.size)), np.zeros((b.size, b.size))
    for place, rows in design.chunks(b.size):
        shares, chance, given = _chances(rows, answers.at(place), b)
        weights = design.weights[place]
        total += float(weights @ np.log(chance))
        gradient += ((given - shares)[:, 1:] * weights[:, None]).T @ rows
        for matrix, chances in ((complete, shares), (left, given)):
            _add_information(matrix, chances[:, 1:], rows, weights)
    return total, gradient, complete, left


def _add_information(matrix: Array, chances: Array, rows: Array, weights: Array) -> None:
    """Add ``sum w (diag q - q q') (x) x x'`` for the chances q."""
    k, p = chances.shape[1], rows.shape[1]
    squares = (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), p * p)
    blocks = ((chances * weights[:, None]).T @ squares).reshape(k, p, p)
    spread = ((chances * np.sqrt(weights)[:, None])[:, :, None] * rows[:, None, :]).reshape(len(rows), k * p)
    matrix -= squared(spread)
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


def fit_multinomial(design: Design, answers: Answers, start: Array, drawn: bool) -> Maximum:
    """The maximum of the likelihood, from `start`: Newton's steps, damped towards those of EM.

    The covariance is the inverse of the observed information H, or ``H^-1 M H^-1`` where people were `drawn` with
    weights, clusters or strata.
    """
    b, settled = start, False
    lost = np.zeros(len(b), dtype=bool)
    here, gradient, complete, left = _derivatives(design, answers, b)
    for _ in range(STEPS):
        free = np.repeat(~lost, b.shape[1])
        some = np.ix_(free, free)
        move = np.zeros(b.size)
        move[free] = _step(gradient.reshape(-1)[free], complete[some], left[some])
        promised = float(move @ gradient.reshape(-1))
        settled = promised < SETTLED  # then the step is too small to be seen in the likelihood, and the last one
        b = b + move.reshape(b.shape) if settled else _uphill(design, answers, b, move.reshape(b.shape), here, promised)
        lost |= np.abs(b).max(axis=1) > FAR
        here, gradient, complete, left = _derivatives(design, answers, b)
        if settled:
            break
    free = np.repeat(~lost, b.shape[1])
    covariance = np.full((b.size, b.size), np.nan)
    if settled and free.any():
        covariance[np.ix_(free, free)] = _covariance(design, answers, b, free, complete - left, drawn)
    return Maximum(b, covariance, here, lost, settled)


def _uphill(design: Design, answers: Answers, b: Array, move: Array, here: float, promised: float) -> Array:
    part = 1.0
    for _ in range(HALVINGS):
        if _log_likelihood(design, answers, b + part * move) >= here + ENOUGH * part * promised:
            break
        part /= 2
    return b + part * move


def _covariance(
    design: Design, answers: Answers, b: Array, free: NDArray[np.bool_], information: Array, drawn: bool
) -> Array:
    own = information[np.ix_(free, free)]
    if np.linalg.eigvalsh(own)[0] <= 0:
        return np.full_like(own, np.nan)
    bread = inverse(own)
    if not drawn:
        return bread

    def terms(place: slice, rows: Array) -> Array:
        shares, _, given = _chances(rows, answers.at(place), b)
        away = (given - shares)[:, 1:] * design.weights[place, None]
        return np.asarray((away[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)[:, free])

    return sandwich(design, bread, terms, None)[0]
