"""The best weights for given columns: multiplicative steps with Newton's multipliers for the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .cone import Array
from .symmetry import Group

STEPS = 40
"""Newton steps for the multipliers, at most."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise ``trace(W M^-1)``, ``M = sum_y w_y r_y r_y^T``, over weights of columns with ``sum_y w_y r_y = 1``.

    `W` is centred, ``W p = 0``, so that the least value is n times the variance. Everything is kept by the
    permutations of `group`: a column stands for the mean of all its images.
    """

    prior: Array
    W: Array
    group: Group


@dataclass(frozen=True, eq=False)
class State:
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

    def along(self, group: Group) -> Array:
        """The multiplier of every value; `multipliers` has one for each orbit."""
        return self.multipliers[group.of_value]


def information(columns: Array, weights: Array, group: Group) -> Array:
    """``M = sum_y w_y r_y r_y^T``, averaged over the group."""
    return group.even((columns.T * weights) @ columns)


def settled(problem: Problem, columns: Array, weights: Array, multipliers: Array, *, rounds: int) -> State:
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


def state_at(problem: Problem, columns: Array, sums: Array, weights: Array, multipliers: Array) -> State:
    """The state of given weights; `sums` are those of every column over the orbits of values."""
    value, K, _ = gradient(problem, columns, weights)
    g = np.maximum(np.einsum("yx,yx->y", columns @ K, columns), 0.0)
    multipliers = _multipliers(sums, weights * g, problem.group.sizes, multipliers)
    rates = g / (sums @ multipliers)
    gap = 1 - value / float(rates.max() * (problem.group.sizes @ multipliers))
    return State(weights, value, K, multipliers, gap, rates)


def feasible(problem: Problem, columns: Array) -> Array:
    """Positive weights of the columns, as even as may be, for which every row is one."""
    group = problem.group
    sums, even = columns @ problem.group.totals.T, np.full(len(columns), 1 / len(columns))
    found: Array = even / (sums @ _multipliers(sums, even, group.sizes, np.ones(len(group.sizes))))
    return found


def gradient(problem: Problem, columns: Array, weights: Array) -> tuple[float, Array, Array]:
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
    for _ in range(STEPS):
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
