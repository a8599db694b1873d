"""Bayesian bounds that hold at every n and are sharp as n grows.

Let p be k shares, d = k-1, with the Dirichlet prior of concentration ``a > 2``, and let each of n users report through
a channel fixed beforehand. Write J for the trace of the prior's Fisher information on the simplex and F for the largest
prior mean of the trace of one report's, over all channels allowed. Then every estimator has

    mean squared error   ``>= d^2 / (J + nF)``
    mean total variation ``>= (k/2) sqrt(pi/2e) k^(-1/2d) sqrt(d / (J + nF))``

where the means are over the prior as well, so the worst p is no better. *Proof.* The posterior's score is the prior's
plus the reports', and these are uncorrelated, so the mean trace of the posterior's Fisher information is
``J + n(...) <= J + nF``. Stam's inequality bounds the entropy of a density by its Fisher information,
``h >= (d/2) log(2 pi e d / trace)``; by convexity the conditional entropy of p given the reports, in orthonormal
coordinates of the simplex, is ``h >= (d/2) log(2 pi e d / (J + nF))``. (This is Efroimovich's inequality.) Squared
error: entropy is at most ``(d/2) log(2 pi e M/d)`` when the error has second moment M. Total variation: leaving out
share j, the others have entropy ``h - (1/2) log k``, and an error with mean absolute value D_x has entropy at most
``log(2e D_x)``, the Laplace law's; so the sum of ``log(2e D_x)`` over ``x != j`` is at least ``h - (1/2) log k``.
Average over j, and use the concavity of the logarithm on the sum of D_x, which is twice the total variation.

F is exact: the trace is convex and homogeneous in a column, a column of an epsilon-LDP channel is a sum of
columns with levels 1 and ``b = e^-epsilon``, and the prior is symmetric, so the best channel has all
columns with m high values for one m, and ``F = max_m (k/S) m(k-m)(1-b)^2/k E[1/(b + (1-b)B)]``, ``S = m +
(k-m)b``, B ~ Beta(ma, (k-m)a). With mass P on the k values and the rest where all reports have the low
level, the reports inform about the conditional shares P^2 times as much, with ``1/(b + P(1-b)B)``.

In the Bernoulli model with a uniform prior Theta is uniform on [0, 1] and n values are Bernoulli(Theta). The number s
of ones is uniform on 0..n and Theta given s is Beta(s+1, n-s+1), so both informations are sums over s.

References: VanTrees1968, Gill1995, Stam1959, Efroimovich1979, Aras2019, Wang2016 (the channel is the subset
mechanism), Asoodeh2021 (Example 4, Remark 1).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from ...core.errors import InvalidInput
from ..channels.finite import Floats, Number, at_least, check_unit, epsilon_value


def beta_mean(first: float, second: float, f: Callable[[Floats], Floats]) -> float:
    """The mean of f over Beta(first, second), by the trapezoid rule in ``log(B / (1-B))``.

    In that variable the density is analytic within distance pi of the real line and falls exponentially, so the rule
    converges geometrically; the step is half a standard deviation, at most one half, and the ends leave out less than
    rounding. f must be as smooth: a rational function with poles outside [0, 1]. It takes about 20 microseconds;
    SciPy's `hyp2f1`, which has the mean of `mean_reciprocal` in closed form, gives nan where `low` is below about 1e-4.
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


CONCENTRATIONS: tuple[float, ...] = (
    *(2.3, 2.6, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 11.0, 16.0, 24.0, 40.0, 64.0),
    *(128.0, 256.0, 1024.0, 4096.0, 32768.0),
)
_LAPLACE = math.sqrt(math.pi / (2 * math.e))  # the entropic constant; a Gaussian error would have sqrt(2/pi)
_ROUNDING = 1 - 1e-9  # more than the error of the quadrature and sums


@dataclass(frozen=True)
class PriorRisk:
    """Lower bounds on the mean risk under a Dirichlet prior on `k` values (or a Beta prior on two)."""

    k: int
    concentration: tuple[float, ...]
    total_variation: float
    squared_error: float


@lru_cache(maxsize=65536)
def fisher_trace(k: int, b: float, concentration: float, mass: float) -> float:
    """F, the largest mean trace of a report's Fisher information about k shares, with ``b = e^-epsilon``.

    Every m is bounded from above in closed form, and the exact mean is taken in the order of those bounds
    until no m left can win. Above half of k none can.
    """
    slope = mass * (1 - b)
    if slope == 0:
        return 0.0
    m = np.arange(1, (k + 1) // 2 + 1, dtype=np.float64)
    m = m[m < k]
    weight = mass**2 * m * (k - m) * (1 - b) ** 2 / (m + (k - m) * b)
    ceiling = weight * reciprocal_ceiling(m * concentration, k * concentration, b, slope)
    best = 0.0
    for i in np.argsort(-ceiling, kind="stable"):
        if ceiling[i] <= best:
            break
        first, second = m[i] * concentration, (k - m[i]) * concentration
        best = max(best, float(weight[i]) * mean_reciprocal(first, second, b, slope))
    return best


def dirichlet_risk(k: int, n: float, *, epsilon: Number, concentration: float, mass: float = 1.0) -> PriorRisk:
    """The two bounds under Dirichlet(a, ..., a) on k values that carry `mass` together.

    They are on the part of the error that falls on these values. `n` may be fractional: what counts is the
    information, and a block that contains a share of the users has that share of it.
    """
    at_least("k", k, 2)
    at_least("n", n, 0)
    if not concentration > 2:
        raise InvalidInput(f"concentration={concentration} must be above 2")
    check_unit("mass", mass, zero=False)
    b = math.exp(-epsilon_value("epsilon", epsilon))
    d = k - 1
    information = dirichlet_information(k, concentration) + n * fisher_trace(k, b, concentration, mass)
    distance = k / 2 * _LAPLACE * k ** (-1 / (2 * d)) * math.sqrt(d / information)
    squared = d * d / information
    return PriorRisk(k, (concentration,), mass * distance * _ROUNDING, mass**2 * squared * _ROUNDING)


def dirichlet_best(k: int, n: float, *, epsilon: Number, mass: float = 1.0) -> tuple[PriorRisk, PriorRisk]:
    """The best of these priors on at most k values, for total variation and for squared error.

    All mass on fewer of the values is a prior too, and better while n is small; k is halved down to two.
    """
    at_least("k", k, 2)
    risks: list[PriorRisk] = []
    while k >= 2:
        risks += [dirichlet_risk(k, n, epsilon=epsilon, concentration=a, mass=mass) for a in CONCENTRATIONS]
        k //= 2
    return max(risks, key=lambda r: r.total_variation), max(risks, key=lambda r: r.squared_error)


@lru_cache(maxsize=65536)
def _pair_information(a: float, b: float, first: float, second: float) -> float:
    """The mean information of one report about the first of two shares, with the optimal binary channel.

    The first report has chance ``r = low + slope B``, and the information is ``slope^2 / (r(1-r))``.
    """
    if a == 1 or b == 1:
        return 0.0
    low = a * (1 - b) / (1 - a * b)
    slope = (1 - a) * (1 - b) / (1 - a * b)
    top = b * (1 - a) / (1 - a * b)
    return slope**2 * (mean_reciprocal(first, second, low, slope) + mean_reciprocal(second, first, top, slope))


def pair_risk(n: float, *, epsilon_xz: Number, epsilon_zx: Number, first: float, second: float) -> PriorRisk:
    """The bounds for two values under a Beta(first, second) prior on the first's share, both above 2.

    Every channel on two values is a degradation of the optimal binary one, so its information is the largest. With I
    its prior mean and J the prior's own, the total variation, which is the error of the share, is at least
    ``sqrt(pi/2e) / sqrt(J + nI)`` and the squared error, twice the share's, at least ``2/(J + nI)``.

    References: Acharya2020 (Theorem 2), and those of this module.
    """
    at_least("n", n, 0)
    for name, value in (("first", first), ("second", second)):
        if not value > 2:
            raise InvalidInput(f"{name}={value} must be above 2")
    a = math.exp(-epsilon_value("epsilon_xz", epsilon_xz))
    b = math.exp(-epsilon_value("epsilon_zx", epsilon_zx))
    information = beta_information(first, second) + n * _pair_information(a, b, first, second)
    distance, squared = _LAPLACE / math.sqrt(information), 2 / information
    return PriorRisk(2, (first, second), distance * _ROUNDING, squared * _ROUNDING)


def pair_best(n: float, *, epsilon_xz: Number, epsilon_zx: Number) -> tuple[PriorRisk, PriorRisk]:
    """The best Beta prior on two values, for total variation and for squared error."""
    risks = [
        pair_risk(n, epsilon_xz=epsilon_xz, epsilon_zx=epsilon_zx, first=first, second=second)
        for first, second in product(CONCENTRATIONS, repeat=2)
    ]
    return max(risks, key=lambda r: r.total_variation), max(risks, key=lambda r: r.squared_error)


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
