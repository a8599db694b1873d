"""Build a mechanism by name for a context: bases composed with blocks and high-low, tables, mixtures.

Everything here needs only the standard library, so that a person's own device can build a named mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from ..contexts import Context, Part
from ..core.errors import InvalidInput, NotServed, check_type, shown
from ..core.exact import approx
from ..core.per_value import per_value
from ..core.registry import Registry
from .composed.blocks import BlockResponse
from .laws import law_of, sampler_of
from .mechanism import Mechanism, fitting
from .sampler import Sampler
from .uniform.pure import PureSampler

if TYPE_CHECKING:
    from ..planning.explanation import Explanation

Parameters: TypeAlias = Mapping[str, Any]
Shares: TypeAlias = Sequence[float]

AUTO = "auto"
"""The name that leaves the mechanism to a comparison."""

COMPARISONS: Registry[Callable[..., Explanation]] = Registry({AUTO: "planning.choose:explain"})
"""What compares mechanisms where none is named."""

REPORT_BITS = 64
"""The default limit on the size of a report: one machine word."""

BASES: Registry[type[PureSampler]] = Registry(
    {
        "randomized_response": "mechanisms.uniform.randomized_response:RandomizedResponse",
        "subset": "mechanisms.uniform.subset:Subset",
        "projective": "mechanisms.uniform.cyclic:Projective",
        "cyclotomic": "mechanisms.uniform.cyclotomic:Cyclotomic",
        "hadamard": "mechanisms.uniform.hadamard:Hadamard",
        "unary": "mechanisms.uniform.unary:Unary",
        "optimised_unary": "mechanisms.uniform.unary:OptimisedUnary",
    }
)
"""The samplers that can serve any uniform part of a context; a new one is registered here."""

MAX_BITS = 1 << 20
"""The largest limit on the bits of a report."""

OTHERS: Registry[type[Sampler]] = Registry(
    {
        "circulant": "mechanisms.uniform.circulant:Circulant",
        "general_hadamard": "mechanisms.uniform.general_hadamard:GeneralHadamard",
    }
)
"""Samplers for the uniform parts of a context that are no base: one for queries of ordered values, one to compare."""


def mechanism(
    context: Context,
    name: str = AUTO,
    *,
    prior: Any = None,
    bits: int | None = REPORT_BITS,
    query: Any = None,
    worst: bool = False,
    **parameters: Any,
) -> Mechanism:
    """The certified mechanism with the least error for `context` among those below, or the one called `name`.

    "auto" compares every mechanism that serves the context by n times its exact expected squared error at `prior`
    (uniform unless given), among those whose reports fit `bits` (None: no limit). The error is that of all shares, or
    of `query`: "mean", "cumulative", weights, or a list of several, balanced; with `worst` the largest over all shares.
    Named: randomized_response, unary, optimised_unary, subset (``d=`` a size, "k_star" or "k_sharp"), hadamard,
    projective, cyclotomic, general_hadamard, circulant (for queries of ordered values; ``modulus=`` and ``sets=``);
    ``inner=`` one of these with its parameters for each block; for two values binary, warner, mangat; for high-low
    mixture and utility_rappor; geometric and ring for a line and a ring of equal steps, torus for a grid, nested and
    levels for blocks inside blocks, paired for two questions (``first=`` and ``second=`` name a mechanism for each),
    graded_unary for an epsilon of each value; tight for any E with large steps, exponential for a symmetric E; table
    with ``rows=``; law, or types, with ``law=`` as data.

    >>> import discreet as dc
    >>> context = dc.Context.uniform(["bus", "car", "bike"], epsilon="1")
    >>> dc.mechanism(context).name
    'randomized_response'
    >>> dc.mechanism(context, "hadamard").name
    'hadamard'
    """
    check_type("context", context, Context, "a context")
    check_type("name", name, str, "text")
    check_bits(bits)
    if name == AUTO:
        return comparison(context, prior=prior, bits=bits, query=query, worst=worst, **parameters).chosen
    for key, given, default in (("bits", bits, REPORT_BITS), ("query", query, None), ("worst", worst, False)):
        if given is not default and given != default:
            raise InvalidInput(f"{key}={shown(given)} must go with auto, not with {name!r}")
    return named(context, name, parameters, prior)


def comparison(
    context: Context,
    *,
    prior: Any = None,
    bits: int | None = REPORT_BITS,
    query: Any = None,
    worst: bool = False,
    **parameters: Any,
) -> Explanation:
    """The comparison that "auto" chooses by; it takes no parameters, and needs more than the standard library."""
    if parameters:
        raise InvalidInput(f"{next(iter(parameters))} must go with a named mechanism, not with auto")
    try:
        explain = COMPARISONS[AUTO]
    except ModuleNotFoundError as missing:
        raise NotServed(
            f"mechanism='auto' compares mechanisms with {missing.name}, which is not installed; name a mechanism, "
            "or use a spec that was resolved on a machine that has it"
        ) from None
    return explain(context, prior=prior, bits=bits, query=query, worst=worst)


def check_bits(bits: object) -> None:
    """Refuse a limit on the bits of a report that is neither a positive whole number nor None."""
    if bits is not None and (isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= MAX_BITS):
        raise InvalidInput(f"bits={repr(bits)[:60]} must be a whole number from 1 to {MAX_BITS}, or None for no limit")


def named(context: Context, name: str, parameters: Parameters, prior: Any = None) -> Mechanism:
    """The mechanism called `name` for the context; `prior` sizes the parts that depend on the assumed shares."""
    shares = shares_of(context, prior)
    if name in MAKERS:
        return Mechanism(context, fitting(MAKERS[name](context, parameters, shares), context).weighted(shares))
    served = context.coarsest_served()
    if "inner" in parameters:
        sampler = _each_its_own(served, name, parameters, shares)
    else:
        sampler = composed(served, lambda part: for_part(name, part, parameters, shares))
    return Mechanism(context, sampler, served=served)


def shares_of(context: Context, prior: Any) -> list[float]:
    """The assumed shares: uniform unless given in order, or by name as in `per_value`."""
    if prior is None:
        return [1 / context.size] * context.size
    try:
        shares = [_share(share) for share in per_value(context.domain, prior, name="prior")]
    except TypeError:
        shares = []
    total = sum(shares)
    if len(shares) != context.size or not all(share >= 0 for share in shares) or not abs(total - 1) <= 1e-5:
        raise InvalidInput(f"prior must be {context.size} non-negative shares that add up to 1")
    return shares if abs(total - 1) < 1e-9 else [share / total for share in shares]


def _share(given: Any) -> float:
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError):
        return math.nan


# -- parts of a context ---------------------------------------------------------------------------------


def composed(served: Context, make: Callable[[Part], Sampler]) -> Sampler:
    """A sampler per part, joined so that the report shows the part; like parts share one."""
    parts = served.parts
    if parts is None:
        raise NotServed(f"{served!r} has no parts that can be served one by one")
    if len(parts) == 1:
        return make(parts[0])
    known: dict[tuple[int, Fraction], Sampler] = {}
    inner = []
    for part in parts:
        key = len(part.members), part.level
        if not part.is_uniform:
            inner.append(make(part))
            continue
        if key not in known:
            known[key] = make(part)
        inner.append(known[key])
    return BlockResponse(_part_of(served, parts), inner)


def _part_of(served: Context, parts: Sequence[Part]) -> list[int]:
    """The part that each value belongs to, by number."""
    of = [0] * served.size
    for number, part in enumerate(parts):
        for x in part.members:
            of[x] = number
    return of


def for_part(name: str, part: Part, parameters: Parameters, shares: Shares) -> Sampler:
    """The sampler called `name` for one part: on all values, or on the sensitive ones while the others pass."""
    if part.is_uniform:
        return base(name, len(part.members), part.level, parameters)
    from .composed.high_low import HighLowResponse

    inner = _sensitive_base(name, part, parameters, shares)
    return HighLowResponse(len(part.members), _places(part), inner, part.level)


def _places(part: Part) -> list[int]:
    """The positions of the sensitive values among the members."""
    at = {x: place for place, x in enumerate(part.members)}
    return [at[x] for x in part.sensitive]


def mass_of(part: Part, shares: Shares) -> float:
    """The share of the part's people whose value is sensitive."""
    total = sum(shares[x] for x in part.members)
    return sum(shares[x] for x in part.sensitive) / total if total > 0 else 0.0


def base(name: str, size: int, epsilon: Fraction, parameters: Parameters) -> Sampler:
    """The sampler called `name` on `size` values; a single value needs no randomness of its own."""
    known = {*BASES, *OTHERS}
    if name not in known:
        raise NotServed(f"mechanism={name!r} must be one of {', '.join(sorted(known))} here")
    extra = dict(parameters)
    if "word_bits" in extra:
        raise InvalidInput(f"{name} takes no parameter word_bits")
    if size == 1:
        name, extra = "randomized_response", {}
    make: Any = BASES[name] if name in BASES else OTHERS[name]
    try:
        sampler: Sampler = make(size, epsilon, **extra)
    except TypeError as problem:
        if "unexpected keyword argument" not in str(problem):
            raise InvalidInput(f"{name}: {', '.join(extra)} cannot be used as given ({problem})") from None
        raise InvalidInput(f"{name} takes no parameter {', '.join(extra)}") from None
    return sampler


def _sensitive_base(name: str, part: Part, parameters: Parameters, shares: Shares) -> PureSampler:
    """The sampler for the sensitive values, sized for their share unless the size is given."""
    size, epsilon = len(part.sensitive), part.level
    if size > 1 and set(parameters) <= {"bits"}:
        from .composed.high_low import sized

        parameters = sized(name, size, approx(epsilon), mass_of(part, shares), parameters)
    inner = base(name, size, epsilon, parameters)
    if not isinstance(inner, PureSampler) or name in OTHERS:
        raise NotServed(f"mechanism={name!r} has no high-low form; it must be one of {', '.join(sorted(BASES))}")
    return inner


def _each_its_own(served: Context, name: str, parameters: Parameters, shares: Shares) -> Sampler:
    """The sampler whose part j is the one named by ``inner[j]``, with its parameters."""
    inner, parts = parameters["inner"], served.parts or ()
    if len(parameters) > 1:
        raise InvalidInput("inner must be the only parameter")
    if name not in {"mixed", *BASES, *OTHERS}:
        raise NotServed(f"mechanism={name!r} takes no inner; the name of different ones together is mixed")
    if len(parts) < 2:
        raise InvalidInput("inner needs a context with blocks; this one has none")
    if len(inner) != len(parts):
        raise InvalidInput(f"inner has {len(inner)} entries; it must have one per block, {len(parts)}")
    known: dict[tuple[int, Fraction, str], Sampler] = {}
    each = []
    for number, (entry, part) in enumerate(zip(inner, parts, strict=True)):
        kind, extra = _named_entry(entry, f"inner[{number}]")
        key = len(part.members) if part.is_uniform else -number, part.level, repr((kind, sorted(extra.items())))
        if key not in known:
            known[key] = for_part(kind, part, extra, shares)
        each.append(known[key])
    return BlockResponse(_part_of(served, parts), each)


def _named_entry(entry: Any, name: str) -> tuple[str, dict[str, Any]]:
    """The name of a sampler and its parameters, from a mapping that holds both, or a name alone."""
    entry = {"name": entry} if isinstance(entry, str) else entry
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
        raise InvalidInput(f"{name} must map name to the name of a sampler, and its parameters to their values")
    return entry["name"], {key: value for key, value in entry.items() if key != "name"}


# -- mechanisms of their own ----------------------------------------------------------------------------


def _only_part(context: Context, name: str) -> Part:
    """The only part of a uniform or high-low context; `NotServed` for any other."""
    parts = context.canonical_form().parts
    if parts is None or len(parts) != 1:
        raise NotServed(f"mechanism={name!r} needs a high-low context: sensitive values, and others")
    return parts[0]


def mixture(context: Context, parameters: Parameters, shares: Shares) -> Sampler:
    """A mixture of high-low samplers around the inner ones in ``parts``, each used for ``units`` of 2**64 words."""
    from .composed.high_low import HighLowResponse
    from .composed.mixture import Mixture

    if set(parameters) != {"parts", "units"} or not parameters["parts"]:
        raise InvalidInput("mixture needs parts= (samplers with their parameters) and units=, and nothing else")
    part = _only_part(context, Mixture.name)
    parts = []
    for number, entry in enumerate(parameters["parts"]):
        name, extra = _named_entry(entry, f"parts[{number}]")
        inner = _sensitive_base(name, part, extra, [0.0] * context.size)
        parts.append(HighLowResponse(context.size, part.sensitive, inner, part.level))
    return Mixture(parts, [int(unit) for unit in parameters["units"]], shares)


def _utility_rappor(context: Context, parameters: Parameters, shares: Shares) -> Sampler:
    from .uniform.graded_unary import UtilityRappor

    _nothing_but(parameters, UtilityRappor.name)
    part = _only_part(context, UtilityRappor.name)
    return UtilityRappor(context.size, part.sensitive, part.level)


def _of_context(name: str) -> Callable[[Context, Parameters, Shares], Sampler]:
    """The maker of a mechanism that its context decides."""

    def make(context: Context, parameters: Parameters, shares: Shares) -> Sampler:
        _nothing_but(parameters, name)
        return OF_CONTEXT[name](context)

    return make


def _paired(context: Context, parameters: Parameters, shares: Shares) -> Sampler:
    from .composed.paired import Paired

    _nothing_but(parameters, Paired.name, "first", "second")
    if context.factors is None:
        raise NotServed("paired needs the context of two questions, first * second")
    samplers = []
    for part, key in zip(context.factors, ("first", "second"), strict=True):
        if key not in parameters:
            raise InvalidInput(f"paired needs {key}=: the name of a mechanism for that question, and its parameters")
        name, extra = _named_entry(parameters[key], key)
        extra.pop("prior", None)
        samplers.append(named(part, name, extra).sampler)
    return Paired(*samplers)


def _table(context: Context, parameters: Parameters, shares: Shares) -> Sampler:
    from .tables.table import Table

    _nothing_but(parameters, "table", "rows")
    if "rows" not in parameters:
        raise InvalidInput("table needs rows=: one row per value, of exact probabilities or whole units")
    return Table.of_rows(parameters["rows"])


def _by_law(context: Context, parameters: Parameters, shares: Shares) -> Sampler:
    _nothing_but(parameters, "law", "law")
    return sampler_of(law_of(parameters.get("law"), values=context.size))


def _graded_unary(context: Context, parameters: Parameters, shares: Shares) -> Sampler:
    from .uniform.graded_unary import GradedUnary

    _nothing_but(parameters, GradedUnary.name)
    if context.grades is None:
        raise NotServed("mechanism='graded_unary' needs a context with one finite epsilon for each value")
    return GradedUnary(context.grades, prior=shares)


def _types(context: Context, parameters: Parameters, shares: Shares) -> Sampler:
    from .tables.classwise_mixture import ClasswiseMixture

    _nothing_but(parameters, ClasswiseMixture.name, "law")
    if "law" not in parameters:
        raise InvalidInput("types needs law=: which types there are is worked out by auto, not by name")
    sampler = _by_law(context, parameters, shares)
    if sampler.name != ClasswiseMixture.name:
        raise InvalidInput(f"law of kind {sampler.law.kind!r} must be of kind 'types' here")
    return sampler


def _nothing_but(parameters: Parameters, name: str, *known: str) -> None:
    for key in parameters:
        if key not in known:
            raise InvalidInput(f"{name} takes no parameter {key}")


OF_CONTEXT: Registry[Callable[[Context], Sampler]] = Registry(
    {
        "binary": "mechanisms.tables.binary:optimal",
        "warner": "mechanisms.tables.binary:warner",
        "mangat": "mechanisms.tables.binary:mangat",
        "exponential": "mechanisms.tables.metric:exponential_table",
        "geometric": "mechanisms.lines_and_grids.geometric:geometric_response",
        "levels": "mechanisms.tree.level_choice:levels_response",
        "nested": "mechanisms.tree.nested_choice:nested_response",
        "ring": "mechanisms.lines_and_grids.ring:ring_response",
        "tight": "mechanisms.tables.metric:tight_table",
        "torus": "mechanisms.lines_and_grids.torus:torus_response",
    }
)
"""Mechanisms that serve a context as a whole and have no parameters: what makes their sampler from the context."""

MAKERS: dict[str, Callable[[Context, Parameters, Shares], Sampler]] = {
    **{name: _of_context(name) for name in OF_CONTEXT},
    "graded_unary": _graded_unary,
    "law": _by_law,
    "mixture": mixture,
    "paired": _paired,
    "table": _table,
    "types": _types,
    "utility_rappor": _utility_rappor,
}
"""Mechanisms that serve a context as a whole, by name; a new one is registered here."""
