"""The best weights of given types, by a barrier method, and as few types as they need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .type_options import TypeProblem

Array = NDArray[np.float64]
Columns = tuple[Array, Array]

MAX_NEWTON_STEPS = 100
"""The most Newton steps."""

MIN_GAP = 1e-8
"""The least relative distance to the best weights at which a search ends."""

MAX_HALVINGS = 30
"""How often a step is halved before it is taken as it is."""

FIRST_GAP_FACTOR = 40
"""How many times as far from the best weights a search begins."""

MIN_CHANGE = 1e-11
"""Changes below this, relative to the largest, are none."""

MIN_PART = 1e-7
"""A type whose part is smaller than this is dropped."""


def best_weights(
    problem: TypeProblem, columns: Columns, weights: Array, *, gap: float = MIN_GAP
) -> tuple[Array, Array]:
    """The weights of least error, with rows that add up to one, from any positive ones; and what a row is worth.

    Minimises ``error - t sum_y log w_y`` for falling t by Newton's method in log w, in which it stays well scaled.
    The multipliers lambda of the rows satisfy ``lambda . m_y = slope_y + t / w_y``.
    """
    means, known = columns
    count, sizes = len(weights), problem.sizes
    barrier = 0.0
    worth = np.zeros(means.shape[1])
    for step in range(MAX_NEWTON_STEPS):
        form, inside, inverse = problem.slopes(weights, columns)
        pulled = means @ form
        slopes = (pulled * means).sum(axis=1) + known @ inside
        bend = 2 * np.sqrt(inside**3 / np.maximum(sizes, 1.0))
        curvature = 2 * (pulled @ means.T) * (means @ inverse @ means.T) + (known * bend) @ known.T
        if step == 0:
            barrier = min(0.1, FIRST_GAP_FACTOR * gap) * float(slopes @ weights) / count
        rows = means * weights[:, None]
        scaled = curvature * weights[:, None] * weights + barrier * np.eye(count)
        solved = np.linalg.solve(scaled, np.column_stack([weights * slopes + barrier, rows]))
        missing = 1 - means.T @ weights
        worth = np.asarray(np.linalg.solve(rows.T @ solved[:, 1:], rows.T @ solved[:, 0] - missing))
        move = solved[:, 0] - solved[:, 1:] @ worth
        weights = _take_step(problem, columns, weights, move, barrier, 2 * float(np.abs(worth).max()))
        if np.abs(move).max() < 1:
            if barrier * count < gap * float(slopes @ weights) and np.abs(missing).max() < 1e-10:
                break
            barrier *= 0.15
    return weights, worth


def largest_parts(problem: TypeProblem, columns: Columns, weights: Array) -> Array:
    """The largest part that each type has in any row, or in what is known of any class."""
    means, known = columns
    whole = np.where(problem.several, weights @ known, 1.0)
    found: Array = (weights[:, None] * np.maximum(means, known / whole)).max(axis=1)
    return found


def _take_step(
    problem: TypeProblem, columns: Columns, weights: Array, move: Array, barrier: float, price: float
) -> Array:
    """The weights after as long a step as lowers the error with its barrier and the price of rows that are not one."""

    def cost(tried: Array) -> float:
        missing = float(np.abs(1 - columns[0].T @ tried).sum())
        return problem.error(tried, columns) - barrier * float(np.log(tried).sum()) + price * missing

    before = cost(weights)
    step = min(1.0, 0.9 / max(-float(move.min()), 1e-300))
    for _ in range(MAX_HALVINGS):
        tried = weights * (1 + step * move)
        if cost(tried) <= before + 1e-12 * abs(before):
            return tried
        step /= 2
    return weights * (1 + step * move)


def fewest_types(problem: TypeProblem, types: NDArray[np.int64], weights: Array) -> tuple[NDArray[np.int64], Array]:
    """As few of the types, with weights that leave the rows and the error as they are.

    A combination of types that changes neither means, informations nor N is moved along until a weight is zero.
    """
    used = largest_parts(problem, problem.columns(types), weights) > MIN_PART
    types, weights = types[used], weights[used]
    means, known = problem.columns(types)
    first, second = np.triu_indices(means.shape[1])
    kept = np.column_stack([means, known, means[:, first] * means[:, second]])
    kept /= np.maximum(np.abs(kept).max(axis=0), 1e-300)
    _, levels, axes = np.linalg.svd(kept.T)
    free = axes[int(np.sum(levels > MIN_CHANGE * levels[0])) :]
    while len(free):
        direction = free[0] if free[0].min() < 0 else -free[0]
        reach = np.full(len(weights), np.inf)
        np.divide(weights, -direction, out=reach, where=direction < 0)
        ended = int(reach.argmin())
        weights = np.maximum(weights + reach[ended] * direction, 0.0)
        weights[ended] = 0.0
        pivot = int(np.abs(free[:, ended]).argmax())
        free = np.delete(free - np.outer(free[:, ended] / free[pivot, ended], free[pivot]), pivot, axis=0)
        free[:, weights == 0] = 0.0
        free = free[np.abs(free).max(axis=1, initial=0.0) > MIN_CHANGE]
    return types[weights > 0], weights[weights > 0]
