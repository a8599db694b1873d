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
from ...core.errors import DiscreetError, InvalidInput, NotServed, check_type, shown
from ...core.limits import Limits
from ...estimation.arrays.numeric import NUMERIC
from ...mechanisms.build import base, check_bits
from ...mechanisms.composed.blocks import BlockResponse
from ...mechanisms.mechanism import Mechanism
from ...mechanisms.randomizer import Randomizer
from ...mechanisms.tables.channel import PAIR
from ...mechanisms.tables.repair import repaired
from ...mechanisms.tables.types import Types
from ..choose import by_types, explain, prior_of
from ..explanation import rated
from ..objective import Objective, objective_of
from ..optimize.cone import Array
from ..optimize.options import MOST_CLASSES
from .parts import LARGEST, Part, is_distance, parts_of
from .proving import Proof, proved, proved_by_types
from .result import Designed, Step
from .searching import Search, Solution, worst_of

ENTRIES = 1 << 20
"""The most entries of a table."""

PER_VALUE = 8, 40
"""The fewest and the most reports for each value of a part."""

LISTED = 1 << 17
"""The most entries of a closed form whose columns a search begins with."""

WRITTEN = 1 << 13
"""The same for one whose probabilities are written out one by one."""

SEARCHED = 0.75
"""The part of the time that a search may take; the rest is for the bound."""

TOO_LARGE = f"Only closed forms were compared: parts of more than {LARGEST} values are not searched."

TOO_FINE = "Only closed forms were compared: E is too small, or too uneven, to be searched in doubles."

LONGEST = 10**7
"""The most seconds that a search may be given."""

TOO_SOON = "Only closed forms were compared: the search was stopped before it had found a table."

ALONE = 0.15
"""The part of the time that each of several wishes is searched for alone, all together at most half."""


def design(
    context: Context,
    *,
    query: Any = None,
    worst: bool = False,
    prior: Any = None,
    seconds: float = 60,
    seed: int = 0,
    bits: int | None = None,
    progress: Callable[[Step], object] | None = None,
) -> Designed:
    """The best mechanism for `context` that is found in about `seconds`, never worse than the best closed form.

    What is made small is the error of all shares, or of the linear queries in `query`, at the shares `prior`, or
    with `worst` the largest error over all shares, as for `mechanism`. A table is searched by column generation over
    all channels that E allows, rounded to whole units and certified like any other mechanism; a bound on the error of
    every mechanism for the context is proved beside it. `progress` is called with a `Step` now and then.

    The same `seed` finds the same where the search ends by itself (`converged`); one that is cut short depends on how
    fast the machine is. Ctrl-C ends the search and gives the best that was found. `seconds` bounds the search alone:
    to write its table out and to prove the bound may take a minute more for a hundred values.

    References: Acharya2020, Kairouz2016 (extreme rays), Silvey1978 (multiplicative weights), Murota2010 (symmetry).
    """
    check_type("context", context, Context, "a context")
    check_bits(bits)
    _check(seconds, seed, progress)
    began, seconds = monotonic(), float(seconds)
    shares, objective = prior_of(context, prior), objective_of(context, query, worst)
    parts = parts_of(context)
    closed = _closed_forms(context, shares, bits, query, worst)
    if parts is None:
        if not closed:
            raise NotServed(f"{context!r} is too large to be searched, and no closed form serves it")
        return _finished(objective, shares, closed, None, None, began, note=TOO_LARGE)
    search = Search(
        parts,
        cache(lambda part: _starts(part, closed)),
        seed,
        lambda part: _most_reports(part, bits),
        progress or (lambda step: None),
        began=began,
    )
    try:
        objective = _balanced(search, objective, shares, closed, seconds)
        sized = _sized(search, objective)
        solution = search.solved(sized, shares, began + SEARCHED * seconds)
        made = search.unhurried(lambda: Mechanism(context, _joined(parts, solution)))
    except (np.linalg.LinAlgError, NotServed) as failure:
        if not closed:
            raise NotServed(f"{context!r}: no table could be found in doubles ({failure})") from None
        return _finished(objective, shares, closed, None, search, began, note=TOO_FINE)
    except KeyboardInterrupt:
        if not closed:
            raise
        search.stopped = True
        return _finished(objective, shares, closed, None, search, began, note=TOO_SOON)
    return _finished(objective, shares, [made, *closed], solution, search, began + (0 if search.stopped else seconds))


def _check(seconds: Any, seed: object, progress: object) -> None:
    is_number = isinstance(seconds, Real) and not isinstance(seconds, bool)
    if not is_number or not 0 < seconds <= LONGEST:
        raise InvalidInput(f"seconds={shown(seconds)} must be a positive number of at most {LONGEST}")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InvalidInput(f"seed={shown(seed)} must be a whole number that is not negative")
    if progress is not None and not callable(progress):
        raise InvalidInput(f"progress={shown(progress)} must be a function of a step")


def _closed_forms(context: Context, shares: Array, bits: int | None, query: Any, worst: bool) -> list[Mechanism]:
    """Every mechanism that serves the context without a search for a table; types of many classes, too."""
    found: list[Mechanism] = []
    with suppress(DiscreetError):
        compared = explain(context, prior=shares, bits=bits, query=query, worst=worst)
        found = [candidate.mechanism for candidate in compared.candidates]
    if not any(made.name == Types.name for made in found):
        with suppress(DiscreetError):
            found.append(by_types(context, shares, bits, most=MOST_CLASSES))
    return found


def _most_reports(part: Part, bits: int | None) -> int:
    """The most reports of a part: few enough for a reader of the spec to certify, at least 8 and at most 40 a value."""
    fewest, most = (each * part.size for each in PER_VALUE)
    read = int(0.9 * Limits().work / part.size**2) - PAIR
    room = max(fewest, min(most, ENTRIES // part.size, read))
    return room - 1 if bits is None else max(part.size, min(room, 1 << bits) - 1)


def _starts(part: Part, closed: Sequence[Mechanism]) -> Array:
    """The columns of the closed forms, as far as they can be listed, restricted to the values of a part."""
    found = [np.ones((1, part.size))]
    for made in closed:
        columns = columns_of(made, part.members)
        if columns is not None:
            found.append(columns[columns.max(axis=1) > 0])
    return np.concatenate(found)


def columns_of(made: Mechanism, members: Sequence[int]) -> Array | None:
    """How likely each report is under each of these values, a row for every report; None if they are too many."""
    randomizer, size = made.randomizer, made.context.size
    if randomizer.disjoint and randomizer.cells * size <= LISTED:
        return np.stack([randomizer.push(unit, NUMERIC) for unit in np.eye(size)[list(members)]], axis=1)
    if randomizer.outputs * size <= WRITTEN:
        return np.array([[float(randomizer.probability(x, y)) for x in members] for y in randomizer.reports()])
    return None


def _balanced(
    search: Search, objective: Objective, shares: Array, closed: Sequence[Mechanism], seconds: float
) -> Objective:
    """The objective with each of several wishes divided by the best value of it alone that is found."""
    if len(objective.asked) == 1:
        return objective
    each = min(ALONE, 0.5 / len(objective.asked)) * seconds
    best = []
    for asked in objective.asked:
        alone = replace(objective, asked=(asked,))
        sized = _sized(search, alone)
        solution = search.solved(sized, shares, monotonic() + each)
        reached = search.unit * (worst_of(solution, sized)[1] if alone.worst else solution.error)
        best.append(min([reached, *(alone.error(made, shares) for made in closed)]))
    return objective.balanced(best)


def _sized(search: Search, objective: Objective) -> Objective:
    """The objective with a single query divided by its largest difference of weights, which the search is told of."""
    rows = objective.asked[0][1]
    search.unit = 1.0 if len(objective.asked) > 1 or rows is None else float(np.ptp(rows, axis=1).max()) ** 2
    return objective if search.unit == 1.0 else replace(objective, scales=(search.unit,))


def _joined(parts: Sequence[Part], solution: Solution) -> Randomizer:
    """The channels of all parts in whole units, certified, with their estimators; reports show the part."""
    made: dict[Part, Randomizer] = {}
    for task, channel in zip(solution.tasks, solution.channels, strict=True):
        rows = [[int(math.ldexp(entry, 120)) for entry in row] for row in channel.tolist()]
        made[task.part] = repaired(rows, task.part.entries).weighted(task.exact.prior.tolist())
    if len(parts) == 1 and made:
        return made[parts[0]]
    alone = base("randomized_response", 1, Fraction(1), {})
    number = {x: block for block, part in enumerate(parts) for x in part.members}
    return BlockResponse([number[x] for x in range(len(number))], [made.get(part, alone) for part in parts])


def _proof(solution: Solution, until: float) -> Proof:
    """The bound of a solution, which Ctrl-C leaves out."""
    try:
        return proved(solution.tasks, solution.found, until=until)
    except KeyboardInterrupt:
        return Proof(0.0, False, ("No bound could be proved: it was stopped",))


def _finished(
    objective: Objective,
    shares: Array,
    made: Sequence[Mechanism],
    solution: Solution | None,
    search: Search | None,
    until: float,
    note: str = "",
) -> Designed:
    """The mechanism with the least error, and what is known of it; with a solution the first one is designed."""
    ranked = rated(made, shares, objective)
    if objective.scales:  # by the best of each wish that was searched for, not the best of those compared
        ranked = [replace(one, error=objective.combined([error for _, error in one.wishes])) for one in ranked]
    closed, proof, bound = ranked, Proof(0.0, False, (note,)), 0.0
    if solution is not None and search is not None:
        closed, proof = ranked[1:], _proof(solution, until)
        bound = search.unit * (proof.bound + solution.between)
        by_types = proved_by_types(made[0].context, shares) if objective.is_plain else 0.0
        if by_types > bound:
            bound, proof = by_types, Proof(by_types, True, ())
    best = min(
        [*closed, *ranked[:1]], key=lambda one: float(f"{one.error:.9g}")
    )  # a closed form wherever it is as good
    return Designed(
        best.mechanism,
        objective.name,
        tuple((shares if solution is None or best is not ranked[0] else solution.shares).tolist()),
        best.error,
        min(max(bound, objective.unhidden(shares)), best.error),
        proof.listed,
        replace(objective, worst=True).error(best.mechanism, shares),
        None if search is None else _expected_distance(best.mechanism, search.parts, shares),
        best.wishes,
        tuple(sorted(closed, key=lambda one: one.error)),
        () if search is None else tuple(search.history),
        0.0 if search is None else monotonic() - search.began,
        solution is None or solution.converged,
        search is not None and search.stopped,
        proof.notes,
    )


def _expected_distance(made: Mechanism, parts: Sequence[Part], shares: Array) -> float | None:
    """The expected E between a value and the best guess from its report; None where E is no distance."""
    if not is_distance(parts):
        return None
    columns = columns_of(made, range(made.context.size))
    return None if columns is None else float((columns * shares @ parts[0].E).min(axis=1).sum())
