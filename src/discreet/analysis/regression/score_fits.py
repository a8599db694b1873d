"""Regressions of scores on labels: least squares, and log-odds of an event, for any mechanism and number of values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ...estimation.decoders import decoder_of
from ...estimation.results.weights import second_moment
from ...mechanisms.mechanism import Mechanism
from ..reference_distribution import Array
from .coefficients import Fit
from .design_matrix import DesignMatrix
from .sandwich import TINY, sandwich

ALONE = 1e-10
"""Whoever leaves less of their own residual decides a coefficient alone: HC2 and HC3 do not exist."""
REFINEMENTS = 2
"""How often the solution is corrected by its own residuals."""
MAX_STEPS = 100
MAX_HALVINGS = 30
MAX_SCALED = 10.0
"""A coefficient of a scaled column beyond this is taken for one that has no finite value."""
SETTLED = 1e-10
"""The equations are solved where the next step would be so small a part of a standard error, ``u' I^-1 u`` squared."""
NEARLY = 1e-6
"""Where no step gets nearer for rounding, this is near enough."""

NO_SOLUTION = (
    "WARNING: the equations have no finite solution: where people with some labels have scores that average below 0 or "
    'above 1, log-odds are infinite. There are no standard errors; link="identity" has them'
)


def fit_linear(design: DesignMatrix, scores: Array, kind: str | None) -> Fit:
    """``b = (X'WX)^-1 X'W s`` with the covariance ``(X'WX)^-1 M (X'WX)^-1``.

    For HC0 to HC3 (MacKinnon1985) M is the sum of ``e**2 x x'`` over 1, ``(n - p) / n``, ``1 - h`` and ``(1 - h)**2``,
    with the residuals e and leverages h; without a kind it is the covariance of the sum of ``w x e`` as people were
    drawn (Binder1983).
    """
    inverse, weights = design.inverse, design.weights
    b = np.zeros(len(inverse))
    for _ in range(1 + REFINEMENTS):
        b = b + inverse @ _products(design, scores, b)

    def terms(place: slice, rows: Array) -> Array:
        residuals = weights[place] * (scores[place] - rows @ b)
        if kind in ("HC2", "HC3"):
            left = 1 - ((rows @ inverse) * rows).sum(axis=1)
            left[left < ALONE] = np.nan
            residuals /= left if kind == "HC3" else np.sqrt(left)
        rows *= residuals[:, None]
        return rows

    return Fit(b, *sandwich(design, inverse, terms, kind))


def _products(design: DesignMatrix, scores: Array, b: Array) -> Array:
    """``X'W (s - Xb)``."""
    products = np.zeros(len(b))
    for place, rows in design.chunks():
        products += (design.weights[place] * (scores[place] - rows @ b)) @ rows
    return products


def score_variances(mechanism: Mechanism, event: Array, shares: Array) -> tuple[float, float]:
    """The variances of a calibrated score among those outside and those inside of an event.

    `shares` say how values are spread within each of the two; where they are all 0, evenly.
    """
    decoder = decoder_of(mechanism)

    def variance(where: NDArray[np.bool_]) -> float:
        if not where.any():
            return 0.0
        p = np.where(where, shares, 0.0)
        p = p / p.sum() if p.sum() > 0 else where / where.sum()
        return max(0.0, float(second_moment(decoder, event, p)) - float(event @ p) ** 2)

    return variance(event == 0), variance(event == 1)


class Equations(NamedTuple):
    """The estimating equations at coefficients b: their value u, expected and observed information, ``u' I^-1 u``."""

    b: Array
    value: Array
    information: Array
    observed: Array
    step: Array
    gain: float


def fit_logit(design: DesignMatrix, scores: Array, outside: Array, inside: Array, kind: str | None) -> Fit:
    """The solution of ``sum w x (d / V)(s - g) = 0``, with ``g = expit(x b)`` and ``d = g (1 - g)``.

    ``V = v0 (1 - g) + v1 g + d`` is the variance of a score with the variances v0 `outside` and v1 `inside` of the
    event; wrong ones cost precision only. Solved by Fisher scoring with ``I = sum w d**2 / V x x'``, halving steps
    until ``u' I^-1 u`` falls. The covariance is ``J^-1 M J^-1`` with the observed J, or I where J is not positive
    definite. For two values this is the likelihood equation (Blair2015).
    """
    solution = _solve(design, scores, outside, inside)
    b = solution.b
    if solution.gain > NEARLY**2 or np.abs(b).max() > MAX_SCALED:
        return Fit.without_errors(b, NO_SOLUTION)
    definite = np.linalg.eigvalsh(solution.observed)[0] > 0
    bread = np.linalg.inv(solution.observed if definite else solution.information)

    def terms(place: slice, rows: Array) -> Array:
        g, d, variance = _moments(rows @ b, outside[place], inside[place])
        rows *= (design.weights[place] * d / variance * (scores[place] - g))[:, None]
        return rows

    return Fit(b, *sandwich(design, bread, terms, kind))


def _solve(design: DesignMatrix, scores: Array, outside: Array, inside: Array) -> Equations:
    """The equations where they are solved, or where no step gets nearer, or beyond all that is taken for finite."""
    mean = float(np.clip(np.average(scores, weights=design.weights), 0.01, 0.99))
    start = np.zeros(len(design.formula.names))
    start[0] = np.log(mean / (1 - mean))
    here = _equations(design, scores, outside, inside, start)
    for _ in range(MAX_STEPS):
        if here.gain <= SETTLED**2 or np.abs(here.b).max() > MAX_SCALED:
            break
        for halved in range(MAX_HALVINGS):
            there = _equations(design, scores, outside, inside, here.b + here.step / 2**halved)
            if there.gain < here.gain:
                break
        else:
            break
        here = there
    return here


def _equations(design: DesignMatrix, scores: Array, outside: Array, inside: Array, b: Array) -> Equations:
    p = len(b)
    value, information, observed = np.zeros(p), np.zeros((p, p)), np.zeros((p, p))
    for place, rows in design.chunks():
        w, v0, v1 = design.weights[place], outside[place], inside[place]
        g, d, variance = _moments(rows @ b, v0, v1)
        away, expected = scores[place] - g, w * d * d / variance
        bend = (d * (1 - 2 * g) * variance - d * d * (v1 - v0 + 1 - 2 * g)) / variance**2
        value += (w * d / variance * away) @ rows
        information += rows.T @ (rows * expected[:, None])
        observed += rows.T @ (rows * (expected - w * away * bend)[:, None])
    step = np.asarray(np.linalg.lstsq(information, value, rcond=None)[0], dtype=float)
    return Equations(b, value, information, observed, step, float(value @ step))


def _moments(logits: Array, outside: Array, inside: Array) -> tuple[Array, Array, Array]:
    """The probability of the event, its derivative, and the variance of a score."""
    g = expit(logits)
    d = g * (1 - g)
    return g, d, np.maximum(outside * (1 - g) + inside * g + d, TINY)
