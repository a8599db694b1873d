"""Choose the best mechanism for a context by exact expected error, and say why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from . import tables
from .build import BASES, REPORT_BITS, check_bits, composed, for_part, mass_of, mixture, named, shares_of
from .context import Context, Part
from .errors import InvalidEpsilon, InvalidInput, NotIdentifiable, NotServed, check_type, shown
from .exact import rough, text_of
from .limits import spend
from .mechanisms.high_low_choice import best_two_sizes
from .mechanisms.mechanism import Mechanism
from .mechanisms.nested_choice import nested_response
from .mechanisms.paired import Paired
from .mechanisms.projective import room
from .mechanisms.randomizer import Cells, Randomizer
from .optimum.options import classes_of
from .optimum.types import best_types
from .statistics.numeric import NUMERIC

KIND = 1 << 15
"""Steps that it takes to compare all bases in one kind of block, beside those that depend on its size."""

MIXED_SIZE = 16
"""The largest set of sensitive values for which two subset sizes are mixed; above, one size is within 0.1 %."""

SHOWN_PARTS = 12
"""How many kinds of block a printed explanation lists."""

TIE = 1e-6
"""Errors that differ by less than this, relative to them, are alike."""

TORUS_LIMIT = 512
"""The largest grid for which noise on a torus is tried automatically."""

PAIRED_WORK = 1 << 21
"""The most pairs of values that differ in one answer for which a mechanism for each question is tried automatically."""

PAIRED_BITS = 12
"""The most bits that the report of one of two questions may have."""

TYPE_CLASSES = 12
"""The most classes of alike values for which types are composed automatically: a second's work."""

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

    def at(self, shares: Any) -> Explanation:
        """The same candidates with their errors at these shares; the chosen one stays chosen, and comes first."""
        first, *others = (candidate_of(candidate.mechanism, shares) for candidate in self.candidates)
        again = Explanation((first, *sorted(others, key=lambda c: c.error)), self.reason)
        if again.better is None:
            return again
        return replace(again, reason=f"{first.name} was chosen at other shares than these")

    @property
    def better(self) -> Candidate | None:
        """The candidate with the least error where that is not the chosen one, as it may be at other shares."""
        best = min(self.candidates, key=lambda c: c.error)
        return best if best.error < self.candidates[0].error * (1 - TIE) else None

    @cached_property
    def parts(self) -> tuple[PartChoice, ...]:
        """What the chosen mechanism uses inside blocks, largest blocks first; empty for other contexts."""
        randomizer, parts = self.chosen.randomizer, self.chosen.served.parts or ()
        if len(parts) < 2:
            return ()
        level_of = {x: part.level for part in parts for x in part.members}
        groups, rows = randomizer.groups(NUMERIC), []
        if sum(len(group.numbers) for group in groups) != len(parts):
            return ()
        for group in groups:
            levels = Counter(level_of[first] for first in group.values[:, 0].tolist())
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
    check_type("context", context, Context, "a context")
    check_bits(bits)
    shares = prior_of(context, prior)
    found: dict[str, Candidate] = {}
    beyond: InvalidEpsilon | None = None
    if bits is not None and (isinstance(bits, bool) or not isinstance(bits, int) or bits < 1):
        raise InvalidInput(f"bits={shown(bits)} must be a whole number of at least 1, or None")
    most = 2 * context.size + REPORT_BITS  # no report of any mechanism has as many
    limit = None if bits is None else min(max(bits, _fewest_bits(context)), most)
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
    for make in _ways(parts, shares, bits):
        yield partial(_served, context, served, make)
    if len(parts) == 1 and not parts[0].is_uniform:
        yield lambda: _two_sizes(context, served, parts[0], shares)
    if form.parts is None:
        yield lambda: _whole(context, shares)
        yield lambda: Mechanism(context, nested_response(context, bits=bits))
        yield lambda: _paired(context, shares, bits)
        if context.size <= TORUS_LIMIT:
            yield lambda: named(context, "torus", {}, shares)
        if context.factors is None:
            yield lambda: _types(context, shares, bits)
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
        made.append(next(part for part in parts if part.counted == Cells(part.outputs)))
    return Mechanism(context, Paired(*made))


def _served(context: Context, served: Context, make: Callable[[Part], Randomizer]) -> Mechanism:
    return Mechanism(context, composed(served, make), served=served)


def _ways(parts: Sequence[Part], shares: Any, bits: int | None) -> Iterator[Callable[[Part], Randomizer]]:
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
            yield partial(_best_base, limit, shares)


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


def _best_base(limit: Callable[[Part], int | None], shares: Any, part: Part) -> Randomizer:
    """The base with the least expected squared error in the part."""
    spend(KIND, "different kinds of block")
    held = shares[list(part.members)]
    mass = float(held.sum())
    held = held / mass if mass > 0 else np.full(len(held), 1 / len(held))
    options: list[tuple[float, int, Randomizer]] = []
    for name in BASES:
        if len(part.sensitive) > 1 and not _worth_trying(name, part, shares, limit(part)):
            continue
        try:
            made = _base_within(name, limit, shares, part)
        except InvalidInput:
            continue
        error = float(np.sum(made.second_moments(held, NUMERIC))) * (1 + 1e-12 * made.bits)
        options.append((error, len(options), made))
    if not options:
        return for_part("randomized_response", part, {}, shares)
    return min(options)[2]


def _two_sizes(context: Context, served: Context, part: Part, shares: Any) -> Mechanism:
    """A mixture of two subset sizes on the sensitive values, where it beats every single size."""
    size, mass = len(part.sensitive), float(np.sum(shares[list(part.sensitive)]))
    found = best_two_sizes(size, rough(part.level), mass) if 1 < size <= MIXED_SIZE else None
    if found is None:
        raise NotServed("one subset size is as good as any two")
    *sizes, share = found
    units = int(share * 2**64)
    asked = {"parts": [{"name": "subset", "d": d} for d in sizes], "units": [units, 2**64 - units]}
    return Mechanism(context, mixture(served, asked, shares), served=served)


def _types(context: Context, shares: Any, bits: int | None) -> Mechanism:
    """Reports by type for classes of alike values, where E depends on the class and, between classes, on the row."""
    classes = classes_of(context, shares)
    if len(classes.inside) > TYPE_CLASSES:
        raise NotServed(f"types of more than {TYPE_CLASSES} classes are left to a design")
    return Mechanism(context, best_types(classes, bits=bits).randomizer)
