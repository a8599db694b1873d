"""Student's t: its tails and quantiles, for any degrees of freedom."""

from __future__ import annotations

import math
import sys
from functools import lru_cache
from statistics import NormalDist

from .variance_ratio import log_beta, variance_ratio_tail

MANY = 1e6
"""With more degrees of freedom the first terms of the expansion around the normal law are exact."""
FARTHEST = 1e150
"""Quantiles beyond are infinite, as their squares are."""
CLOSE = 1e-14
"""The relative step that ends the search of a quantile."""


def student_tails(t: float, freedom: float) -> float:
    """The probability that t on so many degrees of freedom is at least `t` away from 0, on either side."""
    if math.isinf(t):
        return 0.0
    if freedom > MANY:
        return math.erfc(abs(t) * (1 - 1 / (4 * freedom)) / math.sqrt(2 * (1 + t * (t / (2 * freedom)))))
    return variance_ratio_tail(t * t, 1, freedom)


@lru_cache(maxsize=4096)
def student_reach(tails: float, freedom: float) -> float:
    """The t that t on so many degrees of freedom is at least away from 0 with the probability `tails`.

    Newton's steps for the logarithm of the tails along that of t, where both are nearly straight, inside a bracket.
    """
    normal = -NormalDist().inv_cdf(max(tails / 2, sys.float_info.min))
    if freedom > MANY or tails >= 1:
        return max(normal + (normal**3 + normal) / (4 * freedom), 0.0)
    low, high = 0.0, max(normal, sys.float_info.min) * 2
    while student_tails(high, freedom) > tails:
        low, high = high, high * high if high > 4 else high * 2
        if high > FARTHEST:
            return math.inf
    t = (low + high) / 2
    for _ in range(200):
        found = student_tails(t, freedom)
        low, high = (t, high) if found > tails else (low, t)
        # the density of |t| is twice that of t
        log_density = -log_beta(0.5, freedom / 2) - math.log(freedom) / 2
        log_density -= (freedom + 1) / 2 * math.log1p(t * (t / freedom))
        slope = -2 * math.exp(log_density) * t / found if found else 0.0
        step = math.exp((math.log(tails) - math.log(found)) / slope) if slope else 0.0
        moved = t * step if low < t * step < high else (low + high) / 2
        if abs(moved - t) <= CLOSE * t:
            return moved
        t = moved
    return t
