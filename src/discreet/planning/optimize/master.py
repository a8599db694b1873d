"""The cone of columns that E allows, the best weights of given columns, and the bound by duality.

Weights are found by multiplicative steps, and to many digits by a primal-dual interior point. Whatever is repeated
ends when the clock shows `until`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from time import monotonic

import numpy as np

from .symmetry import Array, Numbers, PermutationGroup

CAP = 30.0
"""An entry above this is treated as this: a report that is e^-30 as likely hides nothing and costs nothing."""
MAX_MULTIPLIER_STEPS = 40
"""The most Newton steps for the multipliers."""
SLACK = 1e-9
"""What rounding in doubles is granted, relative to a bound."""
MAX_ROW_ERROR = 1e-6
"""How far the sum of a row may be from one."""
MAX_STEPS = 50
"""The most Newton steps of the interior point."""
CENTRED = 0.2
"""What each step aims to leave of the mean complementarity."""


@dataclass(frozen=True, eq=False)
class Cone:
    """The cone of columns r >= 0 with ``r_x <= e^E[x,z] r_z``, for a closed E given as floats, possibly ``inf``.

    Its extreme rays are exp(u), u a vertex of ``{u_x - u_z <= E[x,z]}``. Columns are kept as rows of an array
    ``(count, k)``.
    """

    E: Array

    @property
    def size(self) -> int:
        """k, the number of values."""
        return len(self.E)

    @cached_property
    def most(self) -> Array:
        """``e^E`` with entries capped: x is at most this many times as likely as z."""
        return np.exp(np.minimum(self.E, CAP))

    @cached_property
    def least(self) -> Array:
        """``e^-E[z,x]`` at [x, z]: x is at least this many times as likely as z."""
        return np.ascontiguousarray(1.0 / self.most.T)

    @cached_property
    def near(self) -> float:
        """The mean distance of a value to its nearest neighbour, which is the size of a step."""
        apart = np.where(np.eye(self.size, dtype=bool), CAP, np.minimum(self.E, CAP))
        return float(apart.min(axis=1).mean())

    def below(self, columns: Array) -> Array:
        """The largest columns of the cone below these: ``min_z r_z e^E[x,z]``."""
        return np.stack([(columns * row).min(axis=1) for row in self.most], axis=1)

    def above(self, columns: Array) -> Array:
        """The smallest columns of the cone above these: ``max_z r_z e^-E[z,x]``."""
        return np.stack([(columns * row).max(axis=1) for row in self.least], axis=1)


def normalize(columns: Array, prior: Array) -> Array:
    """The columns scaled to mean one under the prior."""
    return np.asarray(columns / (columns @ prior)[:, None])


@dataclass(frozen=True, eq=False)
class Facets:
    """The facets of a cone, ``r_above >= fade r_of`` each."""

    above: Numbers
    of: Numbers
    fade: Array

    def rows(self, size: int) -> Array:
        """The facets as rows of a matrix."""
        each, matrix = np.arange(len(self.above)), np.zeros((len(self.above), size))
        matrix[each, self.above] = 1.0
        matrix[each, self.of] -= self.fade
        return matrix


def facets_of(E: Array) -> Facets:
    """The facets of a cone: ``r_z >= e^-E[x,z] r_x`` for entries that follow from no others, and r_x >= 0 if needed."""
    size = len(E)
    finite = np.isfinite(E) & ~np.eye(size, dtype=bool)
    implied = np.zeros_like(finite)
    for via in range(size):
        through = E[:, [via]] + E[via]
        through[via], through[:, via] = np.inf, np.inf
        implied |= through <= E * (1 + 1e-12)
    x, z = np.nonzero(finite & ~implied)
    alone = np.flatnonzero(~(finite & finite.T).any(axis=1))
    fade = np.concatenate([np.exp(-E[x, z]), np.zeros(len(alone))])
    return Facets(np.concatenate([z, alone]), np.concatenate([x, alone]), fade)


@dataclass(frozen=True, eq=False)
class ColumnProblem:
    """Minimise ``trace(W M^-1)``, ``M = sum_y w_y r_y r_y^T``, over weights of columns with ``sum_y w_y r_y = 1``.

    `W` is centred, ``W p = 0``, so that the least value is n times the variance. Everything is kept by the
    permutations of `group`: a column stands for the mean of all its images. `floor` is the information of a channel
    that is mixed in, ``M - 1 1^T`` times its share: with it no choice of columns leaves a value undecided.
    """

    prior: Array
    W: Array
    group: PermutationGroup
    floor: Array | float = 0.0


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


def quadratic(columns: Array, K: Array) -> Array:
    """``r^T K r`` of every column r."""
    return np.asarray(np.einsum("yx,yx->y", columns @ K, columns))


def improve_weights(
    problem: ColumnProblem,
    columns: Array,
    weights: Array,
    multipliers: Array,
    *,
    rounds: int,
    until: float = math.inf,
) -> WeightState:
    """Better weights for the columns (rows of an array, of mean one under the prior).

    ``w_y <- w_y g_y / (lam . r_y)`` with ``g_y = r_y^T K r_y``; lam, the same for all values of an orbit, keeps the
    rows at one. At the optimum ``g_y = lam . r_y`` for every column in use and ``sum lam`` is the value.
    """
    sums = columns @ problem.group.totals.T
    state = state_at(problem, columns, sums, weights, multipliers)
    for _ in range(rounds):
        stepped = next_weights(problem, sums, state)
        if state.gap < 1e-9 or monotonic() >= until or stepped is None:
            break
        state = state_at(problem, columns, sums, stepped, state.multipliers)
    return state


def next_weights(problem: ColumnProblem, sums: Array, state: WeightState) -> Array | None:
    """The weights after a multiplicative step; None if the step leaves the rows further from one.

    It does where a column without a gain, which the step takes away, is needed to make up the rows.
    """
    stepped = state.weights * state.rates
    before, after = (np.abs(problem.group.sizes - sums.T @ weights).max() for weights in (state.weights, stepped))
    return stepped if after <= max(before, MAX_ROW_ERROR) else None


def adds_up(problem: ColumnProblem, columns: Array, state: WeightState) -> bool:
    """True if the rows that the weights make are one."""
    missing = problem.group.sizes - problem.group.totals @ (columns.T @ state.weights)
    return bool(np.abs(missing).max() <= MAX_ROW_ERROR)


def state_at(problem: ColumnProblem, columns: Array, sums: Array, weights: Array, multipliers: Array) -> WeightState:
    """The state of given weights; `sums` has the sum of every column over each orbit of values.

    `LinAlgError` where doubles cannot tell the columns apart.
    """
    value, K, _ = gradient(problem, columns, weights)
    g = np.maximum(quadratic(columns, K), 0.0)
    multipliers = _multipliers(sums, weights * g, problem.group.sizes, multipliers)
    along = sums @ multipliers
    if not (value > 0 and along.min() > 0 and 0 < float(g.max()) < math.inf):
        raise np.linalg.LinAlgError("the columns are too much alike for doubles")
    rates = g / along
    gap = 1 - value / float(rates.max() * (problem.group.sizes @ multipliers))
    return WeightState(weights, value, K, multipliers, gap, rates)


def feasible_weights(problem: ColumnProblem, columns: Array) -> Array:
    """Positive weights of the columns, as even as possible, for which every row adds up to one."""
    sizes, sums = problem.group.sizes, columns @ problem.group.totals.T
    even = np.full(len(columns), 1 / len(columns))
    return np.asarray(even / (sums @ _multipliers(sums, even, sizes, np.ones(len(sizes)))))


def gradient(problem: ColumnProblem, columns: Array, weights: Array) -> tuple[float, Array, Array]:
    """The value ``trace(W M^-1)``, ``K = M^-1 W M^-1`` and M^-1 - pp^T; the value falls by ``r^T K r`` with r's weight.

    With rows that add up to one ``M = 1 1^T + D``, ``D = sum_y w_y (r_y - 1)(r_y - 1)^T`` averaged over the group, and
    M^-1 - pp^T is D inverted on what is orthogonal to 1: there small entries of E leave no small differences.
    """
    apart = columns - 1
    D = problem.group.average((apart.T * weights) @ apart) + problem.floor
    basis = contrasts(len(problem.prior))
    inverse = basis @ np.linalg.inv(basis.T @ D @ basis) @ basis.T
    half = inverse @ problem.W
    K = half @ inverse
    return float(np.trace(half)), (K + K.T) / 2, (inverse + inverse.T) / 2


@cache
def contrasts(size: int) -> Array:
    """An orthonormal basis of the vectors of this size that add up to nothing, as columns (Helmert's)."""
    basis = np.triu(np.ones((size, size - 1)))
    basis[np.arange(1, size), np.arange(size - 1)] = -np.arange(1.0, size)
    return np.asarray(basis / np.sqrt((basis**2).sum(axis=0)))


def _multipliers(sums: Array, a: Array, sizes: Array, start: Array) -> Array:
    """The multipliers lam with the largest ``sum_y a_y log(lam . s_y) - lam . sizes``, by Newton's method."""
    total = float(a.sum())

    def score(lam: Array) -> float:
        along = sums @ lam
        return -np.inf if along.min() <= 0 else float(a @ np.log(along) - lam @ sizes)

    lam, now = start, score(start)
    if now == -np.inf:
        lam = np.full(len(sizes), total / sizes.sum())
        now = score(lam)
    for _ in range(MAX_MULTIPLIER_STEPS):
        along = sums @ lam
        slope = sums.T @ (a / along) - sizes
        if np.abs(slope / sizes).max() < 1e-11:
            break
        curve = (sums.T * (a / along**2)) @ sums
        curve[np.diag_indices_from(curve)] += 1e-14 * np.trace(curve)
        move = np.linalg.solve(curve, slope)
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
    """A lower bound on trace(W M^-1) for every M with trace(S M) <= total; 0, which says nothing, if S is not >= 0.

    It is ``(trace (W^.5 S W^.5)^.5)^2 / total``:
    for any positive c, ``trace(W M^-1) >= 2 c^.5 trace (W^.5 S W^.5)^.5 - c trace(S M)``; the best c gives this.
    """
    all_values = np.linalg.eigvalsh(S)
    if not total > 0 or all_values[0] < -SLACK * np.abs(all_values).max():
        return 0.0
    half = matrix_root(W)
    values = np.linalg.eigvalsh(half @ S @ half)
    rounding = 8 * len(values) * np.finfo(float).eps * float(np.abs(values).max())
    inside = np.maximum(values - rounding, 0.0)  # the root of an eigenvalue that should be 0 would lift the bound
    return float(np.sqrt(inside).sum()) ** 2 / float(total) * (1 - SLACK)


def matrix_root(matrix: Array) -> Array:
    """The square root of a positive semidefinite matrix."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def newton_weights(
    problem: ColumnProblem, columns: Array, state: WeightState, *, gap: float, until: float = math.inf
) -> WeightState:
    """Weights within a relative `gap` of the best ones for these columns, from weights that are near.

    Newton steps on ``lam . r_y - g_y = z_y``, ``w_y z_y = mu``, rows at one, mu falling to nothing.
    """
    group = problem.group
    sums = columns @ group.totals.T
    weights, lam = np.maximum(state.weights, 1e-12), state.multipliers
    value, K, inverse = gradient(problem, columns, weights)
    g = quadratic(columns, K)
    spare = np.maximum(sums @ lam - g, 1e-3 * max(state.gap, gap) * value)
    for _ in range(MAX_STEPS):
        mu = float(weights @ spare) / len(weights)
        missing = group.sizes - sums.T @ weights
        wrong = sums @ lam - g - spare
        close = np.abs(missing).max() < 1e-9
        if close and mu * len(weights) < gap * value > np.abs(wrong).max():
            break
        if monotonic() >= until:
            if close:
                break
            return state
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
        g = quadratic(columns, K)
    if np.abs(group.sizes - sums.T @ weights).max() > MAX_ROW_ERROR:
        return state
    excess = g - sums @ lam
    total = float(group.sizes @ lam) + max(float(excess.max()), 0.0)
    if not (value > 0 and 0 < total < math.inf):
        raise np.linalg.LinAlgError("the columns are too much alike for doubles")
    # a column without a gain may have weight, and leaves lam . r at nothing: rates are by difference
    return WeightState(weights, value, K, lam, 1 - value / total, np.clip(1 + excess / value, 0.0, None))


def newton_work(columns: int, group: PermutationGroup) -> float:
    """The approximate number of multiplications that a Newton step for so many columns takes."""
    size, orbits = group.elements.shape[1], int(group.of_pair.max()) + 1
    return float(columns**3 + 2 * size * min(group.order * columns**2, orbits * size**2))


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
    return np.asarray(means @ linked @ means.T)


def _room(now: Array, by: Array) -> float:
    """How long a step may be until something is zero."""
    falling = by < 0
    return float((now[falling] / -by[falling]).min(initial=np.inf))
