"""Confidence levels, and the intervals of biased results from those of unbiased ones."""

from __future__ import annotations

import sys
from numbers import Real
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput
from .anytime import anytime_quantile

Array = NDArray[np.float64]

MAX_QUANTILE = 37.0
"""The largest normal quantile, beyond which there is no probability left."""


def check_confidence(confidence: float) -> None:
    """Raise `InvalidInput` for a confidence outside (0, 1)."""
    if isinstance(confidence, bool) or not isinstance(confidence, Real) or not 0 < confidence < 1:
        raise InvalidInput(f"confidence={confidence!r} must be between 0 and 1")


def quantile(confidence: float, *, among: int = 1) -> float:
    """The normal quantile z with ``Pr(|Z| <= z) = confidence``, or for `among` of them together (Bonferroni)."""
    check_confidence(confidence)
    return -NormalDist().inv_cdf(max(float(1 - confidence) / (2 * among), sys.float_info.min))


class Level(NamedTuple):
    """How surely an interval is to hold: alone or `among` several together, at one time or at any (`anytime`).

    `z` is the normal quantile where it is known otherwise, such as for correlated estimates together.
    """

    confidence: float
    among: int = 1
    anytime: bool = False
    z: float | None = None

    def quantile(self, n: int) -> float:
        """The normal quantile for n reports, large and finite where these are too few for an interval at any time."""
        if self.z is not None:
            return self.z
        if self.anytime:
            return min(anytime_quantile(self.confidence, n, among=self.among), MAX_QUANTILE)
        return quantile(self.confidence, among=self.among)


def checked_level(confidence: float, anytime: bool = False) -> Level:
    """The level of an interval by itself; `InvalidInput` for a confidence outside (0, 1)."""
    check_confidence(confidence)
    if not isinstance(anytime, bool):
        raise InvalidInput(f"anytime={anytime!r} must be True or False")
    return Level(confidence, anytime=anytime)


def move_inside(low: Any, high: Any, *, value: Any, around: Any, limits: tuple[float, float]) -> tuple[Array, Array]:
    """The interval of an unbiased `value` as that of a biased one, which lies within `limits` and is `around`.

    It is moved by ``clip(value) - value``, cut to the limits, and stretched where necessary to include `around`.
    Whatever lies inside the limits and in the interval is in the new one as well: it covers at least as often.
    """
    moved = np.clip(value, *limits) - value
    return np.minimum(np.clip(low + moved, *limits), around), np.maximum(np.clip(high + moved, *limits), around)
