"""The decoder of two questions at once, each answered by a sampler of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...mechanisms.composed.paired import Paired
from ..arrays.layout import Array
from .decoder import Decoder, replacing_others
from .registry import decoder_of


class PairedDecoder(Decoder[Paired]):
    """The linear maps of the second question over the last axis, then those of the first over the other.

    *Why unbiased.* ``phi_(x1, x2) = phi_x1(y1) phi_x2(y2)``, whose mean is a product of two indicators.
    """

    def __init__(self, sampler: Paired) -> None:
        super().__init__(sampler)
        self.first: Decoder[Any] = decoder_of(sampler.first)
        self.second: Decoder[Any] = decoder_of(sampler.second)

    def _both(self, array: Array, shape: tuple[int, int], first: Any, second: Any) -> Array:
        """A linear map of each question applied to pairs, laid out as a matrix of this shape."""
        across = second(array.reshape(*array.shape[:-1], *shape))
        both = first(across.swapaxes(-1, -2)).swapaxes(-1, -2)
        return np.asarray(both.reshape(*array.shape[:-1], both.shape[-1] * both.shape[-2]))

    def _of_values(self, shares: Array, first: Any, second: Any) -> Array:
        return self._both(shares, (self.first.size, self.second.size), first, second)

    def _of_reports(self, counts: Array, first: Any, second: Any) -> Array:
        return self._both(counts, (self.first.cells, self.second.cells), first, second)

    def decode(self, counts: Array) -> Array:
        return self._of_reports(counts, self.first.decode, self.second.decode)

    def decode_adjoint(self, weights: Array) -> Array:
        return self._of_values(weights, self.first.decode_adjoint, self.second.decode_adjoint)

    def expected_counts(self, shares: Array) -> Array:
        return self._of_values(shares, self.first.expected_counts, self.second.expected_counts)

    def expected_counts_adjoint(self, weights: Array) -> Array:
        return self._of_reports(weights, self.first.expected_counts_adjoint, self.second.expected_counts_adjoint)

    def second_moments(self, shares: Array) -> Array:
        return self._of_values(shares, self.first.second_moments, self.second.second_moments)

    def second_moment_derivative(self, shares: Array) -> Array:
        one, two = (part.second_moments(np.eye(part.size)).diagonal() for part in (self.first, self.second))
        own = (one[:, None] * two).reshape(self.size)
        return replacing_others(own, self.second_moments(shares), shares)

    def likelihoods(self, reports: Array) -> Array:
        both = self.gather(np.arange(self.cells), reports, 0)
        left, right = np.divmod(both, self.second.cells)
        one, two = self.first.likelihoods(left), self.second.likelihoods(right)
        return np.asarray((one[:, :, None] * two[:, None, :]).reshape(len(one), self.size))

    def reach(self) -> tuple[Array, Array]:
        ends = np.stack([one[:, None] * two for one in self.first.reach() for two in self.second.reach()])
        return ends.min(axis=0).reshape(self.size), ends.max(axis=0).reshape(self.size)

    @property
    def decode_cost(self) -> float:
        return self.first.cells * self.second.decode_cost + self.second.size * self.first.decode_cost
