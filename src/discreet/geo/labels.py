"""Block labels: one integer per value, 0..m-1, every block with at least one value."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import InvalidInput

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def compact(labels: IntArray) -> IntArray:
    """The same partition with labels 0..m-1 in the order of the old ones, no block empty."""
    return np.unique(labels, return_inverse=True)[1].ravel().astype(np.int64)


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
