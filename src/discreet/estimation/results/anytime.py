"""Intervals that hold at all times at once, so that one may watch results come in and stop whenever one likes.

References: Ville1939, Robbins1970, Fan2015, WaudbySmith2024.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STAKES = np.array([0.9, 0.75, *(2.0**-i for i in range(1, 21))])
"""The lambdas whose supermartingales are mixed."""
STEPS = 40
"""Bisections to an end."""
NEAREST = 2.0**-18
"""The distance to the least score, as a part of all, below which the stakes would be too coarse."""
BEST_AT = 1000
"""The number of reports at which the asymptotic interval is narrowest."""
MIN_REPORTS = 30
"""From how many reports on the asymptotic interval holds."""


def anytime_ends(
    n: int, value: Array, variance: Array, least: Array, most: Array, confidence: float, *, among: int = 1
) -> tuple[Array, Array]:
    """The ends of means of scores between `least` and `most`, exact at every n and for any rule of stopping.

    A mean u below the value q is ruled out where the mean over lambda of
    ``exp(lambda n d / C + (lambda + ln(1 - lambda)) n (v + d**2) / C**2)`` is at least 2 / alpha, with d = q - u,
    C = u - least and v the variance of the scores.

    *Why valid.* ``xi = (s - u) / C >= -1``, so ``exp(lambda xi + (lambda + ln(1 - lambda)) xi**2) <= 1 + lambda xi``
    (Fan2015): a supermartingale where the mean is u, which depends on sums only; Ville's inequality bounds its largest
    value ever. A larger C is as valid, so that none is less than a tiny part of the range.
    """
    bar = math.log(2 * among / (1 - confidence))
    floor = NEAREST * (most - least)
    low = _end(n, np.maximum(value - least, 0.0), variance, floor, bar)
    high = _end(n, np.maximum(most - value, 0.0), variance, floor, bar)
    return value - low, value + high


def _end(n: int, room: Array, variance: Array, floor: Array, bar: float) -> Array:
    """How far the end is from the value, at most `room`."""
    from scipy import special  # 0.4 s, which other intervals do without

    near, far = np.zeros_like(room), room.copy()
    for _ in range(STEPS):
        d = (near + far) / 2
        c = np.maximum(room - d, np.maximum(floor, 1e-300))
        exponents = n * STAKES[:, None] * d / c
        exponents = exponents + (STAKES + np.log1p(-STAKES))[:, None] * n * (variance + d**2) / c**2
        out = special.logsumexp(exponents, axis=0) - math.log(len(STAKES)) >= bar
        near, far = np.where(out, near, d), np.where(out, d, far)
    return far


def anytime_quantile(confidence: float, n: int, *, among: int = 1) -> float:
    """The z_n of a normal interval that holds at all n together, asymptotically; infinite for too few reports.

    ``z_n = sqrt((1 + 1/x) 2 ln(sqrt(1 + x) / alpha))`` with x in proportion to n, and ``x - ln(1 + x) = 2 ln(1/alpha)``
    at 1,000 reports, where it is least.
    """
    from scipy import special

    alpha = (1 - confidence) / among
    if n < MIN_REPORTS:
        return math.inf
    best = -float(special.lambertw(-math.exp(2 * math.log(alpha) - 1), -1).real) - 1
    x = best * n / BEST_AT
    return math.sqrt((1 + 1 / x) * 2 * math.log(math.sqrt(1 + x) / alpha))


def anytime_of_cells(counts: NDArray[Any], scores: Array, confidence: float, *, among: int = 1) -> tuple[Array, Array]:
    """The exact ends of queries whose scores, a row each, are known by cell, each report having one."""
    n = int(counts.sum())
    value = scores @ counts / n
    spread = ((scores - value[:, None]) ** 2 @ counts) / n
    return anytime_ends(n, value, spread, scores.min(axis=1), scores.max(axis=1), confidence, among=among)
