"""Counting with a cell for every report, and decoders that count so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..arrays.gathering import gather_cells
from ..arrays.layout import Array, Cells, total_of
from ..arrays.reports import count_cells
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
