"""The proved lower bound on the error of a design, component by component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np

from ...contexts import Context
from ...core.errors import MissingExtra, NotServed
from ..classwise import classes_of
from ..optimize.cone import Array
from ..optimize.generation import ColumnSolution
from ..optimize.listing import bound_by_listing
from ..optimize.semidefinite import semidefinite_bound
from ..optimize.type_options import TypeProblem
from ..optimize.type_pricing import MAX_LISTED_TYPES, count_types
from ..optimize.types import best_types
from .components import Task

MIN_SECONDS = 3.0
"""The least time that proving a bound may take, whatever the search took."""


@dataclass(frozen=True)
class Proof:
    """A lower bound on the error of every channel, whether all rays were listed for it, and what could not be done."""

    bound: float
    listed: bool
    notes: tuple[str, ...]


def prove_bound(tasks: Sequence[Task], found: Sequence[ColumnSolution], *, until: float) -> Proof:
    """The lower bounds of all components added up; 0 for a component that nothing could be proved of."""
    total, listed = 0.0, True
    notes: dict[str, None] = {}
    known: dict[bytes, float] = {}
    until = max(until, monotonic() + MIN_SECONDS)
    for number, (task, one) in enumerate(zip(tasks, found, strict=True)):
        if task.key not in known:
            lam = one.state.along(task.exact.group)
            bound = bound_by_listing(task.component.E, task.exact, one.state.K, lam)
            if bound is None:
                listed = False
                try:
                    share = (until - monotonic()) / (len(tasks) - number)
                    bound = semidefinite_bound(task.component.E, task.exact, until=monotonic() + share)
                except MissingExtra as missing:
                    notes[f"No bound could be proved: {missing}"] = None
            known[task.key] = bound or 0.0
        total += known[task.key]
    return Proof(total, listed, tuple(notes))


def bound_by_types(context: Context, shares: Array) -> float:
    """A lower bound for all shares where values fall into classes of which all types can be compared; 0 elsewhere.

    It holds at shares that are even inside each class, as a channel that treats alike values alike is then the best.
    """
    try:
        classes = classes_of(context, shares)
    except NotServed:
        return 0.0
    if count_types(TypeProblem(classes, bits=None)) > MAX_LISTED_TYPES or np.abs(shares - classes.even).max() > 1e-12:
        return 0.0
    try:
        return best_types(classes, bits=None).bound or 0.0
    except NotServed:
        return 0.0
