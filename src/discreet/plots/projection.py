"""The projection of maps: equal areas stay equal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Box = tuple[float, float, float, float]
"""South, north, west and east in degrees."""

KILOMETRES = 6371.0088
"""The mean radius of the earth."""

Project = Callable[[Any, Any], tuple[Any, Any]]
"""From longitudes and latitudes in degrees to kilometres east and north."""


def albers(box: Box) -> Project:
    """Albers' equal-area projection for a box: a cone that cuts it at a sixth and at five sixths of its height.

    With standard parallels a and b, n = (sin a + sin b)/2 and C = cos^2 a + 2 n sin a, a point is at the distance
    sqrt(C - 2 n sin latitude)/n from the tip of the cone and at the angle n (longitude - middle). A box that the
    equator halves has a cylinder instead, n = 0.

    References: Snyder1987 (14).
    """
    south, north, west, east = box
    sixth = (north - south) / 6
    first, second = np.radians(south + sixth), np.radians(north - sixth)
    middle, between = np.radians((west + east) / 2), np.radians((south + north) / 2)
    n = (np.sin(first) + np.sin(second)) / 2
    constant = np.cos(first) ** 2 + 2 * n * np.sin(first)

    def radius(latitude: Any) -> Any:
        return np.sqrt(np.maximum(constant - 2 * n * np.sin(latitude), 0)) / n

    def conic(longitude: Any, latitude: Any) -> tuple[Any, Any]:
        away, angle = radius(np.radians(latitude)), n * (np.radians(longitude) - middle)
        return KILOMETRES * away * np.sin(angle), KILOMETRES * (radius(between) - away * np.cos(angle))

    def cylindric(longitude: Any, latitude: Any) -> tuple[Any, Any]:
        narrowed = np.cos(first)
        easting = (np.radians(longitude) - middle) * narrowed
        return KILOMETRES * easting, KILOMETRES * np.sin(np.radians(latitude)) / narrowed

    return conic if abs(n) > 1e-6 else cylindric


def edge(box: Box, *, points: int = 60) -> Any:
    """The rim of a box, as longitudes and latitudes [point, 2] close enough to bend with a projection."""
    south, north, west, east = box
    along = np.linspace(west, east, points)
    rim = [np.stack([along, np.full(points, south)], 1), np.stack([along[::-1], np.full(points, north)], 1)]
    return np.concatenate([*rim, rim[0][:1]])
