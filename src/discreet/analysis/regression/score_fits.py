"""Least squares of scores on labels, and the variances that scores have inside and outside of an event."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput
from ...estimation.decoders import decoder_of
from ...estimation.results.weights import second_moment
from ...mechanisms.mechanism import Mechanism
from ..reference_distribution import Array
from .coefficients import Fit
from .design_matrix import DesignMatrix
from .quasi_likelihood import QuasiLikelihood
from .sandwich import sandwich

ALONE = 1e-10
"""Whoever leaves less of their own residual decides a coefficient alone: HC2 and HC3 do not exist."""
REFINEMENTS = 2
"""How often the solution is corrected by its own residuals."""


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


def quasi_likelihood(design: DesignMatrix, scores: Array, event: Array, offset: Array | None = None) -> QuasiLikelihood:
    """The quasi-likelihood of an event, with the variances of scores at the estimated shares."""
    if not np.isin(event, (0, 1)).all():
        raise InvalidInput('link="logit" needs an event: the weights of `query` must be 0 and 1')
    waves, shares = design.survey.waves, design.survey.plug_in
    variances = np.array([score_variances(wave.mechanism, event, shares) for wave in waves])
    outside, inside = np.repeat(variances, [len(wave.reports) for wave in waves], axis=0).T
    return QuasiLikelihood(design, scores, outside, inside, exact=len(event) == 2, offset=offset)
