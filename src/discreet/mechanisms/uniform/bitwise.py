"""Reports with one bit per value, each drawn on its own: one estimator and one set of moments for all of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..randomizer import Randomizer

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric


class Bitwise(Randomizer):
    """A randomizer whose bit x is on with one probability for the value x and with another for any other value.

    Cell x counts the reports whose bit x is on; the last cell counts the reports. Given the value, bits are
    independent, so ``phi_x = (1{bit x is on} - h_x) / (g_x - h_x)`` are too.
    """

    disjoint = False

    @abstractmethod
    def levels(self, ops: Numeric) -> tuple[Array, Array]:
        """For every bit: Pr(on | own value) and Pr(on | another value)."""

    @property
    def outputs(self) -> int:  # type: ignore[override]
        return 1 << self.size

    @property
    def cells(self) -> int:  # type: ignore[override]
        return self.size + 1

    def cells_of(self, y: int) -> Sequence[int]:
        self.check_report(y)
        return [x for x in range(self.size) if y >> x & 1] + [self.size]

    def gather(self, entries: Array, reports: Array, start: Any, ops: Numeric) -> Array:
        return ops.gather_members(entries, reports, start, self.size, None)

    def totals_of(self, ops: Numeric) -> Array:
        return ops.integers([self.size] * self.size + [-1])

    def total(self, counts: Array, ops: Numeric) -> Array:
        return counts[..., -1:]

    def broken_rule(self, counts: Array, ops: Numeric) -> str | None:
        if (counts[..., :-1] > counts[..., -1:]).any():
            return "no value may be in more sets than there are"
        return None

    def _gaps(self, ops: Numeric) -> tuple[Array, Array, Array]:
        """For every bit: Pr(on | another value), by how much Pr(on | own value) is above it, and 1{on}'s variances."""
        g, h = self.levels(ops)
        return h, g - h, g * (1 - g) - h * (1 - h)

    def decode(self, counts: Array, ops: Numeric) -> Array:
        h, gap, _ = self._gaps(ops)
        found: Array = (counts[..., :-1] - h * counts[..., -1:]) / gap
        return found

    def weigh(self, weights: Array, ops: Numeric) -> Array:
        h, gap, _ = self._gaps(ops)
        return ops.join(weights / gap, -ops.sum(h * weights / gap))

    def _noise(self, shares: Array, ops: Numeric) -> Array:
        """The part of the variance due to the coins: sum_v p_v Var(phi_x | v)."""
        h, gap, more = self._gaps(ops)
        found: Array = (h * (1 - h) * ops.sum(shares) + more * shares) / gap**2
        return found

    def second_moments(self, shares: Array, ops: Numeric) -> Array:
        return self._noise(shares, ops) + shares

    def slopes(self, shares: Array, ops: Numeric) -> Array:
        _, gap, more = self._gaps(ops)
        found: Array = more / gap**2 + 1 + 0 * shares
        return found

    def cross_moment(self, shares: Array, first: Array, second: Array, ops: Numeric) -> Array:
        return ops.sum(first * second * (shares + self._noise(shares, ops)))

    def push(self, shares: Array, ops: Numeric) -> Array:
        h, gap, _ = self._gaps(ops)
        return ops.join(h * ops.sum(shares) + gap * shares, ops.sum(shares))

    def pull(self, weights: Array, ops: Numeric) -> Array:
        h, gap, _ = self._gaps(ops)
        bits = weights[..., :-1]
        found: Array = ops.sum(h * bits) + gap * bits + weights[..., -1:]
        return found

    def influence(self, ops: Numeric) -> float:
        h, gap, _ = self._gaps(ops)
        return float(((1 - h) / gap).max())
