"""Least squares of scores on labels, with errors that hold whatever their law."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..survey.spread import sandwich
from .coefficients import Fit
from .design_matrix import Design

Array = NDArray[np.float64]

ALONE = 1e-10
"""Whoever leaves less of their own residual decides a coefficient alone: HC2 and HC3 do not exist."""
REFINEMENTS = 2
"""How often the solution is corrected by its own residuals."""


def fit_linear(design: Design, scores: Array, kind: str | None) -> Fit:
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


def _products(design: Design, scores: Array, b: Array) -> Array:
    """``X'W (s - Xb)``."""
    found = np.zeros(len(b))
    for place, rows in design.chunks():
        found += (design.weights[place] * (scores[place] - rows @ b)) @ rows
    return found
