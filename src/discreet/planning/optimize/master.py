"""The problem of weighting columns, multiplicative steps towards the best weights, and the bound by duality."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .cone import Array
from .symmetry import PermutationGroup

MAX_NEWTON_STEPS = 40
"""The most Newton steps for the multipliers."""

SLACK = 1e-9
"""What rounding in doubles is granted, relative to a bound."""


@dataclass(frozen=True, eq=False)
class ColumnProblem:
    """Minimise ``trace(W M^-1)``, ``M = sum_y w_y r_y r_y^T``, over weights of columns with ``sum_y w_y r_y = 1``.

    `W` is centred, ``W p = 0``, so that the least value is n times the variance. Everything is kept by the
    permutations of `group`: a column stands for the mean of all its images.
    """

    prior: Array
    W: Array
    group: PermutationGroup


@dataclass(frozen=True, eq=False)
class WeightState:
    """Weights of columns, and what follows from them.

    The value and ``K = M^-1 W M^-1``; the multipliers lam of the rows, one for each orbit of values; `rates`, by which
    the next step changes each weight, ``g_y / (lam . r_y)``; and `gap`, the part by which the value can still fall with
    these columns.
    """

    weights: Array
    value: float
    K: Array
    multipliers: Array
    gap: float
    rates: Array

    def along(self, group: PermutationGroup) -> Array:
        """The multiplier of every value; `multipliers` has one for each orbit."""
        return self.multipliers[group.of_value]


def information(columns: Array, weights: Array, group: PermutationGroup) -> Array:
    """``M = sum_y w_y r_y r_y^T``, averaged over the group."""
    return group.average((columns.T * weights) @ columns)


def improve_weights(
    problem: ColumnProblem, columns: Array, weights: Array, multipliers: Array, *, rounds: int
) -> WeightState:
    """Better weights for the columns (rows of an array, of mean one under the prior).

    ``w_y <- w_y g_y / (lam . r_y)`` with ``g_y = r_y^T K r_y``; lam, the same for all values of an orbit, keeps the
    rows at one. At the optimum ``g_y = lam . r_y`` for every column in use and ``sum lam`` is the value.
    """
    sums = columns @ problem.group.totals.T
    state = state_at(problem, columns, sums, weights, multipliers)
    for _ in range(rounds):
        if state.gap < 1e-9:
            break
        state = state_at(problem, columns, sums, state.weights * state.rates, state.multipliers)
    return state


def state_at(problem: ColumnProblem, columns: Array, sums: Array, weights: Array, multipliers: Array) -> WeightState:
    """The state of given weights; `sums` are those of every column over the orbits of values."""
    value, K, _ = gradient(problem, columns, weights)
    g = np.maximum(np.einsum("yx,yx->y", columns @ K, columns), 0.0)
    multipliers = _multipliers(sums, weights * g, problem.group.sizes, multipliers)
    rates = g / (sums @ multipliers)
    gap = 1 - value / float(rates.max() * (problem.group.sizes @ multipliers))
    return WeightState(weights, value, K, multipliers, gap, rates)


def feasible_weights(problem: ColumnProblem, columns: Array) -> Array:
    """Positive weights of the columns, as even as may be, for which every row is one."""
    group = problem.group
    sums, even = columns @ problem.group.totals.T, np.full(len(columns), 1 / len(columns))
    return np.asarray(even / (sums @ _multipliers(sums, even, group.sizes, np.ones(len(group.sizes)))))


def gradient(problem: ColumnProblem, columns: Array, weights: Array) -> tuple[float, Array, Array]:
    """The value ``trace(W M^-1)``, ``K = M^-1 W M^-1`` and M^-1; the value falls by ``r^T K r`` with r's weight."""
    inverse = np.asarray(np.linalg.inv(information(columns, weights, problem.group)), dtype=float)
    half = inverse @ problem.W
    K = half @ inverse
    return float(np.trace(half)), (K + K.T) / 2, inverse


def _multipliers(sums: Array, a: Array, sizes: Array, start: Array) -> Array:
    """lam, positive along every column, with the largest ``sum_y a_y log(lam . s_y) - lam . sizes``, by Newton."""
    total = float(a.sum())

    def score(lam: Array) -> float:
        along = sums @ lam
        return -np.inf if along.min() <= 0 else float(a @ np.log(along) - lam @ sizes)

    lam, now = start, score(start)
    if now == -np.inf:
        lam = np.full(len(sizes), total / sizes.sum())
        now = score(lam)
    for _ in range(MAX_NEWTON_STEPS):
        along = sums @ lam
        slope = sums.T @ (a / along) - sizes
        if np.abs(slope / sizes).max() < 1e-11:
            break
        curve = (sums.T * (a / along**2)) @ sums
        move = np.linalg.lstsq(curve, slope, rcond=1e-14)[0]
        gain, size = float(slope @ move), 1.0
        if gain <= 1e-15 * total:
            break
        while (tried := score(lam + size * move)) < now + 1e-4 * size * gain and size > 1e-9:
            size /= 2
        if tried <= now:
            break
        lam, now = lam + size * move, tried
    return lam


def dual_value(W: Array, S: Array, total: float) -> float:
    """A lower bound on trace(W M^-1) for every M with trace(S M) <= total, given S >= 0.

    It is ``(trace (W^.5 S W^.5)^.5)^2 / total``:
    for any positive c, ``trace(W M^-1) >= 2 c^.5 trace (W^.5 S W^.5)^.5 - c trace(S M)``; the best c gives this.
    """
    if total <= 0:
        return 0.0
    half = matrix_root(W)
    values = np.linalg.eigvalsh(half @ S @ half)
    rounding = 8 * len(values) * np.finfo(float).eps * float(np.abs(values).max())
    inside = np.maximum(values - rounding, 0.0)  # the root of an eigenvalue that should be 0 would lift the bound
    return float(np.sqrt(inside).sum()) ** 2 / total * (1 - SLACK)


def matrix_root(matrix: Array) -> Array:
    """The square root of a positive semidefinite matrix."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
