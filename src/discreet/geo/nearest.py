"""The nearest of some centres on the globe, for many points."""

from typing import Final

import numpy as np

from .labels import FloatArray, IntArray

_ENTRIES_AT_ONCE: Final = 4_000_000


def nearest(
    latitude: FloatArray, longitude: FloatArray, centre_latitude: FloatArray, centre_longitude: FloatArray
) -> IntArray:
    """The index of the centre nearest to each point along a great circle; the first of equals.

    The nearest centre has the largest inner product of unit vectors.
    """
    centres = _unit_vectors(centre_latitude, centre_longitude).T
    points = _unit_vectors(latitude, longitude)
    found = np.empty(len(points), dtype=np.int64)
    step = max(1, _ENTRIES_AT_ONCE // centres.shape[1])
    for start in range(0, len(points), step):
        found[start : start + step] = np.argmax(points[start : start + step] @ centres, axis=1)
    return found


def _unit_vectors(latitude: FloatArray, longitude: FloatArray) -> FloatArray:
    """Points of the unit sphere [point, 3]."""
    lat, lon = np.radians(latitude), np.radians(longitude)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)
