"""Projective geometry response as a cyclic difference set: subset selection's accuracy in log k bits."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, compress
from typing import Any

from ..arithmetic import Arithmetic
from ..errors import InvalidInput
from ..exact import ceil_div, exp_below
from .design import Indexed
from .difference_sets import Parameters, best, build, describe
from .randomizer import WORD_BITS, Units, beyond_words, check_size

SLACK = 0.005
"""A set with fewer reports is taken when its error is within half a percent of the least."""


def room(size: int) -> int:
    """The most bits a report may take: log2(k) + 8, but no more than 24 while k has no more than 21."""
    bits = (size - 1).bit_length()
    return min(bits + 8, max(24, bits + 3))


class Projective(Indexed):
    """Report y = x + t mod v, with t in a cyclic difference set D e**epsilon times likelier than not.

    D has r elements in Z_v, v >= k, and every non-zero difference occurs lambda times, so any two
    values share lambda supporting reports. The hyperplanes of projective geometry (Singer) have
    r/v near 1/q; the set is chosen by the closed-form error, so r/v is near 1/(1 + e).
    One word decides: v - r low reports of s units each, then r high ones of t units.

    *Why private.* ``t <= R s`` by the choice of units, and the few spare words go to the same
    reports whatever the value, adding one unit to both sides of a ratio.
    *Why unbiased.* g = r t / N and h = (lambda t + (r - lambda) s) / N, up to r spare words of 2**64.

    References: Feldman2022; Singer1938.
    """

    name = "projective"

    def __init__(
        self,
        size: int,
        epsilon: Fraction,
        *,
        family: str | None = None,
        key: Sequence[int] = (),
        word_bits: int = WORD_BITS,
    ) -> None:
        check_size(size, word_bits)
        if size < 2:
            raise InvalidInput(f"size={size} must be at least 2 for projective response")
        self.size, self.epsilon, self.word_bits = size, epsilon, word_bits
        if family is None:
            self.parameters = best(size, float(epsilon), bits=room(size), slack=SLACK)
        else:
            self.parameters = describe(family, tuple(key))
        chosen = self.parameters
        if chosen.v < size:
            raise InvalidInput(f"{family} {tuple(key)} has {chosen.v} reports; it must have one a value, {size}")
        self.words = self.outside_words = 1
        self.outputs = chosen.v
        space = 1 << word_bits
        self._units = Units.split(word_bits, epsilon, a=chosen.r, b=chosen.v - chosen.r)
        self.low, self.high = Fraction(self._units.low, space), Fraction(self._units.high, space)
        self.g = chosen.r * self.high
        self.h = chosen.lam * self.high + (chosen.r - chosen.lam) * self.low
        self.nu = Fraction(chosen.r, chosen.v)
        self.ratio = self.high / self.low

    @cached_property
    def table(self) -> Sequence[int]:
        """Z_v with the complement of D first and D last."""
        return _table(self.parameters)

    @cached_property
    def _aside(self) -> int:
        most = self._units.high + (self._units.spare > 0)
        units = ceil_div(most, exp_below(self.epsilon))  # type: ignore[arg-type]
        if units * self.outputs > 1 << self.word_bits:
            raise beyond_words(self.epsilon, self.word_bits)
        return units

    @cached_property
    def shown(self) -> Fraction:  # type: ignore[override]
        return 1 - Fraction(self._aside * self.outputs, 1 << self.word_bits)

    @cached_property
    def outside_ratio(self) -> Fraction:  # type: ignore[override]
        return Fraction(self._units.high + (self._units.spare > 0), self._aside)

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        (u,) = words[:1]
        low, high = self._units.low * self.scale, self._units.high * self.scale
        few = self.outputs - self.parameters.r
        is_low = ops.less(u, few * low)
        used = few * low + self.parameters.r * high
        spare = 1 - ops.less(u, used)
        chosen = ops.select(is_low, ops.divide(u, low), few + ops.divide(ops.select(is_low, 0, u - few * low), high))
        shift = ops.look_up(self.table, ops.select(spare, 0, chosen))
        moved = x + shift
        report = moved - ops.at_least(moved, self.outputs) * self.outputs
        return ops.select(spare, ops.divide(ops.select(spare, u - used % (1 << 64), 0), self.scale), report)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        extra = Fraction(int(y < self._units.spare), 1 << self.word_bits)
        return (self.high if (y - x) % self.outputs in self._set else self.low) + extra

    @cached_property
    def _set(self) -> frozenset[int]:
        return frozenset(build(self.parameters))

    def outside(self, words: Sequence[Any], ops: Arithmetic) -> tuple[Any, Any]:
        (u,) = words[:1]
        unit = self._aside * self.scale
        shown = 1 - ops.less(u, self.outputs * unit)
        return shown, ops.select(shown, 0, ops.divide(u, unit))

    def outside_probability(self, y: int) -> Fraction:
        return Fraction(self._aside, 1 << self.word_bits) if self.is_report(y) else Fraction(0)

    def _kernel(self, ops: Any) -> Any:
        if not hasattr(self, "_cached_kernel"):
            self._cached_kernel = ops.cyclic_kernel(build(self.parameters), self.outputs)
        return self._cached_kernel

    def supports(self, counts: Any, ops: Any) -> Any:
        return self._kernel(ops).correlate(counts)[..., : self.size]

    def cover(self, weights: Any, ops: Any) -> Any:
        padded = ops.zeros((*weights.shape[:-1], self.outputs))
        padded[..., : self.size] = weights
        return self._kernel(ops).convolve(padded)

    @property
    def decode_cost(self) -> float:
        return float(3 * self.outputs * self.outputs.bit_length())

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "family": self.parameters.family, "key": list(self.parameters.key)}


@lru_cache(maxsize=64)
def _table(parameters: Parameters) -> Sequence[int]:
    outside = bytearray(b"\1") * parameters.v
    members = build(parameters)
    for t in members:
        outside[t] = 0
    return array("I", chain(compress(range(parameters.v), outside), members))
