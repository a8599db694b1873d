"""What a solution of the dual problem proves about every channel."""

from __future__ import annotations

import numpy as np

from .cone import Array

SLACK = 1e-9
"""What rounding in doubles is granted, relative to the bound."""


def dual_value(W: Array, S: Array, total: float) -> float:
    """``(trace (W^.5 S W^.5)^.5)^2 / total``, which no trace(W M^-1) with trace(S M) <= total is below, for S >= 0.

    For any positive c, ``trace(W M^-1) >= 2 c^.5 trace (W^.5 S W^.5)^.5 - c trace(S M)``; the best c gives this.
    """
    if total <= 0:
        return 0.0
    half = root(W)
    found = np.linalg.eigvalsh(half @ S @ half)
    rounding = 8 * len(found) * np.finfo(float).eps * float(np.abs(found).max())
    inside = np.maximum(found - rounding, 0.0)  # the root of an eigenvalue that should be 0 would lift the bound
    return float(np.sqrt(inside).sum()) ** 2 / total * (1 - SLACK)


def root(matrix: Array) -> Array:
    """The square root of a matrix that is not negative."""
    values, vectors = np.linalg.eigh(matrix)
    found: Array = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return found
