"""The tail of the distribution of F, the ratio of two variances."""

from __future__ import annotations

import math

ENOUGH = 1e-15
"""A factor that differs from one by less ends the continued fraction."""


def variance_ratio_tail(x: float, first: float, second: float) -> float:
    """The probability that F on `first` and `second` degrees of freedom is above x.

    It is the regularised incomplete beta function at (second / 2, first / 2) of ``second / (second + first x)``, by its
    continued fraction (Press2007, section 6.4).
    """
    if math.isnan(x):
        return math.nan
    if x <= 0:
        return 1.0
    if math.isinf(x):
        return 0.0
    whole = second + first * x
    if math.isinf(whole):
        return 0.0
    return _beta(second / 2, first / 2, second / whole, first * x / whole)


def _beta(a: float, b: float, x: float, y: float) -> float:
    """The function at x; y is 1 - x, worked out without cancellation."""
    if not x or not y:
        return float(x > y)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(y))
    if x < (a + 1) / (a + b + 2):
        return min(1.0, front * _fraction(a, b, x) / a)
    return max(0.0, 1 - front * _fraction(b, a, y) / b)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, 100_000):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + step * d)
            c = 1 + step / c
            found *= c * d
        if abs(c * d - 1) < ENOUGH:
            break
    return found
