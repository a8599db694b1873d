"""The outline of a map: land, lakes and borders, as lines in degrees."""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from .grid import Box
from .labels import FloatArray

Lines = tuple[FloatArray, ...]
"""Lines or rings, each as longitude and latitude [point, 2]."""

STEP = 100
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
    parts = {name: _lines(read[name]) for name in ("land", "lakes", "countries", "states")}
    return Outline(source=read["source"], box=(south, north, west, east), **parts)


def _lines(packed: list[list[int]]) -> Lines:
    """Lines from their first points and steps."""
    return tuple(_line(steps) for steps in packed)


def _line(steps: Any) -> FloatArray:
    points = np.cumsum(np.array(steps, dtype=np.float64).reshape(-1, 2), axis=0) / STEP
    return np.asarray(points, dtype=np.float64)
