from __future__ import annotations

import numpy as np
import pytest

from discreet.plots.maps import KILOMETRES, Albers, edge

BOXES = [
    (25.0, 50.0, -130.0, -60.0),
    (-45.0, -10.0, 110.0, 155.0),
    (48.1, 48.3, 16.2, 16.5),
    (-10.0, 10.0, -20.0, 20.0),
]


def area(ring):
    x, y = np.asarray(ring).T
    return abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


@pytest.mark.parametrize("box", BOXES)
def test_areas_are_those_on_the_globe_wherever_they_lie(box):
    south, north, west, east = box
    project = Albers(box)
    for number in range(4):
        low = south + number * (north - south) / 4
        part = (low, low + (north - south) / 4, west, west + (east - west) / 3)
        globe = KILOMETRES**2 * np.radians(part[3] - part[2]) * np.diff(np.sin(np.radians(part[:2])))[0]
        flat = area(np.stack(project(*edge(part, points=2000).T), axis=1))
        assert flat == pytest.approx(globe, rel=1e-4)
    # the control: degrees as they are do not keep areas apart from the equator
    if south > 20:
        strips = [area(edge((low, low + 1, west, east))) for low in (south, north - 1)]
        assert strips[0] == pytest.approx(strips[1])


@pytest.mark.parametrize("box", BOXES)
def test_the_inverse_leads_back(box):
    south, north, west, east = box
    longitude, latitude = np.meshgrid(np.linspace(west, east, 7), np.linspace(south, north, 5))
    there = Albers(box)(longitude, latitude)
    back = Albers(box).inverse(*there)
    assert back[0] == pytest.approx(longitude, abs=1e-4)
    assert back[1] == pytest.approx(latitude, abs=1e-4)


def test_distances_are_nearly_those_on_the_globe():
    project = Albers((25.0, 50.0, -130.0, -60.0))
    (x1, x2), (y1, y2) = project(np.array([-74.01, -118.24]), np.array([40.71, 34.05]))
    assert np.hypot(x1 - x2, y1 - y2) == pytest.approx(3936, rel=0.02)  # New York to Los Angeles
