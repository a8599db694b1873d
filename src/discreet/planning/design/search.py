"""The search in all components of a context, at given shares or at the least favourable ones.

Columns and weights become the rows of a table of few reports. In a small cone all extreme rays are listed, and a bound
follows from pricing every one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...estimation.simplex import peak_of_squares, peak_on_simplex
from ..objective import Objective
from ..optimize.generation import ColumnSolution, generate
from ..optimize.master import (
    CAP,
    ColumnProblem,
    Cone,
    dual_value,
    improve_weights,
    newton_weights,
    newton_work,
    normalize,
    quadratic,
)
from ..optimize.symmetry import Array, Numbers, PermutationGroup
from .components import Component, Task, scaled_rows, tasks_of
from .result import SearchStep

MIN_REPORTS_LEFT = 0.8
"""What a round of dropping leaves of the reports, at least."""
MAX_COLUMNS = 1500
"""Columns that are looked at, at most: the heaviest ones."""
MAX_NEWTON_WORK = 2e10
"""Multiplications that exact weights may take."""
MAX_SADDLE_GAP = 1e-3
"""How near the error at the least favourable shares must be to the worst one, relative to it, to stop."""
MAX_STEPS = 200
"""The most shares tried on the way to the least favourable ones."""
MAX_VALUES = 8
"""The most values for which all rays are listed."""
MAX_RAYS = 50_000
"""The most rays that are listed."""
UNIT = 2.0**-36
"""E is rounded up to whole numbers of this, which can only make the cone larger."""


def write_table(problem: ColumnProblem, solution: ColumnSolution, smaller: PermutationGroup, *, most: int) -> Array:
    """The channel with at most `most` reports, one row for every value.

    `smaller` is a subgroup of the problem's group: with fewer images of each column, fewer reports are needed. First
    columns are dropped at no cost, as long as others with other weights make the same M; then the lightest ones, in
    rounds, after each of which the weights of the rest are improved again.
    """
    weights = solution.state.weights
    used = np.argsort(-weights, kind="stable")[:MAX_COLUMNS]
    used = np.sort(used[weights[used] > 1e-9])
    columns, weights = _split(solution.columns[used], weights[used], problem.group, smaller)
    problem = replace(problem, group=smaller)
    images = np.array([len(smaller.images(column)) for column in columns], dtype=float)
    weights = _recombine(_features(columns, smaller), weights, images)
    while True:
        positive = weights > 1e-10
        columns, weights, images = columns[positive], weights[positive], images[positive]
        weights = _reweigh(problem, columns, weights)
        total = images.sum()
        if total <= most:  # every image of every column is a column of the channel
            parts = [smaller.images(column) for column in columns]
            return np.concatenate([part * (w / len(part)) for part, w in zip(parts, weights, strict=True)]).T
        order = np.argsort(-weights, kind="stable")
        weights[order[np.cumsum(images[order]) > max(most, MIN_REPORTS_LEFT * total)]] = 0.0


def _split(columns: Array, weights: Array, group: PermutationGroup, smaller: PermutationGroup) -> tuple[Array, Array]:
    """Columns and weights of the same channel, where a column stands for its images under a smaller group."""
    if smaller.order == group.order:
        return columns, weights
    representatives, shares = [], []
    for column, weight in zip(columns, weights, strict=True):
        images = group.images(column)
        left = {np.round(image / image.max(), 9).tobytes(): image for image in images}
        while left:
            image = next(iter(left.values()))
            own = [np.round(other / other.max(), 9).tobytes() for other in smaller.images(image)]
            representatives.append(image)
            shares.append(weight * len(own) / len(images))
            left = {key: other for key, other in left.items() if key not in set(own)}
    return np.array(representatives), np.array(shares)


def _features(columns: Array, group: PermutationGroup) -> Array:
    """The orbit sums of r r^T for every column r, which decide the error and, as Mp = 1, the sums of rows."""
    return np.array([np.bincount(group.of_unordered_pair, weights=np.outer(r, r).ravel()) for r in columns]).T


def _recombine(features: Array, weights: Array, cost: Array) -> Array:
    """Weights with the same ``features @ weights``, most of them zero (Caratheodory), some columns at a time."""
    scale = np.abs(features).max(axis=1, keepdims=True)
    features = features / np.where(scale > 0, scale, 1.0)
    weights, positive = weights.copy(), np.zeros(0, dtype=np.int64)
    for begin in range(0, len(weights), len(features)):
        some = np.concatenate([positive, np.arange(begin, min(begin + len(features), len(weights)))])
        weights[some] = _eliminate(features[:, some], weights[some], cost[some])
        positive = some[weights[some] > 0]
    return weights


def _eliminate(features: Array, weights: Array, cost: Array) -> Array:
    """Weights with the same ``features @ weights``, positive for no more columns than these have dimensions.

    Along every vector that the features send to nothing, towards less cost where there is a choice, until one is zero.
    """
    _, singular, right = np.linalg.svd(features, full_matrices=True)
    rank = int((singular > 1e-11 * singular[0]).sum())
    weights, null = weights.copy(), right[rank:].copy()
    while len(null):
        way = null[0] if cost @ null[0] >= 0 else -null[0]
        if not (way > 1e-13).any():
            way = -way
        falling = np.flatnonzero(way > 1e-13)
        first = falling[np.argmin(weights[falling] / way[falling])]
        weights = np.maximum(weights - way * (weights[first] / way[first]), 0.0)
        weights[first] = 0.0
        null = null[1:] - np.outer(null[1:, first] / way[first], way)
        lengths = np.sqrt((null**2).sum(axis=1))
        null = null[lengths > 1e-9] / lengths[lengths > 1e-9, None]
    return weights


def _reweigh(problem: ColumnProblem, columns: Array, weights: Array) -> Array:
    state = improve_weights(problem, columns, weights, np.ones(len(problem.group.sizes)), rounds=8)
    if newton_work(len(columns), problem.group) <= MAX_NEWTON_WORK:
        state = newton_weights(problem, columns, state, gap=1e-8)
    return state.weights * state.rates


@dataclass(frozen=True, eq=False)
class Solution:
    """The channels of all components at some shares, in floats, with the tasks and columns they come from."""

    shares: Array
    tasks: tuple[Task, ...]
    columns: tuple[ColumnSolution, ...]
    channels: tuple[Array, ...]
    between: float

    @property
    def error(self) -> float:
        """n times the error at the shares."""
        return self.between + sum(map(_value, self.tasks, self.channels))

    @property
    def converged(self) -> bool:
        """True if the search ended by itself in every component."""
        return all(columns.converged for columns in self.columns)


@dataclass(eq=False)
class Search:
    """A search through all components: its clock, its seed, its history and the columns known so far."""

    components: Sequence[Component]
    starts: Callable[[Component], Array]
    seed: int
    reports: Callable[[Component], int]
    progress: Callable[[SearchStep], object]
    history: list[SearchStep] = field(default_factory=list)
    known: dict[Component, dict[str, Array]] = field(default_factory=dict)
    """The last columns of each component, for every objective."""
    began: float = field(default_factory=monotonic)
    stopped: bool = False
    unit: float = 1.0
    """What the errors of the search are multiplied by for the history: it has queries of about the size 1."""

    def solve(self, objective: Objective, shares: Array, until: float) -> Solution:
        """The best channel for the objective, at these shares or at the worst ones."""
        return self.worst(objective, shares, until) if objective.worst else self.at(objective, shares, until)

    def at(self, objective: Objective, shares: Array, until: float) -> Solution:
        """The best channel for the objective at these shares that is found before the clock shows `until`.

        It begins with the columns that were found before, for other shares or other targets.
        """
        tasks, between = tasks_of(self.components, objective, shares)
        solutions: list[ColumnSolution] = []
        solved: dict[bytes, ColumnSolution] = {}
        works = [task.component.size**2 for task in tasks]
        for number, task in enumerate(tasks):
            if task.key not in solved:
                now = monotonic()
                share = works[number] / sum(works[number:])
                error = between + sum(one.state.value for one in solutions)
                solved[task.key] = generate(
                    Cone(task.component.E),
                    task.searched,
                    starts=np.concatenate([self.starts(task.component), *self.known.get(task.component, {}).values()]),
                    until=now if self.stopped else now + share * (until - now),
                    rng=np.random.default_rng([self.seed, number]),
                    progress=partial(self._record, error),
                )
                self.stopped |= solved[task.key].stopped
            solutions.append(solved[task.key])
            self.known.setdefault(task.component, {})[objective.name] = solutions[-1].used
        channels = self.finish(
            lambda: [
                write_table(task.searched, one, task.smaller, most=self.reports(task.component))
                for task, one in zip(tasks, solutions, strict=True)
            ]
        )
        return Solution(shares, tuple(tasks), tuple(solutions), tuple(channels), between)

    def finish(self, work: Callable[[], Any]) -> Any:
        """The result of some short work, which Ctrl-C does not interrupt: it ends the search afterwards."""
        try:
            return work()
        except KeyboardInterrupt:
            self.stopped = True
            return work()

    def _record(self, others: float, error: float, columns: int) -> None:
        self.history.append(SearchStep(monotonic() - self.began, self.unit * (others + error), columns))
        self.progress(self.history[-1])

    def worst(self, objective: Objective, shares: Array, until: float) -> Solution:
        """The channel with the smallest largest error over all shares.

        Shares move towards the worst ones for the channel that is best at them (Frank-Wolfe on a concave function).
        """
        seconds = until - monotonic()
        solution = self.at(objective, shares, monotonic() + seconds / 3)
        best = np.inf, solution
        for step in range(MAX_STEPS):
            against, most = worst_case(solution, objective)
            best = (most, solution) if most < best[0] else best
            if self.stopped or most - solution.error < MAX_SADDLE_GAP * most or monotonic() >= until:
                break
            shares = shares + 2 / (step + 3) * (against - shares)
            solution = self.at(objective, shares, min(until, monotonic() + seconds / 12))
        return best[1]


def worst_case(solution: Solution, objective: Objective) -> tuple[Array, float]:
    """The shares at which a channel with its own estimator has the largest error, and that error, times n."""
    rows = scaled_rows(objective)
    moments = np.zeros(rows.shape[1])
    for task, channel in zip(solution.tasks, solution.channels, strict=True):
        of = list(task.component.members)
        answers = (rows[:, of] @ _estimator(task, channel)) ** 2
        moments[of] = channel @ answers.sum(axis=0)
    return worst_shares(moments, rows)


def worst_shares(moments: Array, rows: Array) -> tuple[Array, float]:
    """The distribution p with the largest ``moments . p - |rows p|^2``, and that value.

    Where the queries are the shares themselves it is the projection of half the moments onto the simplex, exactly.
    """
    if np.array_equal(rows, np.eye(len(moments))):
        return peak_of_squares(moments)
    return peak_on_simplex(moments, rows)


def _estimator(task: Task, channel: Array) -> Array:
    """The unbiased estimate of least variance at the shares of the component, one column for every report."""
    scaled = channel / (task.searched.prior @ channel)
    return np.asarray(np.linalg.solve(scaled @ channel.T, scaled), dtype=float)


def _value(task: Task, channel: Array) -> float:
    """What the component adds to the error: trace(W M^-1)."""
    scaled = channel / (task.searched.prior @ channel)
    return float(np.trace(np.linalg.solve(scaled @ channel.T, task.exact.W)))


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


def bound_by_listing(E: Array, problem: ColumnProblem, K: Array, lam: Array) -> float | None:
    """A lower bound on the error of every channel, by pricing all extreme rays; None if they are too many.

    With v the largest ``r^T K r - lam . r`` over rays of mean one under the prior, ``(lam + v p) . r`` is never below
    r^T K r on the cone, so ``trace(W M^-1) >= (trace (W^.5 K W^.5)^.5)^2 / (sum lam + v)``, whatever K >= 0 and lam.
    """
    listed = rays(E)
    if listed is None or (listed @ problem.prior).min() <= 0:
        return None
    listed = normalize(listed, problem.prior)
    most = float((quadratic(listed, K) - listed @ lam).max())
    if (E > CAP).any():  # rays beyond the cap are within e^-CAP of rays that are listed
        if problem.prior.min() <= 0:
            return None
        most += 4 * np.exp(-CAP) / problem.prior.min() ** 2 * float(np.abs(K).sum() + np.abs(lam).sum())
    return dual_value(problem.W, K, float(lam.sum()) + max(most, 0.0))
