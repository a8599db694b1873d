"""Bayesian bounds that hold at every n and are sharp as n grows.

Let p be k shares, d = k-1, with the Dirichlet prior of concentration ``a > 2``, and let each of n users
report through a channel fixed beforehand. Write J for the trace of the prior's Fisher information on the
simplex and F for the largest prior mean of the trace of one report's, over all channels allowed. Then every
estimator has

    mean squared error   ``>= d^2 / (J + nF)``
    mean total variation ``>= (k/2) sqrt(pi/2e) k^(-1/2d) sqrt(d / (J + nF))``

where the means are over the prior as well, so the worst p is no better. *Proof.* The posterior's score is
the prior's plus the reports', and these are uncorrelated, so the mean trace of the posterior's Fisher
information is ``J + n(...) <= J + nF``. Stam's inequality bounds the entropy of a density by its Fisher
information, ``h >= (d/2) log(2 pi e d / trace)``; by convexity the conditional entropy of p given the
reports, in orthonormal coordinates of the simplex, is ``h >= (d/2) log(2 pi e d / (J + nF))``. (This is
Efroimovich's inequality.) Squared error: entropy is at most ``(d/2) log(2 pi e M/d)`` when the error has
second moment M. Total variation: leaving out share j, the others have entropy ``h - (1/2) log k``, and an
error with mean absolute value D_x has entropy at most ``log(2e D_x)``, the Laplace law's; so the sum of
``log(2e D_x)`` over ``x != j`` is at least ``h - (1/2) log k``. Average over j, and use the concavity of
the logarithm on the sum of D_x, which is twice the total variation.

F is exact: the trace is convex and homogeneous in a column, a column of an epsilon-LDP channel is a sum of
columns with levels 1 and ``b = e^-epsilon``, and the prior is symmetric, so the best channel has all
columns with m high values for one m, and ``F = max_m (k/S) m(k-m)(1-b)^2/k E[1/(b + (1-b)B)]``, ``S = m +
(k-m)b``, B ~ Beta(ma, (k-m)a). With mass P on the k values and the rest where all reports have the low
level, the reports inform about the conditional shares P^2 times as much, with ``1/(b + P(1-b)B)``.

References: VanTrees1968, Gill1995, Stam1959, Efroimovich1979, Aras2019, Wang2016 (the channel is the subset
mechanism).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...core.errors import InvalidInput
from ..channels.finite import Number, at_least, epsilon_value
from .dirichlet import (
    beta_information,
    dirichlet_information,
    mean_reciprocal,
    reciprocal_ceiling,
)

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
    """F of the module's docstring: the largest mean trace of a report's information about k shares, ``b = e^-epsilon``.

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
    if not 0 < mass <= 1:
        raise InvalidInput(f"mass={mass} must be positive and at most 1")
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
    sizes = []
    while k >= 2:
        sizes.append(k)
        k //= 2
    risks = [
        dirichlet_risk(size, n, epsilon=epsilon, concentration=a, mass=mass) for size in sizes for a in CONCENTRATIONS
    ]
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

    Every channel on two values is a degradation of the optimal binary one, so its information is the
    largest. With I its prior mean and J the prior's own, the total variation, which is the error of the
    share, is at least ``sqrt(pi/2e) / sqrt(J + nI)`` and the squared error, twice the share's, at least
    ``2/(J + nI)``.

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
        for first in CONCENTRATIONS
        for second in CONCENTRATIONS
    ]
    return max(risks, key=lambda r: r.total_variation), max(risks, key=lambda r: r.squared_error)
