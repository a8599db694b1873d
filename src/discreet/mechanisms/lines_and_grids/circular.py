"""Noise that moves every value alike around a ring or a torus: its statistics are convolutions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ...core.errors import NotIdentifiable
from ..contrast import LISTED, Floor
from ..numbered import Numbered

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric
    from ...estimation.arrays.transforms import Circulant

LEAST = 1e-12
"""A pattern of shares of which reports show less than this part is not seen in them."""


class Circular(Numbered):
    """A randomizer whose report is the own cell of a torus, moved by noise that depends on nothing.

    *Why unbiased.* Counts are the convolution of the shares with the noise; its inverse, by FFT, undoes it.
    """

    shape: tuple[int, ...]
    """The lengths of the torus."""
    places: Sequence[int]
    """The cell of every value; empty where value x is at cell x."""

    @property
    @abstractmethod
    def noise(self) -> Sequence[int]:
        """The words that lead from cell 0 to each cell."""

    def floor(self, among: Sequence[int]) -> Floor:
        """As told; where there are too many to look at, what the furthest anybody may be away writes."""
        if self.outputs * (2 + len(among)) <= LISTED:
            return super().floor(among)
        least = Fraction(min(self.noise), 1 << self.word_bits)
        return Floor(1, lambda _: least)

    def _kernel(self, ops: Numeric) -> Circulant:
        if not hasattr(self, "_cached_kernel"):
            space = 1 << self.word_bits
            kernel = ops.circulant([unit / space for unit in self.noise], self.shape)
            if kernel.least < LEAST:
                raise NotIdentifiable(f"{self.name}: the reports do not tell all {self.size} values apart")
            self._cached_kernel = kernel
        return self._cached_kernel

    def _placed(self, values: Array, ops: Numeric) -> Array:
        """What belongs to values, in the order of the cells; 0 where nobody is."""
        if not self.places:
            return values
        found = ops.zeros((*values.shape[:-1], self.outputs))
        found[..., ops.integers(self.places)] = values
        return found

    def _valued(self, cells: Array, ops: Numeric) -> Array:
        """What belongs to cells, in the order of the values there."""
        return cells[..., ops.integers(self.places)] if self.places else cells

    def decode(self, counts: Array, ops: Numeric) -> Array:
        return self._valued(self._kernel(ops).undone(counts), ops)

    def weigh(self, weights: Array, ops: Numeric) -> Array:
        return self._kernel(ops).undone(self._placed(weights, ops))

    def likelihoods(self, reports: Array, ops: Numeric) -> Array:
        cells = self.gather(ops.row(self.outputs)[0], reports, 0, ops)
        places = ops.integers(self.places or range(self.size))
        found: Array = self._kernel(ops).kernel[ops.apart(cells, places, self.shape)]
        return found

    def push(self, shares: Array, ops: Numeric) -> Array:
        return self._kernel(ops).applied(self._placed(shares, ops))

    def pull(self, weights: Array, ops: Numeric) -> Array:
        return self._valued(self._kernel(ops).applied(weights), ops)

    def second_moments(self, shares: Array, ops: Numeric) -> Array:
        squares = ops.circulant(self._kernel(ops).inverse ** 2, self.shape)
        return self._valued(squares.applied(self.push(shares, ops)), ops)

    def slopes(self, shares: Array, ops: Numeric) -> Array:
        kernel = self._kernel(ops)
        own = float((kernel.kernel * kernel.inverse**2).sum())
        others = self.second_moments(shares, ops) - own * shares
        found: Array = own - others / ops.maximum(1 - shares, 1e-9)
        return found

    def cross_moment(self, shares: Array, first: Array, second: Array, ops: Numeric) -> Array:
        return ops.sum(self.push(shares, ops) * self.weigh(first, ops) * self.weigh(second, ops))

    def influence(self, ops: Numeric) -> float:
        return float(self._kernel(ops).inverse.max())

    @property
    def decode_cost(self) -> float:
        return 3.0 * self.outputs * self.outputs.bit_length()
