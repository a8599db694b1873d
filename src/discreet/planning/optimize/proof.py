"""Lower bounds on the error of every channel, worked out from multipliers by which no search is trusted.

With any K >= 0 and lam, and v the largest ``r^T K r - lam . r`` over the rays r of mean one under the prior p,
``(lam + v p) . r`` is never below r^T K r on the cone, so every channel has
``trace(W M^-1) >= (trace (W^.5 K W^.5)^.5)^2 / (sum lam + v)``. Here v is the true largest value, rounded up: over all
rays or sets, listed, or by a sweep where K has rank one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .master import CAP, SLACK, ColumnProblem, dual_value, normalize, quadratic
from .one_query import swept_rays
from .symmetry import Array, Numbers

MAX_VALUES = 8
"""The most values for which all rays are listed."""
MAX_RAYS = 50_000
"""The most rays that are listed."""
MAX_SET_VALUES = 20
"""The most values for which all sets are listed, where all entries are alike."""
SETS_AT_ONCE = 1 << 14
"""Sets that are handled at once."""
MAX_SWEEPS = 60
"""The most sweeps for the largest price."""
UNIT = 2.0**-36
"""E is rounded up to whole numbers of this, which can only make the cone larger."""


def bound_of_dual(E: Array, problem: ColumnProblem, K: Array, lam: Array) -> tuple[float, bool] | None:
    """The lower bound that K and lam prove, and whether all rays were listed for it; None if there are too many rays.

    Whatever K and lam are, the bound holds; they are worth something where they are near the optimal ones.
    """
    level, listed = common_entry(E), True
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    K = (vectors * np.maximum(values, 0.0)) @ vectors.T
    most: float | None
    if level is not None and len(E) <= MAX_SET_VALUES:
        most = _most_over_sets(level, problem.prior, K, lam)
    elif level is not None and (len(E) == 2 or values[-2] <= SLACK * values[-1]):
        c, listed = vectors[:, -1] * math.sqrt(max(values[-1], 0.0)), False
        K = np.outer(c, c)
        most = _most_by_sweep(level, problem.prior, c, lam)
    else:
        most = _most_over_rays(E, problem.prior, K, lam)
    if most is None:
        return None
    total = float(lam.sum()) + max(most + _rounding(E, problem.prior, K, lam), 0.0)
    return dual_value(problem.W, K, float(total)), listed


def common_entry(E: Array) -> float | None:
    """The entry of all pairs of values; None where they differ or are not finite."""
    off = E[~np.eye(len(E), dtype=bool)]
    return float(off.max()) if 0 < off.max() <= CAP and np.ptp(off) <= 1e-15 * off.max() else None


def _rounding(E: Array, prior: Array, K: Array, lam: Array) -> float:
    """More than rounding can lower a price by: no ray of mean one is above ``1 / sum_z p_z e^-E[x,z]`` at x."""
    most = 1 / (np.exp(-np.minimum(E, CAP)) @ prior)
    return 16 * len(E) * np.finfo(float).eps * float(most @ np.abs(K) @ most + np.abs(lam) @ (most + 1))


def _most_over_sets(epsilon: float, prior: Array, K: Array, lam: Array) -> float:
    """The largest price where every set of values may be e^epsilon times as likely as the rest."""
    size, most = len(prior), -math.inf
    for begin in range(0, 1 << size, SETS_AT_ONCE):
        bits = np.arange(begin, min(begin + SETS_AT_ONCE, 1 << size))
        high = (bits[:, None] >> np.arange(size) & 1).astype(float)
        rays = normalize(1 + math.expm1(epsilon) * high, prior)
        most = max(most, float((quadratic(rays, K) - rays @ lam).max()))
    return most


def _most_by_sweep(epsilon: float, prior: Array, c: Array, lam: Array) -> float | None:
    """The largest ``(c . r)^2 - lam . r``: the v at which no ray of a sweep is above v.

    For a ray of mean one and any a, ``2 a c . r - a^2 - lam . r`` is at most its price, which it is at a = c . r. So v
    is above all prices if no a and r make it larger than v, and a sweep finds the best r for every a.
    """
    most = float(c.sum() ** 2 - lam.sum())
    for _ in range(MAX_SWEEPS):
        rays = normalize(swept_rays(epsilon, prior, c, lam, most), prior)
        found = float(((rays @ c) ** 2 - rays @ lam).max())
        if found <= most:
            return most
        most = found + 1e-13 * (abs(found) + float(np.abs(lam).sum()))
    return None


def closed_bound(E: Array, problem: ColumnProblem) -> float:
    """A bound in closed form at even shares, for all queries; 0 at other shares and where an entry is infinite.

    ``(trace W^.5)^2 / F``: with the largest entry everywhere the cone is larger, and no channel of it has a trace of M
    beside the constant above F. Subsets attain it for all shares.

    References: Acharya2020, Wang2016.
    """
    size, largest = len(E), float(E.max())
    if np.ptp(problem.prior) > 1e-12 or not largest <= CAP:
        return 0.0
    return dual_value(problem.W, np.eye(size), most_information(size, largest) * (1 + SLACK))


def most_information(k: int, epsilon: float) -> float:
    """The largest trace of M beside the constant at even shares, where all entries are `epsilon`.

    ``max_m k m(k-m)(1-b)^2 / (m + (k-m)b)^2``, ``b = e^-epsilon``: the trace is convex and homogeneous in a column, so
    columns with m high values and the others low are best.
    """
    b = math.exp(-epsilon)
    centre = k * b / (1 + b)
    tried = {min(max(m, 1), k - 1) for m in (math.floor(centre), math.ceil(centre))}
    return max(k * m * (k - m) * math.expm1(-epsilon) ** 2 / (m + (k - m) * b) ** 2 for m in tried)


def _most_over_rays(E: Array, prior: Array, K: Array, lam: Array) -> float | None:
    """The largest price of all extreme rays; None if they are too many."""
    listed = rays(E)
    if listed is None or (listed @ prior).min() <= 0:
        return None
    listed = normalize(listed, prior)
    most = float((quadratic(listed, K) - listed @ lam).max())
    if (E > CAP).any():  # rays beyond the cap are within e^-CAP of rays that are listed
        if prior.min() <= 0:
            return None
        most += 4 * math.exp(-CAP) / prior.min() ** 2 * float(np.abs(K).sum() + np.abs(lam).sum())
    return most


def rays(E: Array) -> Array | None:
    """The extreme rays of the cone of a closed E, as rows; None if there are too many values or rays.

    They are exp(u), u a vertex of ``u_x - u_z <= E[x,z]``. From a vertex, raising a set of values that nothing holds
    back, with tight entries linking all of the set and all of the rest, leads to the next one; so all are reached
    from one. Whole numbers decide what is tight.
    """
    size = len(E)
    if size > MAX_VALUES:
        return None
    whole = np.ceil(np.minimum(E, CAP) / UNIT).astype(np.int64)
    for via in range(size):  # rounding up may have opened a detour
        whole = np.minimum(whole, whole[:, [via]] + whole[via])
    sets = np.array([[bits >> x & 1 for x in range(size)] for bits in range(1, (1 << size) - 1)], dtype=bool)
    start = whole[:, 0] - whole[0, 0]
    seen, vertices = {start.tobytes()}, [start]
    for u in vertices:  # which grows
        for moved in _neighbours(u, whole, sets):
            moved = moved - moved[0]
            if (key := moved.tobytes()) not in seen:
                seen.add(key)
                vertices.append(moved)
        if len(vertices) > MAX_RAYS:
            return None
    return np.exp(np.array(vertices) * UNIT)


def _neighbours(u: Numbers, whole: Numbers, sets: NDArray[np.bool_]) -> Numbers:
    """The neighbours of a vertex: each set that may rise alone is raised until an entry becomes tight."""
    room = whole - (u[:, None] - u)
    tight = (room == 0) & ~np.eye(len(u), dtype=bool)
    linked = tight | tight.T
    # entry [s, x, z] concerns x inside and z outside of set s
    leaving = sets[:, :, None] & ~sets[:, None, :]
    free = ~(leaving & tight).any(axis=(1, 2))
    sets, leaving = sets[free], leaving[free]
    whole_sets = _are_connected(sets, linked) & _are_connected(~sets, linked)
    sets, leaving = sets[whole_sets], leaving[whole_sets]
    rise = np.where(leaving, room, np.iinfo(np.int64).max).min(axis=(1, 2))
    return np.asarray(u + sets * rise[:, None])


def _are_connected(sets: NDArray[np.bool_], linked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """True for each set whose members are linked to each other inside it."""
    reached = sets & (np.cumsum(sets, axis=1) == 1)
    for _ in range(sets.shape[1]):
        reached = reached | ((reached.astype(int) @ linked.astype(int) > 0) & sets)
    return np.asarray((reached == sets).all(axis=1))
