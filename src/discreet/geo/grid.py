"""Partitions of a grid, a box or H3 hexagons: one label per value, 0..m-1, every block with at least one value."""

from collections.abc import Sequence
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import InvalidInput, MissingExtra

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def compact(labels: ArrayLike) -> IntArray:
    """The same partition with labels 0..m-1 in the order of the old ones, no block empty."""
    return np.unique(np.asarray(labels), return_inverse=True)[1].ravel().astype(np.int64)


def block_sizes(labels: ArrayLike) -> IntArray:
    """The number of values in each block."""
    array: NDArray[np.generic] = np.asarray(labels)
    if array.ndim != 1 or not len(array) or not np.issubdtype(array.dtype, np.integer):
        raise InvalidInput(f"labels of shape {array.shape} and type {array.dtype} must be integers, at least one")
    whole = array.astype(np.int64)
    if whole.min() < 0:
        raise InvalidInput(f"labels={whole.min()} must not be negative")
    return np.bincount(whole)


def worst_block_size(labels: ArrayLike) -> int:
    """The number of values in the largest block, which hides best and is estimated worst."""
    return int(block_sizes(labels).max())


def check_points(latitude: ArrayLike, longitude: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Latitudes and longitudes in degrees as floats; `InvalidInput` unless equally many, finite and on the globe."""
    lat, lon = np.asarray(latitude, dtype=np.float64), np.asarray(longitude, dtype=np.float64)
    if lat.ndim != 1 or lat.shape != lon.shape or not len(lat):
        raise InvalidInput(
            f"latitude of shape {lat.shape} and longitude of shape {lon.shape} must be equally long lists of points"
        )
    for name, degrees, most in (("latitude", lat, 90.0), ("longitude", lon, 180.0)):
        wrong = ~(np.abs(degrees) <= most)
        if wrong.any():
            row = int(np.argmax(wrong)) + 1
            raise InvalidInput(f"row {row}: {name} must lie in -{most:g}..{most:g} degrees")
    return lat, lon


def check_positive(name: str, number: int) -> int:
    """The number; `InvalidInput` unless it is a positive integer."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
        raise InvalidInput(f"{name}={number!r} must be a positive integer")
    return int(number)


Box = tuple[float, float, float, float]


def grid_blocks(shape: tuple[int, int], parts: tuple[int, int]) -> IntArray:
    """Labels of the cells of a grid, row by row, cut into parts[0] x parts[1] rectangles as equal as possible.

    Cell (r, c) lies in rectangle (r * parts[0] // rows, c * parts[1] // columns); (1, 1) is one block of
    all cells.
    """
    rows, columns = (check_positive("shape", number) for number in shape)
    down, across = (check_positive("parts", number) for number in parts)
    if down > rows or across > columns:
        raise InvalidInput(f"parts={(down, across)} must not exceed shape={(rows, columns)}")
    row, column = np.arange(rows) * down // rows, np.arange(columns) * across // columns
    return (row[:, None] * across + column).ravel()


def grid_coordinates(shape: tuple[int, int]) -> IntArray:
    """Row and column [cell, 2] of the cells of a grid, row by row."""
    rows, columns = (check_positive("shape", number) for number in shape)
    return np.stack(np.divmod(np.arange(rows * columns), columns), axis=1)


def grid_centres(shape: tuple[int, int], box: Box) -> tuple[FloatArray, FloatArray]:
    """Latitude and longitude of the centres of a grid's cells, row by row, where the grid fills the box.

    box = (south, north, west, east) in degrees; the first row is the southernmost, the first column the
    westernmost.
    """
    rows, columns = (check_positive("shape", number) for number in shape)
    south, north, west, east = check_box(box)
    lat = south + (np.arange(rows) + 0.5) * (north - south) / rows
    lon = west + (np.arange(columns) + 0.5) * (east - west) / columns
    return np.repeat(lat, columns), np.tile(lon, rows)


def box_blocks(latitude: ArrayLike, longitude: ArrayLike, parts: tuple[int, int], *, box: Box) -> IntArray:
    """Labels of points in a box cut into parts[0] x parts[1] rectangles of equal degrees; empty ones get no label.

    box = (south, north, west, east) in degrees; a point on the north or east side belongs to the last
    rectangle.
    """
    lat, lon = check_points(latitude, longitude)
    south, north, west, east = check_box(box)
    down, across = (check_positive("parts", number) for number in parts)
    if lat.min() < south or lat.max() > north or lon.min() < west or lon.max() > east:
        raise InvalidInput(f"box={box} must hold every point")
    row = np.minimum((lat - south) * down / (north - south), down - 1).astype(np.int64)
    column = np.minimum((lon - west) * across / (east - west), across - 1).astype(np.int64)
    return compact(row * across + column)


def check_box(box: Box) -> Box:
    """The box (south, north, west, east); `InvalidInput` unless it has an area on the globe."""
    south, north, west, east = box
    if not (-90 <= south < north <= 90 and -180 <= west < east <= 180):
        raise InvalidInput(f"box={box} must be (south, north, west, east) in degrees with south < north, west < east")
    return box


def h3_blocks(latitude: ArrayLike, longitude: ArrayLike, *, resolution: int) -> IntArray:
    """Labels of points by the H3 cell in which they lie, at that resolution (0 coarse to 15 fine)."""
    lat, lon = check_points(latitude, longitude)
    h3 = _h3(resolution)
    return compact([h3.latlng_to_cell(*point, resolution) for point in zip(lat.tolist(), lon.tolist(), strict=True)])


def h3_parent_blocks(cells: Sequence[str], *, resolution: int) -> IntArray:
    """Labels of H3 cells by their parent at that coarser resolution."""
    h3 = _h3(resolution)
    for cell in _check_cells(cells, h3):
        if h3.get_resolution(cell) < resolution:
            raise InvalidInput(f"resolution={resolution} must be at most {h3.get_resolution(cell)}, that of {cell}")
    return compact([h3.cell_to_parent(cell, resolution) for cell in cells])


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


def _h3(resolution: int) -> ModuleType:
    """The h3 module; `InvalidInput` for a resolution that does not exist."""
    if isinstance(resolution, bool) or not isinstance(resolution, int) or not 0 <= resolution <= 15:
        raise InvalidInput(f"resolution={resolution!r} must be an integer from 0 to 15")
    try:
        import h3
    except ImportError as missing:
        raise MissingExtra("h3", "geo") from missing
    return h3  # type: ignore[no-any-return]
