"""The proved bound of a design, part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np

from ...contexts import Context
from ...core.errors import MissingExtra, NotServed
from ..optimize.cone import Array
from ..optimize.generation import Found
from ..optimize.listing import listed_bound
from ..optimize.options import Problem, classes_of
from ..optimize.semidefinite import semidefinite_bound
from ..optimize.type_pricing import LISTED, listings
from ..optimize.types import best_types
from .parts import Task

SECONDS = 3.0
"""A bound is given at least this many seconds, whatever the search took."""


@dataclass(frozen=True)
class Proof:
    """The sum of the bounds of all parts, whether all were found by listing every ray, and what could not be done."""

    bound: float
    listed: bool
    notes: tuple[str, ...]


def proved(tasks: Sequence[Task], found: Sequence[Found], *, until: float) -> Proof:
    """What no channel is below in all these parts together; 0 for a part that nothing could be proved of."""
    total, listed = 0.0, True
    notes: dict[str, None] = {}
    known: dict[bytes, float] = {}
    until = max(until, monotonic() + SECONDS)
    for number, (task, one) in enumerate(zip(tasks, found, strict=True)):
        if task.key not in known:
            lam = one.state.along(task.exact.group)
            bound = listed_bound(task.part.E, task.exact, one.state.K, lam)
            if bound is None:
                listed = False
                try:
                    share = (until - monotonic()) / (len(tasks) - number)
                    bound = semidefinite_bound(task.part.E, task.exact, until=monotonic() + share)
                except MissingExtra as missing:
                    notes[f"No bound could be proved: {missing}"] = None
            known[task.key] = bound or 0.0
        total += known[task.key]
    return Proof(total, listed, tuple(notes))


def proved_by_types(context: Context, shares: Array) -> float:
    """What no channel is below for all shares, where values fall into classes of which all types can be compared; or 0.

    It holds at shares that are even inside each class, as a channel that treats alike values alike is then the best.
    """
    try:
        classes = classes_of(context, shares)
    except NotServed:
        return 0.0
    even = (classes.masses / classes.sizes)[list(classes.class_of)]
    if listings(Problem(classes, bits=None)) > LISTED or np.abs(shares - even).max() > 1e-12:
        return 0.0
    try:
        return best_types(classes, bits=None).proved or 0.0
    except NotServed:
        return 0.0
