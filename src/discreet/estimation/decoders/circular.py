"""The decoder of noise that moves every value alike around a ring or a torus: its statistics are convolutions."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...core.errors import NotIdentifiable
from ...mechanisms.lines_and_grids.circular import Circular
from ..arrays.gathering import displacements
from ..arrays.layout import Array
from ..arrays.transforms import Circulant
from .decoder import replacing_others
from .numbered import NumberedDecoder

MIN_SPECTRUM = 1e-12
"""A pattern of shares of which reports show less than this part is not seen in them."""


class CircularDecoder(NumberedDecoder[Circular]):
    """Counts undone by FFT.

    *Why unbiased.* Counts are the convolution of the shares with the noise; its inverse, by FFT, undoes it.
    """

    @cached_property
    def _kernel(self) -> Circulant:
        space = 1 << self.sampler.word_bits
        kernel = Circulant([unit / space for unit in self.sampler.noise], self.sampler.shape)
        if kernel.least < MIN_SPECTRUM:
            raise NotIdentifiable(f"{self.sampler.name}: the reports do not tell all {self.size} values apart")
        return kernel

    def _to_cells(self, values: Array) -> Array:
        """What belongs to values, in the order of the cells; 0 where nobody is."""
        if not self.sampler.places:
            return values
        cells = np.zeros((*values.shape[:-1], self.cells))
        cells[..., np.array(self.sampler.places)] = values
        return cells

    def _to_values(self, cells: Array) -> Array:
        """What belongs to cells, in the order of the values there."""
        return cells[..., np.array(self.sampler.places)] if self.sampler.places else cells

    def decode(self, counts: Array) -> Array:
        return self._to_values(self._kernel.undone(counts))

    def decode_adjoint(self, weights: Array) -> Array:
        return self._kernel.undone(self._to_cells(weights))

    def likelihoods(self, reports: Array) -> Array:
        cells = self.gather(np.arange(self.cells), reports, 0)
        places = np.array(self.sampler.places or range(self.size))
        return np.asarray(self._kernel.kernel[displacements(cells, places, self.sampler.shape)])

    def expected_counts(self, shares: Array) -> Array:
        return self._kernel.applied(self._to_cells(shares))

    def expected_counts_adjoint(self, weights: Array) -> Array:
        return self._to_values(self._kernel.applied(weights))

    def second_moments(self, shares: Array) -> Array:
        squares = Circulant(self._kernel.inverse**2, self.sampler.shape)
        return self._to_values(squares.applied(self.expected_counts(shares)))

    def second_moment_derivative(self, shares: Array) -> Array:
        own = float((self._kernel.kernel * self._kernel.inverse**2).sum())
        return replacing_others(own, self.second_moments(shares), shares)

    def influence(self) -> float:
        return float(self._kernel.inverse.max())

    @property
    def decode_cost(self) -> float:
        return 3.0 * self.cells * self.cells.bit_length()
