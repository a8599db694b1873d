"""The projection of maps: equal areas stay equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Box = tuple[float, float, float, float]
"""South, north, west and east in degrees."""

KILOMETRES = 6371.0088
"""The mean radius of the earth."""


@dataclass(frozen=True)
class Albers:
    """Albers' equal-area projection of a box: a cone that cuts it at a sixth and at five sixths of its height.

    With standard parallels a and b, n = (sin a + sin b)/2 and C = cos^2 a + 2 n sin a, a point is at the distance
    sqrt(C - 2 n sin latitude)/n from the tip of the cone and at the angle n (longitude - middle).

    References: Snyder1987 (Section 14).
    """

    box: Box

    @property
    def _cone(self) -> tuple[float, float, float, float]:
        """n, C, the middle of the longitudes and the distance of the middle latitude from the tip."""
        south, north, west, east = self.box
        sixth = (north - south) / 6
        first, second = np.radians(south + sixth), np.radians(north - sixth)
        n = (np.sin(first) + np.sin(second)) / 2
        n = float(n) if abs(n) > 1e-6 else 1e-6  # the equator halves the box: a cone so steep that it is a cylinder
        constant = float(np.cos(first) ** 2 + 2 * n * np.sin(first))
        between = float(np.sqrt(constant - 2 * n * np.sin(np.radians((south + north) / 2))) / n)
        return n, constant, float(np.radians((west + east) / 2)), between

    def __call__(self, longitude: Any, latitude: Any) -> tuple[Any, Any]:
        """Kilometres east and north of the middle, from degrees."""
        n, constant, middle, between = self._cone
        away = np.sqrt(np.maximum(constant - 2 * n * np.sin(np.radians(latitude)), 0)) / n
        angle = n * (np.radians(longitude) - middle)
        return KILOMETRES * away * np.sin(angle), KILOMETRES * (between - away * np.cos(angle))

    def inverse(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Longitude and latitude in degrees, from kilometres east and north of the middle."""
        n, constant, middle, between = self._cone
        x, y = np.asarray(x) / KILOMETRES, between - np.asarray(y) / KILOMETRES
        sine = (constant - n * n * (x * x + y * y)) / (2 * n)
        angle = np.arctan2(np.sign(n) * x, np.sign(n) * y)
        return np.degrees(middle + angle / n), np.degrees(np.arcsin(np.clip(sine, -1, 1)))


def edge(box: Box, *, points: int = 60) -> Any:
    """The rim of a box, as longitudes and latitudes [point, 2] close enough to bend with a projection."""
    south, north, west, east = box
    along = np.linspace(west, east, points)
    rim = [np.stack([along, np.full(points, south)], 1), np.stack([along[::-1], np.full(points, north)], 1)]
    return np.concatenate([*rim, rim[0][:1]])
