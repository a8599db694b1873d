"""Bounds on every unbiased estimator at a given p: Cramer-Rao bounds over all channels that a context allows.

Minimax bounds are about the worst p. These are about one p, so they may be set beside the error measured
there, but they bind unbiased estimators only: a projected or shrunken estimate may be below them. All are
on n times the expected sum of squared errors, for values drawn from p.

With ``M = sum_y w_y r_y r_y^T / (r_y . p)`` over the columns ``w_y r_y`` of a channel, that is
``trace(M^-1) - |p|^2``, and ``Mp = 1``. Any part of the tangent space of dimension d, on which the trace of
M is at most F, adds at least ``d^2/F``.

References: Acharya2020, Wang2016 (Theorem 3.2's optimum among symmetric mechanisms), Yoon2025, Rao1945, Bhatia2000.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.core.errors import InvalidInput
from discreet.core.search import least_between
from discreet.estimation.simplex import FloatArray
from discreet.mechanisms.composed.two_sizes import best_two_sizes, terms_of
from discreet.theory.bound import Bound, lower
from discreet.theory.channels.finite import (
    Number,
    Privacy,
    Vector,
    at_least,
    distribution,
    epsilon_value,
    floats,
    privacy_matrix,
)


def subset_trace(k: int, epsilon: Number) -> float:
    """The largest trace of M on the tangent space at the uniform p under epsilon-LDP.

    ``max_m k m(k-m)(1-b)^2 / (m + (k-m)b)^2``, ``b = e^-epsilon``: M's trace is convex and homogeneous in a
    column, so columns with m high values and the others low are best. For large k it is ``k
    sinh(epsilon/2)^2``.
    """
    at_least("k", k, 2)
    b = math.exp(-epsilon_value("epsilon", epsilon))
    centre = k * b / (1 + b)
    tried = {min(max(m, 1), k - 1) for m in (math.floor(centre), math.ceil(centre))}
    return max(k * m * (k - m) * (1 - b) ** 2 / (m + (k - m) * b) ** 2 for m in tried)


def unbiased_uniform(k: int, *, epsilon: Number) -> Bound:
    """n times the error at the uniform p under epsilon-LDP: ``(k-1)^2 / subset_trace``, which subsets attain."""
    at_least("k", k, 1)
    if k == 1:
        return lower("unbiased squared error times n, uniform p", 0.0, "Wang2016")
    trace = subset_trace(k, epsilon)
    value = (k - 1) ** 2 / trace if trace > 0 else math.inf
    return lower("unbiased squared error times n, uniform p", value, "Wang2016, Rao1945")


def unbiased_blocks(sizes: Sequence[int], masses: Vector, *, epsilons: Sequence[Number]) -> Bound:
    """n times the error at a p that is uniform inside each block, block j having the mass P_j.

    ``sum_j P_j (1/k_j + (k_j-1)^2/F_j) - sum_j P_j^2/k_j``, F_j the `subset_trace` of the block: M is
    diagonal in blocks, ``M_j = M'_j / P_j`` with M'_j the block's own, which has eigenvalue k_j at the
    constant vector. The subset mechanism inside each block attains it.
    """
    P = floats(distribution("masses", masses))
    if not len(sizes) == len(epsilons) == len(P):
        raise InvalidInput(f"{len(sizes)} sizes, {len(P)} masses and {len(epsilons)} epsilons must be equally many")
    value = 0.0
    for size, epsilon, mass in zip(sizes, epsilons, P.tolist(), strict=True):
        inside = unbiased_uniform(size, epsilon=epsilon).value if mass > 0 else 0.0
        value += mass * (1 / size + inside) - mass**2 / size
    return lower("unbiased squared error times n, blocks", value, "Acharya2020, Wang2016, Rao1945")


def unbiased_high_low(k: int, sensitive: int, mass: float, *, epsilon: Number, spread: float | None = None) -> Bound:
    """n times the error at a p uniform on the sensitive values, which have `mass` in all; mixed subsets attain it.

    `spread` is the sum of the squared shares of the others among themselves, 1/t for t that are equally likely. A
    column of a channel has m of the s sensitive values e^epsilon higher than the rest of them and the others, or is one
    of the others alone, and may be averaged over the sensitive values. So a channel is a mixture of subset sizes
    m = 1 .. s with odds pi_m, of which every other value passes as often as it can, and its best unbiased estimate
    has the error ``f(pi) = sum_j C_j / (pi . x_j)`` of `two_sizes`. That is convex and of degree
    -1, so ``f >= f(pi)^2 / max_m -df/dpi_m`` for any pi: here that of the two best sizes, where both sides meet. Size
    s says only whether a value is sensitive; it takes part in the optimum where s = 2.
    """
    at_least("sensitive", sensitive, 1)
    at_least("k - sensitive", k - sensitive, 1)
    if not 0 <= mass <= 1:
        raise InvalidInput(f"mass={mass} must lie between 0 and 1")
    level, s = epsilon_value("epsilon", epsilon), sensitive
    even = 1 / (k - s) if spread is None else spread
    name, source = "unbiased squared error times n, high-low", "Yoon2025, Rao1945"
    if level == 0:
        return lower(name, math.inf, source)
    if math.isinf(level):
        return lower(name, 1 - mass**2 / s - (1 - mass) ** 2 * even, source)
    passed = -math.expm1(-level)
    shown = np.array([0.0, passed / (1 - (1 - mass) * passed), passed])  # whether a value is sensitive, and no more
    sizes = np.array([*(terms_of(s, m, level, mass) for m in range(1, s)), shown])
    costs = np.array([s - 1, (1 / s + even) * (1 - mass), (1 - even) * (1 - mass)])
    used = costs > 0
    if not used.any():
        return lower(name, 0.0, source)

    def error(known: FloatArray) -> float:
        return float(np.sum(costs[used] / known[used]))

    tried = [shown] if s == 1 else []
    if s > 1:
        found = best_two_sizes(s, level, mass, even)
        tried.append(found.share * sizes[found.first - 1] + (1 - found.share) * sizes[found.second - 1])
        share = least_between(lambda one: error(one * sizes[-2] + (1 - one) * shown), 1e-9, 1.0, steps=80)
        tried.append(share * sizes[-2] + (1 - share) * shown)
    steepest = [float(np.max((sizes[:, used] / known[used] ** 2) @ costs[used])) for known in tried]
    return lower(name, max(error(known) ** 2 / most for known, most in zip(tried, steepest, strict=True)), source)


def unbiased_matrix(E: Privacy, p: Vector) -> Bound:
    """``sum_x (1-p_x)^2 / ((hi_x - 1)(1 - lo_x))``: n times the error at p for any privacy matrix, any size.

    ``hi_x = 1/sum_z p_z e^-E[x,z]`` and ``lo_x = 1/sum_z p_z e^E[z,x]`` are the extremes of
    ``Q(y|x)/(pQ)(y)``, whose mean is one and whose variance is at most ``(hi-1)(1-lo)`` (Bhatia and Davis)
    and at least the information about p_x when the other shares keep their proportions, times
    ``(1-p_x)^2``. Infinite when some value is hidden from all others. E is closed first, which gives the larger
    bound. Exact without privacy: ``1 - |p|^2``.
    """
    epsilons, shares = privacy_matrix(E), floats(distribution("p", p))
    if len(shares) != len(epsilons):
        raise InvalidInput(f"p has {len(shares)} entries and E {len(epsilons)} rows; they must be equally many")
    if len(shares) == 1:
        return lower("unbiased squared error times n", 0.0, "Acharya2020")
    held = shares > 0
    with np.errstate(over="ignore", divide="ignore"):
        high = 1 / (np.exp(-epsilons[:, held]) @ shares[held])
        low = 1 / (np.exp(epsilons.T[:, held]) @ shares[held])
    spread = (high - 1) * (1 - low)
    gap = (1 - shares) ** 2
    if bool(((spread <= 0) & (gap > 0)).any()):
        value = math.inf
    else:
        value = float((gap[gap > 0] / spread[gap > 0]).sum())
    return lower("unbiased squared error times n", value, "Acharya2020, Bhatia2000, Rao1945")
