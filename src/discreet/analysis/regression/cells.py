"""People with the same labels and the same report, taken together: a likelihood needs their number only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..reference_distribution import Array, Codes
from .design_matrix import DesignMatrix, rows_at_a_time

MAX_HELD = 1 << 22
"""The most entries of rows that are held; more are made again whenever they are needed."""


class Cells:
    """The rows of a regression, each with the sum of the weights of its people and the place of one of them.

    Where people were drawn with weights, clusters or strata everybody is a cell. Weights are scaled to a mean of 1, and
    `unit` is the mean that they had. Cells of one wave stand together: `waves` has their ranges.
    """

    def __init__(self, design: DesignMatrix, *columns: NDArray[Any]) -> None:
        self.design, n = design, design.n
        self.unit = float(design.weights.mean())
        waves = np.repeat(np.arange(len(design.survey.waves)), [len(wave.reports) for wave in design.survey.waves])
        self.places: Codes = np.arange(n)
        self.weights: Array = design.weights / self.unit
        if not design.survey.design:
            codes = np.zeros(n, dtype=np.int64)
            for column in (waves, *design.values.values(), *columns):
                different, own = np.unique(column, return_inverse=True)
                codes = np.unique(codes * len(different) + own.reshape(-1), return_inverse=True)[1].reshape(-1)
            _, first, counts = np.unique(codes, return_index=True, return_counts=True)
            if 2 * len(first) <= n:
                self.places, self.weights = first, counts.astype(float)
        ends = np.searchsorted(waves[self.places], np.arange(len(design.survey.waves)), side="right")
        self.waves = [range(begin, end) for begin, end in zip([0, *ends[:-1]], ends, strict=True)]
        self._held: Array | None = None
        if len(self.places) * len(design.formula.names) <= MAX_HELD:
            self._held = design.rows(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def chunks(self, terms: int = 1) -> Iterator[tuple[int, slice, Array]]:
        """Iterate over the cells some at a time: the number of their wave, their place, and their scaled rows."""
        size = rows_at_a_time(len(self.design.formula.names), terms)
        for number, cells in enumerate(self.waves):
            for begin in range(cells.start, cells.stop, size):
                place = slice(begin, min(begin + size, cells.stop))
                yield number, place, self.rows(place)

    def rows(self, place: slice) -> Array:
        """The scaled rows of the cells at this place."""
        return self.design.rows(self.places[place]) if self._held is None else self._held[place]
