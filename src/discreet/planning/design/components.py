"""A context as components that a search takes one by one, and the problem to solve in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...contexts import Context
from ...core.errors import NotIdentifiable
from ...core.exact import Epsilon
from ..objective import Objective
from ..optimize.master import CAP, ColumnProblem
from ..optimize.symmetry import Array, PermutationGroup, symmetries

MAX_VALUES = 320
"""The most values of a component that is searched."""
MIN_SHARE = 1e-6
"""A search takes no value for rarer than this, divided by k; so none is given up."""
FLOOR = 2e-5
"""The share of a channel that tells all values apart in a table that is searched for queries that need not."""
MIN_WEIGHT = 1e-9
"""A direction of the shares that weighs less than this, relative to the mean, is not asked for."""


@dataclass(frozen=True, eq=False)
class Component:
    """Values that finite entries link, and the closed E among them, exactly and as floats."""

    members: tuple[int, ...]
    entries: tuple[tuple[Epsilon, ...], ...]
    E: Array

    @property
    def size(self) -> int:
        """The number of values."""
        return len(self.members)


def components_of(context: Context) -> tuple[Component, ...] | None:
    """The components of a context; None where one is too large to be searched.

    `NotIdentifiable` where an entry is 0: the two values must be reported alike, so no survey can tell them apart.
    """
    parts = context.components()
    for x, z, entry in context.pairs():
        if entry == 0:
            first, second = context.values[x], context.values[z]
            raise NotIdentifiable(
                f"E[{first!r}, {second!r}] = 0: whatever is reported, these two are alike; make them one value"
            )
    if max(map(len, parts)) > MAX_VALUES:
        return None
    closed = context.closure()
    components = []
    for members in parts:
        entries = tuple(tuple(closed.at(x, z) for z in members) for x in members)
        components.append(Component(tuple(members), entries, np.array(entries, dtype=float)))
    return tuple(components)


@dataclass(frozen=True, eq=False)
class Task:
    """The problem of one component: exactly as given, and as it is searched, with no value too rare or undecided.

    `floor` has the reports that are mixed in, a share `FLOOR` of all, or none.
    """

    component: Component
    exact: ColumnProblem
    searched: ColumnProblem
    smaller: PermutationGroup
    floor: Array

    @property
    def key(self) -> bytes:
        """A key that tasks share if they differ only in the numbers of their values."""
        return b"".join(array.tobytes() for array in (self.component.E, self.exact.prior, self.exact.W))


def tasks_of(components: Sequence[Component], objective: Objective, shares: Array) -> tuple[list[Task], float]:
    """The tasks of all components with several values, and the part of the error that no mechanism can change.

    With P_j the mass of component j and p_j the shares inside it, a query q has the variance
    ``sum_j P_j Var_j(q) + sum_j P_j (q . p_j)^2 - (q . p)^2``: which component a value is in is seen without error.
    """
    rows = scaled_rows(objective)
    between = -float(((rows @ shares) ** 2).sum())
    tasks = []
    for component in components:
        inside = shares[list(component.members)]
        mass = float(inside.sum())
        if mass == 0:
            inside = np.full(component.size, 1 / component.size)
        elif len(components) > 1:
            inside = inside / mass
        own = rows[:, list(component.members)]
        between += mass * float(((own @ inside) ** 2).sum())
        if component.size > 1:
            tasks.append(_task(component, np.sqrt(mass) * own, inside))
    return tasks, max(between, 0.0)


def scaled_rows(objective: Objective) -> Array:
    """The queries of all targets, each divided by the root of the scale of its target."""
    scales = objective.scales or (1.0,) * len(objective.targets)
    pairs = zip(objective.weights, scales, strict=True)
    return np.concatenate([weights / np.sqrt(scale) for (_, weights), scale in pairs])


def _task(component: Component, rows: Array, prior: Array) -> Task:
    W = _centred(rows, prior)
    common = np.maximum(prior, MIN_SHARE / component.size)
    common = common / common.sum()
    searched, even = _centred(rows, common), _centred(np.eye(component.size), common)
    weight = float(np.trace(searched)) / component.size
    if weight == 0:
        searched = even
    undecided = weight > 0 and np.linalg.eigvalsh(searched)[1] < MIN_WEIGHT * weight  # the least one is that of p
    floor = FLOOR * telling_apart(component.E) if undecided else np.zeros((component.size, 0))
    group = symmetries([component.E, searched, W], [common, prior])
    smaller = symmetries([component.E, searched, W], [common, prior], largest=min(component.size, group.order))
    mean = common @ floor
    apart = floor / np.maximum(mean, np.finfo(float).tiny) - 1
    problem = ColumnProblem(common, searched, group, group.average((apart * mean) @ apart.T))
    return Task(component, ColumnProblem(prior, W, group), problem, smaller, floor)


def telling_apart(E: Array) -> Array:
    """A channel that tells all values apart, a row for each: report y is ``e^(min_z E[y,z])`` times as likely for y.

    It is randomized response where all entries are alike. The excess of the own report is the same for every value, so
    all rows have one sum.
    """
    nearest = np.where(np.eye(len(E), dtype=bool), np.inf, E).min(axis=1)
    columns = np.diag(np.ones(len(E))) + 1 / np.expm1(np.minimum(nearest, CAP))
    return np.asarray(columns / columns.sum(axis=1, keepdims=True))


def _centred(rows: Array, prior: Array) -> Array:
    """The sum of the outer products of the queries, each less its mean."""
    own = rows - (rows @ prior)[:, None]
    return own.T @ own


def is_distance(components: Sequence[Component]) -> bool:
    """True if E is symmetric and finite between all values."""
    first = components[0]
    symmetric = first.entries == tuple(zip(*first.entries, strict=True))
    return len(components) == 1 and symmetric and bool(np.isfinite(first.E).all())
