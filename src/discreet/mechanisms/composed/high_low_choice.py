"""The subset size or difference set that serves a high-low context best, given the share of sensitive people."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from ...core.errors import InvalidInput
from ..finite_geometry.difference_sets import Parameters, candidates
from ..uniform.cyclotomic import Family, families
from ..uniform.projective import room


def sized(name: str, size: int, epsilon: float, mass: float, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters with the base called `name` sized for sensitive values of share `mass`; others stay as given."""
    if name == "subset" and not parameters:
        return {"d": best_subset_size(size, epsilon, mass)}
    if name == "projective":
        chosen = best_difference_set(size, epsilon, mass, bits=parameters.get("bits"))
        return {"family": chosen.family, "key": chosen.key}
    if name == "cyclotomic":
        family = best_difference_family(size, epsilon, mass, bits=parameters.get("bits"))
        return parameters if family is None else {"p": family.p, "d": family.d}
    return parameters


def high_low_error(g: float, h: float, nu: float, sigma: float, *, size: int, mass: float) -> float:
    """n times the expected squared error of all shares, plus the sum of squared shares.

    For `size` sensitive values of total share `mass`, an inner sampler with support probabilities g, h and
    neutral nu, and other values that pass as they are with probability sigma:
    ``s (V0 m + (1-m)((1-sigma) M + sigma kappa**2)) + (V1 + 1) m + (1-m)/sigma``,
    M the second moment of phi under the neutral law.
    """
    gap = g - h
    if gap <= 0:
        return math.inf  # epsilon is too small for doubles to tell the two apart
    v0, v1 = h * (1 - h) / gap**2, (g * (1 - g) - h * (1 - h)) / gap**2
    neutral = (nu * (1 - h) ** 2 + (1 - nu) * h * h) / gap**2
    kappa = -(1 - sigma) * (nu - h) / (sigma * gap)
    outside = (1 - sigma) * neutral + sigma * kappa**2
    return size * (v0 * mass + (1 - mass) * outside) + (v1 + 1) * mass + (1 - mass) / sigma


def levels_of(a: float, b: float, own: float, shared: float, epsilon: float) -> tuple[float, float, float, float]:
    """(g, h, nu, sigma) of a sampler with a high and b low reports, `own` supporting a value, `shared` two."""
    fade = math.exp(-epsilon)
    whole = a + b * fade
    g, h = own / whole, (shared + (own - shared) * fade) / whole
    return g, h, own / (a + b), -a * math.expm1(-epsilon) / whole


def subset_levels(size: int, d: int, epsilon: float) -> tuple[float, float, float, float]:
    """(g, h, nu, sigma) of subsets of d of the sensitive values."""
    return levels_of(d, size - d, d, d * (d - 1) / (size - 1), epsilon)


@lru_cache(maxsize=1024)
def best_subset_size(size: int, epsilon: float, mass: float) -> int:
    """The subset size d with the least `high_low_error`, near ``s / (1 + sqrt(e (1 + m (e - 1))))``."""

    def error(d: int) -> float:
        return high_low_error(*subset_levels(size, d, epsilon), size=size, mass=mass)

    if size <= 4096:
        return min(range(1, size), key=error)
    grown = math.exp(epsilon)
    middle = size / (1 + math.sqrt(grown * (1 + mass * (grown - 1))))
    near = range(max(1, int(middle * 0.9)), min(size - 1, int(middle * 1.1) + 2) + 1)
    return min(near, key=error)


@lru_cache(maxsize=1024)
def best_difference_set(size: int, epsilon: float, mass: float, *, bits: int | None = None) -> Parameters:
    """The cyclic difference set with the least `high_low_error` that fits; ties go to the fewest reports."""
    found = min(candidates(size, bits=room(size, bits)), key=_rating(size, epsilon, mass), default=None)
    if found is None:
        raise InvalidInput(f"bits={bits} must be enough for {size} sensitive values")
    return found


@lru_cache(maxsize=1024)
def best_difference_family(size: int, epsilon: float, mass: float, *, bits: int | None = None) -> Family | None:
    """The cyclotomic family with the least `high_low_error` that fits; None if there is none."""
    rating = _rating(size, epsilon, mass)
    return min(families(size, bits=bits), key=lambda family: rating(family.parameters), default=None)


def family_pays(size: int, epsilon: float, mass: float, *, bits: int | None = None) -> bool:
    """True if the best family has at least 1 % less error than the best difference set alone."""
    rating = _rating(size, epsilon, mass)
    several = best_difference_family(size, epsilon, mass, bits=bits)
    single = best_difference_set(size, epsilon, mass, bits=bits)
    return several is not None and 1.01 * rating(several.parameters)[0] < rating(single)[0]


def _rating(size: int, epsilon: float, mass: float) -> Callable[[Parameters], tuple[float, int]]:
    def rating(p: Parameters) -> tuple[float, int]:
        levels = levels_of(p.r, p.v - p.r, p.r, p.lam, epsilon)
        return high_low_error(*levels, size=size, mass=mass), p.v

    return rating
