"""Columns of numbers as places between the nodes of a grid, and those places as nodes, many at once.

Both do what `NumberDomain.position` and `NumberDomain.place` do one by one, to the last unit and word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import UnknownValue
from ..core.numbers import NumberDomain
from .encoding import ABSENT, DomainLookup

if TYPE_CHECKING:
    Words = NDArray[np.uint64]

U = np.uint64
DOUBT = 2.0**-50
"""How near to the middle of two units a double, relative to its size, is rounded as the decimal that it prints."""


class NumberLookup(DomainLookup):
    """Finds the places of numbers; what is written is read as what is held."""

    def __init__(self, domain: NumberDomain, *, written: bool = False) -> None:
        super().__init__(domain, written=written)
        self._grid = domain

    def number(self, value: object) -> int:
        try:
            return self._grid.position(value)
        except UnknownValue:
            return ABSENT

    def of_integers(self, array: NDArray[Any]) -> NDArray[Any]:
        grid, unit = self._grid, 10**self._grid.decimals
        low, high = -(-grid.first // unit), grid.last // unit  # the whole numbers that are inside the bounds
        inside = (array >= low) & (array <= high)
        places = np.where(inside, array, low).astype(np.int64) * unit - grid.first
        if inside.all():
            return np.asarray(places)
        outer = np.where(array > high, grid.last - grid.first, 0) if grid.clip else ABSENT
        return np.where(inside, places, outer)

    def _of_distinct(self, array: NDArray[Any]) -> NDArray[Any]:
        return self.of_floats(array) if array.dtype in (np.float64, np.float32) else super()._of_distinct(array)

    def of_floats(self, array: NDArray[Any]) -> NDArray[Any]:
        """The places of doubles, each of which means the shortest decimal that it prints; `ABSENT` for nan."""
        grid = self._grid
        if array.dtype == np.float32:  # prints fewer digits than the same double
            return super()._of_distinct(array)
        with np.errstate(invalid="ignore", over="ignore"):
            scaled = array.astype(np.float64) * 10**grid.decimals
            whole = np.floor(scaled + 0.5)
            low, high = whole < grid.first, whole > grid.last
            known = np.isfinite(scaled) & ~low & ~high
            places = np.where(known, whole, grid.first).astype(np.int64) - grid.first
            if grid.clip:
                places[low & (array > -np.inf)], places[high & (array < np.inf)] = 0, grid.last - grid.first
                known |= np.isfinite(array)
            places[~known] = ABSENT
            doubtful = np.abs(scaled - np.floor(scaled) - 0.5) <= np.maximum(np.abs(scaled), 1) * DOUBT
        for row in np.flatnonzero(doubtful & np.isfinite(array)):
            places[row] = self.number(float(array[row]))
        return np.asarray(places)


def place(grid: NumberDomain, positions: NDArray[Any], words: Words | None) -> NDArray[np.uint32]:
    """The node of every number: the upper one where its word is below ``floor(2**64 r / den)``."""
    span, units = U(grid.last - grid.first), U(grid.units)
    inside = np.minimum(positions.astype(U), span) if grid.outside else positions.astype(U)
    nodes, rest = np.divmod(inside, units)
    if words is None:
        up = U(2) * rest >= units
    else:
        upper, left = np.divmod(rest << U(32), units)
        up = words < (upper << U(32) | (left << U(32)) // units)
    nodes += up
    if grid.outside:
        beyond = positions.astype(U) > span
        nodes[beyond] = positions.astype(U)[beyond] - span - U(1) + U(grid.nodes)
    return nodes.astype(np.uint32)
