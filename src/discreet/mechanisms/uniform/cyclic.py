"""Cyclic response: add a random shift, those in a set D being likelier than the others.

With the difference sets of projective geometry it has subset selection's accuracy in reports of about log k bits.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, compress
from typing import Any

from ...core.arithmetic import Arithmetic
from ...core.errors import InvalidInput, NotIdentifiable
from ...core.exact import approx
from ..finite_geometry.difference_sets import best, build, describe, shared_differences
from ..law import WORD_BITS, Bits, Law
from ..sampler import actual_epsilon
from ..units import Units, check_law, check_size
from .pure import PureSampler


@dataclass(frozen=True)
class CyclicLaw(Law):
    """Shift t has `high` words if it is in `shifts` and `low` if not; `spare` words go one each to reports 0, 1, ...

    Report i p + b of value x is shift i p + (b - x mod p), with p the `modulus`.
    """

    kind = "cyclic"

    size: int
    modulus: int
    low: int
    high: int
    spare: int
    shifts: Bits
    word_bits: int


class Cyclic(PureSampler):
    """Report i p + (x + t mod p), where each shift i p + t in a set D is e**epsilon times likelier than one outside.

    p >= k. One word decides: the shifts outside D come first, `low` units each, then those of D, `high` units
    each, then the spare words, which go to reports 0, 1, ... whatever the value. Where D is a difference set, or a
    family of them, one for each i, any two values are supported together by equally many reports: a pure protocol.

    *Why private.* ``high <= R low`` by the choice of units, whatever D is, and a spare word adds the same unit to both
    sides of a ratio.
    """

    name = "cyclic"
    is_numbered = True
    law: CyclicLaw
    follows = CyclicLaw

    def shift(
        self,
        size: int,
        epsilon: Fraction,
        word_bits: int,
        *,
        modulus: int,
        shifts: Sequence[Iterable[int]],
        shared: int | None = None,
    ) -> None:
        """Adopt the law for `size` values with these sets of shifts; any two values share `shared`, if given."""
        check_size(size, word_bits)
        chosen = Bits.of((i * modulus + t for i, members in enumerate(shifts) for t in members), modulus * len(shifts))
        units = Units.split(word_bits, epsilon, a=len(chosen), b=chosen.size - len(chosen))
        if shared is not None:
            self.shared = shared
        self.follow(CyclicLaw(size, modulus, units.low, units.high, units.spare, chosen, word_bits))

    def follow(self, law: CyclicLaw) -> None:
        check_size(law.size, law.word_bits)
        space, many, outputs = 1 << law.word_bits, len(law.shifts), law.shifts.size
        cycles = law.modulus > 0 and outputs % law.modulus == 0 and law.size <= law.modulus and 0 < many < outputs
        check_law(cycles, law.kind, "its shifts must lie in whole cycles of at least one shift per value")
        used = many * law.high + (outputs - many) * law.low + law.spare
        sound = 0 < law.low < law.high and 0 <= law.spare < outputs and used == space
        check_law(sound, law.kind, f"0 < low < high must hold and its words must add up to 2**{law.word_bits}")
        self.law, self.size, self.word_bits, self.words, self.outputs = law, law.size, law.word_bits, 1, outputs
        self.low, self.high = Fraction(law.low, space), Fraction(law.high, space)
        self.likeliest = law.high + (law.spare > 0)
        self.p, self.r, self.ratio = many * self.high, Fraction(many, outputs), self.high / self.low

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> Cyclic:
        narrow, p = type(self).__new__(type(self)), self.law.modulus
        level = actual_epsilon(self) if epsilon is None else epsilon
        narrow.shift(self.size, level, word_bits, modulus=p, shifts=self.sets, shared=vars(self).get("shared"))
        return narrow

    @property
    def sets(self) -> list[list[int]]:
        """The set of shifts of each cycle."""
        sets: list[list[int]] = [[] for _ in range(self.outputs // self.law.modulus)]
        for shift in self.law.shifts:
            cycle, t = divmod(shift, self.law.modulus)
            sets[cycle].append(t)
        return sets

    @cached_property
    def shared(self) -> int:
        """How many reports support any two values together; `InvalidInput` if that differs between pairs."""
        return shared_differences(self.law.modulus, self.sets)

    @cached_property
    def is_even(self) -> bool:
        """True if any two values are supported together by equally many reports, as a pure protocol asks."""
        try:
            return self.shared >= 0
        except InvalidInput:
            return False

    @cached_property
    def q(self) -> Fraction:  # type: ignore[override]
        q = self.shared * self.high + (len(self.law.shifts) - self.shared) * self.low
        if q >= self.p:
            raise NotIdentifiable(f"{self.name}: every report supports all values alike")
        return q

    @cached_property
    def table(self) -> Sequence[int]:
        """Every shift, those outside D first."""
        return _table(self.law.shifts)

    def located(self, x: Any, j: Any, ops: Arithmetic) -> Any:
        """The j-th report of value x: the low reports come first."""
        p = self.law.modulus
        shift = ops.look_up(self.table, j)
        start = ops.divide(shift, p) * p if p < self.outputs else 0
        moved = x + (shift - start)
        return start + moved - ops.at_least(moved, p) * p

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        (u,) = words[:1]
        low, high = self.law.low * self.scale, self.law.high * self.scale
        few = self.outputs - len(self.law.shifts)
        lie, truth = ops.divide(u, low), few + ops.divide(u - few * low, high)
        used = (1 << 64) - self.law.spare * self.scale
        spare = 1 - ops.less(u, used)
        j = ops.select(ops.less(u, few * low), lie, truth)
        report = self.located(x, ops.select(spare, 0, j), ops)
        return ops.select(spare, ops.divide(u - used % (1 << 64), self.scale), report)

    def is_supported(self, x: int, y: int) -> bool:
        """True if report y supports value x."""
        cycle, place = divmod(y, self.law.modulus)
        shift = cycle * self.law.modulus + (place - x) % self.law.modulus
        return bool(self.law.shifts.bits >> shift & 1)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        extra = Fraction(int(y < self.law.spare), 1 << self.word_bits)
        return (self.high if self.is_supported(x, y) else self.low) + extra


@lru_cache(maxsize=64)
def _table(shifts: Bits) -> Sequence[int]:
    outside = bytearray(b"\1") * shifts.size
    members = list(shifts)
    for t in members:
        outside[t] = 0
    return array("I", chain(compress(range(shifts.size), outside), members))


SLACK = 0.005
"""A set with fewer reports is taken when its error is within half a percent of the least."""


def room(size: int, limit: int | None = None) -> int:
    """The most bits that a report may take: log2(k) + 8, or 24 if k has at most 21 bits, and never above `limit`."""
    bits = (size - 1).bit_length()
    most = min(bits + 8, max(24, bits + 3))
    return most if limit is None else min(most, max(0, limit))


class Projective(Cyclic):
    """Report y = x + t mod v, where each t in a cyclic difference set D is e**epsilon times likelier than the rest.

    D has r elements in Z_v, v >= k, and every non-zero difference occurs lambda times, so any two
    values share lambda supporting reports. The hyperplanes of projective geometry (Singer) have
    r/v near 1/q; the set is chosen by the closed-form error, so r/v is near 1/(1 + e), among those whose
    reports fit `bits`, or is the one of a `family` and `key`.

    *Why private.* As `Cyclic`: whatever D is.

    References: Feldman2022; Singer1938.
    """

    name = "projective"
    takes_bits = True

    def __init__(
        self,
        size: int,
        epsilon: Fraction,
        *,
        family: str | None = None,
        key: Sequence[int] = (),
        bits: int | None = None,
        word_bits: int = WORD_BITS,
    ) -> None:
        check_size(size, word_bits)
        if size < 2:
            raise InvalidInput(f"size={size} must be at least 2 for projective response")
        if family is None:
            chosen = best(size, approx(epsilon), bits=room(size, bits), slack=SLACK)
        else:
            chosen = describe(family, tuple(key))
        if chosen.v < size:
            raise InvalidInput(f"{family} {tuple(key)} has {chosen.v} reports; it must have one per value, {size}")
        self.parameters = chosen
        self.shift(size, epsilon, word_bits, modulus=chosen.v, shifts=[build(chosen)], shared=chosen.lam)

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "family": self.parameters.family, "key": list(self.parameters.key)}
