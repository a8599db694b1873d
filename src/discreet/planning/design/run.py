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
from ...estimation.decoders.two_level import CirculantDecoder
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
from ..optimize.proof import bound_of_dual, closed_bound
from ..optimize.semidefinite import semidefinite_bound
from ..optimize.symmetry import Array
from ..optimize.type_options import TypeProblem
from ..optimize.types import MAX_LISTED_TYPES, best_types, count_types
from .components import MAX_VALUES, Component, Task, components_of, is_distance, tasks_of
from .result import MAX_OPTIMAL_GAP, Designed, SearchStep
from .search import FIRST_SHARE, MUCH_WORSE, Search, Solution, worst_case

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
CERTIFYING_SHARE = 0.4
"""The part of the time that certifying a table may take."""
CERTIFIED_PER_SECOND = 6e6
"""Pairs of probabilities that a machine is counted on to compare exactly."""
MIN_REPORTS_PER_VALUE = 2
"""A table of fewer reports for each value is not searched for."""
MIN_GAIN = 1e-9
"""A table is certified where it has less error than the closed forms by more than this part."""
MAX_EXCESS = 1e-6
"""A bound may be above the error by this part, from rounding; further above it, it is no bound."""
TOO_LARGE = f"Only closed forms were compared: parts of more than {MAX_VALUES} values are not searched."

TOO_FINE = "Only closed forms were compared: a search for a table did not succeed in doubles."

TOO_LONG = "Only closed forms were compared: to certify a table of so many values takes longer than was allowed."

CONTRADICTED = (
    "What was proved contradicts the error, as rounding may do to values that are nearly alike: it is left out."
)

MAX_SECONDS = 10**7
"""The most seconds that a search may be given."""
TOO_SOON = "Only closed forms were compared: the search was stopped before it had found a table."

ALONE_SHARE = 0.15
"""The part of the time for each of several targets alone; all together take at most half."""


def prove_bound(
    tasks: Sequence[Task], solutions: Sequence[ColumnSolution] | None, *, until: float
) -> tuple[float, bool, tuple[str, ...]]:
    """A lower bound on the error of every channel, whether all rays were listed for it, and what could not be done.

    The bounds of all components are added up. That of a component is the largest of those that its size allows in time:
    the closed one, what the multipliers of a search prove, and a semidefinite relaxation.
    """
    total, listed = 0.0, True
    notes: dict[str, None] = {}
    known: dict[bytes, tuple[float, bool]] = {}
    for number, task in enumerate(tasks):
        if task.key not in known:
            E, of = task.component.E, task.exact
            bound, exact = closed_bound(E, of), False
            state = None if solutions is None else solutions[number].state
            proved = None if state is None else bound_of_dual(E, of, state.K, state.along(of.group))
            if proved is not None:
                bound, exact = max(bound, proved[0]), proved[1] and proved[0] > bound * (1 - MAX_EXCESS)
            elif state is None or bound < state.value * (1 - MAX_OPTIMAL_GAP / 2):
                try:
                    share = (until - monotonic()) / (len(tasks) - number)
                    bound = max(bound, semidefinite_bound(E, of, until=monotonic() + share) or 0.0)
                except MissingExtra as missing:
                    notes[f"No better bound could be proved: {missing}"] = None
            known[task.key] = bound, exact
        total, listed = total + known[task.key][0], listed and known[task.key][1]
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
    fast the machine is. Ctrl-C ends the search and gives the best that was found. `seconds` bounds the whole call: the
    search, certifying its table and proving a bound. What a step takes is counted before it is done, so a domain that
    is too large for the time gets a smaller table, a weaker bound, or a closed form, and notes say so.

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
    until = began + seconds
    if components is None:
        if not closed:
            raise NotServed(f"{context!r} is too large to be searched, and no closed form serves it")
        return _result(objective, shares, [], closed, (), None, None, until, note=TOO_LARGE)
    most = [_max_reports(component, bits) for component in components]
    timed = [_certifiable(component, components, CERTIFYING_SHARE * seconds) for component in components]
    enough = [min(MIN_REPORTS_PER_VALUE * part.size, few) for few, part in zip(most, components, strict=True)]
    if closed and any(few < least for few, least in zip(timed, enough, strict=True)):
        return _result(objective, shares, [], closed, components, None, None, until, note=TOO_LONG)
    reports = dict(zip(components, map(min, most, map(max, timed, enough)), strict=True))
    search = Search(
        components,
        cache(lambda component: _starting_columns(component, closed)),
        seed,
        reports.__getitem__,
        progress or (lambda step: None),
        began=began,
        first_share=_first_share(objective, shares, closed),
    )
    certifying = sum(_certifying(part.size, reports[part]) for part in components if part.size > 1)
    searching = max(seconds - certifying, 0.0)
    try:
        objective = _balance(search, objective, shares, closed, searching)
        sized = _rescale(search, objective)
        solution = search.solve(sized, shares, began + SEARCH_SHARE * searching)
        tables = search.finish(lambda: _certified(context, search, solution, sized, objective, shares, closed))
    except (np.linalg.LinAlgError, NotServed) as failure:
        if not closed:
            raise NotServed(f"{context!r}: no table could be found in doubles ({failure})") from None
        return _result(objective, shares, [], closed, components, None, search, until, note=TOO_FINE)
    except KeyboardInterrupt:
        if not closed:
            raise
        search.stopped = True
        return _result(objective, shares, [], closed, (), None, search, began, note=TOO_SOON)
    until = began if search.stopped else until
    return _result(objective, shares, tables, closed, components, solution, search, until)


def _first_share(objective: Objective, shares: Array, closed: Sequence[Mechanism]) -> float:
    """The part of the time for the search at the first shares, by how much worse the best closed form is at others."""
    if not closed:
        return 1.0
    errors = [(replace(objective, worst=False).error(mechanism, shares), mechanism) for mechanism in closed]
    error, best = min(errors, key=lambda pair: pair[0])
    worst = replace(objective, worst=True).error(best, shares)
    return FIRST_SHARE if error < (1 - MUCH_WORSE) * worst else 1.0


def _certified(
    context: Context,
    search: Search,
    solution: Solution,
    sized: Objective,
    objective: Objective,
    shares: Array,
    closed: Sequence[Mechanism],
) -> list[Mechanism]:
    """The table of a solution, certified; none where a closed form has as little error."""
    if closed:
        found = search.unit * (worst_case(solution, sized)[1] if objective.worst else solution.error)
        if found >= (1 - MIN_GAIN) * min(objective.error(mechanism, shares) for mechanism in closed):
            return []
    return [Mechanism(context, _join(search.components, solution))]


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


def _certifiable(component: Component, components: Sequence[Component], seconds: float) -> int:
    """How many reports of a component can be certified if all tables may take `seconds`, shared by pairs of values."""
    share = seconds / sum(part.size**2 for part in components)
    return int(min(share * CERTIFIED_PER_SECOND, MAX_ENTRIES)) - PAIR


def _certifying(values: int, reports: int) -> float:
    """The seconds that certifying a table is counted on to take: when it is made, and again as a mechanism."""
    return values**2 * (reports + PAIR) / CERTIFIED_PER_SECOND


def _starting_columns(component: Component, closed: Sequence[Mechanism]) -> Array:
    """The columns of all closed forms that can be listed, restricted to the values of a component.

    Those of circulant response are left out: they are many, nearly alike, and none is an image of another.
    """
    listed = [columns_of(mechanism, component.members) for mechanism in closed if not _is_circulant(mechanism)]
    known = [columns[columns.max(axis=1) > 0] for columns in listed if columns is not None]
    return np.concatenate([np.ones((1, component.size)), *known])


def _is_circulant(mechanism: Mechanism) -> bool:
    return any(isinstance(part.decoder, CirculantDecoder) for part in decoder_of(mechanism).groups())


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
    """The objective with each of several targets divided by the least error that a search for it alone finds.

    When half of the time is over, the closed forms have to do for the targets that are left.
    """
    if len(objective.targets) == 1:
        return objective
    each, half = min(ALONE_SHARE, 0.5 / len(objective.targets)) * seconds, monotonic() + seconds / 2
    best = []
    for target in objective.targets:
        alone = replace(objective, targets=(target,))
        errors = [alone.error(mechanism, shares) for mechanism in closed]
        if not errors or monotonic() < half:
            sized = _rescale(search, alone)
            solution = search.solve(sized, shares, monotonic() + each)
            errors.append(search.unit * (worst_case(solution, sized)[1] if alone.worst else solution.error))
        best.append(min(errors))
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
    tables: Sequence[Mechanism],
    closed: Sequence[Mechanism],
    components: Sequence[Component],
    solution: Solution | None,
    search: Search | None,
    until: float,
    note: str = "",
) -> Designed:
    """The mechanism with the least error, and what is known of it."""
    ranked = rate([*tables, *closed], shares, objective)
    if not objective.scales:  # as `rate` did, so that bounds are in the units of the errors
        objective = objective.balance([min(column) for column in zip(*(_errors(one) for one in ranked), strict=True)])
    else:  # by the best of each target that was searched for, not the best of those compared
        ranked = [replace(one, error=objective.combine(_errors(one))) for one in ranked]
    found, compared = ranked[: len(tables)], ranked[len(tables) :]
    # a closed form wherever it is as good
    best = min([*compared, *found], key=lambda one: float(f"{one.error:.9g}"))
    bound, listed, notes = _proved(objective, shares, best.mechanism.context, components, solution, search, until)
    if bound > best.error * (1 + MAX_EXCESS):
        bound, listed, notes = 0.0, False, (CONTRADICTED,)
    return Designed(
        best.mechanism,
        objective.name,
        tuple((solution.shares if solution is not None and any(best is one for one in found) else shares).tolist()),
        best.error,
        min(max(bound, objective.unhidden(shares)), best.error),
        listed,
        replace(objective, worst=True).error(best.mechanism, shares),
        None if search is None else _expected_distance(best.mechanism, search.components, shares),
        best.targets,
        tuple(sorted(compared, key=lambda one: one.error)),
        () if search is None else tuple(search.history),
        0.0 if search is None else monotonic() - search.began,
        solution is None or solution.converged,
        search is not None and search.stopped,
        (note, *notes) if note else notes,
    )


def _proved(
    objective: Objective,
    shares: Array,
    context: Context,
    components: Sequence[Component],
    solution: Solution | None,
    search: Search | None,
    until: float,
) -> tuple[float, bool, tuple[str, ...]]:
    """The largest lower bound on the error of every mechanism, whether all types were checked, and notes."""
    try:
        if solution is not None and search is not None:
            proved, listed, notes = prove_bound(solution.tasks, solution.columns, until=until)
            bound = search.unit * (proved + solution.between)
        elif components:
            tasks, between = tasks_of(components, objective, shares)
            proved, listed, notes = prove_bound(tasks, None, until=until)
            bound = proved + between
        else:
            return 0.0, False, ()
        by_types = bound_by_types(context, shares) if objective.is_plain else 0.0
    except KeyboardInterrupt:
        return 0.0, False, ("No bound could be proved: it was stopped",)
    return (by_types, True, ()) if by_types > bound else (bound, listed, notes)


def _errors(candidate: Candidate) -> list[float]:
    return [error for _, error in candidate.targets]


def _expected_distance(mechanism: Mechanism, components: Sequence[Component], shares: Array) -> float | None:
    """The expected distance between a value and the best guess from its report; None where E is no distance."""
    if not is_distance(components):
        return None
    columns = columns_of(mechanism, range(mechanism.context.size))
    return None if columns is None else float((columns * shares @ components[0].E).min(axis=1).sum())
