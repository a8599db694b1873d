"""A context as the parts that a search takes one by one, and what is wished of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...contexts import Context
from ...core.errors import NotIdentifiable
from ...core.exact import Epsilon
from ..objective import Objective
from ..optimize.cone import Array
from ..optimize.master import Problem
from ..optimize.symmetry import Group, symmetries

LARGEST = 320
"""The most values of a part that is searched."""

RARE = 1e-6
"""A search takes no value for rarer than this, divided by k; so none is given up."""

RIDGE = 1e-6
"""What every share counts where a query leaves some undecided, relative to the mean weight of the query."""


@dataclass(frozen=True, eq=False)
class Part:
    """Values linked by finite entries, by number, with the closed E among them, exactly and as floats."""

    members: tuple[int, ...]
    entries: tuple[tuple[Epsilon, ...], ...]
    E: Array

    @property
    def size(self) -> int:
        """How many values it has."""
        return len(self.members)


def parts_of(context: Context) -> tuple[Part, ...] | None:
    """The parts of a context; None where one is too large to be searched.

    `NotIdentifiable` where an entry is 0: the two values must be reported alike, so no survey can tell them apart.
    """
    of = context.components()
    for x, z, entry in context.pairs():
        if entry == 0:
            first, second = context.values[x], context.values[z]
            raise NotIdentifiable(
                f"E[{first!r}, {second!r}] = 0: whatever is reported, these two are alike; make them one value"
            )
    if max(map(len, of)) > LARGEST:
        return None
    closed = context.closure()
    parts = []
    for members in of:
        entries = tuple(tuple(closed.at(x, z) for z in members) for x in members)
        parts.append(Part(tuple(members), entries, np.array([[float(entry) for entry in row] for row in entries])))
    return tuple(parts)


@dataclass(frozen=True, eq=False)
class Task:
    """The search for one part: its problem as it is, and as it is searched, without rare values or idle directions."""

    part: Part
    exact: Problem
    searched: Problem
    smaller: Group

    @property
    def key(self) -> bytes:
        """The same for tasks that are the same but for the numbers of the values."""
        return b"".join(array.tobytes() for array in (self.part.E, self.exact.prior, self.exact.W))


def tasks_of(parts: Sequence[Part], objective: Objective, shares: Array) -> tuple[list[Task], float]:
    """What is to be made small in every part of several values, and what is left of the error whatever is done.

    With P_j the mass of part j and p_j the shares inside it, a query q has the variance
    ``sum_j P_j Var_j(q) + sum_j P_j (q . p_j)^2 - (q . p)^2``: which part a value is in is seen without error.
    """
    rows = scaled_rows(objective)
    between = -float(((rows @ shares) ** 2).sum())
    tasks = []
    for part in parts:
        held = shares[list(part.members)]
        mass = float(held.sum())
        inside = np.full(part.size, 1 / part.size) if mass == 0 else held if len(parts) == 1 else held / mass
        own = rows[:, list(part.members)]
        between += mass * float(((own @ inside) ** 2).sum())
        if part.size > 1:
            tasks.append(_task(part, np.sqrt(mass) * own, inside))
    return tasks, max(between, 0.0)


def scaled_rows(objective: Objective) -> Array:
    """Every query of every wish, divided by the root of what its variance is divided by."""
    scales = objective.scales or (1.0,) * len(objective.asked)
    return np.concatenate(
        [weights / np.sqrt(scale) for (_, weights), scale in zip(objective.wishes, scales, strict=True)]
    )


def _task(part: Part, rows: Array, prior: Array) -> Task:
    W = _centred(rows, prior)
    common = np.maximum(prior, RARE / part.size)
    common = common / common.sum()
    searched, even = _centred(rows, common), _centred(np.eye(part.size), common)
    weight = float(np.trace(searched)) / part.size
    if weight == 0:
        searched = even
    elif np.linalg.eigvalsh(searched)[1] < RIDGE * weight:  # the least one is that of p
        searched = searched + RIDGE * weight * even
    group = symmetries([part.E, searched, W], [common, prior])
    smaller = symmetries([part.E, searched, W], [common, prior], largest=min(part.size, group.order))
    return Task(part, Problem(prior, W, group), Problem(common, searched, group), smaller)


def _centred(rows: Array, prior: Array) -> Array:
    """The sum of the outer products of the queries, each less its mean."""
    own = rows - (rows @ prior)[:, None]
    return own.T @ own


def is_distance(parts: Sequence[Part]) -> bool:
    """True if E is symmetric and finite between all values."""
    return len(parts) == 1 and bool(np.isfinite(parts[0].E).all()) and _symmetric(parts[0].entries)


def _symmetric(entries: Sequence[Sequence[Epsilon]]) -> bool:
    return all(
        isinstance(entry, Fraction) and entry == entries[z][x]
        for x, row in enumerate(entries)
        for z, entry in enumerate(row)
    )
