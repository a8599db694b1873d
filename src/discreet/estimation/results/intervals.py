"""Confidence levels and score intervals: of shares, of frequencies and of linear queries."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from numbers import Real
from statistics import NormalDist
from typing import Any, NamedTuple

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


def enclose(low: Any, high: Any, *, around: Any, limits: tuple[float, float]) -> tuple[Array, Array]:
    """The interval cut to `limits`, then stretched where necessary to include `around`.

    Whatever lies inside `limits` and in the interval is in the new one as well: it covers at least as often.
    """
    return np.minimum(np.clip(low, *limits), around), np.maximum(np.clip(high, *limits), around)


def score_interval(share: Array, alpha: Any, beta: Any, c: Any) -> tuple[Array, Array]:
    """The p with ``(share - p)**2 <= c (alpha + beta p - p**2)``: Wilson's interval where alpha is 0 and beta 1."""
    middle = 2 * share + c * beta
    inside = 4 * c * (alpha + beta * share - share**2) + c * c * (beta**2 + 4 * alpha)
    reach = np.sqrt(np.maximum(inside, 0.0))
    return (middle - reach) / (2 * (1 + c)), (middle + reach) / (2 * (1 + c))


class QueryMoments(NamedTuple):
    """The value of each query, and the mean and second moment of one report's score at the plug-in distribution.

    `least` and `most` are the mean and the second moment where everyone holds one value of the least and of the most
    weight.
    """

    n: int
    value: Array
    mean: Array
    moment: Array
    least: Array
    most: Array

    @property
    def stderr(self) -> Array:
        """``sqrt((E[s**2] - (w . p)**2) / n)``, the exact formula at the plug-in distribution."""
        return np.sqrt(np.maximum(self.moment - self.mean**2, 0.0) / self.n)

    def interval(self, z: float) -> tuple[Array, Array]:
        """Score intervals, stretched to hold the normal ones.

        The standard error alone is too small where few reports could have told of a value, and zero where none
        did. So the variance is taken along the way from a distribution p that agrees with the estimate of the query
        to everyone holding the value z of the most (least) weight: ``p_t = (1-t) p + t e_z``, whose second moment is
        linear in t. The interval ends where ``(q_hat - q_t)**2 = c (M_t - q_t**2)`` with ``c = z**2 / n``, a
        quadratic equation in t.
        """
        reach, c = z * self.stderr, z * z / self.n
        above = self.value > self.mean
        end, there = (np.where(above, most, least) for least, most in zip(self.least, self.most, strict=True))
        step = end - self.mean
        part = np.where(step != 0, np.minimum((self.value - self.mean) / np.where(step != 0, step, 1.0), 1.0), 0.0)
        start, moment = (1 - part) * self.mean + part * end, (1 - part) * self.moment + part * there
        low, high = (self._end(start, moment, corner, c) for corner in (self.least, self.most))
        return np.minimum(self.value - reach, low), np.maximum(self.value + reach, high)

    def _end(self, start: Array, here: Array, corner: Array, c: float) -> Array:
        """The last value of a query that is not ruled out on the way to where everyone holds the value of a corner."""
        end, there = corner
        step = end - start
        a = (1 + c) * step * step
        b = 2 * step * ((1 + c) * start - self.value) - c * (there - here)
        rest = (1 + c) * start * start - 2 * self.value * start + self.value**2 - c * here
        inside = b * b - 4 * a * rest
        solved = (a > 0) & (inside >= 0)
        root = (np.sqrt(np.where(solved, inside, 0.0)) - b) / (2 * np.where(solved, a, 1.0))
        return np.where(solved, start + step * np.clip(root, 0.0, 1.0), self.value)


def concatenate_moments(parts: Iterable[QueryMoments]) -> QueryMoments:
    """The moments of several batches of queries as those of one."""
    (n, *_), *columns = zip(*parts, strict=True)
    return QueryMoments(n, *(np.concatenate(column, axis=-1) for column in columns))
