"""The data of the experiments: check-ins on the paper's grid, or stand-ins for them, and surveys from public tables."""

from __future__ import annotations

import csv
import gzip
import os
import zlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..contexts import Context
from ..core.domain import Value
from ..core.errors import InvalidInput
from ..geo import city_population, grid_centres
from .report import Setting
from .theory import read_table

Array = NDArray[np.float64]

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
LINES_AT_A_TIME = 200_000
GZIP_MAGIC = b"\x1f\x8b"


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
        packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    try:
        with gzip.open(path) if packed else path.open("rb") as file:
            read = 0
            while lines := list(islice(file, LINES_AT_A_TIME)):
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


def cells(latitude: Array, longitude: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and column of each point: ``floor(5 degrees)`` from the corner; decimals on an edge belong to it."""
    row, column = (
        np.floor(np.clip(degrees, -1000, 1000) * 5 + 1e-9).astype(np.int64) for degrees in (latitude, longitude)
    )
    return row - 125, column + 650


def _coordinates(lines: list[bytes], path: Path, before: int) -> tuple[Array, Array]:
    try:
        fields = [line.split(b"\t") for line in lines]
        points = np.array([(latitude, longitude) for _, _, latitude, longitude, _ in fields], dtype=np.float64)
    except ValueError:
        points = np.full((1, 2), np.nan)
    if not np.isfinite(points).all():
        number = next(n for n, line in enumerate(lines, 1) if not _holds(line))
        form = "must be user, time, latitude, longitude and place, separated by tabs"
        raise InvalidInput(f"{path}, line {before + number}: {form}")
    return points[:, 0], points[:, 1]


def _holds(line: bytes) -> bool:
    try:
        _, _, latitude, longitude, _ = line.split(b"\t")
        return bool(np.isfinite([float(latitude), float(longitude)]).all())
    except ValueError:
        return False


@dataclass(frozen=True)
class CheckInGrid:
    """Check-ins, or a stand-in for them, on the paper's grid: `counts` [125, 350], a name, and what they are."""

    key: str
    label: str
    counts: NDArray[np.int64]

    @property
    def name(self) -> str:
        """The name in tables and figures, which says of a stand-in that it is one."""
        return "SNAP file" if self.key == "gowalla" else f"{self.key} stand-in"

    @property
    def source(self) -> dict[str, str]:
        """The name and what it stands for, as a report tells them."""
        return {self.name: self.label}

    @property
    def note(self) -> str:
        """The same for the inside of a picture."""
        return f"Data, {self.name}: {self.label}."

    @property
    def people(self) -> NDArray[np.int64]:
        """The counts row by row."""
        return self.counts.ravel()

    @property
    def shares(self) -> Array:
        """The share of each cell, row by row."""
        return np.asarray(self.people / self.people.sum())


def data_folder() -> Path | None:
    """Where the stand-ins are: the environment's DISCREET_DATA, or ``../shared/data`` beside the project."""
    if named := os.environ.get("DISCREET_DATA"):
        return Path(named)
    beside = Path(__file__).resolve().parents[3].parent / "shared" / "data"
    return beside if beside.is_dir() else None


def find_file(name: str) -> Path | None:
    """The stand-in file of that name, if present."""
    place = data_folder()
    return place / name if place and (place / name).is_file() else None


@lru_cache(maxsize=4)
def check_ins(setting: Setting) -> CheckInGrid:
    """The best check-ins at hand, read once per process: the SNAP file, the semi-synthetic grid or population."""
    if setting.gowalla is not None:
        counts = read_snap(setting.gowalla)
        label = f"Gowalla, {counts.sum():,} check-ins of the SNAP file (the paper keeps {PAPER_RECORDS:,})"
        return CheckInGrid("gowalla", label, counts)
    stand_in = find_counts("gowalla_composite_counts.npz")
    if stand_in is None:
        return population()
    label = (
        f"semi-synthetic Gowalla, {stand_in.sum():,} check-ins, not the paper's file: totals of 0.7 x 1.4 degree "
        "bins are real, the placement inside them is real for a fifth and modelled for the rest"
    )
    return CheckInGrid("semi-synthetic", label, stand_in)


def find_counts(name: str) -> NDArray[np.int64] | None:
    """The counts in the stand-in file of that name, if present."""
    path = find_file(name)
    return None if path is None else np.load(path)["counts"].astype(np.int64)


def real_subset() -> CheckInGrid | None:
    """The real check-ins of some users, if the file is present."""
    counts = find_counts("gowalla_counts.npz")
    if counts is None:
        return None
    label = (
        f"a real subset of Gowalla, {counts.sum():,} check-ins of some users, not the paper's file: heavy on Austin, "
        "few rare cells"
    )
    return CheckInGrid("real-subset", label, counts)


def population() -> CheckInGrid:
    """The public population of towns, scaled to the paper's number of records: a stand-in of the same shape."""
    weights = city_population(*grid_centres(SHAPE, BOX), smallest=1000)
    counts = np.rint(weights / weights.sum() * PAPER_RECORDS).astype(np.int64).reshape(SHAPE)
    label = (
        f"inhabitants of towns (GeoNames), scaled to {counts.sum():,}, no check-ins: the method is the paper's, the "
        "values are not; give its file with --gowalla"
    )
    return CheckInGrid("population", label, counts)


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a tab-separated file with a header."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def read_expected(name: str) -> list[dict[str, str]]:
    """The rows of a table of values as printed, or of our own earlier calculations where nothing is printed."""
    return read_table(f"expected/{name}")


def require_file(name: str) -> Path:
    """The stand-in file of that name; `InvalidInput` says where it should be."""
    path = find_file(name)
    if path is None:
        raise InvalidInput(f"{name} must lie in the folder that DISCREET_DATA names")
    return path


FILES = ("msnbc_counts.tsv", "adult_joint_marital_occupation_race_sex.tsv", "fair_affairs_counts.tsv")


@dataclass(frozen=True)
class Dataset:
    """A survey: the `values`, the `counts` of people, and contexts by name as functions of epsilon."""

    name: str
    label: str
    values: list[Value]
    counts: NDArray[np.int64]
    contexts: dict[str, Callable[[str], Context]]
    question: str
    asked: Array
    """The weight of each value in the share that `question` names."""

    @property
    def shares(self) -> Array:
        """The share of each value."""
        return np.asarray(self.counts / self.counts.sum())


@lru_cache(maxsize=1)
def pages() -> Dataset:
    """The first page category of 989,818 visitors of msnbc.com; "health" is sensitive."""
    table = read_rows(require_file(FILES[0]))
    values: list[Value] = [row["category"] for row in table]
    return Dataset(
        "pages",
        "msnbc.com: first page category of each visitor (UCI)",
        values,
        np.array([int(row["first_page_users"]) for row in table]),
        {
            "classical": lambda epsilon: Context.uniform(values, epsilon),
            "high-low, health": lambda epsilon: Context.high_low(values, ["health"], epsilon),
        },
        "began with health",
        np.array([float(value == "health") for value in values]),
    )


@lru_cache(maxsize=1)
def census() -> Dataset:
    """Marital status x occupation x race x sex of 48,842 people: all 1,050 combinations, used or not."""
    table = read_rows(require_file(FILES[1]))
    keys = ("marital-status", "occupation", "race", "sex")
    values, counts = _cross_tabulate(table, keys)
    blocks: dict[Hashable, list[Value]] = {}
    for value in values:
        blocks.setdefault(value[2:], []).append(value)
    ordered: list[Value] = [value for members in blocks.values() for value in members]
    number = {value: place for place, value in enumerate(values)}
    return Dataset(
        "census",
        "Adult: marital status x occupation x race x sex (UCI)",
        ordered,
        counts[[number[value] for value in ordered]],  # type: ignore[index]
        {
            "classical": lambda epsilon: Context.uniform(ordered, epsilon),
            "blocks, race and sex show": lambda epsilon: Context.blocks(blocks, epsilon),
        },
        "widowed",
        np.array([float(value[0] == "Widowed") for value in ordered]),  # type: ignore[index]
    )


@lru_cache(maxsize=1)
def affairs() -> Dataset:
    """Religiousness x rating of the marriage x occupation x affair of 6,366 women: all 240 combinations."""
    table = read_rows(require_file(FILES[2]))
    values, counts = _cross_tabulate(table, ("religious", "rate_marriage", "occupation", "affair"))
    listed: list[Value] = list(values)
    sensitive = [value for value in values if value[-1] == "yes"]
    return Dataset(
        "affairs",
        "Fair's survey: religiousness x marriage x occupation x affair (statsmodels)",
        listed,
        counts,
        {
            "classical": lambda epsilon: Context.uniform(listed, epsilon),
            "high-low, an affair": lambda epsilon: Context.high_low(listed, sensitive, epsilon),
        },
        "had an affair",
        np.array([float(value[-1] == "yes") for value in values]),
    )


@lru_cache(maxsize=1)
def affair() -> Dataset:
    """The one question of the same survey: 2,053 of 6,366 say yes."""
    whole = affairs()
    yes = int(whole.counts @ whole.asked)
    return Dataset(
        "affair",
        "Fair's survey: an affair, yes or no (statsmodels)",
        ["no", "yes"],
        np.array([int(whole.counts.sum()) - yes, yes]),
        {
            "classical": lambda epsilon: Context.uniform(["no", "yes"], epsilon),
            "binary, only yes hidden": lambda epsilon: Context.binary("no", "yes", epsilon=("inf", epsilon)),
        },
        "had an affair",
        np.array([0.0, 1.0]),
    )


def _cross_tabulate(
    table: list[dict[str, str]], keys: tuple[str, ...]
) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
    """Every combination of the columns' categories, in order, and how many people hold it."""
    categories = [sorted({row[key] for row in table}) for key in keys]
    held = {tuple(row[key] for key in keys): int(row["count"]) for row in table}
    values = list(product(*categories))
    return values, np.array([held.get(value, 0) for value in values])
