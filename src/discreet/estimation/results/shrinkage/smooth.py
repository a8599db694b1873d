"""Leave-one-out Gaussian averages of counts over an integer grid."""

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....core.errors import InvalidInput
from .posterior import FloatArray, IntArray

_REACH: Final = 4.0
_SMALL_GRID: Final = 1 << 20
_CELLS_PER_VALUE: Final = 64


def check_coordinates(given: ArrayLike, size: int) -> IntArray:
    """The coordinates; `InvalidInput` unless they are [size, 2] distinct integers in a box of reasonable size."""
    array: NDArray[np.generic] = np.asarray(given)
    if array.shape != (size, 2) or not np.issubdtype(array.dtype, np.integer):
        raise InvalidInput(f"coordinates of shape {array.shape} and type {array.dtype} must be integers [{size}, 2]")
    cells = array.astype(np.int64)
    rows, columns = (cells.max(axis=0) - cells.min(axis=0) + 1).tolist()
    if rows * columns > max(_SMALL_GRID, _CELLS_PER_VALUE * size):
        raise InvalidInput(
            f"coordinates span {rows} x {columns} cells; they must span at most {_CELLS_PER_VALUE} per value"
        )
    if len(np.unique(cells, axis=0)) != size:
        raise InvalidInput("coordinates must be distinct: one cell per value")
    return cells


def neighbour_averages(counts: FloatArray, coordinates: IntArray, bandwidth: float) -> FloatArray:
    """sum_{x' != x} K(x - x') counts(x') / sum_{x' != x} K(x - x') with Gaussian K, bandwidth in cells.

    Cells without a value count in neither sum; a value with no neighbour in reach gets 0.
    """
    place = coordinates - coordinates.min(axis=0)
    shape = tuple((place.max(axis=0) + 1).tolist())
    grid = np.zeros((2, *shape))
    grid[0, place[:, 0], place[:, 1]] = counts
    grid[1, place[:, 0], place[:, 1]] = 1.0
    reach = math.ceil(_REACH * bandwidth)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / bandwidth) ** 2)
    blurred = _along(_along(grid, kernel, 1), kernel, 2) - grid
    above, below = blurred[:, place[:, 0], place[:, 1]]
    averages: FloatArray = np.where(below > 1e-9, np.maximum(above, 0.0) / np.maximum(below, 1e-9), 0.0)
    return averages


def _along(grid: FloatArray, kernel: FloatArray, axis: int) -> FloatArray:
    """The grid convolved with a kernel of odd length along one axis, with zeros outside."""
    reach = len(kernel) // 2
    moved = np.moveaxis(grid, axis, -1)
    padded = np.pad(moved, [(0, 0), (0, 0), (reach, reach)])
    length = moved.shape[-1]
    total = sum(weight * padded[..., start : start + length] for start, weight in enumerate(kernel.tolist()))
    return np.moveaxis(np.asarray(total, dtype=np.float64), -1, axis)
