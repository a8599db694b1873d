"""The search in all components of a context, at given shares or at the least favourable ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any

import numpy as np

from ...estimation.simplex import peak_of_squares, peak_on_simplex
from ..objective import Objective
from ..optimize.cone import Array, Cone
from ..optimize.generation import ColumnSolution, Progress, generate
from ..optimize.table import write_table
from .components import Component, Task, scaled_rows, tasks_of
from .result import SearchStep

SADDLE = 1e-3
"""How near the error at the least favourable shares must be to the worst one, relative to it, to stop."""

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
        """n times the error at the shares, as the search has it."""
        return self.between + sum(
            _value(task, channel) for task, channel in zip(self.tasks, self.channels, strict=True)
        )

    @property
    def converged(self) -> bool:
        """True if the search in no component was cut short."""
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
                    progress=partial(self._tell, error),
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
        """The result of some short work; Ctrl-C during it ends the search after it, not the work."""
        try:
            return work()
        except KeyboardInterrupt:
            self.stopped = True
            return work()

    def _tell(self, error: float, record: Progress) -> None:
        self.history.append(SearchStep(monotonic() - self.began, self.unit * (error + record.error), record.columns))
        self.progress(self.history[-1])

    def worst(self, objective: Objective, shares: Array, until: float) -> Solution:
        """The channel whose largest error over all shares is the least that was found.

        Shares move towards the worst ones for the channel that is best at them (Frank-Wolfe on a concave function).
        """
        seconds = until - monotonic()
        solution = self.at(objective, shares, monotonic() + seconds / 3)
        best: tuple[float, Solution] | None = None
        for step in range(MAX_STEPS):
            against, most = worst_case(solution, objective)
            if best is None or most < best[0]:
                best = most, solution
            if self.stopped or most - solution.error < SADDLE * most or monotonic() >= until:
                break
            shares = shares + 2 / (step + 3) * (against - shares)
            solution = self.at(objective, shares, min(until, monotonic() + seconds / 12))
        assert best is not None
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
    """phi of every report, the least-variance unbiased estimate at the shares of the component."""
    scaled = channel / (task.searched.prior @ channel)
    return np.asarray(np.linalg.solve(scaled @ channel.T, scaled), dtype=float)


def _value(task: Task, channel: Array) -> float:
    """What the component adds to the error: trace(W M^-1)."""
    scaled = channel / (task.searched.prior @ channel)
    return float(np.trace(np.linalg.solve(scaled @ channel.T, task.exact.W)))
