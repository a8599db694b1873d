"""Assouad's method under local privacy: many small choices, each hard to make.

The minimax risk is at least the mean risk over the corners of a hypercube of distributions, and that splits
into the pairs: with Delta the distance of a pair's two settings, the loss is at least ``Delta/2 (1 - TV)``
for a metric and ``Delta^2/4 (1 - TV)`` for squared distance, TV being that of all n reports between
neighbouring corners. Its mean is at most ``sqrt(D/2)`` and at most ``sqrt(1 - e^-D)`` with ``D = n
cube_kl``, both concave in D. The mechanism of each user is fixed before any report is seen.

References: Assouad1983, Yu1997, Duchi2013.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..channels.finite import Floats, Number, at_least
from .cube import cube_kl

_RADII: tuple[float, ...] = tuple(float(r) for r in np.geomspace(1e-4, 1.0, 61))


@dataclass(frozen=True)
class CubeRisk:
    """Lower bounds on the mean risk over the corners of one cube."""

    pairs: int
    radius: float
    total_variation: float
    squared_error: float


def assouad_cube(
    pairs: int, n: float, *, radius: float, epsilon: Number, mass: float = 1.0, delta: Number = 0
) -> CubeRisk:
    """The bounds of one cube: ``P gamma/2 (1-TV)`` in total variation, ``P^2 gamma^2/2K (1-TV)`` in squared error.

    A pair's two settings are ``2 P gamma/2K`` apart in half the sum of absolute differences, and the square
    root of two times that in Euclidean distance.
    """
    at_least("n", n, 0)
    D = n * cube_kl(pairs, radius=radius, epsilon=epsilon, mass=mass, delta=delta) if n > 0 else 0.0
    apart = min(math.sqrt(D / 2), math.sqrt(-math.expm1(-D)))
    left = 1 - apart
    return CubeRisk(pairs, radius, mass * radius / 2 * left, (mass * radius) ** 2 / (2 * pairs) * left)


@lru_cache(maxsize=4096)
def _scan(pairs: int, epsilon: float, mass: float, delta: float) -> Floats:
    """`cube_kl` at every radius of the scan."""
    options = {"epsilon": epsilon, "mass": mass, "delta": delta}
    return np.array([cube_kl(pairs, radius=radius, **options) for radius in _RADII])


def assouad_best(
    pairs: int, n: float, *, epsilon: Number, mass: float = 1.0, delta: Number = 0
) -> tuple[CubeRisk, CubeRisk]:
    """The best cubes on at most `pairs` pairs, for total variation and for squared error.

    Pairs are halved down to one, and the radius scanned; every cube gives a true bound.
    """
    at_least("pairs", pairs, 1)
    radii = np.array(_RADII)
    risks = []
    while pairs:
        with np.errstate(invalid="ignore"):
            D = np.nan_to_num(n * _scan(pairs, float(epsilon), mass, float(delta)))
        left = 1 - np.minimum(np.sqrt(D / 2), np.sqrt(-np.expm1(-D)))
        for power in (1, 2):
            radius = _RADII[int(np.argmax(radii**power * left))]
            risks.append(assouad_cube(pairs, n, radius=radius, epsilon=epsilon, mass=mass, delta=delta))
        pairs //= 2
    return max(risks, key=lambda r: r.total_variation), max(risks, key=lambda r: r.squared_error)
