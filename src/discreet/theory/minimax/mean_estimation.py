"""Lower bounds on the squared error of a mean estimated from private reports, with all constants.

The papers' corollaries are orders of magnitude. Here each is a number: the best two-point or hypercube construction,
scanned. They also show the limits of the printed orders. Corollary 1's ``(n phi^2)^(-(k-1)/k)`` cannot hold
with one constant for all epsilon and delta: with epsilon = 0 and k = 2, showing the value with probability
delta is (0, delta)-LDP and has error about ``1/(n delta)``, below any multiple of ``1/(delta sqrt(n))``
once n is large. So no such constant is offered.

References: Asoodeh2021 (Corollaries 1, 2), Duchi2013, LeCam1973, Assouad1983.
"""

from __future__ import annotations

import numpy as np

from ...core.errors import InvalidInput
from ..channels.finite import Bound, Number, at_least, delta_value, epsilon_value, lower
from .assouad import assouad_cube
from .two_points import tv_after


def bounded_moment_mean(moment: float, n: int, *, epsilon: Number, delta: Number = 0) -> Bound:
    """The least worst-case squared error of a mean when ``|E X| <= 1`` and ``E|X|^k <= 1``, ``k = moment > 1``.

    Two points: X is 0 except with probability r, and then ``r^(-1/k)`` with sign plus or minus of chance
    ``(1 + s)/2``. The two means are ``2 s r^(1-1/k)`` apart and the laws r s apart in total variation, so
    the error is at least ``s^2 r^(2-2/k) (1 - TV)`` with TV by `tv_after`. Scanned over r and s: ``s = 1``
    is the private regime, ``r = 1`` the public one. For small epsilon it is of the order ``(n
    epsilon^2)^(-(k-1)/k)``.

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

    X is plus or minus `radius` times one of D unit vectors, D at most the dimension: the hypercube of
    `discreet.theory.minimax.cube` on 2D values. The mean has coordinates ``radius gamma z_i / D``, so the error is
    at least ``radius^2 gamma^2 / D (1 - TV)`` with the TV of `assouad_cube`. Scanned over D and gamma; for small
    epsilon it is of the order ``radius^2 min(1/(sqrt(n) epsilon), d/(n epsilon^2))``. Mechanisms are fixed
    before any report is seen.

    References: Asoodeh2021 (Example 3, Corollary 2), Duchi2013 (Proposition 3).
    """
    at_least("dimension", dimension, 1)
    at_least("radius", radius, 0)
    sizes = []
    while dimension:
        sizes.append(dimension)
        dimension //= 2
    best, note = 0.0, ""
    for size in sizes:
        for gamma in np.geomspace(1e-4, 1.0, 61).tolist():
            risk = assouad_cube(size, n, radius=gamma, epsilon=epsilon, delta=delta)
            value = 2 * radius**2 * risk.squared_error  # assouad has gamma^2 / 2D
            if value > best:
                best, note = value, f"cube of radius {gamma:.3g} in {size} dimensions"
    return lower("squared error of a mean in a ball", best, "Asoodeh2021 Corollary 2, Duchi2013", note=note)
