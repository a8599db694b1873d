from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

from discreet import geo
from discreet.papers.data import CITIES


def inside(point, rings):
    """Whether a point lies in an odd number of rings: the crossings of a line to the east."""
    x, y = point
    crossings = 0
    for ring in rings:
        (x1, y1), (x2, y2) = ring.T, np.roll(ring, -1, axis=0).T
        over = (y1 > y) != (y2 > y)
        at = x1[over] + (y - y1[over]) * (x2[over] - x1[over]) / (y2[over] - y1[over])
        crossings += int((at > x).sum())
    return crossings % 2 == 1


INLAND = [name for name in CITIES if name not in ("New York", "Miami", "San Francisco", "Seattle", "Chicago")]


@pytest.mark.parametrize("name", INLAND)
def test_a_city_is_on_land(name):
    latitude, longitude = CITIES[name]
    assert inside((longitude, latitude), geo.north_america().land)
    assert not inside((longitude, latitude), geo.north_america().lakes)


def test_the_sea_is_not_land_and_a_great_lake_is_a_lake():
    outline = geo.north_america()
    for sea in ((-70.0, 30.0), (-128.0, 40.0), (-90.0, 26.0)):
        assert not inside(sea, outline.land)
    assert inside((-87.0, 43.0), outline.lakes)  # in the middle of Lake Michigan


def test_borders_run_where_maps_have_them():
    outline = geo.north_america()
    north = np.concatenate(outline.countries)
    prairie = north[(north[:, 0] > -120) & (north[:, 0] < -96) & (north[:, 1] > 40)]
    assert prairie[:, 1] == pytest.approx(49, abs=0.1)  # the 49th parallel
    four_corners = min(np.abs(line - (-109.05, 37.0)).sum(axis=1).min() for line in outline.states)
    assert four_corners < 0.1


def test_everything_is_inside_its_box_and_the_file_is_small():
    outline = geo.north_america()
    south, north, west, east = outline.box
    for line in (*outline.land, *outline.lakes, *outline.countries, *outline.states):
        assert (line.min(axis=0) >= (west - 0.01, south - 0.01)).all()
        assert (line.max(axis=0) <= (east + 0.01, north + 0.01)).all()
    text = files("discreet.geo").joinpath("north_america.json").read_text(encoding="utf-8")
    assert len(text) < 60_000
    assert "public domain" in outline.source
