"""The tail of the chi-square distribution."""

from __future__ import annotations

import math

ENOUGH = 1e-16
"""A term that changes the sum by less ends it."""


def chi_square_tail(x: float, df: float) -> float:
    """The probability that a chi-square variable on `df` degrees of freedom is above x; 1 where df is 0.

    This is the regularised upper incomplete gamma function at (df / 2, x / 2): by its series to the left of the
    mean, by its continued fraction to the right (Press2007, section 6.2).
    """
    if math.isnan(x):
        return math.nan
    if df <= 0 or x <= 0:
        return 1.0
    if math.isinf(x):
        return 0.0
    a, z = df / 2, x / 2
    front = math.exp(a * math.log(z) - z - math.lgamma(a))
    if z < a + 1:
        term = total = 1 / a
        step = a
        while term > ENOUGH * total:
            step += 1
            term *= z / step
            total += term
        return min(1.0, max(0.0, 1 - front * total))
    return min(1.0, front * _fraction(a, z))


def _fraction(a: float, z: float) -> float:
    """The continued fraction of the upper incomplete gamma function, evaluated by Lentz's method."""
    b = z + 1 - a
    c, d = math.inf, 1 / b
    found = d
    for i in range(1, 100_000):
        step = -i * (i - a)
        b += 2
        d = 1 / (step * d + b)
        c = b + step / c
        found *= c * d
        if abs(c * d - 1) < ENOUGH * 10:
            break
    return found
