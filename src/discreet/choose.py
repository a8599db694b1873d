"""Choose the best mechanism for a context by exact expected error, and say why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from . import tables
from .build import BASES, REPORT_BITS, base, composed, for_part, mixture, named, shares_of
from .combinatorics.difference_sets import best, squared_error
from .context import Context, Part
from .errors import InvalidEpsilon, InvalidInput, NotIdentifiable, NotServed
from .exact import text_of
from .mechanisms.cyclotomic import Cyclotomic, best_family
from .mechanisms.high_low_choice import best_two_sizes, family_pays
from .mechanisms.mechanism import Mechanism
from .mechanisms.projective import SLACK, Projective, room
from .mechanisms.randomized_response import RandomizedResponse
from .mechanisms.randomizer import Randomizer
from .mechanisms.support import Supporting
from .statistics.numeric import NUMERIC

MIXED_SIZE = 16
"""The largest set of sensitive values for which two subset sizes are mixed; above, one size is within 0.1 %."""

SHOWN_PARTS = 12
"""How many kinds of block a printed explanation lists."""

TABLE_LIMIT = 128
"""The largest domain for which a full table is tried automatically."""


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
        row = {"mechanism": self.name, "n_total_squared_error": self.error, "bits": self.bits}
        return row | {"decode_cost": self.decode_cost, "influence": self.influence}


@dataclass(frozen=True)
class PartChoice:
    """What the chosen mechanism uses in all blocks of one size and epsilon.

    `error` is multiplied by the number of reports of the block, for equally likely values in it.
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
    """The candidates for a context in order of increasing error, and why the first was chosen."""

    candidates: tuple[Candidate, ...]
    reason: str

    @property
    def chosen(self) -> Mechanism:
        """The mechanism with the least expected error within the limit."""
        return self.candidates[0].mechanism

    @cached_property
    def parts(self) -> tuple[PartChoice, ...]:
        """What the chosen mechanism uses inside blocks, largest blocks first; empty for other contexts."""
        randomizer, parts = self.chosen.randomizer, self.chosen.served.parts or ()
        if len(parts) < 2:
            return ()
        rows = []
        for group in randomizer.groups(NUMERIC):
            levels = Counter(parts[number].level for number in group.numbers.tolist())
            rows += [_part_choice(group.randomizer, level, blocks) for level, blocks in levels.items()]
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


def _part_choice(inner: Randomizer, level: Fraction, blocks: int) -> PartChoice:
    even = np.full(inner.size, 1 / inner.size)
    error = float(np.sum(inner.second_moments(even, NUMERIC)) - np.sum(even**2))
    costs = inner.bits if inner.size > 1 else 0, inner.decode_cost, inner.influence(NUMERIC)
    return PartChoice(blocks, inner.size, text_of(level), str(inner.describe()["name"]), error, *costs)


def explain(context: Context, *, prior: Any = None, bits: int | None = REPORT_BITS) -> Explanation:
    """A comparison of all mechanisms that serve the context within `bits` bits per report."""
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
        raise NotServed(f"no mechanism serves {context!r} within {limit} bits per report")
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
    """The assumed shares as an array: uniform unless given as a list in order or a mapping by value."""
    return np.asarray(shares_of(context, prior))


def _fewest_bits(context: Context) -> int:
    return max(1, (context.size - 1).bit_length())


def _attempts(context: Context, shares: Any, bits: int | None) -> Iterator[Callable[[], Mechanism]]:
    """The ways to serve the context with reports of about `bits` bits, to be tried in turn."""
    form = context.simplest()
    if form.parts is None and form.size == 2:
        yield from (lambda name=name: named(context, name, {}, shares) for name in ("binary", "warner"))
        return
    served = context.covering()
    parts = served.parts or ()
    makes = _part_attempts(parts[0], shares, bits) if len(parts) == 1 else _block_attempts(served, parts, bits)
    for make in makes:
        yield lambda make=make: Mechanism(context, composed(served, make), served=served)  # type: ignore[misc]
    if len(parts) == 1 and not parts[0].is_uniform:
        yield lambda: _two_sizes(context, served, parts[0], shares)
    if form.parts is None and context.size <= TABLE_LIMIT:
        yield lambda: named(context, "exponential", {}, shares)


def _part_attempts(part: Part, shares: Any, bits: int | None) -> Iterator[Callable[[Part], Randomizer]]:
    """All bases that fit, for a context with one part."""
    size, passing = len(part.sensitive), len(part.members) - len(part.sensitive)
    inside = None if bits is None else ((1 << bits) - passing).bit_length() - 1
    fit = [name for name in BASES if _fits(name, size, part.level, inside)]
    if passing and size > 1:
        mass = float(np.sum(shares[list(part.sensitive)]))
        several = _wide_enough(size, inside) and family_pays(size, float(part.level), mass, bits=inside)
        fit = [name for name in fit if name != Cyclotomic.name] + [Cyclotomic.name] * several
    for name in fit:
        yield lambda part, name=name: for_part(name, part, _limited(name, inside), shares)  # type: ignore[misc]


def _block_attempts(served: Context, parts: Sequence[Part], bits: int | None) -> Iterator[Callable[[Part], Randomizer]]:
    """Each base used in all blocks, and the best base for each block.

    A block of k_j of the k values may take k_j / k of the reports; where that is less than a base would take,
    all bits are tried as well, in case other blocks leave room.
    """

    def share(size: int) -> int | None:
        return None if bits is None else ((size << bits) // served.size).bit_length() - 1

    sizes = {len(part.members) for part in parts}
    largest, least = max(sizes), min(part.level for part in parts)
    limits: list[Callable[[int], int | None]] = [share]
    if any(size > 1 and room(size, share(size)) < room(size) for size in sizes):
        limits.append(lambda size: bits)
    for limit in limits:
        ways = [partial(_base_within, name, limit) for name in BASES if _fits(name, largest, least, limit(largest))]
        yield from ways
        yield partial(_best_base, limit)


def _limited(name: str, bits: int | None) -> dict[str, Any]:
    """The parameters that make a design fit, if its size can be chosen."""
    return {} if bits is None or name not in (Projective.name, Cyclotomic.name) else {"bits": bits}


def _base_within(name: str, limit: Callable[[int], int | None], part: Part) -> Randomizer:
    size = len(part.members)
    return base(name, size, part.level, _limited(name, limit(size)))


def _best_base(limit: Callable[[int], int | None], part: Part) -> Supporting:
    """The base with the least ``k V0 + V1``, the only part of a block's error that depends on the base."""
    size, epsilon = len(part.members), part.level
    options = []
    bits = limit(size)
    for name in BASES:
        if size > 1 and not _fits(name, size, epsilon, bits):
            continue
        try:
            made = base(name, size, epsilon, _limited(name, bits))
        except InvalidInput:
            continue
        assert isinstance(made, Supporting)
        options.append(made)
    if not options:
        return RandomizedResponse(size, epsilon)
    return min(options, key=lambda design: (size * design.v0 + design.v1) * (1 + 1e-12 * design.bits))


def _fits(name: str, size: int, epsilon: Fraction, bits: int | None) -> bool:
    """True if the reports can fit and the design is worth trying: many small sets only where one is 1 % worse."""
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


def _two_sizes(context: Context, served: Context, part: Part, shares: Any) -> Mechanism:
    """A mixture of two subset sizes on the sensitive values, where it beats every single size."""
    size, mass = len(part.sensitive), float(np.sum(shares[list(part.sensitive)]))
    found = best_two_sizes(size, float(part.level), mass) if 1 < size <= MIXED_SIZE else None
    if found is None:
        raise NotServed("one subset size is as good as any two")
    *sizes, share = found
    units = int(share * 2**64)
    asked = {"parts": [{"name": "subset", "d": d} for d in sizes], "units": [units, 2**64 - units]}
    return Mechanism(context, mixture(served, asked, shares), served=served)
