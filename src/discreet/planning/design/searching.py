"""The search in all parts of a context, at given shares or at the least favourable ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any

import numpy as np

from ..objective import Objective
from ..optimize.cone import Array, Cone
from ..optimize.generation import Found, Progress, generate
from ..optimize.table import written_out
from ..optimize.worst import worst_shares
from .parts import Part, Task, scaled_rows, tasks_of
from .result import Step

SADDLE = 1e-3
"""How near the error at the least favourable shares must be to the worst one, relative to it, to stop."""

STEPS = 200
"""Shares tried on the way to the least favourable ones, at most."""


@dataclass(frozen=True, eq=False)
class Solution:
    """What was found for all parts at some shares: tasks, columns, and the channel of every part in floats."""

    shares: Array
    tasks: tuple[Task, ...]
    found: tuple[Found, ...]
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
        """True if no part was cut short."""
        return all(found.converged for found in self.found)


@dataclass(eq=False)
class Search:
    """The time, the source of randomness and the history of a search through all parts."""

    parts: Sequence[Part]
    starts: Callable[[Part], Array]
    seed: int
    reports: Callable[[Part], int]
    progress: Callable[[Step], object]
    history: list[Step] = field(default_factory=list)
    known: dict[Part, dict[str, Array]] = field(default_factory=dict)
    """The columns that were found for a part, the last ones for every objective."""
    began: float = field(default_factory=monotonic)
    stopped: bool = False
    unit: float = 1.0
    """What the errors of the search are multiplied by for the history: it has queries of about the size 1."""

    def solved(self, objective: Objective, shares: Array, until: float) -> Solution:
        """The best channel for the objective, at these shares or at the worst ones."""
        return self.worst(objective, shares, until) if objective.worst else self.at(objective, shares, until)

    def at(self, objective: Objective, shares: Array, until: float) -> Solution:
        """The best channel for the objective at these shares that is found before the clock shows `until`.

        It begins with the columns that were found before, for other shares or other wishes.
        """
        tasks, between = tasks_of(self.parts, objective, shares)
        found: list[Found] = []
        solved: dict[bytes, Found] = {}
        works = [task.part.size**2 for task in tasks]
        for number, task in enumerate(tasks):
            if task.key not in solved:
                now = monotonic()
                share = works[number] / sum(works[number:])
                error = between + sum(one.state.value for one in found)
                solved[task.key] = generate(
                    Cone(task.part.E),
                    task.searched,
                    starts=np.concatenate([self.starts(task.part), *self.known.get(task.part, {}).values()]),
                    until=now if self.stopped else now + share * (until - now),
                    rng=np.random.default_rng([self.seed, number]),
                    progress=partial(self._tell, error),
                )
                self.stopped |= solved[task.key].stopped
            found.append(solved[task.key])
            self.known.setdefault(task.part, {})[objective.name] = found[-1].used
        channels = self.unhurried(
            lambda: [
                written_out(task.searched, one, task.smaller, most=self.reports(task.part))
                for task, one in zip(tasks, found, strict=True)
            ]
        )
        return Solution(shares, tuple(tasks), tuple(found), tuple(channels), between)

    def unhurried(self, work: Callable[[], Any]) -> Any:
        """What some short work gives; Ctrl-C during it ends the search after it, not the work."""
        try:
            return work()
        except KeyboardInterrupt:
            self.stopped = True
            return work()

    def _tell(self, error: float, record: Progress) -> None:
        self.history.append(Step(monotonic() - self.began, self.unit * (error + record.error), record.columns))
        self.progress(self.history[-1])

    def worst(self, objective: Objective, shares: Array, until: float) -> Solution:
        """The channel whose largest error over all shares is the least that was found.

        Shares move towards the worst ones for the channel that is best at them (Frank-Wolfe on a concave function).
        """
        seconds = until - monotonic()
        solution = self.at(objective, shares, monotonic() + seconds / 3)
        best: tuple[float, Solution] | None = None
        for step in range(STEPS):
            against, most = worst_of(solution, objective)
            if best is None or most < best[0]:
                best = most, solution
            if self.stopped or most - solution.error < SADDLE * most or monotonic() >= until:
                break
            shares = shares + 2 / (step + 3) * (against - shares)
            solution = self.at(objective, shares, min(until, monotonic() + seconds / 12))
        assert best is not None
        return best[1]


def worst_of(solution: Solution, objective: Objective) -> tuple[Array, float]:
    """The shares at which a channel with its own estimator has the largest error, and that error, times n."""
    rows = scaled_rows(objective)
    moments = np.zeros(rows.shape[1])
    for task, channel in zip(solution.tasks, solution.channels, strict=True):
        of = list(task.part.members)
        answers = (rows[:, of] @ _estimator(task, channel)) ** 2
        moments[of] = channel @ answers.sum(axis=0)
    return worst_shares(moments, rows)


def _estimator(task: Task, channel: Array) -> Array:
    """phi of every report, the least-variance unbiased estimate at the shares of the part."""
    scaled = channel / (task.searched.prior @ channel)
    found: Array = np.asarray(np.linalg.solve(scaled @ channel.T, scaled), dtype=float)
    return found


def _value(task: Task, channel: Array) -> float:
    """What the part adds to the error: trace(W M^-1)."""
    scaled = channel / (task.searched.prior @ channel)
    return float(np.trace(np.linalg.solve(scaled @ channel.T, task.exact.W)))
