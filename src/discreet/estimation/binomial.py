"""Exact binomial confidence limits (Clopper and Pearson) for arrays of counts, rounded outward."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STEPS = 64
"""How often Chernoff's bound is bisected: enough for full double precision."""
TANGENTS = 20
"""Newton steps after that, each of which squares the error."""
SLACK = 1e-7
"""More than the relative rounding error of a tail probability: limits are set for a level this much lower."""
TINY = 1e-300


def lower_limit(hits: Any, trials: int, level: float) -> Array:
    """The p with ``Pr(X >= hits) = level`` for X ~ Bin(trials, p): below the true chance except with chance `level`.

    ``Pr(X >= s) = I_p(s, n-s+1)``, and its logarithm is concave and increasing in log p. So Newton's method
    begun where Chernoff's bound ``exp(-n KL(s/n || p))`` equals the level rises to the root and never passes it.

    References: Clopper1934.
    """
    s = np.asarray(hits, dtype=np.float64)
    some = s > 0
    a = np.where(some, s, 1.0)
    b = trials - a + 1
    target = math.log(level) + math.log1p(-SLACK)
    shift = _log_beta(a, b)
    log_p = _chernoff(a / trials, -target / trials)
    for _ in range(TANGENTS):
        value, slope = _log_incomplete(a, b, log_p, shift)
        step = np.maximum(target - value, 0.0) / slope
        log_p = log_p + step
        if bool((step < 1e-15).all()):
            break
    return np.where(some, np.exp(log_p), 0.0)


def upper_limit(hits: Any, trials: int, level: float) -> Array:
    """The p with ``Pr(X <= hits) = level``: above the true chance except with chance `level`; see `lower_limit`."""
    missed = lower_limit(trials - np.asarray(hits, dtype=np.float64), trials, level)
    return np.where(missed > 0, np.nextafter(1 - missed, 1.0), 1.0)


def _log_beta(a: Array, b: Array) -> Array:
    pairs = zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
    found = [math.lgamma(p) + math.lgamma(q) - math.lgamma(p + q) for p, q in pairs]
    return np.array(found, dtype=np.float64).reshape(a.shape)


def _chernoff(share: Array, reach: float) -> Array:
    """The logarithm of the p below `share` with ``KL(share || p) = reach``, or just below it."""
    rest = 1 - share
    inside = share * np.log(share) + np.where(rest > 0, rest * np.log(np.maximum(rest, TINY)), 0.0)
    high = np.log(share)
    low = high - 1 - reach / share
    for _ in range(STEPS):
        middle = (low + high) / 2
        far = inside - share * middle - rest * np.log1p(-np.minimum(np.exp(middle), 1 - 1e-16)) >= reach
        low, high = np.where(far, middle, low), np.where(far, high, middle)
    return low


def _log_incomplete(a: Array, b: Array, log_p: Array, log_beta: Array) -> tuple[Array, Array]:
    """log I_p(a, b) and its slope in log p, for p below the mean, by the continued fraction (modified Lentz)."""
    p = np.exp(log_p)
    log_q = np.log1p(-np.minimum(p, 1 - 1e-16))
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
        if bool((np.abs(step - 1) < 1e-13).all()):
            break
    return a * log_p + b * log_q - log_beta - np.log(a) + np.log(total), a * np.exp(-log_q) / total


def _away(x: Array) -> Array:
    """x, kept away from zero."""
    return np.where(np.abs(x) < TINY, TINY, x)
