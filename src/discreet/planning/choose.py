"""Choose the best mechanism for a context by its exact expected error.

`best_mechanism` is what the name "auto" stands for; `explain` gives the whole comparison. Every way to serve the
context is built, those whose reports are too long are left out, and the rest are ranked by the objective.
"""

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
from ..estimation.decoders import decoder_of
from ..mechanisms.build import BASES, REPORT_BITS, check_bits, composed, for_part, mass_of, mixture, named, shares_of
from ..mechanisms.composed.paired import Paired
from ..mechanisms.composed.two_sizes import best_two_sizes, least_favourable
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.sampler import Sampler
from ..mechanisms.tree.level_choice import levels_response
from ..mechanisms.tree.nested_choice import nested_response
from ..mechanisms.uniform.cyclic import room
from .classwise import by_types
from .explanation import Candidate, Explanation, rate
from .objective import Objective, objective_of

STEPS_PER_KIND = 1 << 15
"""What comparing all bases in one kind of block costs, beside what depends on its size."""

MIN_MIXTURE_GAIN = 1e-4
"""The least relative gain over the best single subset size for which two are mixed at the assumed shares."""

MAX_PAIRED_WORK = 1 << 21
"""The most pairs of values that differ in one answer for which a mechanism for each question is tried automatically."""

MAX_PAIRED_BITS = 12
"""The most bits that the report of one of two questions may have."""

MAX_TYPE_CLASSES = 12
"""The most classes of exchangeable values for which types are composed automatically: a second's work."""

MAX_TABLE_VALUES = 128
"""The largest domain for which a full table is tried automatically."""


def best_mechanism(
    context: Context, *, prior: Any = None, bits: int | None = REPORT_BITS, query: Any = None, worst: bool = False
) -> Mechanism:
    """The mechanism with the least error among all that serve the context within `bits` bits per report.

    It is the first of the comparison that `explain` gives for the same arguments.
    """
    return explain(context, prior=prior, bits=bits, query=query, worst=worst).chosen


def explain(
    context: Context, *, prior: Any = None, bits: int | None = REPORT_BITS, query: Any = None, worst: bool = False
) -> Explanation:
    """A comparison of all mechanisms that serve the context within `bits` bits per report.

    They are compared by n times the expected squared error of all shares, or of the linear queries in `query`, at the
    shares `prior`; with `worst` by the largest error over all shares. `planning.objective` says what both may be.

    >>> import discreet as dc
    >>> explanation = dc.explain(dc.Context.uniform(range(20), epsilon="1"))
    >>> explanation.chosen.name, len(explanation.candidates)
    ('subset', 6)
    """
    check_type("context", context, Context, "a context")
    check_bits(bits)
    return compare_mechanisms(context, prior_of(context, prior), bits, objective_of(context, query, worst))


def compare_mechanisms(context: Context, shares: Any, bits: int | None, objective: Objective) -> Explanation:
    """The comparison of all mechanisms that serve the context within `bits` bits by their error at `shares`."""
    mechanisms: list[Mechanism] = []
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
            mechanisms.append(one)
    if not mechanisms and beyond is not None:
        raise beyond
    if not mechanisms:
        raise NotServed(f"no mechanism serves {context!r} within {limit} bits per report")
    best: dict[str, Candidate] = {}
    for candidate in rate(mechanisms, shares, objective):
        if candidate.name not in best or candidate.error < best[candidate.name].error:
            best[candidate.name] = candidate
    ranked = tuple(sorted(best.values(), key=lambda c: (c.error * (1 + 1e-12 * c.bits), c.bits)))
    room = "any report size" if limit is None else f"reports of at most {limit} bits"
    what = "expected squared error" + (f" of {objective.title}" if objective.title else "")
    reason = f"{ranked[0].name} has the least {what} of {len(ranked)} candidates with {room}"
    return Explanation(ranked, reason, objective)


def candidate_of(mechanism: Mechanism, shares: Any, objective: Objective | None = None) -> Candidate:
    """A mechanism with its exact expected error at `shares` and its costs; infinite where no estimate exists.

    The error is that of `objective`, or the total squared error of all shares.
    """
    return rate([mechanism], shares, objective or objective_of(mechanism.context))[0]


def prior_of(context: Context, prior: Any) -> Any:
    """The assumed shares as an array: uniform unless given as a list in order or a mapping by value."""
    return np.asarray(shares_of(context, prior))


def _fewest_bits(context: Context) -> int:
    return max(1, (context.size - 1).bit_length())


def _attempts(
    context: Context, shares: Any, bits: int | None, objective: Objective
) -> Iterator[Callable[[], Mechanism]]:
    """The ways to serve the context with reports of about `bits` bits, to be tried in turn."""
    form = context.canonical_form()
    if form.parts is None and form.size == 2:
        yield from (lambda name=name: named(context, name, {}, shares) for name in ("binary", "warner"))
        return
    served = context.coarsest_served()
    parts = served.parts or ()
    shares = _least_favourable(parts, shares) if objective.worst else shares
    for make in _makers(parts, shares, bits, objective):
        yield partial(_compose, context, served, make)
    if len(parts) == 1 and not parts[0].is_uniform and (bits is None or len(parts[0].sensitive) < bits):
        yield lambda: _two_sizes(context, served, parts[0], shares, objective)
    if form.parts is None:
        yield lambda: _whole(context, shares)
        yield lambda: Mechanism(context, nested_response(context, bits=bits))
        yield lambda: Mechanism(context, levels_response(context, bits=bits, shares=shares))
        yield lambda: _paired(context, shares, bits)
        yield lambda: named(context, "torus", {}, shares)
        if context.factors is None:
            yield lambda: by_types(context, shares, bits, max_classes=MAX_TYPE_CLASSES)
        if bits is None or context.size <= bits:
            yield lambda: named(context, "graded_unary", {}, shares)


def _whole(context: Context, shares: Any) -> Mechanism:
    """The first of these that serves a context without parts: each is at least as good as those after it."""
    names = ("geometric", "ring", "tight", "exponential") if context.size <= MAX_TABLE_VALUES else ("geometric", "ring")
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
    if context.size * (first.size + second.size) << 5 * several > MAX_PAIRED_WORK:
        raise NotServed(f"paired is not tried for {first.size} x {second.size} values")
    table = shares.reshape(first.size, second.size)
    both = []
    for part, other, prior in ((first, second, table.sum(axis=1)), (second, first, table.sum(axis=0))):
        most = MAX_PAIRED_BITS if bits is None else min(MAX_PAIRED_BITS, bits - _fewest_bits(other))
        parts = (candidate.mechanism.sampler for candidate in explain(part, prior=prior, bits=most).candidates)
        listable = next((part for part in parts if part.is_numbered), None)
        if listable is None:
            raise NotServed("paired needs mechanisms whose reports are counted one by one")
        both.append(listable)
    return Mechanism(context, Paired(*both))


def _compose(context: Context, served: Context, make: Callable[[Part], Sampler]) -> Mechanism:
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


def _makers(
    parts: Sequence[Part], shares: Any, bits: int | None, objective: Objective
) -> Iterator[Callable[[Part], Sampler]]:
    """Functions from a part to its decoder: each base for all parts, and with several parts the best base for each.

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


def _base_within(name: str, limit: Callable[[Part], int | None], shares: Any, part: Part) -> Sampler:
    bits = limit(part)
    parameters = {"bits": bits} if bits is not None and BASES[name].takes_bits else {}
    return for_part(name, part, parameters, shares)


def _best_base(
    limit: Callable[[Part], int | None], shares: Any, objective: Objective, parts: Sequence[Part], part: Part
) -> Sampler:
    """The base with the least expected squared error in the part, and in all that are like it."""
    spend(STEPS_PER_KIND, "different kinds of block")
    samplers: list[Sampler] = []
    for name in BASES:
        if len(part.sensitive) > 1 and not _worth_trying(name, part, shares, limit(part)):
            continue
        try:
            samplers.append(_base_within(name, limit, shares, part))
        except InvalidInput:
            continue
    if not samplers:
        return for_part("randomized_response", part, {}, shares)
    errors = _errors_inside(samplers, shares, objective, parts, part)
    balanced = objective.balance([min(column) for column in zip(*errors, strict=True)])
    ranked = [balanced.combine(own) * (1 + 1e-12 * one.bits) for own, one in zip(errors, samplers, strict=True)]
    return samplers[ranked.index(min(ranked))]


def _errors_inside(
    samplers: Sequence[Sampler], shares: Any, objective: Objective, parts: Sequence[Part], part: Part
) -> list[tuple[float, ...]]:
    """What each sampler adds to the error of every target in all parts like this one, up to a constant."""
    held = shares[list(part.members)]
    mass = float(held.sum())
    held = held / mass if mass > 0 else np.full(len(held), 1 / len(held))
    if objective.worst:
        inside = objective.restrict(part.members)
        return [inside.errors(decoder_of(one), held) for one in samplers]
    if objective.is_plain:
        return [(float(np.sum(decoder_of(one).second_moments(held))),) for one in samplers]
    alike = [one for one in parts if one is part or (part.is_uniform and one.is_uniform and _kind(one) == _kind(part))]
    members = np.array([list(one.members) for one in alike])
    return [objective.moments(decoder_of(one), shares, members) for one in samplers]


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
    best = best_two_sizes(size, epsilon, mass, spread)
    least = best.single * (1 if objective.worst else 1 - MIN_MIXTURE_GAIN)
    if not 0 < best.share < 1 or best.error >= least:
        raise NotServed("one subset size is as good as any two")
    units = int(best.share * 2**64)
    parameters = {
        "parts": [{"name": "subset", "d": d} for d in (best.first, best.second)],
        "units": [units, 2**64 - units],
    }
    return Mechanism(context, mixture(served, parameters, shares), served=served)
