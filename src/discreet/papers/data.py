"""Find the data: the user's own file, stand-ins if present, or public population; each says what it is."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidInput
from ..geo import city_population, grid_centres
from .setting import Setting
from .snap import BOX, PAPER_RECORDS, SHAPE, read_snap

Array = NDArray[np.float64]


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
    """The best check-ins available, read once per process: the user's SNAP file, else the semi-synthetic grid, else
    population.
    """
    if setting.gowalla is not None:
        counts = read_snap(setting.gowalla)
        label = f"Gowalla, {counts.sum():,} check-ins of the SNAP file (the paper keeps {PAPER_RECORDS:,})"
        return CheckInGrid("gowalla", label, counts)
    if path := find_file("gowalla_composite_counts.npz"):
        counts = np.load(path)["counts"].astype(np.int64)
        return CheckInGrid(
            "semi-synthetic",
            f"semi-synthetic Gowalla, {counts.sum():,} check-ins, not the paper's file: totals of 0.7 x 1.4 degree "
            "bins are real, the placement inside them is real for a fifth and modelled for the rest",
            counts,
        )
    return population()


def real_subset() -> CheckInGrid | None:
    """The real check-ins of some users, if the file is present."""
    path = find_file("gowalla_counts.npz")
    if path is None:
        return None
    counts = np.load(path)["counts"].astype(np.int64)
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
    """The rows of a table that comes with the package; ``#`` lines are comments.

    They are values as printed, or values of our own earlier calculations where nothing is printed.
    """
    text = (files(__package__) / "expected" / f"{name}.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


def require_file(name: str) -> Path:
    """The stand-in file of that name; `InvalidInput` says where it should be."""
    path = find_file(name)
    if path is None:
        raise InvalidInput(f"{name} must lie in the folder that DISCREET_DATA names")
    return path
