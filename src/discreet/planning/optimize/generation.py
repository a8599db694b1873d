"""Column generation: the best weights for the columns that are known, then columns that improve on them, in turn.

Columns that improve a channel are found by local search over the extreme rays of the cone, from many starts at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from .master import (
    ColumnProblem,
    Cone,
    WeightState,
    adds_up,
    feasible_weights,
    improve_weights,
    matrix_root,
    newton_weights,
    newton_work,
    normalize,
    quadratic,
)
from .symmetry import Array

MAX_SWEEPS = 12
"""Rounds over all values in a climb, at most."""
MAX_DRAGGED_VALUES = 40
"""How many values of each column are dragged, at most."""
DRAG_PARTNERS = 8
"""How many values each value is tried to be made tight with when it is dragged."""


MAX_COLUMNS_PER_VALUE = 40
"""Columns kept for each value, at most."""
MAX_STARTING_COLUMNS_PER_VALUE = 12
"""Columns for each value that another search begins with, at most."""
MAX_STEPS = 12
"""Steps of the weights in a round."""
MIN_WEIGHT = 1e-6
"""Columns of less weight are dropped before the weights are made exact."""
MAX_NEWTON_WORK = 4e9
"""Multiplications of a step of the interior point, at most."""
FIRST_FLOOR = 1000.0
"""How many times its last share the floor of a search has first."""
FLOOR_STEP = 4.0
"""By what it is divided, whenever no column gains more than `FIRST_GAIN`."""
FIRST_GAIN = 0.02
"""A gain, relative to the value, that is small while the floor is above its last share."""
MULTIPLICATIONS_PER_SECOND = 1e9
"""What a machine is counted on to do."""
STEPS_AT_ONCE = 0.1
"""The part of the time left that one step of the interior point may take."""
TOLERANCE = 1e-5
"""The price and the gap, relative to the value, below which a round is quiet; the value is then nearer by far."""
MAX_QUIET_ROUNDS = 4
"""Rounds in a row without a better column after which a search has converged."""


@dataclass(frozen=True, eq=False)
class Price:
    """The price of a column r of mean one: ``r^T K r - lam . r``, positive if it improves the channel."""

    K: Array
    multipliers: Array
    prior: Array

    def __call__(self, columns: Array) -> Array:
        mean = columns @ self.prior
        return np.asarray((quadratic(columns, self.K) / mean - columns @ self.multipliers) / mean)


def climb(cone: Cone, price: Price, columns: Array, rng: np.random.Generator, *, until: float = math.inf) -> Array:
    """Columns improved one value at a time: each moves to its lower or upper end, until nothing is gained.

    Every column takes its values in an order of its own: shared ones lead different starts to one end.
    """
    columns = normalize(columns, price.prior)
    moving = np.arange(len(columns))
    for _ in range(MAX_SWEEPS):
        swept, moved = _sweep(cone, price, columns[moving], rng)
        columns[moving] = swept
        moving = moving[moved]
        if not len(moving) or monotonic() >= until:
            break
    return columns


def _sweep(cone: Cone, price: Price, columns: Array, rng: np.random.Generator) -> tuple[Array, NDArray[np.bool_]]:
    """The columns after one turn of every value, and which of them moved."""
    K, lam, p = price.K, price.multipliers, price.prior
    each, along = np.arange(len(columns)), columns @ K
    curved, cost, mean = np.einsum("yx,yx->y", along, columns), columns @ lam, columns @ p
    best = (curved / mean - cost) / mean
    moved = np.zeros(len(columns), dtype=bool)
    for x in rng.permuted(np.tile(np.arange(cone.size), (len(columns), 1)), axis=1).T:
        own = columns[each, x]
        columns[each, x] = np.inf
        high = (columns * cone.most[x]).min(axis=1)
        columns[each, x] = 0.0
        low = (columns * cone.least[x]).max(axis=1)
        chosen = own
        for end in (low, high):
            by = end - own
            after = curved + by * (2 * along[each, x] + by * K[x, x])
            after_mean = mean + by * p[x]
            worth = (after / after_mean - cost - by * lam[x]) / after_mean
            pays = worth > best + 1e-12 * np.abs(best)
            chosen, best = np.where(pays, end, chosen), np.where(pays, worth, best)
        by = chosen - own
        columns[each, x] = chosen
        curved += by * (2 * along[each, x] + by * K[x, x])
        cost += by * lam[x]
        mean += by * p[x]
        along += by[:, None] * K[x]
        moved |= by != 0
    return normalize(columns, p), moved


def drag(cone: Cone, price: Price, columns: Array, rng: np.random.Generator, *, until: float = math.inf) -> Array:
    """Columns improved by moving a value until it is tight with another, together with all that is in its way.

    Each turn tries one value of every column with a few partners, up and down, and keeps what pays.
    """
    columns = columns.copy()
    each, best = np.arange(len(columns)), price(columns)
    for x in rng.permuted(np.tile(np.arange(cone.size), (len(columns), 1)), axis=1).T[:MAX_DRAGGED_VALUES]:
        if monotonic() >= until:
            break
        for _ in range(DRAG_PARTNERS):
            z = (x + rng.integers(1, cone.size, len(columns))) % cone.size
            other = columns[each, z]
            up = np.maximum(columns, (other * cone.most[x, z])[:, None] / cone.most[x])
            down = np.minimum(columns, (other * cone.least[x, z])[:, None] / cone.least[x])
            for tried in (up, down):
                worth = price(tried)
                pays = worth > best + 1e-12 * np.abs(best)
                columns[pays], best[pays] = tried[pays], worth[pays]
    return columns


@dataclass(frozen=True, eq=False)
class ColumnSolution:
    """Columns (rows of an array) with their weights, after how many rounds, and how the search ended.

    `converged` says that no better column turned up in several rounds, `stopped` that Ctrl-C ended the search.
    """

    columns: Array
    state: WeightState
    rounds: int
    converged: bool
    stopped: bool

    @property
    def used(self) -> Array:
        """The columns of some weight, at most a dozen for each value, the heaviest first."""
        weights, most = self.state.weights, MAX_STARTING_COLUMNS_PER_VALUE * self.columns.shape[1]
        order = np.argsort(-weights, kind="stable")[:most]
        return self.columns[order[weights[order] > MIN_WEIGHT]]


def generate(
    cone: Cone,
    problem: ColumnProblem,
    *,
    starts: Array,
    until: float,
    rng: np.random.Generator,
    progress: Callable[[float, int], object],
    tolerance: float = TOLERANCE,
) -> ColumnSolution:
    """The best columns and weights found before the clock shows `until`; Ctrl-C ends the search early.

    `starts` are columns to begin with, beside those that every search begins with. `progress` is called in every round
    with n times the error and the number of columns in use. Without a limit of time a search depends on nothing but its
    arguments.
    """
    base = distinct(normalize(np.concatenate([cone.above(starts), _base(cone, problem, rng)]), problem.prior))
    even, ones = feasible_weights(problem, base), np.ones(len(problem.group.sizes))
    times = FIRST_FLOOR if np.any(problem.floor) else 1.0  # the floor is lowered as the search goes on
    stage = replace(problem, floor=problem.floor * times)
    now = best = base, improve_weights(stage, base, even, ones, rounds=MAX_STEPS, until=until)
    if times > 1:
        now = best = _weigh(stage, base, even, ones, FIRST_GAIN, until)
    rounds, quiet, stopped = 0, 0, False
    try:
        while True:
            columns, state = now
            price = Price(state.K, state.along(problem.group), problem.prior)
            starts = _starting_columns(cone, problem, base, columns, state.weights, rng)
            ends = starts
            for move in (climb, drag, climb):
                ends = move(cone, price, ends, rng, until=until)
            fresh = distinct(np.concatenate([ends, base]))
            worth = price(fresh) / state.value
            most = float(worth.max(initial=0.0))
            used = int((state.weights > MIN_WEIGHT).sum())
            rounds += 1
            progress(best[1].value, used)
            quiet = quiet + 1 if max(most, state.gap) < tolerance and times == 1 else 0
            if quiet >= MAX_QUIET_ROUNDS or monotonic() >= until:
                break
            if times > 1 and most < FIRST_GAIN:
                times = max(1.0, times / FLOOR_STEP)
                stage = replace(problem, floor=problem.floor * times)
                best = columns, improve_weights(stage, columns, state.weights, state.multipliers, rounds=0)
            order = np.argsort(-worth, kind="stable")[: max(100, 2 * cone.size)]
            better = fresh[order[worth[order] > tolerance / 4]]
            pool = _pool(stage, columns, state, better, min(0.02, most / 4))
            now = _weigh(stage, *pool, state.multipliers, max(min(most, FIRST_GAIN) / 30, tolerance / 4), until)
            # of two that are alike the later one, whose multipliers were made for more columns
            best = now if now[1].value < best[1].value * (1 + tolerance / 10) and adds_up(problem, *now) else best
    except np.linalg.LinAlgError:  # what was found before stands
        pass
    except KeyboardInterrupt:
        stopped = True
    return ColumnSolution(*best, rounds, quiet >= MAX_QUIET_ROUNDS, stopped)


def _weigh(
    problem: ColumnProblem, columns: Array, weights: Array, multipliers: Array, gap: float, until: float
) -> tuple[Array, WeightState]:
    """The columns that matter and their best weights, which are exact where that is quick."""
    improve = partial(improve_weights, problem, until=until)
    state = improve(columns, weights, multipliers, rounds=MAX_STEPS)
    heavy = state.weights > (0.0 if np.any(problem.floor) else MIN_WEIGHT)
    if newton_work(heavy.sum(), problem.group) > affordable(MAX_NEWTON_WORK, until):
        return columns, state
    columns = columns[heavy]
    state = improve(columns, state.weights[heavy], state.multipliers, rounds=1)
    return columns, newton_weights(problem, columns, state, gap=gap, until=until)


def affordable(most: float, until: float) -> float:
    """How many multiplications one step may take, at most `most`, so that several are done before `until`."""
    return min(most, STEPS_AT_ONCE * MULTIPLICATIONS_PER_SECOND * max(until - monotonic(), 0.0))


def _base(cone: Cone, problem: ColumnProblem, rng: np.random.Generator) -> Array:
    """The columns that every search begins with: e^-E[y,.], e^E[.,y], the constant, and random sets high or low.

    Half of the sets are where noise of the covariance W^.5 is largest: M is then about W^.5, as it should be.
    """
    size = cone.size
    off = cone.E[~np.eye(size, dtype=bool)]
    typical = float(np.median(off[np.isfinite(off)]))
    share = max(1 / (1 + np.exp(min(typical, 30.0))), 1 / size)
    noise = rng.normal(size=(3 * size, size)) @ matrix_root(matrix_root(problem.W))
    largest = noise >= np.quantile(noise, 1 - share, axis=1, keepdims=True)
    sets = np.concatenate([rng.random((3 * size, size)) < share, largest])
    top = np.where(sets, 1.0, 1e-60)
    bottom = np.where(sets, 1.0, 1e60)[::2]
    simple = [1 / cone.most, cone.most.T, np.ones((1, size))]
    return np.concatenate([*simple, cone.above(top[1::2]), cone.below(bottom)])


def distinct(columns: Array) -> Array:
    """The columns without repetitions, in order."""
    _, first = np.unique(np.round(np.log(np.maximum(columns, 1e-300)), 7), axis=0, return_index=True)
    return columns[np.sort(first)]


def _starting_columns(
    cone: Cone, problem: ColumnProblem, base: Array, columns: Array, weights: Array, rng: np.random.Generator
) -> Array:
    """The starts of a local search: pairs of used columns joined, used columns with a few values changed, and noise.

    The greater and the smaller of two columns of the cone are columns of the cone.
    """
    size, group = cone.size, problem.group
    count = int(np.clip(20_000 // size, 64, 400))
    odds = weights / weights.sum()

    def used(many: int) -> Array:
        """Columns in use, each one's image under some permutation."""
        drawn = columns[rng.choice(len(columns), many, p=odds)]
        return np.take_along_axis(drawn, group.elements[rng.integers(0, group.order, many)], axis=1)

    half, rest = count // 2, count - count // 2 - count // 4
    one, other = used(half), used(half) * np.exp(rng.normal(0, 0.5, (half, 1)))
    joined = np.where(rng.random((half, 1)) < 0.7, np.maximum(one, other), np.minimum(one, other))
    kicked, up = used(count // 4), rng.random((count // 4, 1)) < 0.5
    chosen = rng.random(kicked.shape).argsort(axis=1) < rng.integers(1, 4, (len(kicked), 1))
    kick = np.exp(np.where(chosen, rng.uniform(0.1, 1.5, kicked.shape) * cone.near, 0.0))
    kicked = np.where(up, cone.above(kicked * kick), cone.below(kicked / kick))
    noise = np.exp(rng.normal(0, rng.choice([0.2, 1.0], (rest, 1)), (rest, size)) * cone.near)
    anywhere = np.where(rng.random((rest, 1)) < 0.5, used(rest), base[rng.choice(len(base), rest)])
    return np.concatenate([joined, kicked, cone.below(anywhere * noise)])


def _pool(
    problem: ColumnProblem, columns: Array, state: WeightState, fresh: Array, share: float
) -> tuple[Array, Array]:
    """The heaviest columns and the new ones, which begin with little weight.

    Under a floor idle columns are kept as well: where a query does not need all values told apart, the columns in use
    leave some multipliers open, and new ones would be priced by chance.
    """
    weights, size = state.weights, columns.shape[1]
    if np.any(problem.floor):
        most = MAX_STARTING_COLUMNS_PER_VALUE * size
        left = np.sort(np.argsort(-(weights + state.rates), kind="stable")[:most])
    else:
        most = MAX_COLUMNS_PER_VALUE * size
        order = np.argsort(-weights, kind="stable")[: max(most - len(fresh), most // 2)]
        idle = (weights + state.rates < 1 - 1e-7) & (weights + state.rates < 1 - 3 * state.gap)
        left = np.sort(order[~idle[order]])
    columns, weights = columns[left], weights[left]
    if not len(fresh):
        return columns, weights
    light = np.full(len(fresh), share / len(fresh))
    return np.concatenate([columns, fresh]), np.concatenate([weights * (1 - share), light])
