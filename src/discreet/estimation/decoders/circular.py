"""Decoders by a fast inverse of the channel: noise on a ring, a torus or a line, and Hadamard response in parts."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...core.errors import NotIdentifiable
from ...mechanisms.lines_and_grids.geometric import Geometric
from ...mechanisms.lines_and_grids.ring import Circular
from ...mechanisms.uniform.general_hadamard import GeneralHadamard
from ..arrays.layout import Array, total_of
from ..arrays.reports import displacements
from ..arrays.transforms import Circulant, walsh_hadamard
from .decoder import Decoder, replacing_others

MIN_SPECTRUM = 1e-12
"""A pattern of shares of which reports show less than this part is not seen in them."""


class CircularDecoder(Decoder[Circular]):
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
        return self._to_values(self._kernel.deconvolve(counts))

    def decode_adjoint(self, weights: Array) -> Array:
        return self._kernel.deconvolve(self._to_cells(weights))

    def likelihoods(self, reports: Array) -> Array:
        cells = self.gather(np.arange(self.cells), reports, 0)
        places = np.array(self.sampler.places or range(self.size))
        return np.asarray(self._kernel.kernel[displacements(cells, places, self.sampler.shape)])

    def expected_counts(self, shares: Array) -> Array:
        return self._kernel.convolve(self._to_cells(shares))

    def expected_counts_adjoint(self, weights: Array) -> Array:
        return self._to_values(self._kernel.convolve(weights))

    def second_moments(self, shares: Array) -> Array:
        squares = Circulant(self._kernel.inverse**2, self.sampler.shape)
        return self._to_values(squares.convolve(self.expected_counts(shares)))

    def second_moment_derivative(self, shares: Array) -> Array:
        own = float((self._kernel.kernel * self._kernel.inverse**2).sum())
        return replacing_others(own, self.second_moments(shares), shares)

    def reach(self) -> tuple[Array, Array]:
        inverse = self._kernel.inverse
        return np.full(self.size, inverse.min()), np.full(self.size, inverse.max())

    def square_sums(self, counts: Array) -> Array:
        squares = Circulant(self._kernel.inverse**2, self.sampler.shape)
        return self._to_values(squares.convolve(counts))

    @property
    def decode_cost(self) -> float:
        return 3.0 * self.cells * self.cells.bit_length()


class GeneralHadamardDecoder(Decoder[GeneralHadamard]):
    """A Walsh-Hadamard transform for each part.

    *Why unbiased.* ``p_x = c mean(H_b[i+1, Y] 1{Y in the part of x})`` with ``c = 2 / (b (high - low))``.
    """

    def __init__(self, sampler: GeneralHadamard) -> None:
        super().__init__(sampler)
        self.parts, self.columns = sampler.parts, sampler.columns
        self.low, self.rise = float(sampler.low), float(sampler.high - sampler.low)

    @cached_property
    def _c(self) -> float:
        return float(2 / (self.columns * (self.sampler.high - self.sampler.low)))

    def _spectrum(self, counts: Array) -> Array:
        return walsh_hadamard(counts.reshape(*counts.shape[:-1], self.parts, self.columns))

    def _values(self, spectrum: Array) -> Array:
        flat = spectrum[..., 1:].reshape(*spectrum.shape[:-2], -1)
        return flat[..., : self.size]

    def _rows(self, weights: Array) -> Array:
        padded = np.zeros((*weights.shape[:-1], self.parts * (self.columns - 1)))
        padded[..., : self.size] = weights
        rows = np.zeros((*weights.shape[:-1], self.parts, self.columns))
        rows[..., 1:] = padded.reshape(*weights.shape[:-1], self.parts, self.columns - 1)
        return rows

    def decode(self, counts: Array) -> Array:
        return self._c * self._values(self._spectrum(counts))

    def decode_adjoint(self, weights: Array) -> Array:
        return np.asarray(self._c * walsh_hadamard(self._rows(weights))).reshape(*weights.shape[:-1], self.cells)

    def expected_counts(self, shares: Array) -> Array:
        rows = self._rows(shares)
        cover = (total_of(rows) + walsh_hadamard(rows)) / 2
        return np.asarray(self.low * total_of(shares) + self.rise * cover.reshape(*shares.shape[:-1], self.cells))

    def expected_counts_adjoint(self, weights: Array) -> Array:
        spectrum = self._spectrum(weights)
        supports = self._values((spectrum[..., :1] + spectrum) / 2)
        return self.low * total_of(weights) + self.rise * supports

    def second_moments(self, shares: Array) -> Array:
        rows = self._rows(shares)
        masses = self.rise / 2 * total_of(rows) + self.low * total_of(shares)[..., None]
        return self._values(self._c**2 * self.columns * masses + 0 * rows)

    def second_moment_derivative(self, shares: Array) -> Array:
        several = self.size > self.columns - 1  # values outside the part of x, which it could replace
        return self._c**2 * self.columns * (self.rise / 2 if several else 0.0) + 0 * shares

    def reach(self) -> tuple[Array, Array]:
        return np.full(self.size, -self._c), np.full(self.size, self._c)

    def square_sums(self, counts: Array) -> Array:
        spectrum = self._spectrum(counts)
        return self._c**2 * self._values(spectrum[..., :1] + 0 * spectrum)

    @property
    def decode_cost(self) -> float:
        return float(self.cells * (self.columns.bit_length() - 1))


MIN_FADE = 1e-30
"""Steps after which less than this is left of a weight add nothing to a sum."""


class GeometricDecoder(Decoder[Geometric]):
    """Linear time for everything, place by place along the line.

    *Why unbiased.* But for the flat words the channel is ``a**|x-y| c_y``, a = t_1 / t_0, whose inverse has three
    diagonals; the share of the flat words in every count is known and taken off.
    """

    def __init__(self, sampler: Geometric) -> None:
        super().__init__(sampler)
        (first, second), space, flat = sampler.ends[:2], 1 << sampler.word_bits, sampler.law.flat
        self.a, self.gap = second / first, (first - second) / first
        """a, and 1 - a without its rounding."""
        self.full, self.flat = 1 - (self.size - 2) * flat / space, flat / space
        """The share of the words that is not flat, and the flat share of a place between the ends."""
        self.middle = self._with_ends(1.0, 0.0)
        """1 for every place between the ends, 0 for these."""
        self.peaks = self._with_ends(self.gap / (1 + self.a), 1 / (1 + self.a))
        """c: how likely the own place is."""

    def _with_ends(self, middle: float, end: float) -> Array:
        row = np.full(self.size, middle)
        row[0] = row[-1] = end
        return row

    def _to_places(self, values: Array) -> Array:
        """What belongs to values, in the order of their places."""
        if not self.sampler.places:
            return values
        placed = np.zeros(values.shape)
        placed[..., np.array(self.sampler.places)] = values
        return placed

    def _to_values(self, places: Array) -> Array:
        """What belongs to places, in the order of the values there."""
        return places[..., np.array(self.sampler.places)] if self.sampler.places else places

    def _spread(self, weights: Array) -> Array:
        """A weights, A = a**|x-y|: every weight fades by a with each step, both ways; the steps are doubled."""
        up, down, step = 1.0 * weights, 1.0 * weights, 1
        while step < self.size and self.a**step > MIN_FADE:
            up[..., step:] = up[..., step:] + self.a**step * up[..., :-step]
            down[..., :-step] = down[..., :-step] + self.a**step * down[..., step:]
            step *= 2
        return up + down - weights

    def _sharpened(self, weights: Array) -> Array:
        """The inverse of `_spread`."""
        sharp = self._with_ends(1 + self.a**2, 1.0) * weights
        sharp[..., 1:] -= self.a * weights[..., :-1]
        sharp[..., :-1] -= self.a * weights[..., 1:]
        return np.asarray(sharp / (self.gap * (1 + self.a)))

    def decode(self, counts: Array) -> Array:
        rest = counts - self.flat * total_of(counts) * self.middle
        return self._to_values(self._sharpened(rest / self.peaks) / self.full)

    def decode_adjoint(self, weights: Array) -> Array:
        sharp = self._sharpened(self._to_places(weights)) / self.peaks
        return np.asarray((sharp - self.flat * total_of(sharp * self.middle)) / self.full)

    def _phi(self) -> tuple[Array, Array, Array, Array]:
        """phi_x of the report at x, of those a step above and below it, and of all others, by place x."""
        others = -self.flat / self.full * self._sharpened(self.middle / self.peaks)
        scale = self.full * self.gap * (1 + self.a)
        own = self._with_ends(1 + self.a**2, 1.0) / self.peaks / scale + others
        above, below = others.copy(), others.copy()
        above[:-1] -= self.a / self.peaks[1:] / scale
        below[1:] -= self.a / self.peaks[:-1] / scale
        return own, above, below, others

    def _squares(self, own: Array, above: Array, below: Array, mass: Any) -> Array:
        """E[phi_x**2] from the chance of a report at x, a step above and a step below, `mass` in all."""
        at, up, down, rest = (part**2 for part in self._phi())
        return np.asarray(mass * rest + own * (at - rest) + above * (up - rest) + below * (down - rest))

    def _squares_by_place(self, counts: Array) -> Array:
        above, below = np.zeros(counts.shape), np.zeros(counts.shape)
        above[..., :-1], below[..., 1:] = counts[..., 1:], counts[..., :-1]
        return self._squares(counts, above, below, total_of(counts))

    def _moments_by_place(self, placed: Array) -> Array:
        return self._squares_by_place(self._expected(placed))

    def second_moments(self, shares: Array) -> Array:
        return self._to_values(self._moments_by_place(self._to_places(shares)))

    def second_moment_derivative(self, shares: Array) -> Array:
        placed, flat = self._to_places(shares), self.flat * self.middle
        beside = self.full * self.a * self.peaks + flat
        above, below = np.zeros(self.size), np.zeros(self.size)
        above[:-1], below[1:] = beside[1:], beside[:-1]
        own = self._squares(self.full * self.peaks + flat, above, below, 1.0)
        return self._to_values(replacing_others(own, self._moments_by_place(placed), placed))

    def _expected(self, placed: Array) -> Array:
        spread = self.full * self.peaks * self._spread(placed)
        return np.asarray(spread + self.flat * total_of(placed) * self.middle)

    def expected_counts(self, shares: Array) -> Array:
        return self._expected(self._to_places(shares))

    def expected_counts_adjoint(self, weights: Array) -> Array:
        spread = self.full * self._spread(self.peaks * weights)
        return self._to_values(spread + self.flat * total_of(self.middle * weights))

    def likelihoods(self, reports: Array) -> Array:
        sampler, cells = self.sampler, self.gather(np.arange(self.cells), reports, 0)
        away = abs(cells[:, None] - np.array(sampler.places or range(self.size)))
        flat = [sampler.law.flat] * self.size
        between, ends = (np.array([*near, *flat[len(near) :]], dtype=float) for near in (sampler.between, sampler.ends))
        at_end = ((cells == 0) | (cells == self.size - 1))[:, None]
        return np.asarray((ends[away] * at_end + between[away] * ~at_end) / (1 << sampler.word_bits))

    def reach(self) -> tuple[Array, Array]:
        own, above, below, others = self._phi()
        places = np.arange(self.size)
        beside = 1 + (places > 0) + (places < self.size - 1)
        there = np.stack([places >= 0, places < self.size - 1, places > 0, beside < self.size])
        phi = np.stack([own, above, below, others])
        least, most = np.where(there, phi, np.inf).min(axis=0), np.where(there, phi, -np.inf).max(axis=0)
        return self._to_values(least), self._to_values(most)

    def square_sums(self, counts: Array) -> Array:
        return self._to_values(self._squares_by_place(counts))

    @property
    def decode_cost(self) -> float:
        return 5.0 * self.size
