"""The best weights for given columns to many digits: a primal-dual interior point."""

from __future__ import annotations

import numpy as np

from .cone import Array
from .master import ColumnProblem, WeightState, gradient, state_at
from .symmetry import PermutationGroup

MAX_STEPS = 30
"""Newton steps, at most."""

CENTRED = 0.2
"""What each step aims to leave of the mean complementarity."""


def newton_weights(problem: ColumnProblem, columns: Array, state: WeightState, *, gap: float) -> WeightState:
    """Weights whose value is within a part `gap` of the best one for these columns, from weights that are near.

    Newton steps on ``lam . r_y - g_y = z_y``, ``w_y z_y = mu``, rows at one, mu falling to nothing.
    """
    group = problem.group
    sums = columns @ group.totals.T
    weights, lam = np.maximum(state.weights, 1e-12), state.multipliers
    value, K, inverse = gradient(problem, columns, weights)
    g = _along(columns, K)
    spare = np.maximum(sums @ lam - g, 1e-3 * max(state.gap, gap) * value)
    for _ in range(MAX_STEPS):
        mu = float(weights @ spare) / len(weights)
        missing = group.sizes - sums.T @ weights
        wrong = sums @ lam - g - spare
        if mu * len(weights) < gap * value and np.abs(missing).max() < 1e-9 and np.abs(wrong).max() < gap * value:
            break
        root = np.sqrt(weights)
        curve = _curvature(columns, K, inverse, group) * np.outer(root, root)
        curve[np.diag_indices_from(curve)] += spare
        aim = root * (CENTRED * mu / weights - spare - wrong)
        try:
            solved = np.linalg.solve(curve, np.column_stack([aim, sums * root[:, None]]))
        except np.linalg.LinAlgError:
            break
        half, rows = solved[:, 0], solved[:, 1:]
        across = sums.T * root
        by_lam = np.linalg.lstsq(across @ rows, across @ half - missing, rcond=1e-14)[0]
        by = root * (half - rows @ by_lam)
        by_spare = (CENTRED * mu - weights * spare - spare * by) / weights
        size = min(1.0, 0.95 * _room(weights, by), 0.95 * _room(spare, by_spare))
        weights, lam, spare = weights + size * by, lam + size * by_lam, spare + size * by_spare
        value, K, inverse = gradient(problem, columns, weights)
        g = _along(columns, K)
    return state_at(problem, columns, sums, weights, lam)


def newton_work(columns: int, group: PermutationGroup) -> float:
    """About how many multiplications a step for so many columns takes."""
    size, orbits = group.elements.shape[1], int(group.of_pair.max()) + 1
    return float(columns**3 + 2 * size * min(group.order * columns**2, orbits * size**2))


def _along(columns: Array, K: Array) -> Array:
    found: Array = np.einsum("yx,yx->y", columns @ K, columns)
    return found


def _curvature(columns: Array, K: Array, inverse: Array, group: PermutationGroup) -> Array:
    """The second derivatives of the value by the weights: 2 trace(K A_y M^-1 A_z), A_y the mean of y's images r r^T.

    By images, as the mean of 2 (r^T M^-1 s)(r^T K s), or by orbits of pairs, whichever is fewer steps.
    """
    size, orbits = columns.shape[1], int(group.of_pair.max()) + 1
    if orbits * size**2 < group.order * len(columns) ** 2:
        total = _by_orbits(columns, K, inverse, group)
    else:
        total = np.zeros((len(columns), len(columns)))
        one, other = columns @ inverse, columns @ K
        for g in group.elements:
            moved = columns[:, g].T
            total += (one @ moved) * (other @ moved)
        total /= group.order
    return total + total.T


def _by_orbits(columns: Array, K: Array, inverse: Array, group: PermutationGroup) -> Array:
    """trace(K A_y M^-1 A_z) from the means of r r^T over every orbit of pairs."""
    label, size = group.of_pair, columns.shape[1]
    counts = np.bincount(label)
    means = np.array([np.bincount(label, weights=np.outer(r, r).ravel()) for r in columns]) / counts
    linked = np.empty((len(counts), len(counts)))
    for i in range(len(counts)):
        ones = (label == i).reshape(size, size).astype(float)
        linked[i] = np.bincount(label, weights=(K @ ones @ inverse).T.ravel())
    found: Array = means @ linked @ means.T
    return found


def _room(now: Array, by: Array) -> float:
    falling = by < 0
    return float((now[falling] / -by[falling]).min(initial=np.inf))
