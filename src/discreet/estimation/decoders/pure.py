"""Decoders of pure protocols: one estimator and one set of moments for all of them.

A report y *supports* the values in some set; it supports the person's own value with probability p and any other value
with probability q. Then ``phi_x(y) = (1{y supports x} - q) / (p - q)`` is unbiased (Wang2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ...core.domain import Alike
from ...core.errors import InvalidInput
from ...mechanisms.uniform.pure import PureSampler
from ..arrays.layout import Array, total_of, unit_rows
from .decoder import Decoder
from .written_out import MAX_ENTRIES

Pure = TypeVar("Pure", bound=PureSampler)


class PureDecoder(Decoder[Pure]):
    """The decoder of any pure protocol with numbered reports, each of probability `low` or `high`.

    A subclass that knows which reports support a value gives `supports` and its adjoint `cover` in a faster form than
    this one, which writes the channel out. *Cover reports*, which composers write for people whose value is elsewhere,
    support each value with probability r. The variance of n reports is ``n (v0 + v1 p_x + p_x - p_x**2)`` for a value
    of share p_x.

    *Why unbiased.* p and q are exact.
    """

    @property
    def exchangeable(self) -> Sequence[int]:
        return Alike(self.size)

    @cached_property
    def _support(self) -> Array:
        """1 where a report supports a value, a row for each report."""
        sampler = self.sampler
        if self.cells * self.size > MAX_ENTRIES:
            raise InvalidInput(f"{sampler.name}: {self.size} x {self.cells} entries are too many to write out")
        rows = [[sampler.probability(x, y) >= sampler.high for x in range(self.size)] for y in range(self.cells)]
        return np.array(rows, dtype=float)

    def supports(self, counts: Array) -> Array:
        """How many reports support each value."""
        return counts @ self._support

    def cover(self, weights: Array) -> Array:
        """For each report, the sum of the weights of the values it supports."""
        return weights @ self._support.T

    def supported(self, cells: Array) -> Array:
        """For each report a row that is 1 for the values it supports and 0 for the others."""
        return self.supports(unit_rows(cells, self.cells))

    @cached_property
    def low(self) -> float:
        """The probability of a report that does not support the person's value."""
        return float(self.sampler.low)

    @cached_property
    def rise(self) -> float:
        """By how much a report is likelier where it supports the person's value."""
        return float(self.sampler.high - self.sampler.low)

    @cached_property
    def q(self) -> float:
        """Pr(a report supports a value that is not the person's own)."""
        return float(self.sampler.q)

    @cached_property
    def gap(self) -> float:
        """p - q, without the rounding of either."""
        return float(self.sampler.p - self.sampler.q)

    @cached_property
    def v0(self) -> float:
        """n times the variance of a share when nobody holds x: q (1 - q) / (p - q)**2."""
        p, q = self.sampler.p, self.sampler.q
        return float(q * (1 - q) / (p - q) ** 2)

    @cached_property
    def v1(self) -> float:
        """What holding x adds to the variance: (p (1 - p) - q (1 - q)) / (p - q)**2."""
        p, q = self.sampler.p, self.sampler.q
        return float((p * (1 - p) - q * (1 - q)) / (p - q) ** 2)

    @property
    def cover_means(self) -> float:
        """E[phi_x] of a cover report."""
        p, q, r = self.sampler.p, self.sampler.q, self.sampler.r
        return float((r - q) / (p - q))

    @cached_property
    def cover_moments(self) -> float:
        """E[phi_x**2] of a cover report."""
        p, q, r = self.sampler.p, self.sampler.q, self.sampler.r
        return float((r * (1 - q) ** 2 + (1 - r) * q * q) / (p - q) ** 2)

    @property
    def own_moments(self) -> float:
        """E[phi_x**2] of a report of x itself."""
        return self.v0 + self.v1 + 1

    def decode(self, counts: Array) -> Array:
        return (self.supports(counts) - self.q * self.total(counts)) / self.gap

    def decode_adjoint(self, weights: Array) -> Array:
        return (self.cover(weights) - self.q * total_of(weights)) / self.gap

    def expected_counts(self, shares: Array) -> Array:
        return self.low * total_of(shares) + self.rise * self.cover(shares)

    def expected_counts_adjoint(self, weights: Array) -> Array:
        return self.low * total_of(weights) + self.rise * self.supports(weights)

    def cover_counts(self, mass: Any) -> Any:
        """The expected counts from `mass` cover reports."""
        return mass / self.cells

    def cover_counts_adjoint(self, weights: Array) -> Array:
        """The expected sum of the weights of the cells of one cover report."""
        return total_of(weights) / self.cells

    def second_moments(self, shares: Array) -> Array:
        return self.v0 * total_of(shares) + (self.v1 + 1) * shares

    def second_moment_derivative(self, shares: Array) -> Array:
        return self.v1 + 1 + 0 * shares

    def covered_moment(self, shares: Array, cover: Any, first: Array, second: Array) -> Array:
        """E[(first . phi)(second . phi)] for `shares` of the values and a mass `cover` of cover reports."""
        law = self.expected_counts(shares) + self.cover_counts(cover)
        return total_of(law * self.decode_adjoint(first) * self.decode_adjoint(second))

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        return self.covered_moment(shares, 0.0, first, second)

    def likelihoods(self, reports: Array) -> Array:
        cells = self.gather(np.arange(self.cells), reports, 0)
        return self.cells * (self.low + self.rise * self.supported(cells))

    def reach(self) -> tuple[Array, Array]:
        p, q = self.sampler.p, self.sampler.q
        ends = float(-q / (p - q)), float((1 - q) / (p - q))
        return np.full(self.size, ends[0]), np.full(self.size, ends[1])

    def square_sums(self, counts: Array) -> Array:
        least, most = self.reach()
        return np.asarray((least + most) * self.decode(counts) - least * most * self.total(counts))
