"""A proved bound for any privacy matrix of few values, by a semidefinite program for every part of it."""

from __future__ import annotations

from time import monotonic

import numpy as np
from numpy.typing import NDArray

from discreet.contexts import Context
from discreet.core.errors import NotIdentifiable
from discreet.planning.design.components import components_of, tasks_of
from discreet.planning.objective import objective_of
from discreet.planning.optimize.semidefinite import semidefinite_bound
from discreet.theory.bound import Bound, lower


def unbiased_semidefinite(context: Context, p: NDArray[np.float64], *, seconds: float) -> Bound | None:
    """n times the squared error at p that no unbiased estimate is below; None where it is too large a program.

    The sum of the semidefinite relaxation over the parts that finite entries link, and of what is left of the error
    when every part is known exactly. It takes about `seconds` seconds, and the packages of the design extra.
    """
    try:
        parts = components_of(context)
    except NotIdentifiable:
        return lower("unbiased squared error times n", np.inf, "Rao1945")
    if parts is None:
        return None
    tasks, total = tasks_of(parts, objective_of(context), p)
    until, known = monotonic() + seconds, dict[bytes, float]()
    for number, task in enumerate(tasks):
        if task.key not in known:
            share = (until - monotonic()) / (len(tasks) - number)
            found = semidefinite_bound(task.component.E, task.exact, until=monotonic() + share)
            if found is None:
                return None
            known[task.key] = found
        total += known[task.key]
    return lower("unbiased squared error times n", total, "Rao1945", note="semidefinite")
