"""Uniform partitions: a grid or a box cut into equal rectangles."""

import numpy as np
from numpy.typing import ArrayLike

from ..core.errors import InvalidInput
from .labels import FloatArray, IntArray, check_points, check_positive, compact

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
