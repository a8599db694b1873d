"""Which subset size or difference set serves a high-low context best, given the share of sensitive people."""

from __future__ import annotations

import math
from functools import lru_cache

from .difference_sets import Parameters, candidates
from .projective import room


def high_low_error(g: float, h: float, nu: float, sigma: float, *, size: int, mass: float) -> float:
    """n times the expected squared error of all shares, plus the sum of squared shares.

    For `size` sensitive values of total share `mass`, an inner design with support probabilities g, h and
    neutral nu, and other values that show themselves with probability sigma:
    ``s (V0 m + (1-m)((1-sigma) M + sigma kappa**2)) + (V1 + 1) m + (1-m)/sigma``,
    M the second moment of phi under the neutral law.
    """
    gap = g - h
    v0, v1 = h * (1 - h) / gap**2, (g * (1 - g) - h * (1 - h)) / gap**2
    neutral = (nu * (1 - h) ** 2 + (1 - nu) * h * h) / gap**2
    kappa = -(1 - sigma) * (nu - h) / (sigma * gap)
    outside = (1 - sigma) * neutral + sigma * kappa**2
    return size * (v0 * mass + (1 - mass) * outside) + (v1 + 1) * mass + (1 - mass) / sigma


def two_level(a: float, b: float, own: float, shared: float, epsilon: float) -> tuple[float, float, float, float]:
    """(g, h, nu, sigma) of a design with a high and b low reports, `own` of them supporting a value, `shared` two."""
    fade = math.exp(-epsilon)
    whole = a + b * fade
    g, h = own / whole, (shared + (own - shared) * fade) / whole
    return g, h, own / (a + b), -a * math.expm1(-epsilon) / whole


@lru_cache(maxsize=1024)
def best_subset_size(size: int, epsilon: float, mass: float) -> int:
    """The subset size d with the least `high_low_error`, near ``s / (1 + sqrt(e (1 + m (e - 1))))``."""

    def error(d: int) -> float:
        fade = math.exp(-epsilon)
        g = d / (d + (size - d) * fade)
        h = (g * (d - 1) + (1 - g) * d) / (size - 1)
        sigma = -d * math.expm1(-epsilon) / (d + (size - d) * fade)
        return high_low_error(g, h, d / size, sigma, size=size, mass=mass)

    if size <= 4096:
        return min(range(1, size), key=error)
    grown = math.exp(epsilon)
    middle = size / (1 + math.sqrt(grown * (1 + mass * (grown - 1))))
    near = range(max(1, int(middle * 0.9)), min(size - 1, int(middle * 1.1) + 2) + 1)
    return min(near, key=error)


@lru_cache(maxsize=1024)
def best_difference_set(size: int, epsilon: float, mass: float) -> Parameters:
    """The cyclic difference set with the least `high_low_error`; ties go to the fewest reports."""

    def error(p: Parameters) -> tuple[float, int]:
        levels = two_level(p.r, p.v - p.r, p.r, p.lam, epsilon)
        return high_low_error(*levels, size=size, mass=mass), p.v

    return min(candidates(size, bits=room(size)), key=error)
