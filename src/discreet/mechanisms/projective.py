"""Projective geometry response as a cyclic difference set: subset selection's accuracy in log k bits."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, compress
from typing import Any

from ..arithmetic import Arithmetic
from ..combinatorics.difference_sets import Parameters, best, build, describe
from ..errors import InvalidInput
from .randomizer import WORD_BITS, check_size
from .two_level import TwoLevel

SLACK = 0.005
"""A set with fewer reports is taken when its error is within half a percent of the least."""


def room(size: int, limit: int | None = None) -> int:
    """The most bits a report may take: log2(k) + 8, or 24 while k has no more than 21, and never above `limit`."""
    bits = (size - 1).bit_length()
    most = min(bits + 8, max(24, bits + 3))
    return most if limit is None else min(most, max(0, limit))


class Projective(TwoLevel):
    """Report y = x + t mod v, with t in a cyclic difference set D e**epsilon times likelier than not.

    D has r elements in Z_v, v >= k, and every non-zero difference occurs lambda times, so any two
    values share lambda supporting reports. The hyperplanes of projective geometry (Singer) have
    r/v near 1/q; the set is chosen by the closed-form error, so r/v is near 1/(1 + e), among those whose
    reports fit `bits`, or is the one of a `family` and `key`.
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
        bits: int | None = None,
        word_bits: int = WORD_BITS,
    ) -> None:
        check_size(size, word_bits)
        if size < 2:
            raise InvalidInput(f"size={size} must be at least 2 for projective response")
        if family is None:
            self.parameters = best(size, float(epsilon), bits=room(size, bits), slack=SLACK)
        else:
            self.parameters = describe(family, tuple(key))
        chosen = self.parameters
        if chosen.v < size:
            raise InvalidInput(f"{family} {tuple(key)} has {chosen.v} reports; it must have one a value, {size}")
        self._level(size, epsilon, word_bits, outputs=chosen.v, many=chosen.r, shared=chosen.lam)

    @cached_property
    def table(self) -> Sequence[int]:
        """Z_v with the complement of D first and D last."""
        return _table(self.parameters)

    def located(self, x: Any, j: Any, ops: Arithmetic) -> Any:
        moved = x + ops.look_up(self.table, j)
        return moved - ops.at_least(moved, self.outputs) * self.outputs

    def is_supported(self, x: int, y: int) -> bool:
        return (y - x) % self.outputs in self._set

    @cached_property
    def _set(self) -> frozenset[int]:
        return frozenset(build(self.parameters))

    def _kernel(self, ops: Any) -> Any:
        if not hasattr(self, "_cached_kernel"):
            self._cached_kernel = ops.cyclic_kernel(build(self.parameters), length=self.outputs)
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
