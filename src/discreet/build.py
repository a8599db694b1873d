"""The mechanism of a given name for a context: bases composed with blocks and high-low, tables, mixtures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .context import Binary, Blocks, Context, HighLow, Uniform
from .context.combine import simplest
from .errors import InvalidInput, NotIdentifiable, NotServed
from .mechanisms import blocks as blocks_of
from .mechanisms import high_low as high_low_of
from .mechanisms.binary import Binary as BinaryTable
from .mechanisms.cyclotomic import Cyclotomic
from .mechanisms.exponential import exponential_table
from .mechanisms.general_hadamard import GeneralHadamard
from .mechanisms.hadamard import Hadamard
from .mechanisms.high_low_choice import best_difference_family, best_difference_set, best_subset_size
from .mechanisms.mechanism import Mechanism
from .mechanisms.mixture import Mixture
from .mechanisms.projective import Projective
from .mechanisms.randomized_response import RandomizedResponse
from .mechanisms.randomizer import Randomizer
from .mechanisms.subset import Subset, least_error_size, most_information_size
from .mechanisms.support import Design
from .mechanisms.table import Table
from .mechanisms.unary import OptimisedUnary, Unary
from .mechanisms.utility_rappor import UtilityRappor

BASES: dict[str, type[Design]] = {
    base.name: base for base in (RandomizedResponse, Subset, Projective, Cyclotomic, Hadamard, Unary, OptimisedUnary)
}
"""The designs that any uniform part of a context can be served with; a new one is registered here."""

COMPARED: dict[str, type[Randomizer]] = {GeneralHadamard.name: GeneralHadamard}
"""Randomizers kept for comparison: served by name, never chosen, as a base always has less error."""


def named(context: Context, name: str, parameters: Mapping[str, Any], shares: Any) -> Mechanism:
    """The mechanism called `name` for the context; `shares` size the parts that depend on the assumed distribution."""
    if name == "table":
        rows = parameters.get("rows")
        if rows is None or len(parameters) > 1:
            raise InvalidInput("table needs rows= and nothing else: one row a value, exact probabilities or units")
        return Mechanism(context, _table(rows))
    if name in ("binary", "warner", "mangat"):
        return binary(context, name)
    if name == "exponential":
        return Mechanism(context, exponential_table(context))
    if isinstance(context, Uniform):
        return Mechanism(context, base(name, context.size, context.level, parameters))
    if isinstance(context, Blocks):
        return Mechanism(context, per_block(context, lambda size, level: base(name, size, level, parameters)))
    if isinstance(context, HighLow) and name == Mixture.name:
        return mixture(context, parameters, shares)
    if isinstance(context, HighLow) and name == "utility_rappor":
        return Mechanism(context, UtilityRappor(context.size, context.sensitive, context.level))
    if isinstance(context, HighLow):
        mass = float(np.sum(shares[list(context.sensitive)]))
        inner = _sensitive_base(name, len(context.sensitive), context.level, mass, parameters)
        return Mechanism(context, high_low_of.HighLow(context.size, context.sensitive, inner))
    served = Uniform(context.domain, context.smallest) if isinstance(context, Binary) else structured(context)
    inner_mechanism = named(served, name, parameters, shares)
    return Mechanism(context, inner_mechanism.randomizer, served=inner_mechanism.served)


def base(name: str, size: int, epsilon: Fraction, parameters: Mapping[str, Any]) -> Randomizer:
    """The randomizer called `name` on `size` values; one value alone needs no randomness but the block's."""
    known: dict[str, type[Randomizer]] = {**BASES, **COMPARED}
    if name not in known:
        raise NotServed(f"mechanism={name!r} must be one of {', '.join(sorted(known))} here")
    if size == 1:
        return RandomizedResponse(1, epsilon)
    extra = dict(parameters)
    if name == "subset" and isinstance(extra.get("d"), str):
        sizes = {"k_star": most_information_size, "k_sharp": least_error_size}
        if extra["d"] not in sizes:
            raise InvalidInput(f"d={extra['d']!r} must be a whole number, k_star or k_sharp")
        extra["d"] = sizes[extra["d"]](size, float(epsilon))
    try:
        return known[name](size, epsilon, **extra)  # type: ignore[call-arg]
    except TypeError:
        raise InvalidInput(f"{name} takes no parameter {', '.join(extra)}") from None


def _sensitive_base(name: str, size: int, epsilon: Fraction, mass: float, parameters: Mapping[str, Any]) -> Design:
    """The design for the sensitive values, sized for their share `mass` unless the size is given."""
    if not parameters and size > 1 and name == "subset":
        return Subset(size, epsilon, d=best_subset_size(size, float(epsilon), mass))
    if set(parameters) <= {"bits"} and size > 1 and name == "projective":
        chosen = best_difference_set(size, float(epsilon), mass, bits=parameters.get("bits"))
        return Projective(size, epsilon, family=chosen.family, key=chosen.key)
    if set(parameters) <= {"bits"} and size > 1 and name == "cyclotomic":
        family = best_difference_family(size, float(epsilon), mass, bits=parameters.get("bits"))
        return Cyclotomic(size, epsilon, **(parameters if family is None else {"p": family.p, "d": family.d}))
    inner = base(name, size, epsilon, parameters)
    if not isinstance(inner, Design):
        raise NotServed(f"mechanism={name!r} has no high-low form; one of {', '.join(sorted(BASES))} has")
    return inner


def per_block(context: Blocks, make: Callable[[int, Fraction], Randomizer]) -> Randomizer:
    """A randomizer for every block, made once for each size and epsilon."""
    known: dict[tuple[int, Fraction], Randomizer] = {}
    inner = []
    for members, level in zip(context.members, context.levels, strict=True):
        key = len(members), level
        if key not in known:
            known[key] = make(*key)
        inner.append(known[key])
    return blocks_of.Blocks(context.labels, inner)


def mixture(context: HighLow, parameters: Mapping[str, Any], shares: Any) -> Mechanism:
    """High-low mechanisms with the designs ``parts``, used with ``units`` of 2**64 words each."""
    if set(parameters) != {"parts", "units"}:
        raise InvalidInput("mixture needs parts= (designs with their parameters) and units=, and nothing else")
    parts = []
    for told in parameters["parts"]:
        extra = {key: value for key, value in told.items() if key != "name"}
        inner = _sensitive_base(told["name"], len(context.sensitive), context.level, 0.0, extra)
        parts.append(high_low_of.HighLow(context.size, context.sensitive, inner))
    return Mechanism(context, Mixture(parts, [int(unit) for unit in parameters["units"]], shares.tolist()))


def binary(context: Context, name: str) -> Mechanism:
    """The optimal mechanism for two values, or Warner's or Mangat's."""
    if context.size != 2:
        raise NotServed(f"mechanism={name!r} needs exactly two values; the context has {context.size}")
    levels = context.at(0, 1), context.at(1, 0)
    if name == "warner":
        least = min(levels)
        return Mechanism(context, BinaryTable((least, least), name=name))
    if name == "mangat" and isinstance(levels[0], Fraction):
        raise NotServed("mechanism='mangat' needs E[first, second] = inf: the first value is not sensitive")
    return Mechanism(context, BinaryTable(levels, name=name))


def _table(rows: Sequence[Sequence[Any]]) -> Table:
    try:
        exact = [[Fraction(entry) if not isinstance(entry, float) else None for entry in row] for row in rows]
    except (TypeError, ValueError, ArithmeticError):
        raise InvalidInput("rows must be exact probabilities: whole units, Fractions or text") from None
    if any(entry is None for row in exact for entry in row):
        raise InvalidInput("rows must be exact: whole units, Fractions or text, not floats")
    totals = {sum(row) for row in exact}  # type: ignore[arg-type]
    if totals == {1}:
        return Table.of_fractions(exact)  # type: ignore[arg-type]
    return Table([[int(entry) for entry in row] for row in exact])  # type: ignore[arg-type]


def structured(context: Context) -> Context:
    """A uniform, block or high-low context that implies `context`: its own form, or its smallest entry a component."""
    form = simplest(context)
    if isinstance(form, (Uniform, Blocks, HighLow, Binary)):
        return form
    parent = list(range(context.size))

    def root(x: int) -> int:
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    joined: set[int] = set()
    sensitive: set[int] = set()
    for c, d in context.finite():
        if c == d and len(context.members[c]) == 1:
            continue
        sensitive.add(c)
        for e in {c, d} - joined:
            for x in context.members[e]:
                parent[root(x)] = root(context.members[e][0])
        joined |= {c, d}
        parent[root(context.members[c][0])] = root(context.members[d][0])
    numbers: dict[int, int] = {}
    block_of = [numbers.setdefault(root(x), len(numbers)) for x in range(context.size)]
    smallest: dict[int, Fraction] = {}
    for x, z, asked in context.pairs():
        if asked == 0:
            raise NotIdentifiable(
                f"E asks that {context.values[x]!r} and {context.values[z]!r} be alike; give them one value"
            )
        if isinstance(asked, Fraction):
            smallest[block_of[x]] = min(asked, smallest.get(block_of[x], asked))
    if len(numbers) == 1:
        chosen = [context.values[x] for c in sorted(sensitive) for x in context.members[c]]
        if len(chosen) < context.size:
            return HighLow(context.domain, chosen, smallest[0])
        return Uniform(context.domain, smallest[0])
    anything = next(iter(smallest.values()), Fraction(1))
    return Blocks(
        context.domain, block_of, range(len(numbers)), [smallest.get(b, anything) for b in range(len(numbers))]
    )
