"""`Decoder`: counts reports, and turns counts into unbiased shares with exact moments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from ...mechanisms.sampler import Sampler
from ..arrays.layout import Array, Cells, Sets, as_column, pick, slabs, total_of, unit_rows, unit_slabs
from ..arrays.reports import count_cells, gather_cells, whole_numbers

Drawn = TypeVar("Drawn", bound=Sampler)

MAX_SQUARES = 1 << 24
"""The most entries of an estimator that are squared one by one."""


class Group(NamedTuple):
    """Parts of a mechanism that are alike: row i of `cells` and of `values` belongs to the part `numbers[i]`.

    Every report shows which part it belongs to, so the number of reports of each part is known exactly.
    """

    decoder: Decoder[Any]
    numbers: Array
    cells: Array
    values: Array


class Counter:
    """How reports are counted in `cells` cells, which lie over the last axis of every array of counts.

    Cell y counts report y, and every number below `cells` is a report, unless overridden.
    """

    disjoint: bool = True
    """True when every report adds to exactly one cell."""

    def __init__(self, cells: int) -> None:
        self.cells = cells
        self.bits = max(1, (cells - 1).bit_length())
        """Bits that hold any report."""

    @property
    def layout(self) -> Cells | Sets | None:
        """How a compiled pass can count the reports; None where only `count` can."""
        return Cells(self.cells)

    def cells_of(self, y: int) -> Sequence[int]:
        """The cells that a report `y` increases by one."""
        return (y,)

    def count(self, counts: Array, reports: Array, start: Any) -> None:
        """Add an array of reports to `counts`, their cells beginning at `start` (one number, or one per report).

        `InvalidReport` if one of them cannot occur; then nothing has been added.
        """
        count_cells(counts, reports, start, self.cells)

    def gather(self, entries: Array, reports: Array, start: Any) -> Array:
        """For every report the sum of the entries of its cells: the adjoint of `count`.

        `InvalidReport` if one of them cannot occur. Without a cell for each report this default counts them one by one.
        """
        if self.disjoint:
            return gather_cells(entries, reports, start, self.cells)
        sums, cells = np.zeros(len(reports)), np.arange(self.cells)[None, :]
        for rows in slabs(len(reports), self.cells):
            own, begin = np.arange(len(sums[rows])) * self.cells, as_column(pick(start, rows))
            counts = np.zeros(len(own) * self.cells)
            self.count(counts, reports[rows], own)
            sums[rows] = (counts.reshape(len(own), self.cells) * entries[begin + cells]).sum(axis=-1)
        return sums

    def total(self, counts: Array) -> Array:
        """The number of reports behind the counts."""
        return total_of(counts)

    def inconsistency(self, counts: Array) -> str | None:
        """A rule that counts of reports obey and these do not; None if some reports have exactly these counts.

        The counts are not negative, and none is above the number of reports. A decoder with a cell for each report,
        all of which can occur, needs no other rule.
        """
        return None

    def set_totals(self) -> Array:
        """For each cell that counts members of sets, the cell that counts the sets; -1 for every other cell."""
        return np.full(self.cells, -1)

    def overlaps(self) -> Array:
        """For each cell, to how many cells a report that adds to it adds in all, a set counted as one: 1 for most."""
        return np.ones(self.cells, dtype=np.int64)

    def unit_weights(self) -> Array:
        """A weight per cell that adds up to one over the cells of any report: the adjoint of `total`."""
        return np.asarray((self.set_totals() < 0) / self.overlaps())


class Decoder(Counter, ABC, Generic[Drawn]):
    """The collector's side of a sampler: how its reports are counted, and linear maps on the counts.

    With phi the estimator, ``E[phi_x(Y) | z] = 1{x = z}``. Everything is over the last axis of the arrays, so that one
    call serves many like parts.
    """

    def __init__(self, sampler: Drawn) -> None:
        super().__init__(sampler.outputs)
        self.sampler, self.size = sampler, sampler.size

    @classmethod
    def of(cls, sampler: Drawn) -> Decoder[Any]:
        """The decoder of a sampler of this kind: of this class, unless a law of the kind needs another."""
        return cls(sampler)

    def cells_of(self, y: int) -> Sequence[int]:
        return (self.sampler.check_report(y),)

    # -- structure --------------------------------------------------------------------------------
    def groups(self) -> Sequence[Group]:
        """The parts whose reports can be told apart, with like parts grouped: one part unless overridden."""
        return [Group(self, np.array([0]), np.arange(self.cells)[None, :], np.arange(self.size)[None, :])]

    @property
    def exchangeable(self) -> Sequence[int] | None:
        """Equal numbers for values that can be swapped without changing a moment; None where there are none."""
        return None

    # -- estimates and their moments ----------------------------------------------------------------
    @abstractmethod
    def decode(self, counts: Array) -> Array:
        """Unbiased counts of the values: the sum of phi_x(y) over the reports."""

    def decode_adjoint(self, weights: Array) -> Array:
        """A weight per cell: ``decode(counts) . weights = counts . decode_adjoint(weights)``.

        Its sum over the cells of a report is the report's score, which has mean ``weights[x]`` for a person who holds
        x. This default decodes every cell by itself.
        """
        entries = np.zeros((*weights.shape[:-1], self.cells))
        for units, cells in unit_slabs(self.cells):
            entries[..., cells] = weights @ self.decode(units).T
        return entries

    @abstractmethod
    def second_moments(self, shares: Array) -> Array:
        """E[phi_x(Y)**2] for every x when values follow `shares` (which may add up to less than one)."""

    @abstractmethod
    def second_moment_derivative(self, shares: Array) -> Array:
        """How E[phi_x(Y)**2] grows with the share of x when the rest keeps its total."""

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        """E[(first . phi(Y)) (second . phi(Y))] when values follow `shares`, for weights or for rows of weights.

        This default is for decoders with a cell for each report.
        """
        return total_of(self.expected_counts(shares) * self.decode_adjoint(first) * self.decode_adjoint(second))

    @abstractmethod
    def expected_counts(self, shares: Array) -> Array:
        """The expected count of each cell from one report when values follow `shares`."""

    @abstractmethod
    def expected_counts_adjoint(self, weights: Array) -> Array:
        """For each value the expected sum of the weights of the cells of its report."""

    def likelihoods(self, reports: Array) -> Array:
        """Pr(report | value), a row for each report and a column for each value, up to a factor a row.

        `InvalidReport` if a report cannot occur. Fast forms override this default, which takes the probabilities from
        `expected_counts_adjoint` where each report has a cell of its own, and elsewhere works them out one by one.
        """
        if not self.disjoint:
            whole = [self.sampler.check_report(y) for y in whole_numbers(reports)]
            return np.array([[float(self.sampler.probability(x, y)) for x in range(self.size)] for y in whole])
        cells = self.gather(np.arange(self.cells), reports, 0)
        return self.expected_counts_adjoint(unit_rows(cells, self.cells))

    def reach(self) -> tuple[Array, Array]:
        """The least and the largest phi_x(y) of any report y, for every value x.

        This default decodes every report by itself, for decoders with a cell for each.
        """
        least, most = np.full(self.size, np.inf), np.full(self.size, -np.inf)
        for units, _ in unit_slabs(self.cells):
            phi = self.decode(units)
            least, most = np.minimum(least, phi.min(axis=0)), np.maximum(most, phi.max(axis=0))
        return least, most

    def square_sums(self, counts: Array) -> Array | None:
        """The sum of phi_x(y)**2 over the reports, for every value x; None where counts do not tell it.

        This default decodes every report by itself, where each has a cell and they are not too many.
        """
        if not self.disjoint or self.cells * self.size > MAX_SQUARES:
            return None
        return sum(
            (counts[..., cells] @ self.decode(units) ** 2 for units, cells in unit_slabs(self.cells)), np.zeros(1)
        )

    def influence(self) -> float:
        """The most people's worth of share that one crafted report can put on a single value."""
        return float(self.reach()[1].max())

    @property
    def decode_cost(self) -> float:
        """Roughly how many additions it takes to turn counts into shares."""
        return float(self.cells)


def replacing_others(own: Any, moments: Array, shares: Array) -> Array:
    """What one more holder of x adds to E[phi_x**2] over what one of the others adds, on average.

    `own` is E[phi_x**2] of a report of x itself, `moments` that at the shares.
    """
    return np.asarray(own - (moments - own * shares) / np.maximum(1 - shares, 1e-9))
