"""Assouad's method under local privacy: many small choices, each hard to make; and the error of a mean by it.

The minimax risk is at least the mean risk over the corners of a hypercube of distributions, and that splits
into the pairs: with Delta the distance of a pair's two settings, the loss is at least ``Delta/2 (1 - TV)``
for a metric and ``Delta^2/4 (1 - TV)`` for squared distance, TV being that of all n reports between
neighbouring corners. Its mean is at most ``sqrt(D/2)`` and at most ``sqrt(1 - e^-D)`` with ``D = n
cube_kl``, both concave in D. The mechanism of each user is fixed before any report is seen.

The cube is around the uniform distribution. On ``2K`` values that carry mass P between them, corner z in {-1, 1}^K is
``P (1 + gamma z_i) / 2K`` on the first and ``P (1 - gamma z_i) / 2K`` on the second value of pair i; the rest of the
mass lies on values that every report of an epsilon-LDP or high-low channel treats as the least likely. A column of such
a channel is a sum of columns with levels 1 and ``b = e^-epsilon``, and both quantities below are convex and homogeneous
in the column, so the worst column has j pairs split, one value high and one low, and all others low. Its total over the
values is ``S = 2Kb + j(1-b)``, and rows that sum to one let it have weight ``2K/S``. The best j is found by trying all.

For the mean of private reports the papers' corollaries are orders of magnitude. Here each is a number: the best
two-point or hypercube construction, scanned. They also show the limits of the printed orders. Corollary 1's
``(n phi^2)^(-(k-1)/k)`` cannot hold with one constant for all epsilon and delta: with epsilon = 0 and k = 2, showing
the value with probability delta is (0, delta)-LDP and has error about ``1/(n delta)``, below any multiple of
``1/(delta sqrt(n))`` once n is large. So no such constant is offered.

References: Assouad1983, Yu1997, Duchi2013, Acharya2020 (Lemma 1, Sections 5.2 and 6.2), Asoodeh2021 (Corollaries 1, 2),
LeCam1973.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...core.errors import InvalidInput
from ..channels.contraction import tv_after, tv_contraction
from ..channels.finite import Bound, Floats, Number, at_least, check_unit, delta_value, epsilon_value, lower


def _low_level(pairs: int, radius: float, epsilon: Number, mass: float) -> float:
    at_least("pairs", pairs, 1)
    check_unit("radius", radius)
    check_unit("mass", mass, zero=False)
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

    The mean over ordered neighbours of D(p||q) is that of ``(p - q) log(p/q) / 2``. In the worst column the two chances
    differ by ``2 gamma P(1-b)/2K`` and neither is below ``P(S - gamma j(1-b))/2K + (1-P)b``. For ``delta > 0`` it is
    instead the KL of the values, ``P (gamma/K) log((1+gamma)/(1-gamma))``, times `tv_contraction`.
    """
    b = _low_level(pairs, radius, epsilon, mass)
    if delta_value(delta) > 0:
        values = radius * math.log((1 + radius) / (1 - radius)) if radius < 1 else math.inf
        return tv_contraction(epsilon, delta=delta) * mass * values / pairs
    return _neighbour_kl(pairs, radius, b, mass)


_RADII: tuple[float, ...] = tuple(np.geomspace(1e-4, 1.0, 61).tolist())


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
    left = 1 - min(math.sqrt(D / 2), math.sqrt(-math.expm1(-D)))
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


def bounded_moment_mean(moment: float, n: int, *, epsilon: Number, delta: Number = 0) -> Bound:
    """The least worst-case squared error of a mean when ``|E X| <= 1`` and ``E|X|^k <= 1``, ``k = moment > 1``.

    Two points: X is 0 except with probability r, and then ``r^(-1/k)`` with sign plus or minus of chance ``(1 + s)/2``.
    The two means are ``2 s r^(1-1/k)`` apart and the laws r s apart in total variation, so the error is at least
    ``s^2 r^(2-2/k) (1 - TV)`` with TV by `tv_after`. Scanned over r and s: ``s = 1`` is the private regime, ``r = 1``
    the public one. For small epsilon it is of the order ``(n epsilon^2)^(-(k-1)/k)``.

    References: Asoodeh2021 (Example 2, Corollary 1), Duchi2013 (Proposition 1).
    """
    if not moment > 1:
        raise InvalidInput(f"moment={moment} must be above 1")
    epsilon_value("epsilon", epsilon)
    delta_value(delta)
    at_least("n", n, 0)
    grid = np.geomspace(1e-9, 1.0, 55).tolist()
    best, note = 0.0, ""
    for r in grid:
        for s in grid[27:]:
            error = s * s * r ** (2 - 2 / moment)
            if error <= best:
                continue
            plus = [1 - r, r * (1 + s) / 2, r * (1 - s) / 2]
            minus = [1 - r, r * (1 - s) / 2, r * (1 + s) / 2]
            value = error * (1 - tv_after(plus, minus, n, epsilon=epsilon, delta=delta))
            if value > best:
                best, note = value, f"mass {r:.3g} away from 0, tilt {s:.3g}"
    source = "Asoodeh2021 Corollary 1, Duchi2013"
    return lower("squared error of a mean, bounded moment", best, source, note=note)


def ball_mean(dimension: int, radius: float, n: int, *, epsilon: Number, delta: Number = 0) -> Bound:
    """The least worst-case squared error of the mean of vectors in a Euclidean ball of this dimension and radius.

    X is plus or minus `radius` times one of D unit vectors, D at most the dimension: the hypercube on 2D values. The
    mean has coordinates ``radius gamma z_i / D``, so the error is at least ``radius^2 gamma^2 / D (1 - TV)`` with the
    TV of `assouad_cube`. Scanned over D and gamma; for small epsilon it is of the order ``radius^2 min(1/(sqrt(n)
    epsilon), d/(n epsilon^2))``. Mechanisms are fixed before any report is seen.

    References: Asoodeh2021 (Example 3, Corollary 2), Duchi2013 (Proposition 3).
    """
    at_least("dimension", dimension, 1)
    at_least("radius", radius, 0)
    best, note = 0.0, ""
    while dimension:
        for gamma in _RADII:
            risk = assouad_cube(dimension, n, radius=gamma, epsilon=epsilon, delta=delta)
            value = 2 * radius**2 * risk.squared_error  # assouad has gamma^2 / 2D
            if value > best:
                best, note = value, f"cube of radius {gamma:.3g} in {dimension} dimensions"
        dimension //= 2
    return lower("squared error of a mean in a ball", best, "Asoodeh2021 Corollary 2, Duchi2013", note=note)
