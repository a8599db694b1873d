"""H3 hexagons as blocks."""

from collections.abc import Sequence
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike

from ..core.errors import InvalidInput, MissingExtra
from .labels import FloatArray, IntArray, check_points


def h3_blocks(latitude: ArrayLike, longitude: ArrayLike, *, resolution: int) -> IntArray:
    """Labels of points by the H3 cell in which they lie, at that resolution (0 coarse to 15 fine)."""
    lat, lon = check_points(latitude, longitude)
    h3 = _h3(resolution)
    return _in_order([h3.latlng_to_cell(*point, resolution) for point in zip(lat.tolist(), lon.tolist(), strict=True)])


def h3_parent_blocks(cells: Sequence[str], *, resolution: int) -> IntArray:
    """Labels of H3 cells by their parent at that coarser resolution."""
    h3 = _h3(resolution)
    for cell in _check_cells(cells, h3):
        if h3.get_resolution(cell) < resolution:
            raise InvalidInput(f"resolution={resolution} must be at most {h3.get_resolution(cell)}, that of {cell}")
    return _in_order([h3.cell_to_parent(cell, resolution) for cell in cells])


def h3_centres(cells: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Latitude and longitude of the centres of H3 cells, in order."""
    h3 = _h3(0)
    centres = np.array([h3.cell_to_latlng(cell) for cell in _check_cells(cells, h3)])
    return centres[:, 0], centres[:, 1]


def _check_cells(cells: Sequence[str], h3: ModuleType) -> Sequence[str]:
    """The cells, at least one, if every one of them is an H3 cell."""
    if not len(cells):
        raise InvalidInput("cells must not be empty")
    for cell in cells:
        if not isinstance(cell, str) or not h3.is_valid_cell(cell):
            raise InvalidInput(f"cells={cell!r} must be an H3 cell")
    return cells


def _in_order(cells: list[str]) -> IntArray:
    """Labels 0..m-1 in the sorted order of the cells' names."""
    return np.unique(np.array(cells), return_inverse=True)[1].ravel().astype(np.int64)


def _h3(resolution: int) -> ModuleType:
    """The h3 module; `InvalidInput` for a resolution that does not exist."""
    if isinstance(resolution, bool) or not isinstance(resolution, int) or not 0 <= resolution <= 15:
        raise InvalidInput(f"resolution={resolution!r} must be an integer from 0 to 15")
    try:
        import h3
    except ImportError as missing:
        raise MissingExtra("h3", "geo") from missing
    module: ModuleType = h3
    return module
