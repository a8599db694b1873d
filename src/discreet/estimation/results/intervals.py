"""Confidence levels, and intervals fitted around shares."""

from __future__ import annotations

import sys
from numbers import Real
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput

Array = NDArray[np.float64]


def check_confidence(confidence: float) -> None:
    """Raise `InvalidInput` for a confidence outside (0, 1)."""
    if isinstance(confidence, bool) or not isinstance(confidence, Real) or not 0 < confidence < 1:
        raise InvalidInput(f"confidence={confidence!r} must be between 0 and 1")


def quantile(confidence: float, *, among: int = 1) -> float:
    """The normal quantile z with ``Pr(|Z| <= z) = confidence``, or for `among` of them together (Bonferroni)."""
    check_confidence(confidence)
    return -NormalDist().inv_cdf(max(float(1 - confidence) / (2 * among), sys.float_info.min))


def stretched(low: Any, high: Any, *, around: Any, limits: tuple[float, float]) -> tuple[Array, Array]:
    """The interval cut to `limits`, then stretched where necessary to include `around`.

    Whatever lies inside `limits` and in the interval is in the new one as well: it covers at least as often.
    """
    return np.minimum(np.clip(low, *limits), around), np.maximum(np.clip(high, *limits), around)
