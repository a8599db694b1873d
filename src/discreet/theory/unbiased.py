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
from time import monotonic
from typing import Any

import numpy as np

from ..contexts import Context
from ..core.errors import InvalidInput, NotIdentifiable
from ..estimation.results.weights import weights_of
from ..estimation.simplex import FloatArray
from ..mechanisms.composed.two_sizes import best_two_sizes, terms_of
from ..planning.choose import prior_of
from ..planning.design.components import MAX_VALUES, components_of, tasks_of
from ..planning.objective import objective_of
from ..planning.optimize.proof import closed_bound, most_information
from ..planning.optimize.semidefinite import semidefinite_bound
from .channels.finite import (
    Bound,
    Number,
    Privacy,
    Vector,
    at_least,
    check_lengths,
    check_unit,
    distribution,
    epsilon_value,
    floats,
    lower,
    place_of_least,
    privacy_matrix,
)


def subset_trace(k: int, epsilon: Number) -> float:
    """The largest trace of M on the tangent space at the uniform p under epsilon-LDP.

    ``max_m k m(k-m)(1-b)^2 / (m + (k-m)b)^2``, ``b = e^-epsilon``: M's trace is convex and homogeneous in a column, so
    columns with m high values and the others low are best. For large k it is ``k sinh(epsilon/2)^2``.
    """
    at_least("k", k, 2)
    return most_information(k, epsilon_value("epsilon", epsilon))


def unbiased_uniform(k: int, *, epsilon: Number) -> Bound:
    """n times the error at the uniform p under epsilon-LDP: ``(k-1)^2 / subset_trace``, which subsets attain."""
    at_least("k", k, 1)
    trace = subset_trace(k, epsilon) if k > 1 else math.inf
    value = (k - 1) ** 2 / trace if trace > 0 else math.inf
    return lower("unbiased squared error times n, uniform p", value, "Wang2016, Rao1945")


def unbiased_queries(context: Context, query: Any, *, prior: Any = None) -> Bound:
    """n times the summed variances of unbiased estimates of linear queries, as `query` of `dc.mechanism` names them.

    ``sum_j P_j (trace G_j^.5)^2 / F_j`` over the parts that finite entries link, and what is left of the variance when
    the part of every value is known: P_j is the mass of a part, F_j the `subset_trace` for its size and its largest
    entry, and G_j the sum of ``q q^T`` over the queries q, each less its mean in the part. For M with a trace of at
    most F beside the constant, ``trace(G M^-1) >= (trace G^.5)^2 / F``; subsets attain it for all shares. A part where
    shares are uneven, or an entry is infinite, adds nothing: the bound without privacy is the least that is given.

    >>> import discreet as dc
    >>> round(dc.bounds.unbiased_queries(dc.Context.uniform(range(128), "1"), "cumulative").value, 1)
    1532.7
    """
    objective, p = objective_of(context, query), prior_of(context, prior)
    parts, name = components_of(context), "unbiased variance of queries times n"
    if parts is None:
        raise InvalidInput(f"query bounds need parts of at most {MAX_VALUES} values; {context!r} has a larger one")
    tasks, total = tasks_of(parts, objective, p)
    total += sum(closed_bound(task.component.E, task.exact) for task in tasks)
    return lower(name, max(total, objective.unhidden(p)), "Acharya2020, Wang2016, Rao1945")


def unbiased_blocks(sizes: Sequence[int], masses: Vector, *, epsilons: Sequence[Number]) -> Bound:
    """n times the error at a p that is uniform inside each block, block j having the mass P_j.

    ``sum_j P_j (1/k_j + (k_j-1)^2/F_j) - sum_j P_j^2/k_j``, F_j the `subset_trace` of the block: M is
    diagonal in blocks, ``M_j = M'_j / P_j`` with M'_j the block's own, which has eigenvalue k_j at the
    constant vector. The subset mechanism inside each block attains it.
    """
    P = floats(distribution("masses", masses))
    check_lengths(sizes=sizes, masses=P, epsilons=epsilons)
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
    check_unit("mass", mass)
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
        two = best_two_sizes(s, level, mass, even)
        tried.append(two.share * sizes[two.first - 1] + (1 - two.share) * sizes[two.second - 1])
        share = place_of_least(lambda one: error(one * sizes[-2] + (1 - one) * shown), 1e-9, 1.0)
        tried.append(share * sizes[-2] + (1 - share) * shown)
    steepest = [float(np.max((sizes[:, used] / known[used] ** 2) @ costs[used])) for known in tried]
    return lower(name, max(error(known) ** 2 / most for known, most in zip(tried, steepest, strict=True)), source)


def unbiased_matrix(E: Privacy, p: Vector) -> Bound:
    """``sum_x (1-p_x)^2 / ((hi_x - 1)(1 - lo_x))``: n times the error at p for any privacy matrix, any size.

    ``hi_x = 1/sum_z p_z e^-E[x,z]`` and ``lo_x = 1/sum_z p_z e^E[z,x]`` are the extremes of ``Q(y|x)/(pQ)(y)``, whose
    mean is one and whose variance is at most ``(hi-1)(1-lo)`` (Bhatia and Davis) and at least the information about p_x
    when the other shares keep their proportions, times ``(1-p_x)^2``. Infinite when some value is hidden from all
    others. E is closed first, which gives the larger bound. Exact without privacy: ``1 - |p|^2``.
    """
    epsilons, shares = privacy_matrix(E), floats(distribution("p", p, of=E))
    check_lengths(p=shares, E=epsilons)
    if len(shares) == 1:
        return lower("unbiased squared error times n", 0.0, "Acharya2020")
    positive = shares > 0
    with np.errstate(over="ignore", divide="ignore"):
        high = 1 / (np.exp(-epsilons[:, positive]) @ shares[positive])
        low = 1 / (np.exp(epsilons.T[:, positive]) @ shares[positive])
    return _value_by_value(shares, high, low)


def _value_by_value(shares: FloatArray, high: FloatArray, low: FloatArray) -> Bound:
    """The bound of `unbiased_matrix` from the extremes of each value's likelihood ratio."""
    spread, gap = (high - 1) * (1 - low), (1 - shares) ** 2
    counts = gap > 0
    value = math.inf if bool((spread[counts] <= 0).any()) else float((gap[counts] / spread[counts]).sum())
    return lower("unbiased squared error times n", value, "Acharya2020, Bhatia2000, Rao1945")


def unbiased_by_classes(context: Context, p: Any) -> Bound:
    """The bound of `unbiased_matrix` for a closed context of any size, computed class by class.

    ``sum_x (1-p_x)^2 / ((hi_x - 1)(1 - lo_x))``, with ``1/hi_x = sum_z p_z e^-E[x,z]`` and ``1/lo_x = sum_z p_z
    e^E[z,x]`` added up class by class.
    """
    shares = weights_of(context.domain, p, name="p")
    if len(shares) == 1:
        return lower("unbiased squared error times n", 0.0, "Acharya2020")
    class_of = np.fromiter(context.class_of, dtype=np.int64, count=len(shares))
    mass = np.bincount(class_of, weights=shares)
    count = len(mass)
    near, far, hidden_from = np.zeros(count), np.zeros(count), np.zeros(count)
    own_near, own_far = np.zeros(count), np.full(count, np.inf)
    for c, d in context.finite():
        level = float(context.between(c, d))
        if c == d:
            own_near[c], own_far[c] = math.exp(-level), math.exp(min(level, 700.0))
        else:
            near[c] += mass[d] * math.exp(-level)
            far[d] += mass[c] * math.exp(min(level, 700.0))
            hidden_from[d] += mass[c]
    shown = mass.sum() - mass - hidden_from > 1e-12  # for someone of another class who need not hide behind it
    rest = np.maximum(mass[class_of] - shares, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        high = 1 / (shares + rest * own_near[class_of] + near[class_of])
        inside = np.where(rest > 0, rest * own_far[class_of], 0.0)
        low = np.where(shown[class_of], 0.0, 1 / (shares + inside + far[class_of]))
    return _value_by_value(shares, high, low)


def unbiased_semidefinite(context: Context, p: FloatArray, *, seconds: float) -> Bound | None:
    """A lower bound on n times the squared error of unbiased estimates at p; None if its program is too large.

    The sum of the semidefinite relaxation over the parts that finite entries link, and of what is left of the error
    when every part is known exactly. It takes about `seconds` seconds, and the packages of the design extra.
    """
    try:
        parts = components_of(context)
    except NotIdentifiable:
        return lower("unbiased squared error times n", np.inf, "Rao1945")
    if parts is None:
        return None
    tasks, total = tasks_of(parts, objective_of(context), p)
    until, known = monotonic() + seconds, dict[bytes, float]()
    for number, task in enumerate(tasks):
        if task.key not in known:
            share = (until - monotonic()) / (len(tasks) - number)
            value = semidefinite_bound(task.component.E, task.exact, until=monotonic() + share)
            if value is None:
                return None
            known[task.key] = value
        total += known[task.key]
    return lower("unbiased squared error times n", total, "Rao1945", note="semidefinite")
