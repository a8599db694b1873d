"""The decoder of Hadamard response with one small matrix per part of the values."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...mechanisms.uniform.general_hadamard import GeneralHadamard
from ..arrays.layout import Array, total_of
from ..arrays.transforms import walsh_hadamard
from .numbered import NumberedDecoder


class GeneralHadamardDecoder(NumberedDecoder[GeneralHadamard]):
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

    def influence(self) -> float:
        return self._c

    @property
    def decode_cost(self) -> float:
        return float(self.cells * (self.columns.bit_length() - 1))
