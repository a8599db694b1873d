"""Choose the best mechanism for a context by exact expected error, and say why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ..contexts import Context, Part
from ..core.errors import InvalidEpsilon, InvalidInput, NotIdentifiable, NotServed, check_type
from ..core.exact import approx
from ..core.limits import spend
from ..estimation.arrays.numeric import NUMERIC
from ..mechanisms.build import BASES, REPORT_BITS, check_bits, composed, for_part, mass_of, mixture, named, shares_of
from ..mechanisms.composed.paired import Paired
from ..mechanisms.composed.two_sizes import best_two_sizes, least_favourable
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.randomizer import Cells, Randomizer
from ..mechanisms.tree.level_choice import levels_response
from ..mechanisms.tree.nested_choice import nested_response
from ..mechanisms.uniform.projective import room
from .explanation import Candidate, Explanation, rated
from .objective import Objective, objective_of
from .optimize.options import classes_of
from .optimize.types import best_types

KIND = 1 << 15
"""Steps that it takes to compare all bases in one kind of block, beside those that depend on its size."""

MIXED = 1e-4
"""The least relative gain over the best single subset size for which two are mixed at the assumed shares."""

PAIRED_WORK = 1 << 21
"""The most pairs of values that differ in one answer for which a mechanism for each question is tried automatically."""

PAIRED_BITS = 12
"""The most bits that the report of one of two questions may have."""

TYPE_CLASSES = 12
"""The most classes of alike values for which types are composed automatically: a second's work."""

TABLE_LIMIT = 128
"""The largest domain for which a full table is tried automatically."""


def explain(
    context: Context, *, prior: Any = None, bits: int | None = REPORT_BITS, query: Any = None, worst: bool = False
) -> Explanation:
    """A comparison of all mechanisms that serve the context within `bits` bits per report.

    They are compared by n times the expected squared error of all shares, or of the linear queries in `query`, at the
    shares `prior`; with `worst` by the largest error over all shares. `planning.objective` says what both may be.
    """
    check_type("context", context, Context, "a context")
    check_bits(bits)
    return compared(context, prior_of(context, prior), bits, objective_of(context, query, worst))


def compared(context: Context, shares: Any, bits: int | None, objective: Objective) -> Explanation:
    """The comparison of all mechanisms that serve the context within `bits` bits by their error at `shares`."""
    made: list[Mechanism] = []
    beyond: InvalidEpsilon | None = None
    most = 2 * context.size + REPORT_BITS  # no report of any mechanism has as many
    limit = None if bits is None else min(max(bits, _fewest_bits(context)), most)
    for build in _attempts(context, shares, limit, objective):
        try:
            one = build()
        except InvalidEpsilon as failure:
            beyond = failure
            continue
        except (NotServed, NotIdentifiable, InvalidInput):
            continue
        if limit is None or one.bits <= limit:
            made.append(one)
    if not made and beyond is not None:
        raise beyond
    if not made:
        raise NotServed(f"no mechanism serves {context!r} within {limit} bits per report")
    found: dict[str, Candidate] = {}
    for candidate in rated(made, shares, objective):
        if candidate.name not in found or candidate.error < found[candidate.name].error:
            found[candidate.name] = candidate
    ranked = tuple(sorted(found.values(), key=lambda c: (c.error * (1 + 1e-12 * c.bits), c.bits)))
    room = "any report size" if limit is None else f"reports of at most {limit} bits"
    what = "expected squared error" + (f" of {objective.title}" if objective.title else "")
    reason = f"{ranked[0].name} has the least {what} of {len(ranked)} candidates with {room}"
    return Explanation(ranked, reason, objective)


def candidate_of(made: Mechanism, shares: Any, objective: Objective | None = None) -> Candidate:
    """A mechanism with its exact expected error at `shares` and its costs; infinite where no estimate exists.

    The error is that of `objective`, or the total squared error of all shares.
    """
    return rated([made], shares, objective or objective_of(made.context))[0]


def prior_of(context: Context, prior: Any) -> Any:
    """The assumed shares as an array: uniform unless given as a list in order or a mapping by value."""
    return np.asarray(shares_of(context, prior))


def _fewest_bits(context: Context) -> int:
    return max(1, (context.size - 1).bit_length())


def _attempts(
    context: Context, shares: Any, bits: int | None, objective: Objective
) -> Iterator[Callable[[], Mechanism]]:
    """The ways to serve the context with reports of about `bits` bits, to be tried in turn."""
    form = context.simplest()
    if form.parts is None and form.size == 2:
        yield from (lambda name=name: named(context, name, {}, shares) for name in ("binary", "warner"))
        return
    served = context.covering()
    parts = served.parts or ()
    shares = _least_favourable(parts, shares) if objective.worst else shares
    for make in _ways(parts, shares, bits, objective):
        yield partial(_served, context, served, make)
    if len(parts) == 1 and not parts[0].is_uniform and (bits is None or len(parts[0].sensitive) < bits):
        yield lambda: _two_sizes(context, served, parts[0], shares, objective)
    if form.parts is None:
        yield lambda: _whole(context, shares)
        yield lambda: Mechanism(context, nested_response(context, bits=bits))
        yield lambda: Mechanism(context, levels_response(context, bits=bits, shares=shares))
        yield lambda: _paired(context, shares, bits)
        yield lambda: named(context, "torus", {}, shares)
        if context.factors is None:
            yield lambda: by_types(context, shares, bits, most=TYPE_CLASSES)
        if bits is None or context.size <= bits:
            yield lambda: named(context, "graded_unary", {}, shares)


def _whole(context: Context, shares: Any) -> Mechanism:
    """The first of these that serves a context without parts: each is at least as good as those after it."""
    names = ("geometric", "ring", "tight", "exponential") if context.size <= TABLE_LIMIT else ("geometric", "ring")
    for name in names:
        try:
            return named(context, name, {}, shares)
        except NotServed:
            continue
    raise NotServed(f"none of {', '.join(names)} serves {context!r}")


def _paired(context: Context, shares: Any, bits: int | None) -> Mechanism:
    """Each of two questions by its best mechanism among those whose reports are counted one by one."""
    if context.factors is None:
        raise NotServed("paired needs the context of two questions")
    first, second = context.factors
    several = first.factors is not None or second.factors is not None  # then each of these is compared as well
    if context.size * (first.size + second.size) << 5 * several > PAIRED_WORK:
        raise NotServed(f"paired is not tried for {first.size} x {second.size} values")
    table = shares.reshape(first.size, second.size)
    made = []
    for part, other, prior in ((first, second, table.sum(axis=1)), (second, first, table.sum(axis=0))):
        most = PAIRED_BITS if bits is None else min(PAIRED_BITS, bits - _fewest_bits(other))
        parts = (candidate.mechanism.randomizer for candidate in explain(part, prior=prior, bits=most).candidates)
        counted = next((part for part in parts if part.counted == Cells(part.outputs)), None)
        if counted is None:
            raise NotServed("paired needs mechanisms whose reports are counted one by one")
        made.append(counted)
    return Mechanism(context, Paired(*made))


def _served(context: Context, served: Context, make: Callable[[Part], Randomizer]) -> Mechanism:
    return Mechanism(context, composed(served, make), served=served)


def _least_favourable(parts: Sequence[Part], shares: Any) -> Any:
    """The shares that mechanisms are sized for in the worst case: those with the most error at best in each part."""
    assumed = np.full(len(shares), 1 / len(shares))
    for part in parts:
        if not part.is_uniform:
            members = list(part.members)
            chosen = np.flatnonzero(np.isin(members, list(part.sensitive))).tolist()
            inside = least_favourable(len(members), chosen, approx(part.level))
            assumed[members] = np.array(inside) * assumed[members].sum()
    return assumed


def _ways(
    parts: Sequence[Part], shares: Any, bits: int | None, objective: Objective
) -> Iterator[Callable[[Part], Randomizer]]:
    """Ways to serve every part: each base in all of them and, where there are several, the best base for each.

    A part with k_j of the k values may take k_j / k of the reports; where that is less than a base would take,
    all bits are tried as well, in case other parts leave room.
    """
    total = sum(len(part.members) for part in parts)

    def share(part: Part) -> int | None:
        return None if bits is None else _inside(part, (len(part.members) << bits) // total)

    def every(part: Part) -> int | None:
        return None if bits is None else _inside(part, 1 << bits)

    hardest = max(parts, key=lambda part: len(part.sensitive))
    hardest = replace(hardest, level=min(part.level for part in parts))
    sizes = {len(part.sensitive): share(part) for part in parts}
    short = any(size > 1 and room(size, most) < room(size) for size, most in sizes.items())
    limits = [share, every] if short and len(parts) > 1 else [share]
    for limit in limits:
        for name in BASES:
            if _worth_trying(name, hardest, shares, limit(hardest)):
                yield partial(_base_within, name, limit, shares)
        if len(parts) > 1:
            yield partial(_best_base, limit, shares, objective, parts)


def _inside(part: Part, reports: int) -> int:
    """The bits left for the sensitive values of a part that may have this many reports."""
    return (reports - len(part.members) + len(part.sensitive)).bit_length() - 1


def _worth_trying(name: str, part: Part, shares: Any, bits: int | None) -> bool:
    mass = None if part.is_uniform else mass_of(part, shares)
    return BASES[name].worth_trying(len(part.sensitive), part.level, bits=bits, mass=mass)


def _base_within(name: str, limit: Callable[[Part], int | None], shares: Any, part: Part) -> Randomizer:
    bits = limit(part)
    parameters = {"bits": bits} if bits is not None and BASES[name].takes_bits else {}
    return for_part(name, part, parameters, shares)


def _best_base(
    limit: Callable[[Part], int | None], shares: Any, objective: Objective, parts: Sequence[Part], part: Part
) -> Randomizer:
    """The base with the least expected squared error in the part, and in all that are like it."""
    spend(KIND, "different kinds of block")
    made: list[Randomizer] = []
    for name in BASES:
        if len(part.sensitive) > 1 and not _worth_trying(name, part, shares, limit(part)):
            continue
        try:
            made.append(_base_within(name, limit, shares, part))
        except InvalidInput:
            continue
    if not made:
        return for_part("randomized_response", part, {}, shares)
    errors = _errors_inside(made, shares, objective, parts, part)
    balanced = objective.balanced([min(column) for column in zip(*errors, strict=True)])
    ranked = [balanced.combined(own) * (1 + 1e-12 * one.bits) for own, one in zip(errors, made, strict=True)]
    return made[ranked.index(min(ranked))]


def _errors_inside(
    made: Sequence[Randomizer], shares: Any, objective: Objective, parts: Sequence[Part], part: Part
) -> list[tuple[float, ...]]:
    """What each randomizer adds to the error of every wish in all parts like this one, up to a constant."""
    held = shares[list(part.members)]
    mass = float(held.sum())
    held = held / mass if mass > 0 else np.full(len(held), 1 / len(held))
    if objective.worst:
        inside = objective.inside(part.members)
        return [inside.errors(one, held) for one in made]
    if objective.is_plain:
        return [(float(np.sum(one.second_moments(held, NUMERIC))),) for one in made]
    alike = [one for one in parts if one is part or (part.is_uniform and one.is_uniform and _kind(one) == _kind(part))]
    members = np.array([list(one.members) for one in alike])
    return [objective.moments(one, shares, members) for one in made]


def _kind(part: Part) -> tuple[int, Fraction]:
    return len(part.members), part.level


def _two_sizes(context: Context, served: Context, part: Part, shares: Any, objective: Objective) -> Mechanism:
    """A mixture of two subset sizes on the sensitive values, where it beats every single size."""
    size, epsilon, held = len(part.sensitive), approx(part.level), shares[list(part.sensitive)]
    if size < 2:
        raise NotServed("one sensitive value has one subset size")
    mass = float(np.sum(held))
    others = float(np.sum(shares**2) - np.sum(held**2))
    spread = others / (1 - mass) ** 2 if mass < 1 else 1 / (context.size - size)
    found = best_two_sizes(size, epsilon, mass, spread)
    least = found.single * (1 if objective.worst else 1 - MIXED)
    if not 0 < found.share < 1 or found.error >= least:
        raise NotServed("one subset size is as good as any two")
    units = int(found.share * 2**64)
    asked = {
        "parts": [{"name": "subset", "d": d} for d in (found.first, found.second)],
        "units": [units, 2**64 - units],
    }
    return Mechanism(context, mixture(served, asked, shares), served=served)


def by_types(context: Context, shares: Any, bits: int | None, *, most: int) -> Mechanism:
    """Reports by type for classes of alike values, where E depends on the class and, between classes, on the row."""
    classes = classes_of(context, shares)
    if len(classes.inside) > most:
        raise NotServed(f"types of more than {most} classes are left to a design")
    return Mechanism(context, best_types(classes, bits=bits).randomizer)
