"""Averages over a Dirichlet prior that the Bayesian bounds need, computed to rounding.

Under the prior with concentration a on each of k values, the mass of m of them is Beta(ma, (k-m)a).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..channels.finite import Floats


def beta_mean(first: float, second: float, f: Callable[[Floats], Floats]) -> float:
    """The mean of f over Beta(first, second), by the trapezoid rule in ``log(B / (1-B))``.

    In that variable the density is analytic within distance pi of the real line and falls exponentially, so
    the rule converges geometrically; the step is half a standard deviation, at most one half, and the ends
    leave out less than rounding. f must be as smooth: a rational function with poles outside [0, 1]. It takes about
    20 microseconds; SciPy's `hyp2f1`, which has the mean of `mean_reciprocal` in closed form, gives nan where `low` is
    below about 1e-4.
    """
    spread = math.sqrt(1 / first + 1 / second)
    centre, step = math.log(first / second), min(spread / 2, 0.5)
    u = np.arange(centre - 12 * spread - 42 / first, centre + 12 * spread + 42 / second, step)
    log_b, log_c = -np.logaddexp(0, -u), -np.logaddexp(0, u)
    log_w = first * log_b + second * log_c
    w = np.exp(log_w - log_w.max())
    return float((w * f(np.exp(log_b))).sum() / w.sum())


def mean_reciprocal(first: float, second: float, low: float, slope: float) -> float:
    """The mean of ``1 / (low + slope B)`` over Beta(first, second); ``first > 1`` when `low` is zero."""
    if low == 0:
        return (first + second - 1) / (first - 1) / slope
    return beta_mean(first, second, lambda x: 1 / (low + slope * x))


def reciprocal_ceiling(first: Floats, total: float, low: float, slope: float) -> Floats:
    """An upper bound on `mean_reciprocal` in closed form, for many `first` at once, ``first > 1``.

    With ``Z = low + slope B`` and mean mu, ``1/Z = 1/mu - (Z-mu)/mu^2 + (Z-mu)^2/(mu^2 Z)``; in the last
    term ``1/Z <= 1/low``, or ``1/Z <= 1/(slope B)``, whose means are explicit.
    """
    x = first / total
    mu = low + slope * x
    spread = slope * x * (1 - x) / (first - 1)
    if low > 0:
        spread = np.minimum(spread, slope**2 * x * (1 - x) / ((total + 1) * low))
    return 1 / mu + spread / mu**2


def dirichlet_information(k: int, concentration: float) -> float:
    """The trace of the prior's Fisher information on the simplex: ``(k-1)(A-1)(A-2)/(a-2)``, ``A = ka``, ``a > 2``."""
    total = k * concentration
    return (k - 1) * (total - 1) * (total - 2) / (concentration - 2)


def beta_information(first: float, second: float) -> float:
    """The Fisher information of the Beta(first, second) density on the line; both above 2."""
    total = first + second
    return (total - 1) * (total - 2) * (1 / (first - 2) + 1 / (second - 2))
