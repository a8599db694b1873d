"""Choose the best mechanism for a context by its exact expected error.

`explain` gives the comparison, whose first candidate is what the name "auto" stands for. Every way to serve the
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
from ..contexts.forms.numbers import check_numbers
from ..core.errors import DiscreetError, InvalidEpsilon, InvalidInput, NotIdentifiable, NotServed, check_type
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
from .circulant import circulant_for
from .classwise import classwise_mixture, outside_mixtures
from .explanation import Candidate, Explanation, rate
from .objective import Objective, objective_of, usual_query

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
LEAST_SHARE = 1e-6
"""What is added to every share where a mechanism is chosen for a query."""
MAX_TABLE_VALUES = 128
"""The largest domain for which a full table is tried automatically."""


def explain(
    context: Context, *, prior: Any = None, bits: int | None = REPORT_BITS, query: Any = None, worst: bool = False
) -> Explanation:
    """A comparison of all mechanisms that serve the context within `bits` bits per report.

    They are compared by n times the expected squared error of all shares, or of the linear queries in `query`, at the
    shares `prior`; with `worst` by the largest error over all shares. `planning.objective` says what both may be. For
    numbers (`Context.numbers`) the query is their mean unless another one is given.

    >>> import discreet as dc
    >>> explanation = dc.explain(dc.Context.uniform(range(20), epsilon="1"))
    >>> explanation.chosen.name, len(explanation.candidates)
    ('subset', 6)
    """
    check_type("context", context, Context, "a context")
    check_bits(bits)
    check_numbers(context)
    objective = objective_of(context, usual_query(context, query), worst)
    return compare_mechanisms(context, prior_of(context, prior), bits, objective)


def compare_mechanisms(context: Context, shares: Any, bits: int | None, objective: Objective) -> Explanation:
    """The comparison of all mechanisms that serve the context within `bits` bits by their error at `shares`."""
    mechanisms: list[Mechanism] = []
    most = 2 * context.size + REPORT_BITS  # no report of any mechanism has as many
    limit = None if bits is None else min(max(bits, _fewest_bits(context)), most)
    reason: DiscreetError = NotServed(f"no mechanism serves {context!r} within {limit} bits per report")
    for build in _attempts(context, shares, limit, objective):
        try:
            one = build()
        except InvalidEpsilon as failure:
            reason = failure
        except (NotServed, NotIdentifiable, InvalidInput):
            continue
        else:
            mechanisms += [one] if limit is None or one.bits <= limit else []
    if not mechanisms:
        raise reason
    best: dict[str, Candidate] = {}
    for candidate in rate(mechanisms, shares, objective):
        if candidate.name not in best or candidate.error < best[candidate.name].error:
            best[candidate.name] = candidate
    ranked = tuple(sorted(best.values(), key=lambda c: (c.error * (1 + 1e-12 * c.bits), c.bits)))
    room = "any report size" if limit is None else f"reports of at most {limit} bits"
    what = "expected squared error" + (f" of {objective.title}" if objective.title else "")
    why = f"{ranked[0].name} has the least {what} of {len(ranked)} candidates with {room}"
    return Explanation(ranked, why, objective)


def candidate_of(mechanism: Mechanism, shares: Any, objective: Objective | None = None) -> Candidate:
    """A mechanism with its exact expected error at `shares` and its costs; infinite where no estimate exists.

    The error is that of `objective`, or the total squared error of all shares.
    """
    return rate([mechanism], shares, objective or objective_of(mechanism.context))[0]


def prior_of(context: Context, prior: Any) -> Any:
    """The assumed shares as an array; `prior` is a list in order, a mapping by value, or None for uniform shares."""
    return np.asarray(shares_of(context, prior))


def _fewest_bits(context: Context) -> int:
    return max(1, (context.size - 1).bit_length())


def _attempts(
    context: Context, shares: Any, bits: int | None, objective: Objective
) -> Iterator[Callable[[], Mechanism]]:
    """Functions that each build a mechanism for the context, with reports of about `bits` bits."""
    form = context.canonical_form()
    if form.parts is None and form.size == 2:
        yield from (lambda name=name: named(context, name, {}, shares) for name in ("binary", "warner"))
        return
    served = context.coarsest_served()
    parts = served.parts or ()
    shares = _least_favourable(parts, shares) if objective.worst else shares
    for make in _makers(parts, shares, bits, objective):
        yield partial(lambda make: Mechanism(context, composed(served, make), served=served), make)
    if len(parts) == 1 and not parts[0].is_uniform and (bits is None or len(parts[0].sensitive) < bits):
        yield lambda: _two_sizes(context, served, parts[0], shares, objective)
    if form.parts is None:
        yield lambda: _whole(context, shares)
        yield lambda: Mechanism(context, nested_response(context, bits=bits))
        yield lambda: Mechanism(context, levels_response(context, bits=bits, shares=shares))
        yield lambda: _paired(context, shares, bits)
        yield lambda: named(context, "torus", {}, shares)
        if context.outside is not None:
            yield from outside_mixtures(context, shares, bits)
            yield from _with_smaller_scale(context, shares, bits)
        if context.factors is None:
            yield lambda: classwise_mixture(context, shares, bits, max_classes=MAX_TYPE_CLASSES)
        if bits is None or context.size <= bits:
            yield lambda: named(context, "graded_unary", {}, shares)


def _with_smaller_scale(context: Context, shares: Any, bits: int | None) -> Iterator[Callable[[], Mechanism]]:
    """Mechanisms that hide every two values at least as well as those outside a scale are: trees and types serve that.

    Entries of the closure are at most twice the epsilon of the values outside, so this asks for half at most.
    """
    assert context.outside is not None
    beside = context.outside[1]
    if not context.shows and context.largest <= beside:
        return
    yield lambda: _graded(context, shares, bits)
    served = context & Context.uniform(context.domain, beside)
    if served.parts is not None:
        return  # which is compared anyway
    yield lambda: Mechanism(context, nested_response(served, bits=bits), served=served)
    yield lambda: Mechanism(context, levels_response(served, bits=bits, shares=shares), served=served)
    yield lambda: Mechanism(
        context, classwise_mixture(served, shares, bits, max_classes=MAX_TYPE_CLASSES).sampler, served=served
    )


def _graded(context: Context, shares: Any, bits: int | None) -> Mechanism:
    """Types that hide each value from every other one as well as it must be hidden from any."""
    closed = context.closure_if_cheap()
    least: dict[int, Fraction] = {}
    for c, d in closed.finite():
        if c != d or len(closed.members[c]) > 1:
            entry = closed.between(c, d)
            if isinstance(entry, Fraction):
                least[c] = min(entry, least.get(c, entry))
    if len(set(least.values())) not in range(2, MAX_TYPE_CLASSES + 1):
        raise NotServed("values are not hidden at several epsilons, or at too many")
    served = Context.graded({value: least[c] for value, c in zip(context.values, closed.class_of, strict=True)})
    types = classwise_mixture(served, shares, bits, max_classes=MAX_TYPE_CLASSES)
    return Mechanism(context, types.sampler, served=served)


def _whole(context: Context, shares: Any) -> Mechanism:
    """The best mechanism for the whole of a context without parts: the names are tried from the best to the worst."""
    names = ("geometric", "ring", "tight", "exponential") if context.size <= MAX_TABLE_VALUES else ("geometric", "ring")
    for name in names:
        try:
            return named(context, name, {}, shares)
        except NotServed:
            continue
    raise NotServed(f"none of {', '.join(names)} serves {context!r}")


def _paired(context: Context, shares: Any, bits: int | None) -> Mechanism:
    """A mechanism for two questions: the best for each, among those whose reports are counted one by one."""
    if context.factors is None:
        raise NotServed("paired needs the context of two questions")
    first, second = context.factors
    several = first.factors is not None or second.factors is not None  # then each of these is compared as well
    if context.size * (first.size + second.size) << 5 * several > MAX_PAIRED_WORK:
        raise NotServed(f"paired is not tried for {first.size} x {second.size} values")
    table = shares.reshape(first.size, second.size)
    samplers = []
    for part, other, prior in ((first, second, table.sum(axis=1)), (second, first, table.sum(axis=0))):
        most = MAX_PAIRED_BITS if bits is None else min(MAX_PAIRED_BITS, bits - _fewest_bits(other))
        ranked = (candidate.mechanism.sampler for candidate in explain(part, prior=prior, bits=most).candidates)
        if (listable := next((sampler for sampler in ranked if sampler.is_numbered), None)) is None:
            raise NotServed("paired needs mechanisms whose reports are counted one by one")
        samplers.append(listable)
    return Mechanism(context, Paired(*samplers))


def _least_favourable(parts: Sequence[Part], shares: Any) -> Any:
    """The least favourable shares: in each part those at which even the best mechanism has the most error."""
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
    """Functions that give the sampler of a part: one for each base, and one for the best base of every part.

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
    if not objective.is_plain:
        yield partial(_circulant, shares, objective)


def _circulant(shares: Any, objective: Objective, part: Part) -> Sampler:
    """The circulant response for what is asked of the values of a part, all of which must be hidden."""
    if not part.is_uniform:
        raise NotServed("circulant response has no high-low form")
    if len(part.members) < 3:
        return for_part("randomized_response", part, {}, shares)
    inside = shares[list(part.members)]
    inside = (inside + LEAST_SHARE) / (inside + LEAST_SHARE).sum()
    return circulant_for(len(part.members), part.level, objective.restrict(part.members), inside)


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
    """The base with the least expected squared error in this part and all parts of the same kind."""
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
    """The error that each sampler adds to every target in all parts of this kind, up to a constant."""
    inside = shares[list(part.members)]
    mass = float(inside.sum())
    inside = inside / mass if mass > 0 else np.full(len(inside), 1 / len(inside))
    if objective.worst:
        restricted = objective.restrict(part.members)
        return [restricted.errors(decoder_of(one), inside) for one in samplers]
    if objective.is_plain:
        return [(float(np.sum(decoder_of(one).second_moments(inside))),) for one in samplers]
    kind = part.is_uniform, len(part.members), part.level
    same = [part] if not part.is_uniform else [p for p in parts if (p.is_uniform, len(p.members), p.level) == kind]
    members = np.array([list(one.members) for one in same])
    return [objective.moments(decoder_of(one), shares, members) for one in samplers]


def _two_sizes(context: Context, served: Context, part: Part, shares: Any, objective: Objective) -> Mechanism:
    """A mixture of two subset sizes on the sensitive values, where it beats every single size."""
    size, epsilon, inside = len(part.sensitive), approx(part.level), shares[list(part.sensitive)]
    if size < 2:
        raise NotServed("one sensitive value has one subset size")
    mass = float(np.sum(inside))
    others = float(np.sum(shares**2) - np.sum(inside**2))
    spread = others / (1 - mass) ** 2 if mass < 1 else 1 / (context.size - size)
    best = best_two_sizes(size, epsilon, mass, spread)
    least = best.single * (1 if objective.worst else 1 - MIN_MIXTURE_GAIN)
    if not 0 < best.share < 1 or best.error >= least:
        raise NotServed("one subset size is as good as any two")
    units, sizes = int(best.share * 2**64), (best.first, best.second)
    parameters = {"parts": [{"name": "subset", "d": d} for d in sizes], "units": [units, 2**64 - units]}
    return Mechanism(context, mixture(served, parameters, shares), served=served)
