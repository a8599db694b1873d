"""The search in all components of a context, at given shares or at the least favourable ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import Any

import numpy as np

from ...estimation.simplex import peak_of_squares, peak_on_simplex
from ..objective import Objective
from ..optimize.generation import ColumnSolution, generate
from ..optimize.master import Cone, gradient
from ..optimize.one_query import best_for_one_query
from ..optimize.proof import common_entry
from ..optimize.symmetry import Array, trivial
from .components import FLOOR, Component, Task, scaled_rows, tasks_of
from .result import SearchStep
from .table import write_table

MAX_SADDLE_GAP = 1e-3
"""How near the error at the least favourable shares must be to the worst one, relative to it, to stop."""
WRITING_SHARE = 0.2
"""The part of the time of a search that writing its table may take."""
FIRST_SHARE = 0.75
"""The part of the time that the search at the first shares may take where other shares are much worse."""
MUCH_WORSE = 0.1
"""The least part of the worst error by which the one at the first shares is below it, for the rest to be worth it."""
MAX_STEPS = 200
"""The most shares tried on the way to the least favourable ones."""


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
    first_share: float = 1.0
    """The part of the time that the search at the first shares may take where the worst case is made small."""
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
        searched = monotonic() + (1 - WRITING_SHARE) * (until - monotonic())
        for number, task in enumerate(tasks):
            if task.key not in solved:
                now = monotonic()
                share = works[number] / sum(works[number:])
                error = between + sum(one.state.value for one in solutions)
                solved[task.key] = self._search(
                    task, number, partial(self._record, error), now if self.stopped else now + share * (searched - now)
                )
                self.stopped |= solved[task.key].stopped
            solutions.append(solved[task.key])
            self.known.setdefault(task.component, {})[objective.name] = solutions[-1].used
        channels = self.finish(
            lambda: [self._write(task, one, until) for task, one in zip(tasks, solutions, strict=True)]
        )
        return Solution(shares, tuple(tasks), tuple(solutions), tuple(channels), between)

    def _search(
        self, task: Task, number: int, progress: Callable[[float, int], object], until: float
    ) -> ColumnSolution:
        level, W = common_entry(task.component.E), task.searched.W
        if level is not None and len(W) > 2 and np.linalg.matrix_rank(W, hermitian=True) == 1:
            return best_for_one_query(level, task.searched, until=until, progress=progress)
        return generate(
            Cone(task.component.E),
            task.searched,
            starts=np.concatenate([self.starts(task.component), *self.known.get(task.component, {}).values()]),
            until=until,
            rng=np.random.default_rng([self.seed, number]),
            progress=progress,
        )

    def _write(self, task: Task, solution: ColumnSolution, until: float) -> Array:
        """The channel of a component, with what tells all values apart mixed in where there is room for it."""
        most, floor = self.reports(task.component), task.floor
        if most < floor.shape[1] + task.component.size:
            floor = floor[:, :0]
        found = write_table(task.searched, solution, task.smaller, most=most - floor.shape[1], until=until)
        return np.concatenate([found * (1 - FLOOR), floor], axis=1) if floor.size else found

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
        Where even the search at the first shares does not end by itself it takes `first_share` of the time: a poor
        channel is poor anywhere. With all of it the result is that of the search at these shares alone.
        """
        seconds = until - monotonic()
        solution = self.at(objective, shares, until - (1 - self.first_share) * seconds)
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
    weights = task.searched.prior @ channel
    return _inverse(task, channel) @ (channel / np.where(weights > 0, weights, 1.0))


def _value(task: Task, channel: Array) -> float:
    """What the component adds to the error: trace(W M^-1)."""
    return float(np.trace(_inverse(task, channel) @ task.exact.W))


def _inverse(task: Task, channel: Array) -> Array:
    """M^-1 of a channel, worked out as in the search."""
    prior = task.searched.prior
    weights = prior @ channel
    channel, weights = channel[:, weights > 0], weights[weights > 0]
    plain = replace(task.searched, group=trivial(len(prior)), floor=0.0)
    return gradient(plain, (channel / weights).T, weights)[2] + np.outer(prior, prior)
