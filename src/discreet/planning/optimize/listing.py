"""All extreme rays of a small cone, and the bound that follows from pricing every one of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .cone import CAP, Array, normalize
from .master import ColumnProblem, dual_value

MAX_VALUES = 8
"""The most values for which all rays are listed."""

MAX_RAYS = 50_000
"""The most rays that are listed."""

UNIT = 2.0**-36
"""E is rounded up to whole numbers of this, which can only make the cone larger."""

Numbers = NDArray[np.int64]


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
    seen = {start.tobytes()}
    fresh, vertices = [start], [start]
    while fresh:
        following = []
        for u in fresh:
            for moved in _neighbours(u, whole, sets):
                moved = moved - moved[0]
                if (key := moved.tobytes()) not in seen:
                    seen.add(key)
                    following.append(moved)
        vertices += following
        if len(vertices) > MAX_RAYS:
            return None
        fresh = following
    return np.exp(np.array(vertices) * UNIT)


def _neighbours(u: Numbers, whole: Numbers, sets: NDArray[np.bool_]) -> Numbers:
    """The neighbouring vertices: each set that may rise alone, raised until an entry becomes tight."""
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
    vertices: Numbers = u + sets * rise[:, None]
    return vertices


def _are_connected(sets: NDArray[np.bool_], linked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """True for each set whose members are linked to each other inside it."""
    reached = sets & (np.cumsum(sets, axis=1) == 1)
    for _ in range(sets.shape[1]):
        reached = reached | ((reached.astype(int) @ linked.astype(int) > 0) & sets)
    connected: NDArray[np.bool_] = (reached == sets).all(axis=1)
    return connected


def bound_by_listing(E: Array, problem: ColumnProblem, K: Array, lam: Array) -> float | None:
    """A value that no channel is below, by pricing every extreme ray; None for cones that are too large.

    With v the largest ``r^T K r - lam . r`` over rays of mean one under the prior, ``(lam + v p) . r`` is never below
    r^T K r on the cone, so ``trace(W M^-1) >= (trace (W^.5 K W^.5)^.5)^2 / (sum lam + v)``, whatever K >= 0 and lam.
    """
    listed = rays(E)
    if listed is None or (listed @ problem.prior).min() <= 0:
        return None
    listed = normalize(listed, problem.prior)
    most = float((np.einsum("yx,yx->y", listed @ K, listed) - listed @ lam).max())
    if (E > CAP).any():  # rays beyond the cap are within e^-CAP of rays that are listed
        if problem.prior.min() <= 0:
            return None
        most += 4 * np.exp(-CAP) / problem.prior.min() ** 2 * float(np.abs(K).sum() + np.abs(lam).sum())
    return dual_value(problem.W, K, float(lam.sum()) + max(most, 0.0))
