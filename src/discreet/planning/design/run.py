"""`design`: search for the best table of an arbitrary context, certify it, and say how good it can be at best."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from numbers import Real
from time import monotonic
from typing import Any

import numpy as np

from ...contexts import Context
from ...core.errors import DiscreetError, InvalidInput, MissingExtra, NotServed, check_type, shown
from ...core.limits import Limits
from ...estimation.decoders import decoder_of
from ...mechanisms.build import base, check_bits
from ...mechanisms.composed.blocks import BlockResponse
from ...mechanisms.mechanism import Mechanism
from ...mechanisms.sampler import Sampler
from ...mechanisms.tables.classwise_mixture import ClasswiseMixture
from ...mechanisms.tables.repair import repaired
from ...mechanisms.tables.table import PAIR
from ..choose import explain, prior_of
from ..classwise import classes_of, classwise_mixture
from ..explanation import Candidate, rate
from ..objective import Objective, objective_of
from ..optimize.generation import ColumnSolution
from ..optimize.semidefinite import semidefinite_bound
from ..optimize.symmetry import Array
from ..optimize.type_options import TypeProblem
from ..optimize.types import MAX_LISTED_TYPES, best_types, count_types
from .components import MAX_VALUES, Component, Task, components_of, is_distance
from .result import Designed, SearchStep
from .search import Search, Solution, bound_by_listing, worst_case

MIN_SECONDS = 3.0
"""The least time that proving a bound may take, whatever the search took."""


MAX_ENTRIES = 1 << 20
"""The most entries of a table."""
REPORTS_PER_VALUE = 8, 40
"""The fewest and the most reports for each value of a component."""
MAX_LISTED_ENTRIES = 1 << 17
"""The most entries of a closed form whose columns a search begins with."""
MAX_EXACT_ENTRIES = 1 << 13
"""The same for one whose probabilities are written out one by one."""
SEARCH_SHARE = 0.75
"""The part of the time that a search may take; the rest is for the bound."""
TOO_LARGE = f"Only closed forms were compared: parts of more than {MAX_VALUES} values are not searched."

TOO_FINE = "Only closed forms were compared: a search for a table did not succeed in doubles."

MAX_SECONDS = 10**7
"""The most seconds that a search may be given."""
TOO_SOON = "Only closed forms were compared: the search was stopped before it had found a table."

ALONE_SHARE = 0.15
"""The part of the time for each of several targets alone; all together take at most half."""


def prove_bound(
    tasks: Sequence[Task], solutions: Sequence[ColumnSolution], *, until: float
) -> tuple[float, bool, tuple[str, ...]]:
    """A lower bound on the error of every channel, whether all rays were listed for it, and what could not be done.

    The bounds of all components are added up; that of a component of which nothing could be proved is 0.
    """
    total, listed = 0.0, True
    notes: dict[str, None] = {}
    known: dict[bytes, float] = {}
    until = max(until, monotonic() + MIN_SECONDS)
    for number, (task, solution) in enumerate(zip(tasks, solutions, strict=True)):
        if task.key not in known:
            lam = solution.state.along(task.exact.group)
            bound = bound_by_listing(task.component.E, task.exact, solution.state.K, lam)
            if bound is None:
                listed = False
                try:
                    share = (until - monotonic()) / (len(tasks) - number)
                    bound = semidefinite_bound(task.component.E, task.exact, until=monotonic() + share)
                except MissingExtra as missing:
                    notes[f"No bound could be proved: {missing}"] = None
            known[task.key] = bound or 0.0
        total += known[task.key]
    return total, listed, tuple(notes)


def bound_by_types(context: Context, shares: Array) -> float:
    """A lower bound from comparing all types of a context with classes; 0 where that cannot be done.

    It holds at shares that are even inside each class, as the best channel then treats exchangeable values alike.
    """
    try:
        classes = classes_of(context, shares)
        many = count_types(TypeProblem(classes, bits=None)) > MAX_LISTED_TYPES
        if many or np.abs(shares - classes.even).max() > 1e-12:
            return 0.0
        return best_types(classes, bits=None).bound or 0.0
    except NotServed:
        return 0.0


def design(
    context: Context,
    *,
    query: Any = None,
    worst: bool = False,
    prior: Any = None,
    seconds: float = 60,
    seed: int = 0,
    bits: int | None = None,
    progress: Callable[[SearchStep], object] | None = None,
) -> Designed:
    """The best mechanism for `context` that is found in about `seconds`, never worse than the best closed form.

    What is made small is the error of all shares, or of the linear queries in `query`, at the shares `prior`, or
    with `worst` the largest error over all shares, as for `mechanism`. A table is searched by column generation over
    all channels that E allows, rounded to whole units and certified like any other mechanism; a bound on the error of
    every mechanism for the context is proved beside it. `progress` is called with a `SearchStep` now and then.

    The same `seed` finds the same where the search ends by itself (`converged`); one that is cut short depends on how
    fast the machine is. Ctrl-C ends the search and gives the best that was found. `seconds` bounds the search alone:
    to write its table out and to prove the bound may take a minute more for a hundred values.

    >>> import discreet as dc
    >>> context = dc.Context.matrix(["low", "mid", "high"], [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> designed = dc.design(context, seconds=1)
    >>> designed.mechanism
    <table for Context.matrix(3 values), 3 bits per report>
    >>> designed.compared[0].name, round(designed.gain, 1)
    ('geometric', 1.1)

    References: Acharya2020, Kairouz2016 (extreme rays), Silvey1978 (multiplicative weights), Murota2010 (symmetry).
    """
    check_type("context", context, Context, "a context")
    check_bits(bits)
    _check(seconds, seed, progress)
    began, seconds = monotonic(), float(seconds)
    shares, objective = prior_of(context, prior), objective_of(context, query, worst)
    components = components_of(context)
    closed = _closed_forms(context, shares, bits, query, worst)
    if components is None:
        if not closed:
            raise NotServed(f"{context!r} is too large to be searched, and no closed form serves it")
        return _result(objective, shares, closed, None, None, began, note=TOO_LARGE)
    search = Search(
        components,
        cache(lambda component: _starting_columns(component, closed)),
        seed,
        lambda component: _max_reports(component, bits),
        progress or (lambda step: None),
        began=began,
    )
    try:
        objective = _balance(search, objective, shares, closed, seconds)
        sized = _rescale(search, objective)
        solution = search.solve(sized, shares, began + SEARCH_SHARE * seconds)
        table = search.finish(lambda: Mechanism(context, _join(components, solution)))
    except (np.linalg.LinAlgError, NotServed) as failure:
        if not closed:
            raise NotServed(f"{context!r}: no table could be found in doubles ({failure})") from None
        return _result(objective, shares, closed, None, search, began, note=TOO_FINE)
    except KeyboardInterrupt:
        if not closed:
            raise
        search.stopped = True
        return _result(objective, shares, closed, None, search, began, note=TOO_SOON)
    return _result(objective, shares, [table, *closed], solution, search, began + (0 if search.stopped else seconds))


def _check(seconds: Any, seed: object, progress: object) -> None:
    is_number = isinstance(seconds, Real) and not isinstance(seconds, bool)
    if not is_number or not 0 < seconds <= MAX_SECONDS:
        raise InvalidInput(f"seconds={shown(seconds)} must be a positive number of at most {MAX_SECONDS}")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InvalidInput(f"seed={shown(seed)} must be a whole number that is not negative")
    if progress is not None and not callable(progress):
        raise InvalidInput(f"progress={shown(progress)} must be a function of a step")


def _closed_forms(context: Context, shares: Array, bits: int | None, query: Any, worst: bool) -> list[Mechanism]:
    """All mechanisms that serve the context without a search for a table."""
    mechanisms: list[Mechanism] = []
    with suppress(DiscreetError):
        explanation = explain(context, prior=shares, bits=bits, query=query, worst=worst)
        mechanisms = [candidate.mechanism for candidate in explanation.candidates]
    if not any(mechanism.name == ClasswiseMixture.name for mechanism in mechanisms):
        with suppress(DiscreetError):
            mechanisms.append(classwise_mixture(context, shares, bits))
    return mechanisms


def _max_reports(component: Component, bits: int | None) -> int:
    """The most reports of a component: 8 to 40 for each value, and few enough to certify when a spec is read."""
    fewest, most = (each * component.size for each in REPORTS_PER_VALUE)
    read = int(0.9 * Limits().work / component.size**2) - PAIR
    room = max(fewest, min(most, MAX_ENTRIES // component.size, read))
    return room - 1 if bits is None else max(component.size, min(room, 1 << bits) - 1)


def _starting_columns(component: Component, closed: Sequence[Mechanism]) -> Array:
    """The columns of all closed forms that can be listed, restricted to the values of a component."""
    listed = [columns_of(mechanism, component.members) for mechanism in closed]
    known = [columns[columns.max(axis=1) > 0] for columns in listed if columns is not None]
    return np.concatenate([np.ones((1, component.size)), *known])


def columns_of(mechanism: Mechanism, members: Sequence[int]) -> Array | None:
    """The probability of each report under each of these values, a row per report; None if there are too many."""
    decoder, size = decoder_of(mechanism), mechanism.context.size
    if decoder.disjoint and decoder.cells * size <= MAX_LISTED_ENTRIES:
        return np.stack([decoder.expected_counts(unit) for unit in np.eye(size)[list(members)]], axis=1)
    if mechanism.sampler.outputs * size <= MAX_EXACT_ENTRIES:
        return np.array([[float(mechanism.sampler.probability(x, y)) for x in members] for y in mechanism.reports()])
    return None


def _balance(
    search: Search, objective: Objective, shares: Array, closed: Sequence[Mechanism], seconds: float
) -> Objective:
    """The objective with each of several targets divided by the least error that a search for it alone finds."""
    if len(objective.targets) == 1:
        return objective
    each = min(ALONE_SHARE, 0.5 / len(objective.targets)) * seconds
    best = []
    for target in objective.targets:
        alone = replace(objective, targets=(target,))
        sized = _rescale(search, alone)
        solution = search.solve(sized, shares, monotonic() + each)
        reached = search.unit * (worst_case(solution, sized)[1] if alone.worst else solution.error)
        best.append(min(reached, *(alone.error(mechanism, shares) for mechanism in closed), math.inf))
    return objective.balance(best)


def _rescale(search: Search, objective: Objective) -> Objective:
    """The objective with a single query scaled to weights that differ by 1; `search.unit` is the scale squared."""
    rows = objective.targets[0][1]
    search.unit = 1.0 if len(objective.targets) > 1 or rows is None else float(np.ptp(rows, axis=1).max()) ** 2
    return objective if search.unit == 1.0 else replace(objective, scales=(search.unit,))


def _join(components: Sequence[Component], solution: Solution) -> Sampler:
    """One certified sampler for all components; a report shows which component its value is in."""
    tables: dict[Component, Sampler] = {}
    for task, channel in zip(solution.tasks, solution.channels, strict=True):
        rows = [[int(math.ldexp(entry, 120)) for entry in row] for row in channel.tolist()]
        tables[task.component] = repaired(rows, task.component.entries).weighted(task.exact.prior.tolist())
    if len(components) == 1 and tables:
        return tables[components[0]]
    alone = base("randomized_response", 1, Fraction(1), {})
    number = {x: block for block, component in enumerate(components) for x in component.members}
    blocks = [number[x] for x in range(len(number))]
    return BlockResponse(blocks, [tables.get(component, alone) for component in components])


def _result(
    objective: Objective,
    shares: Array,
    mechanisms: Sequence[Mechanism],
    solution: Solution | None,
    search: Search | None,
    until: float,
    note: str = "",
) -> Designed:
    """The mechanism with the least error, and what is known of it; with a solution the first one is its table."""
    ranked = rate(mechanisms, shares, objective)
    if not objective.scales:  # as `rate` did, so that bounds are in the units of the errors
        objective = objective.balance([min(column) for column in zip(*(_errors(one) for one in ranked), strict=True)])
    else:  # by the best of each target that was searched for, not the best of those compared
        ranked = [replace(one, error=objective.combine(_errors(one))) for one in ranked]
    closed, bound, listed = ranked, 0.0, False
    notes: tuple[str, ...] = (note,)
    if solution is not None and search is not None:
        closed = ranked[1:]
        try:
            proved, listed, notes = prove_bound(solution.tasks, solution.columns, until=until)
        except KeyboardInterrupt:
            proved, listed, notes = 0.0, False, ("No bound could be proved: it was stopped",)
        bound = search.unit * (proved + solution.between)
        by_types = bound_by_types(mechanisms[0].context, shares) if objective.is_plain else 0.0
        if by_types > bound:
            bound, listed, notes = by_types, True, ()
    # a closed form wherever it is as good
    best = min([*closed, *ranked[:1]], key=lambda one: float(f"{one.error:.9g}"))
    return Designed(
        best.mechanism,
        objective.name,
        tuple((shares if solution is None or best is not ranked[0] else solution.shares).tolist()),
        best.error,
        min(max(bound, objective.unhidden(shares)), best.error),
        listed,
        replace(objective, worst=True).error(best.mechanism, shares),
        None if search is None else _expected_distance(best.mechanism, search.components, shares),
        best.targets,
        tuple(sorted(closed, key=lambda one: one.error)),
        () if search is None else tuple(search.history),
        0.0 if search is None else monotonic() - search.began,
        solution is None or solution.converged,
        search is not None and search.stopped,
        notes,
    )


def _errors(candidate: Candidate) -> list[float]:
    return [error for _, error in candidate.targets]


def _expected_distance(mechanism: Mechanism, components: Sequence[Component], shares: Array) -> float | None:
    """The expected distance between a value and the best guess from its report; None where E is no distance."""
    if not is_distance(components):
        return None
    columns = columns_of(mechanism, range(mechanism.context.size))
    return None if columns is None else float((columns * shares @ components[0].E).min(axis=1).sum())
