"""The hypercube of distributions around the uniform one, and what private reports reveal about a corner.

On ``2K`` values that carry mass P between them, corner z in {-1, 1}^K is ``P (1 + gamma z_i) / 2K`` on the
first and ``P (1 - gamma z_i) / 2K`` on the second value of pair i; the rest of the mass lies on values that
every report of an epsilon-LDP or high-low channel treats as the least likely. A column of such a channel is
a sum of columns with levels 1 and ``b = e^-epsilon``, and both quantities below are convex and homogeneous
in the column, so the worst column has j pairs split, one value high and one low, and all others low. Its
total over the values is ``S = 2Kb + j(1-b)``, and rows that sum to one let it have weight ``2K/S``. The
best j is found by trying all.

References: Assouad1983, Acharya2020 (Lemma 1, Sections 5.2 and 6.2).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ...core.errors import InvalidInput
from ..channels.contraction import tv_contraction
from ..channels.finite import Number, at_least, delta_value, epsilon_value


def _low_level(pairs: int, radius: float, epsilon: Number, mass: float) -> float:
    at_least("pairs", pairs, 1)
    if not 0 <= radius <= 1:
        raise InvalidInput(f"radius={radius} must lie between 0 and 1")
    if not 0 < mass <= 1:
        raise InvalidInput(f"mass={mass} must be positive and at most 1")
    return math.exp(-epsilon_value("epsilon", epsilon))


@lru_cache(maxsize=4096)
def _unit_chi_square(pairs: int, b: float, mass: float) -> float:
    j = np.arange(1, pairs + 1, dtype=np.float64)
    total = 2 * pairs * b + j * (1 - b)
    step = mass * (1 - b) / (2 * pairs)
    chance = mass * total / (2 * pairs) + (1 - mass) * b
    return float((2 * pairs / total * step**2 * j / chance).max())


@lru_cache(maxsize=65536)
def _neighbour_kl(pairs: int, radius: float, b: float, mass: float) -> float:
    if radius == 0 or b == 1:
        return 0.0
    j = np.arange(1, pairs + 1, dtype=np.float64)
    total = 2 * pairs * b + j * (1 - b)
    step = radius * mass * (1 - b) / (2 * pairs)
    least = mass * (total - radius * j * (1 - b)) / (2 * pairs) + (1 - mass) * b
    with np.errstate(divide="ignore"):
        return float((2 * j / total * step * np.log1p(2 * step / least)).max())


def cube_chi_square(pairs: int, *, radius: float, epsilon: Number, mass: float = 1.0) -> float:
    """The largest mean over corners of the chi-square from a corner's report to the centre's, per user.

    ``gamma^2 max_j (2K/S) (P(1-b)/2K)^2 j / (PS/2K + (1-P)b)``; with ``P = 1`` it is ``gamma^2 max_j
    j(1-b)^2/S^2``, which is at most ``gamma^2 tanh(epsilon/2)^2 / K`` for ``epsilon <= log 3``. The mean
    over corners removes all products of different pairs, so this is exact: some channel attains it.
    """
    return radius**2 * _unit_chi_square(pairs, _low_level(pairs, radius, epsilon, mass), mass)


def cube_kl(pairs: int, *, radius: float, epsilon: Number, mass: float = 1.0, delta: Number = 0) -> float:
    """An upper bound on the mean KL, per user, between corners that differ in one pair.

    The mean over ordered neighbours of D(p||q) is that of ``(p - q) log(p/q) / 2``. In the worst column the
    two chances differ by ``2 gamma P(1-b)/2K`` and neither is below ``P(S - gamma j(1-b))/2K + (1-P)b``.
    For ``delta > 0`` it is instead the KL of the values, ``P (gamma/K) log((1+gamma)/(1-gamma))``, times
    `tv_contraction`.
    """
    b = _low_level(pairs, radius, epsilon, mass)
    if delta_value(delta) > 0:
        values = radius * math.log((1 + radius) / (1 - radius)) if radius < 1 else math.inf
        return tv_contraction(epsilon, delta=delta) * mass * values / pairs
    return _neighbour_kl(pairs, radius, b, mass)
