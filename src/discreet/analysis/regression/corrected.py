"""Regressions with a randomized answer among the predictors: moments and equations that allow for its noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput, Unavailable
from .coefficients import Fit
from .design_matrix import Design
from .sandwich import Spread, Terms, inverse, sandwich

Array = NDArray[np.float64]

MAX_STEPS = 100
LONGEST = 2.0
"""The longest step of a scaled coefficient."""
SETTLED = 1e-9
"""The last step is so small a part of the coefficients."""
FAR = 10.0
"""A coefficient of a scaled column beyond this is taken for one that has no finite value."""
MAX_ANSWERS = 64
"""The most different answers whose log-odds are summed."""
UNSURE = 3.0
"""How many of its own errors the least spread of the predictors must be above 0 to pass without a warning."""

UNSETTLED = (
    "WARNING: the equations did not settle on a solution: the reports are too few, or log-odds are infinite. There are "
    'no standard errors; link="identity" has them'
)

UNSTEADY = (
    "WARNING: how far the answer varies, given the labels, is itself hardly known: coefficients and errors are "
    "unsteady, and more people or fewer predictors are needed"
)


def _scaled(design: Design, features: Array) -> tuple[Array, Array]:
    """Features with mean 0 and deviation 1 at plausible shares, and what turns all coefficients back."""
    shares = design.survey.plausible
    centre = shares @ features
    scale = np.sqrt(shares @ (features - centre) ** 2)
    scale = np.where(scale > 1e-6 * np.ptp(features, axis=0), scale, np.ptp(features, axis=0))
    p, m = len(design.formula.names), len(scale)
    turn = np.zeros((p + m, p + m))
    turn[:p, :p] = design.unscaling
    turn[p:, p:] = np.diag(1 / scale)
    turn[0, p:] = -centre / scale
    return (features - centre) / scale, turn


def fit_corrected_linear(design: Design, features: Array, outcome: Array) -> tuple[Fit, Array]:
    """The solution of ``A b = sum w o u`` and the matrix that turns it into coefficients of the columns as given.

    The terms of the sandwich are ``w (o u - A_i b)``, u the scaled labels and the scores of the features.
    """
    _ = design.triangle
    features, turn = _scaled(design, features)
    p, m = len(design.formula.names), features.shape[1]
    first, second = np.triu_indices(m)
    scores = [design.survey.scores(features[:, a]) for a in range(m)]
    products = [design.survey.scores(features[:, a] * features[:, b]) for a, b in zip(first, second, strict=True)]
    place_of = np.zeros((m, m), dtype=np.int64)
    place_of[first, second] = place_of[second, first] = np.arange(len(first))

    def parts(place: slice) -> tuple[Array, Array]:
        """The scores of the features and those of their products, for some people."""
        return np.stack([s[place] for s in scores], axis=1), np.stack([s[place] for s in products], axis=1)

    matrix, right = np.zeros((p + m, p + m)), np.zeros(p + m)
    for place, rows in design.chunks():
        w, (own, squares) = design.weights[place], parts(place)
        weighted = rows * w[:, None]
        matrix[:p, :p] += weighted.T @ rows
        matrix[:p, p:] += weighted.T @ own
        matrix[p:, p:] += (w @ squares)[place_of]
        right += np.concatenate([weighted.T @ outcome[place], own.T @ (w * outcome[place])])
    matrix[p:, :p] = matrix[:p, p:].T
    sizes, vectors = np.linalg.eigh(matrix)
    if sizes[0] <= 0:
        raise Unavailable(
            "the reports are too few to show how far the answer varies, given the labels: more people, a larger "
            "epsilon or fewer predictors are needed"
        )
    b = np.linalg.solve(matrix, right)

    def terms(place: slice, rows: Array) -> Array:
        own, squares = parts(place)
        left = outcome[place] - rows @ b[:p]
        labels = rows * (left - own @ b[p:])[:, None]
        answers = own * left[:, None] - squares[:, place_of] @ b[p:]
        return np.concatenate([labels, answers], axis=1) * design.weights[place, None]

    def least(place: slice, rows: Array) -> Array:
        own, squares = parts(place)
        c, f = vectors[:p, 0], vectors[p:, 0]
        along = rows @ c
        found = along**2 + 2 * along * (own @ f) + squares[:, place_of] @ f @ f
        return np.asarray(design.weights[place] * found)[:, None]

    error = _error_of_sum(design, least)
    remarks = () if sizes[0] > UNSURE * error else (UNSTEADY,)
    return Fit(b, *sandwich(design, inverse(matrix), terms, None), remarks), turn


def _error_of_sum(design: Design, terms: Terms) -> float:
    spread = Spread(design.survey, 1)
    for place, rows in design.chunks():
        spread.add(place, terms(place, rows))
    return float(np.sqrt(max(0.0, spread.covariance()[0, 0])))


def fit_corrected_logit(design: Design, features: Array, outcome: Array) -> tuple[Fit, Array]:
    """The solution of ``sum w sum_x phi_x(y) u_x (o - expit(u_x b)) = 0``, over the different features of the values.

    Newton's steps, at most 2 each: phi may be negative, so the equations need not settle, which is said.
    """
    _ = design.triangle
    features, turn = _scaled(design, features)
    different, kind_of = np.unique(features, axis=0, return_inverse=True)
    if len(different) > MAX_ANSWERS:
        raise InvalidInput(
            f'query: {len(different):,} different weights are too many for link="logit"; at most {MAX_ANSWERS}'
        )
    scores = np.stack([design.survey.scores(kind_of.reshape(-1) == kind) for kind in range(len(different))], axis=1)
    p = len(design.formula.names)
    size = p + features.shape[1]

    def summed(place: slice, rows: Array, b: Array) -> tuple[Array, Array]:
        """The terms of some people, and the derivative of their sum."""
        found, slope = np.zeros((len(rows), size)), np.zeros((size, size))
        labels = rows @ b[:p]
        for kind, own in enumerate(different):
            g = 0.5 * (1 + np.tanh((labels + own @ b[p:]) / 2))
            phi = design.weights[place] * scores[place, kind]
            u = np.concatenate([rows, np.broadcast_to(own, (len(rows), size - p))], axis=1)
            found += u * (phi * (outcome[place] - g))[:, None]
            slope += u.T @ (u * (phi * g * (1 - g))[:, None])
        return found, slope

    b, settled = np.zeros(size), False
    slope = np.eye(size)
    for _ in range(MAX_STEPS):
        value, slope = np.zeros(size), np.zeros((size, size))
        for place, rows in design.chunks():
            terms, own = summed(place, rows, b)
            value, slope = value + terms.sum(axis=0), slope + own
        step = np.linalg.lstsq(slope, value, rcond=None)[0]
        b = b + step * min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))
        settled = bool(np.abs(step).max() < SETTLED)
        if settled or np.abs(b).max() > FAR:
            break
    if not settled or np.abs(b).max() > FAR or np.linalg.eigvalsh(slope)[0] <= 0:
        return Fit(b, np.full((size, size), np.nan), np.zeros(size), (UNSETTLED,)), turn
    return Fit(b, *sandwich(design, inverse(slope), lambda place, rows: summed(place, rows, b)[0], None)), turn
