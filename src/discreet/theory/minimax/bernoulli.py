"""The Bernoulli model with a uniform prior, exactly: Theta uniform on [0, 1], n values Bernoulli(Theta).

The number s of ones is uniform on 0..n and Theta given s is Beta(s+1, n-s+1), so both informations are sums
over s.

References: Asoodeh2021 (Example 4, Remark 1).
"""

from __future__ import annotations

import math

import numpy as np

from ..channels.finite import at_least


def bernoulli_information(n: int) -> float:
    """I(Theta; X^n) in nats: minus the mean entropy of Beta(s+1, n-s+1)."""
    from scipy.special import betaln, psi

    at_least("n", n, 0)
    s = np.arange(n + 1)
    entropies = betaln(s + 1, n - s + 1) - s * psi(s + 1) - (n - s) * psi(n - s + 1) + n * psi(n + 2)
    return float(-entropies.mean()) + 0.0


def bernoulli_e_gamma(n: int, gamma: float) -> float:
    """I_gamma(Theta; X^n), the mean over s of the integral of ``(f_s - gamma)_+``, less ``(1 - gamma)_+``.

    f_s, the density of Beta(s+1, n-s+1), is log-concave with its top at s/n, so it exceeds gamma on one
    interval. For ``n = 1``: gamma^2/4 up to 1, (2-gamma)^2/4 up to 2.

    References: Asoodeh2021 (16), (18), with ``P(X^n) = s!(n-s)!/(n+1)!``.
    """
    at_least("n", n, 0)
    at_least("gamma", gamma, 0)
    if gamma == 0 or n == 0:
        return 0.0
    total = math.fsum(_excess(n, s, gamma) for s in range(n + 1)) / (n + 1)
    return max(total - max(1 - gamma, 0.0), 0.0)


def _excess(n: int, s: int, gamma: float) -> float:
    """The integral of ``(f_s - gamma)_+``."""
    from scipy.optimize import brentq
    from scipy.special import betainc

    log_scale = math.lgamma(n + 2) - math.lgamma(s + 1) - math.lgamma(n - s + 1) - math.log(gamma)

    def log_ratio(x: float) -> float:
        return log_scale + (s * math.log(x) if s else 0.0) + ((n - s) * math.log1p(-x) if n > s else 0.0)

    top = s / n
    if log_ratio(top) <= 0:
        return 0.0
    first, last = 1e-300, 1 - 1e-16
    left = brentq(log_ratio, first, top) if s > 0 and log_ratio(first) < 0 else 0.0
    right = brentq(log_ratio, top, last) if s < n and log_ratio(last) < 0 else 1.0
    chance = betainc(s + 1, n - s + 1, right) - betainc(s + 1, n - s + 1, left)
    return float(chance) - gamma * (right - left)
