"""The Bernoulli model with a uniform prior, exactly: Theta uniform on [0, 1], n values Bernoulli(Theta).

The number s of ones is uniform on 0..n and Theta given s is Beta(s+1, n-s+1), so both informations are sums
over s.

References: Asoodeh2021 (Example 4, Remark 1).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from discreet.theory.channels.finite import at_least


def bernoulli_information(n: int) -> float:
    """I(Theta; X^n) in nats: minus the mean entropy of Beta(s+1, n-s+1), with digamma as harmonic numbers."""
    at_least("n", n, 0)
    harmonic = [0.0]
    for j in range(1, n + 2):
        harmonic.append(harmonic[-1] + 1 / j)
    total = 0.0
    for s in range(n + 1):
        log_beta = math.lgamma(s + 1) + math.lgamma(n - s + 1) - math.lgamma(n + 2)
        entropy = log_beta - s * harmonic[s] - (n - s) * harmonic[n - s] + n * harmonic[n + 1]
        total -= entropy
    return total / (n + 1)


def bernoulli_e_gamma(n: int, gamma: float) -> float:
    """I_gamma(Theta; X^n), the mean over s of the integral of ``(f_s - gamma)_+``, less ``(1 - gamma)_+``.

    f_s, the density of Beta(s+1, n-s+1), is log-concave with its top at s/n, so it exceeds gamma on one
    interval, whose ends are found by bisection; the chance of the interval is a binomial tail. For ``n =
    1``: gamma^2/4 up to 1, (2-gamma)^2/4 up to 2.

    References: Asoodeh2021 (16), (18), with ``P(X^n) = s!(n-s)!/(n+1)!``.
    """
    at_least("n", n, 0)
    at_least("gamma", gamma, 0)
    if gamma == 0 or n == 0:
        return 0.0
    total = math.fsum(_excess(n, s, gamma) for s in range(n + 1)) / (n + 1)
    return max(total - max(1 - gamma, 0.0), 0.0)


def _excess(n: int, s: int, gamma: float) -> float:
    log_scale = math.lgamma(n + 2) - math.lgamma(s + 1) - math.lgamma(n - s + 1)

    def log_ratio(x: float) -> float:
        log_x = s * math.log(x) if s else 0.0
        log_y = (n - s) * math.log1p(-x) if n > s else 0.0
        return log_scale + log_x + log_y - math.log(gamma)

    top = s / n
    peak = log_ratio(top) if 0 < s < n else log_scale - math.log(gamma)
    if peak <= 0:
        return 0.0
    left = _cross(log_ratio, 0.0, top) if s > 0 else 0.0
    right = _cross(log_ratio, 1.0, top) if s < n else 1.0
    return _tail(n, s, right) - _tail(n, s, left) - gamma * (right - left)


def _cross(log_ratio: Callable[[float], float], outside: float, inside: float) -> float:
    """The point where the ratio crosses one, between a point where it is below and one where it is above."""
    while (middle := (outside + inside) / 2) not in (outside, inside):
        if log_ratio(middle) > 0:
            inside = middle
        else:
            outside = middle
    return inside


def _tail(n: int, s: int, x: float) -> float:
    """The Beta(s+1, n-s+1) chance of [0, x]: that of more than s successes in n+1 trials."""
    return math.fsum(math.comb(n + 1, j) * x**j * (1 - x) ** (n + 1 - j) for j in range(s + 1, n + 2))
