"""Decoders of pure protocols: one estimator and one set of moments for all of them.

A report y *supports* the values in some set; it supports the person's own value with probability p and any other value
with probability q. Then ``phi_x(y) = (1{y supports x} - q) / (p - q)`` is unbiased (Wang2017).

Counting with a cell for every report, and decoders that count so.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ...core.domain import Alike
from ...mechanisms.uniform.pure import PureNumbered, PureSampler
from ..arrays.layout import Array, Cells, total_of, unit_rows
from ..arrays.reports import count_cells, gather_cells
from .decoder import Counter, Decoder, Drawn


class NumberedCounter(Counter):
    """Counts reports that are the numbers below `cells`, all of which can occur: cell y counts report y."""

    disjoint = True

    def __init__(self, cells: int) -> None:
        self.cells, self.bits = cells, max(1, (cells - 1).bit_length())

    @property
    def layout(self) -> Cells:
        return Cells(self.cells)

    def cells_of(self, y: int) -> Sequence[int]:
        return (y,)

    def count(self, counts: Array, reports: Array, start: Any) -> None:
        count_cells(counts, reports, start, self.cells)

    def gather(self, entries: Array, reports: Array, start: Any) -> Array:
        return gather_cells(entries, reports, start, self.cells)

    def total(self, counts: Array) -> Array:
        return total_of(counts)


class NumberedDecoder(NumberedCounter, Decoder[Drawn]):
    """A decoder of reports that are all the numbers below `outputs`."""

    def __init__(self, sampler: Drawn) -> None:
        Decoder.__init__(self, sampler)
        self.cells = sampler.outputs

    def cells_of(self, y: int) -> Sequence[int]:
        return (self.sampler.check_report(y),)

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        return total_of(self.expected_counts(shares) * self.decode_adjoint(first) * self.decode_adjoint(second))


Pure = TypeVar("Pure", bound=PureSampler)
Indexed = TypeVar("Indexed", bound=PureNumbered)


class CoverDecoder(Decoder[Drawn]):
    """A decoder that also knows what *cover reports* add, which hide others and say nothing of any value."""

    @property
    @abstractmethod
    def cover_means(self) -> Any:
        """E[phi_x] of a cover report, one number or one for each value."""

    @property
    @abstractmethod
    def cover_moments(self) -> Any:
        """E[phi_x**2] of a cover report, one number or one for each value."""

    @property
    @abstractmethod
    def own_moments(self) -> Any:
        """E[phi_x**2] of a report of x itself, one number or one for each value."""

    @abstractmethod
    def covered_moment(self, shares: Array, cover: Any, first: Array, second: Array) -> Array:
        """E[(first . phi)(second . phi)] for `shares` of the values and a mass `cover` of cover reports."""

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        return self.covered_moment(shares, 0.0, first, second)

    @abstractmethod
    def cover_counts(self, mass: Any) -> Array:
        """The expected counts from `mass` cover reports."""

    @abstractmethod
    def cover_counts_adjoint(self, weights: Array) -> Array:
        """The expected sum of the weights of the cells of one cover report."""


class PureDecoder(CoverDecoder[Pure]):
    """The decoder of a pure protocol; a cover report supports each value with probability r.

    The variance of n reports is ``n (v0 + v1 p_x + p_x - p_x**2)`` for a value of share p_x.
    """

    @property
    def exchangeable(self) -> Sequence[int]:
        return Alike(self.size)

    @abstractmethod
    def supports(self, counts: Array) -> Array:
        """How many reports support each value."""

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
        p, q, r = self.sampler.p, self.sampler.q, self.sampler.r
        return float((r - q) / (p - q))

    @cached_property
    def cover_moments(self) -> float:
        p, q, r = self.sampler.p, self.sampler.q, self.sampler.r
        return float((r * (1 - q) ** 2 + (1 - r) * q * q) / (p - q) ** 2)

    @property
    def own_moments(self) -> float:
        return self.v0 + self.v1 + 1

    def decode(self, counts: Array) -> Array:
        return (self.supports(counts) - self.q * self.total(counts)) / self.gap

    def second_moments(self, shares: Array) -> Array:
        return self.v0 * total_of(shares) + (self.v1 + 1) * shares

    def second_moment_derivative(self, shares: Array) -> Array:
        return self.v1 + 1 + 0 * shares

    def influence(self) -> float:
        return float((1 - self.sampler.q) / (self.sampler.p - self.sampler.q))


class PureNumberedDecoder(NumberedDecoder[Indexed], PureDecoder[Indexed]):
    """The decoder of a pure protocol with few enough reports to count each, of probability `low` or `high`.

    A subclass gives `supports` and its adjoint `cover`.
    """

    @abstractmethod
    def cover(self, weights: Array) -> Array:
        """For each report, the sum of the weights of the values it supports."""

    @cached_property
    def low(self) -> float:
        """The probability of a report that does not support the person's value."""
        return float(self.sampler.low)

    @cached_property
    def rise(self) -> float:
        """By how much a report is likelier where it supports the person's value."""
        return float(self.sampler.high - self.sampler.low)

    def decode_adjoint(self, weights: Array) -> Array:
        return (self.cover(weights) - self.q * total_of(weights)) / self.gap

    def expected_counts(self, shares: Array) -> Array:
        return self.low * total_of(shares) + self.rise * self.cover(shares)

    def expected_counts_adjoint(self, weights: Array) -> Array:
        return self.low * total_of(weights) + self.rise * self.supports(weights)

    def cover_counts(self, mass: Any) -> Any:
        return mass / self.cells

    def cover_counts_adjoint(self, weights: Array) -> Array:
        return total_of(weights) / self.cells

    def covered_moment(self, shares: Array, cover: Any, first: Array, second: Array) -> Array:
        law = self.expected_counts(shares) + self.cover_counts(cover)
        return total_of(law * self.decode_adjoint(first) * self.decode_adjoint(second))

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        return self.covered_moment(shares, 0.0, first, second)

    def likelihoods(self, reports: Array) -> Array:
        cells = self.gather(np.arange(self.cells), reports, 0)
        return self.cells * (self.low + self.rise * self.supported(cells))

    def supported(self, cells: Array) -> Array:
        """For each report a row that is 1 for the values it supports and 0 for the others."""
        return self.supports(unit_rows(cells, self.cells))
