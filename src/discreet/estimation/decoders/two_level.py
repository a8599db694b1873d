"""Decoders of pure protocols that are counted report by report: randomized, Hadamard and cyclic response."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...mechanisms.uniform.cyclic import Cyclic
from ...mechanisms.uniform.hadamard import Hadamard
from ...mechanisms.uniform.randomized_response import RandomizedResponse
from ..arrays.layout import Array, look_up, total_of
from ..arrays.transforms import CyclicKernel, walsh_hadamard
from .decoder import Decoder
from .pure import PureDecoder
from .written_out import WrittenOutDecoder


class RandomizedResponseDecoder(PureDecoder[RandomizedResponse]):
    """A report supports the value that it names.

    *Why unbiased.* p and q are the exact shares of the two counts of words, up to the spare ones.
    """

    def supports(self, counts: Array) -> Array:
        return counts

    def supported(self, cells: Array) -> Array:
        return np.asarray(cells[:, None] == np.arange(self.size))

    def cover(self, weights: Array) -> Array:
        return weights


class HadamardDecoder(PureDecoder[Hadamard]):
    """Support counts by one fast Walsh-Hadamard transform.

    *Why unbiased.* ``p_x = c * mean(H[x+1, Y])`` with c = 1/(2p - 1), here with the exact p = T / 2**(64-m).
    """

    def supports(self, counts: Array) -> Array:
        spectrum = walsh_hadamard(counts)
        return (spectrum[..., :1] + spectrum[..., 1 : self.size + 1]) / 2

    def supported(self, cells: Array) -> Array:
        return np.asarray(1 - (np.bitwise_count(cells[:, None] & np.arange(self.size) + 1) & 1))

    def cover(self, weights: Array) -> Array:
        rows = np.zeros((*weights.shape[:-1], self.cells))
        rows[..., 1 : self.size + 1] = weights
        return np.asarray((total_of(weights) + walsh_hadamard(rows)) / 2)

    @property
    def decode_cost(self) -> float:
        return float(self.cells * (self.cells.bit_length() - 1))


class CyclicDecoder(PureDecoder[Cyclic]):
    """Support counts by correlation with the set D of likelier shifts, one cycle beside the other.

    *Why unbiased.* With r shifts in D, lambda of them shared by two values, p = r high and
    q = lambda high + (r - lambda) low, up to the spare words.
    """

    @classmethod
    def of(cls, sampler: Cyclic) -> Decoder[Any]:
        return cls(sampler) if sampler.is_even else CirculantDecoder(sampler)

    @property
    def _cycles(self) -> tuple[int, ...]:
        """The shape of the reports by cycle; a single cycle needs no axis of its own."""
        modulus = self.sampler.law.modulus
        return (modulus,) if self.cells == modulus else (self.cells // modulus, modulus)

    @cached_property
    def _kernel(self) -> CyclicKernel:
        return CyclicKernel(list(self.sampler.law.shifts), self._cycles)

    def supports(self, counts: Array) -> Array:
        sums = self._kernel.correlate(counts.reshape(*counts.shape[:-1], *self._cycles))
        return (sums.sum(axis=-2) if len(self._cycles) > 1 else sums)[..., : self.size]

    def cover(self, weights: Array) -> Array:
        alone = (1,) * (len(self._cycles) - 1)
        padded = np.zeros((*weights.shape[:-1], *alone, self.sampler.law.modulus))
        padded[..., : self.size] = weights[..., None, :] if alone else weights
        return self._kernel.convolve(padded).reshape(*weights.shape[:-1], self.cells)

    @cached_property
    def _is_likelier(self) -> Sequence[int]:
        """1 for every shift in D, 0 for the others."""
        flags = bytearray(self.cells)
        for shift in self.sampler.law.shifts:
            flags[shift] = 1
        return flags

    def supported(self, cells: Array) -> Array:
        column, modulus = cells[:, None], self.sampler.law.modulus
        shifts = column // modulus * modulus + (column - np.arange(self.size)) % modulus
        return np.asarray(look_up(self._is_likelier, shifts))

    @property
    def decode_cost(self) -> float:
        return float(3 * self.cells * self.sampler.law.modulus.bit_length())


class CirculantDecoder(WrittenOutDecoder[Cyclic]):
    """Least variance at even shares, where some values share more reports than others."""

    @cached_property
    def channel(self) -> Array:
        sampler, modulus = self.sampler, self.sampler.law.modulus
        likelier = np.zeros(self.cells)
        likelier[list(sampler.law.shifts)] = 1.0
        apart = (np.arange(modulus) - np.arange(self.size)[:, None]) % modulus
        supported = likelier.reshape(-1, modulus)[:, apart].transpose(1, 0, 2).reshape(self.size, self.cells)
        spare = (np.arange(self.cells) < sampler.law.spare) / (1 << sampler.word_bits)
        return np.asarray(float(sampler.low) + float(sampler.high - sampler.low) * supported + spare)
