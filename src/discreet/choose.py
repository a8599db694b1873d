"""The best mechanism for a context, by exact expected error, with the reasons."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from . import tables
from .build import BASES, base, binary, mixture, named, per_block, structured
from .combinatorics.difference_sets import best, squared_error
from .context import Binary, Blocks, Context, HighLow, Metric, Uniform
from .errors import InvalidEpsilon, InvalidInput, NotIdentifiable, NotServed
from .exact import text_of
from .mechanisms.blocks import Blocks as BlocksOf
from .mechanisms.cyclotomic import Cyclotomic, best_family
from .mechanisms.exponential import exponential_table
from .mechanisms.high_low_choice import best_two_sizes, family_pays
from .mechanisms.mechanism import Mechanism
from .mechanisms.projective import SLACK, Projective, room
from .mechanisms.randomized_response import RandomizedResponse
from .mechanisms.randomizer import Randomizer
from .mechanisms.support import Design
from .statistics.numeric import NUMERIC

REPORT_BITS = 64
"""The default limit on the size of a report: one machine word."""

MIXED_SIZE = 16
"""Largest set of sensitive values for which two subset sizes are mixed; above, one size is within 0.1 %."""

SHOWN_PARTS = 12
"""Kinds of block that a printed explanation lists."""

TABLE_LIMIT = 128
"""Largest domain for which a full table is tried by itself."""


@dataclass(frozen=True)
class Candidate:
    """One way to serve a context: its expected error times n, and what it costs."""

    name: str
    mechanism: Mechanism
    error: float
    bits: int
    decode_cost: float
    influence: float

    def as_dict(self) -> dict[str, Any]:
        """The row of the comparison as plain data."""
        told = {"mechanism": self.name, "n_total_squared_error": self.error, "bits": self.bits}
        return told | {"decode_cost": self.decode_cost, "influence": self.influence}


@dataclass(frozen=True)
class Part:
    """What the chosen mechanism uses in all blocks of one size and epsilon.

    `error` is times the reports of the block, for equally likely values in it.
    """

    blocks: int
    values: int
    epsilon: str
    mechanism: str
    error: float
    bits: int
    decode_cost: float
    influence: float

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class Explanation:
    """The candidates for a context from the least error to the most, and why the first was chosen."""

    candidates: tuple[Candidate, ...]
    reason: str

    @property
    def chosen(self) -> Mechanism:
        """The mechanism with the least expected error within the limit."""
        return self.candidates[0].mechanism

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """What the chosen mechanism uses inside blocks, the largest blocks first; nothing for other contexts."""
        randomizer, served = self.chosen.randomizer, self.chosen.served
        if not isinstance(randomizer, BlocksOf) or not isinstance(served, Blocks):
            return ()
        found = Counter(zip(randomizer.kind_of, served.levels, strict=True))
        rows = [_part(randomizer.kinds[kind], level, blocks) for (kind, level), blocks in found.items()]
        return tuple(sorted(rows, key=lambda row: (-row.values, float(row.epsilon))))

    def __str__(self) -> str:
        best = self.candidates[0].error
        heads = ("mechanism", "n x error", "ratio", "bits", "decode ops", "influence")
        columns = list(zip(heads, ("s", ".5g", ".3f", "d", ".3g", ".3g"), strict=True))
        rows = [
            (c.name, c.error, c.error / best if best else 1, c.bits, c.decode_cost, c.influence)
            for c in self.candidates
        ]
        lines = [tables.text(columns, rows), self.reason]
        lines += [
            f"- in {p.blocks} block(s) of {p.values} value(s) at epsilon {p.epsilon}: {p.mechanism}, "
            f"{p.error:.5g} x error, {p.bits} bits, {p.decode_cost:.3g} decode ops, influence {p.influence:.3g}"
            for p in self.parts[:SHOWN_PARTS]
        ]
        if len(self.parts) > SHOWN_PARTS:
            lines.append(f"- and {len(self.parts) - SHOWN_PARTS} other kinds of block")
        return "\n".join(lines)


def _part(inner: Randomizer, level: Fraction, blocks: int) -> Part:
    even = np.full(inner.size, 1 / inner.size)
    error = float(np.sum(inner.second_moments(even, NUMERIC)) - np.sum(even**2))
    costs = inner.bits if inner.size > 1 else 0, inner.decode_cost, inner.influence(NUMERIC)
    return Part(blocks, inner.size, text_of(level), str(inner.describe()["name"]), error, *costs)


def mechanism(
    context: Context,
    name: str = "auto",
    *,
    prior: Any = None,
    bits: int | None = REPORT_BITS,
    **parameters: Any,
) -> Mechanism:
    """The best certified mechanism for `context`, or the one called `name`.

    "auto" compares every mechanism that serves the context by n times its exact expected squared
    error at `prior` (uniform unless given), among those whose reports fit `bits` (None: no limit).
    Named: randomized_response, unary, optimised_unary, subset (``d=`` a size, "k_star" or
    "k_sharp"), hadamard, projective, cyclotomic, general_hadamard; for two
    values binary, warner, mangat; for high-low mixture and utility_rappor; table with ``rows=``.
    """
    if name == "auto":
        if parameters:
            raise InvalidInput(f"{next(iter(parameters))} goes with a named mechanism, not with auto")
        return explain(context, prior=prior, bits=bits).chosen
    return named(context, name, parameters, prior_of(context, prior))


def explain(context: Context, *, prior: Any = None, bits: int | None = REPORT_BITS) -> Explanation:
    """Every mechanism that serves the context within `bits` bits a report, compared."""
    shares = prior_of(context, prior)
    found: dict[str, Candidate] = {}
    beyond: InvalidEpsilon | None = None
    limit = None if bits is None else max(bits, _fewest_bits(context))
    for build in _attempts(context, shares, limit):
        try:
            made = build()
        except InvalidEpsilon as failure:
            beyond = failure
            continue
        except (NotServed, NotIdentifiable, InvalidInput):
            continue
        if limit is None or made.bits <= limit:
            candidate = candidate_of(made, shares)
            if candidate.name not in found or candidate.error < found[candidate.name].error:
                found[candidate.name] = candidate
    if not found and beyond is not None:
        raise beyond
    if not found:
        raise NotServed(f"no mechanism serves {context!r} within {limit} bits a report")
    ranked = tuple(sorted(found.values(), key=lambda c: (c.error * (1 + 1e-12 * c.bits), c.bits)))
    room = "any report size" if limit is None else f"reports of at most {limit} bits"
    reason = f"{ranked[0].name} has the least expected squared error of {len(ranked)} candidates with {room}"
    return Explanation(ranked, reason)


def candidate_of(made: Mechanism, shares: Any) -> Candidate:
    """A mechanism with its exact expected error at `shares` and its costs; infinite where no estimate exists."""
    randomizer = made.randomizer
    try:
        error = float(np.sum(randomizer.second_moments(shares, NUMERIC)) - np.sum(shares**2))
        influence = randomizer.influence(NUMERIC)
    except NotIdentifiable:
        error = influence = math.inf
    return Candidate(made.name, made, error, made.bits, randomizer.decode_cost, influence)


def prior_of(context: Context, prior: Any) -> Any:
    """The assumed shares: uniform unless given as a list in order or a mapping by value."""
    if prior is None:
        return np.full(context.size, 1 / context.size)
    if isinstance(prior, Mapping):
        array = np.zeros(context.size)
        for value, share in prior.items():
            array[context.domain.index(value)] = share
    else:
        array = np.asarray(prior, dtype=float)
    if array.shape != (context.size,) or not (array >= 0).all() or not np.isclose(array.sum(), 1, atol=1e-6):
        raise InvalidInput(f"prior must be {context.size} non-negative shares that add up to 1")
    return array if abs(array.sum() - 1) < 1e-9 else array / array.sum()


def _fewest_bits(context: Context) -> int:
    return max(1, (context.size - 1).bit_length())


def _attempts(context: Context, shares: Any, bits: int | None) -> Iterator[Callable[[], Mechanism]]:
    """Ways to serve the context with reports of about `bits` bits, each tried in turn."""
    if isinstance(context, Binary):
        yield from (lambda name=name: binary(context, name) for name in ("binary", "warner"))
    elif isinstance(context, Blocks):
        yield from _block_attempts(context, bits)
    elif isinstance(context, (Uniform, HighLow)):
        size, shown = context.size, 0
        if isinstance(context, HighLow):
            size, shown = len(context.sensitive), context.size - len(context.sensitive)
        inside = None if bits is None else ((1 << bits) - shown).bit_length() - 1
        fit = [name for name in BASES if _fits(name, size, context.level, inside)]
        if isinstance(context, HighLow) and size > 1:
            mass = float(np.sum(shares[list(context.sensitive)]))
            several = _wide_enough(size, inside) and family_pays(size, float(context.level), mass, bits=inside)
            fit = [name for name in fit if name != Cyclotomic.name] + [Cyclotomic.name] * several
        for name in fit:
            yield lambda name=name: named(context, name, _limited(name, inside), shares)  # type: ignore[misc]
        if isinstance(context, HighLow) and "subset" in fit:
            yield lambda: _two_sizes(context, shares)
    else:
        for build in _attempts(structured(context), shares, bits):
            yield lambda build=build: _serve(context, build())  # type: ignore[misc]
        if isinstance(context, Metric) and context.size <= TABLE_LIMIT:
            yield lambda: Mechanism(context, exponential_table(context))


def _block_attempts(context: Blocks, bits: int | None) -> Iterator[Callable[[], Mechanism]]:
    """One base in all blocks, and the best base in each.

    A block of k_j of the k values may take k_j / k of the reports; where that is less than a base would take,
    all bits are tried as well, in case other blocks leave room.
    """

    def share(size: int) -> int | None:
        return None if bits is None else ((size << bits) // context.size).bit_length() - 1

    sizes = {len(members) for members in context.members}
    largest, least = max(sizes), min(context.levels)
    limits: list[Callable[[int], int | None]] = [share]
    if any(size > 1 and room(size, share(size)) < room(size) for size in sizes):
        limits.append(lambda size: bits)
    for limit in limits:
        ways = [partial(_base_within, name, limit) for name in BASES if _fits(name, largest, least, limit(largest))]
        for way in [*ways, partial(_best_base, limit)]:
            yield lambda way=way: Mechanism(context, per_block(context, way))  # type: ignore[misc]


def _limited(name: str, bits: int | None) -> dict[str, Any]:
    """The parameters that make a design of choosable size fit."""
    return {} if bits is None or name not in (Projective.name, Cyclotomic.name) else {"bits": bits}


def _base_within(name: str, limit: Callable[[int], int | None], size: int, epsilon: Fraction) -> Randomizer:
    return base(name, size, epsilon, _limited(name, limit(size)))


def _best_base(limit: Callable[[int], int | None], size: int, epsilon: Fraction) -> Design:
    """The design with the least ``k V0 + V1``: the error of a block does not depend on its shares otherwise."""
    options = []
    bits = limit(size)
    for name in BASES:
        if size > 1 and not _fits(name, size, epsilon, bits):
            continue
        try:
            made = base(name, size, epsilon, _limited(name, bits))
        except InvalidInput:
            continue
        assert isinstance(made, Design)
        options.append(made)
    if not options:
        return RandomizedResponse(size, epsilon)
    return min(options, key=lambda design: (size * design.v0 + design.v1) * (1 + 1e-12 * design.bits))


def _fits(name: str, size: int, epsilon: Fraction, bits: int | None) -> bool:
    """True if the reports can fit, and the design is worth trying: many small sets only where one is 1 % worse."""
    if name == Cyclotomic.name and size > 1:
        level, most = float(epsilon), room(size, bits)
        several = best_family(size, level, bits=most)
        if several is None or not _wide_enough(size, most):
            return False
        single = best(size, level, bits=most, slack=SLACK)
        return 1.01 * several.squared_error(size, level) < squared_error(single, size, level)
    return bits is None or size <= bits or name not in ("subset", "unary", "optimised_unary")


def _wide_enough(size: int, bits: int | None) -> bool:
    """True if every value can have a report of its own."""
    return bits is None or bits >= (size - 1).bit_length()


def _two_sizes(context: HighLow, shares: Any) -> Mechanism:
    """A mixture of two subset sizes on the sensitive values, where it beats every single size."""
    size, mass = len(context.sensitive), float(np.sum(shares[list(context.sensitive)]))
    found = best_two_sizes(size, float(context.level), mass) if 1 < size <= MIXED_SIZE else None
    if found is None:
        raise NotServed("one subset size is as good as any two")
    *sizes, share = found
    units = int(share * 2**64)
    told = {"parts": [{"name": "subset", "d": d} for d in sizes], "units": [units, 2**64 - units]}
    return mixture(context, told, shares)


def _serve(context: Context, made: Mechanism) -> Mechanism:
    return Mechanism(context, made.randomizer, served=made.served)
