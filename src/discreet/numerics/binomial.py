"""Exact binomial confidence limits (Clopper and Pearson) for arrays of counts, rounded outward."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STEPS = 64
"""Bisections of the logarithm of a limit: enough for full double precision."""
SLACK = 1e-7
"""What rounding may do to a tail probability, relatively, and more: the limits are set for a level this much lower."""
TINY = 1e-300


def lower_limit(hits: Any, trials: int, level: float) -> Array:
    """The p with ``Pr(X >= hits) = level`` for X ~ Bin(trials, p): a chance below the true one but for `level`.

    ``Pr(X >= s) = I_p(s, n-s+1)`` increases in p; it is bisected between ``(s / en) level**(1/s)``, where it
    is at most `level` by Chernoff's bound, and s/n, and the lower end is returned.

    References: Clopper1934.
    """
    s = np.asarray(hits, dtype=np.float64)
    some = s > 0
    a = np.where(some, s, 1.0)
    b = trials - a + 1
    target = math.log(level) + math.log1p(-SLACK)
    shift = _log_beta(a, b)
    high = np.log(a / trials)
    low = high - 1 + target / a
    for _ in range(STEPS):
        middle = (low + high) / 2
        small = _log_incomplete(a, b, middle, shift) <= target
        low, high = np.where(small, middle, low), np.where(small, high, middle)
    return np.where(some, np.exp(low), 0.0)


def upper_limit(hits: Any, trials: int, level: float) -> Array:
    """The p with ``Pr(X <= hits) = level``: a chance above the true one but for `level`; see `lower_limit`."""
    return 1 - lower_limit(trials - np.asarray(hits, dtype=np.float64), trials, level)


def _log_beta(a: Array, b: Array) -> Array:
    pairs = zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
    found = [math.lgamma(p) + math.lgamma(q) - math.lgamma(p + q) for p, q in pairs]
    return np.array(found, dtype=np.float64).reshape(a.shape)


def _log_incomplete(a: Array, b: Array, log_p: Array, log_beta: Array) -> Array:
    """log I_p(a, b) for p at most the mean a/(a+b-1), by its continued fraction (modified Lentz)."""
    p = np.exp(log_p)
    front = a * log_p + b * np.log1p(-np.minimum(p, 1 - 1e-16)) - log_beta - np.log(a)
    c = np.ones_like(p)
    d = 1 / _away(1 - (a + b) * p / (a + 1))
    total = d.copy()
    for m in range(1, 100_000):
        even = m * (b - m) * p / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / _away(1 + even * d)
        c = _away(1 + even / c)
        total *= d * c
        odd = -(a + m) * (a + b + m) * p / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / _away(1 + odd * d)
        c = _away(1 + odd / c)
        step = d * c
        total *= step
        if bool((np.abs(step - 1) < 1e-14).all()):
            break
    return np.minimum(front + np.log(np.maximum(total, TINY)), 0.0)


def _away(x: Array) -> Array:
    """x, kept away from zero."""
    return np.where(np.abs(x) < TINY, TINY, x)
