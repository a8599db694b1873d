"""The tail of the distribution of F, the ratio of two variances."""

from __future__ import annotations

import math

ENOUGH = 1e-15
"""A factor that differs from one by less ends the continued fraction."""

LARGE = 30.0
"""From here on Stirling's series is exact to double precision."""


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
    powers = a * (math.log(x) if x < y else math.log1p(-y)) + b * (math.log(y) if y < x else math.log1p(-x))
    front = math.exp(powers - log_beta(a, b))
    if x < (a + 1) / (a + b + 2):
        return min(1.0, front * _fraction(a, b, x) / a)
    return max(0.0, 1 - front * _fraction(b, a, y) / b)


def log_beta(a: float, b: float) -> float:
    """The logarithm of ``Gamma(a) Gamma(b) / Gamma(a + b)``, without cancellation where one of the two is large."""
    small, large = min(a, b), max(a, b)
    if large < LARGE:
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    total = large + small
    growth = (large - 0.5) * math.log1p(small / large) + small * math.log(total) - small
    return math.lgamma(small) - growth - (_stirling(total) - _stirling(large))


def _stirling(x: float) -> float:
    """What Stirling's formula for the logarithm of Gamma leaves out, for a large x."""
    square = 1 / (x * x)
    return (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / x


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
