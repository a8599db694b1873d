"""The check-in file of SNAP, loc-gowalla_totalCheckins.txt, counted on the paper's grid."""

from __future__ import annotations

import gzip
import zlib
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidInput

SHAPE = (125, 350)
"""25-50 N and 130-60 W in steps of 0.2 degrees: the 43,750 values of Acharya2020."""

BOX = (25.0, 50.0, -130.0, -60.0)
CITIES = {
    "New York": (40.71, -74.01),
    "Chicago": (41.88, -87.63),
    "Atlanta": (33.75, -84.39),
    "Miami": (25.76, -80.19),
    "Dallas": (32.78, -96.80),
    "Austin": (30.27, -97.74),
    "Denver": (39.74, -104.99),
    "Los Angeles": (34.05, -118.24),
    "San Francisco": (37.77, -122.42),
    "Seattle": (47.61, -122.33),
}
"""Latitude and longitude of the cities that are named on maps."""
PAPER_RECORDS = 3_671_812
_LINES = 200_000
_GZIP = b"\x1f\x8b"
_FORM = "must be user, time, latitude, longitude and place, separated by tabs"


def read_snap(path: Path) -> NDArray[np.int64]:
    """The number of check-ins in each cell [125, 350], first row southernmost.

    A line holds user, time, latitude, longitude and place, separated by tabs; the file may be gzipped, whatever its
    name. `InvalidInput` names the first line that is malformed; places outside the box are left out. The paper
    keeps 25-50 N, 130-60 W and rounds to 0.2 degrees; its 43,750 values are 125 x 350, so a coordinate is
    rounded down to the corner of its cell (rounding to the nearest would give 126 x 351 values).

    References: Acharya2020 (Section 7), Cho2011.
    """
    counts = np.zeros(SHAPE, dtype=np.int64)
    with path.open("rb") as file:
        packed = file.read(len(_GZIP)) == _GZIP
    try:
        with gzip.open(path) if packed else path.open("rb") as file:
            read = 0
            while lines := list(islice(file, _LINES)):
                latitude, longitude = _coordinates(lines, path, read)
                row, column = cells(latitude, longitude)
                inside = (row >= 0) & (row < SHAPE[0]) & (column >= 0) & (column < SHAPE[1])
                np.add.at(counts, (row[inside], column[inside]), 1)
                read += len(lines)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InvalidInput(f"{path}: the gzipped file is cut off or damaged") from None
    if not counts.any():
        raise InvalidInput(f"{path}: no check-in lies in 25-50 N, 130-60 W")
    return counts


def cells(latitude: NDArray[np.float64], longitude: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and column of each point: ``floor(5 degrees)`` from the corner; decimals on an edge belong to it."""
    row, column = (
        np.floor(np.clip(degrees, -1000, 1000) * 5 + 1e-9).astype(np.int64) for degrees in (latitude, longitude)
    )
    return row - 125, column + 650


def _coordinates(lines: list[bytes], path: Path, before: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    try:
        fields = [line.split(b"\t") for line in lines]
        points = np.array([(latitude, longitude) for _, _, latitude, longitude, _ in fields], dtype=np.float64)
    except ValueError:
        points = np.full((1, 2), np.nan)
    if not np.isfinite(points).all():
        number = next(n for n, line in enumerate(lines, 1) if not _holds(line))
        raise InvalidInput(f"{path}, line {before + number}: {_FORM}")
    return points[:, 0], points[:, 1]


def _holds(line: bytes) -> bool:
    try:
        _, _, latitude, longitude, _ = line.split(b"\t")
        return bool(np.isfinite([float(latitude), float(longitude)]).all())
    except ValueError:
        return False
