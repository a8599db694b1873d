"""Figure 3 of Acharya2020: the heat map of check-ins, and what each method leaves of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..build import mechanism
from ..geo import grid_context, grid_coordinates
from ..mechanisms.mechanism import Mechanism
from ..plots import plot_maps
from ..results.projection import project
from ..results.shrinking import shrink
from .data import check_ins
from .report import Report, Table
from .setting import Setting
from .simulate import recorded_tally, squared_error, total_variation
from .snap import BOX, SHAPE

EPSILON = "1"
PARTS = (25, 35)


def run(setting: Setting) -> Report:
    """The map of the data, and one survey by each method."""
    data = check_ins(setting)
    maps: dict[str, NDArray[np.float64]] = {"check-ins": data.shares}
    rows = []
    for title, parts, name in (
        ("LDP, the paper's method", (1, 1), "hadamard"),
        ("LDP, ours", (1, 1), "auto"),
        (f"{PARTS[0]} x {PARTS[1]} blocks, the paper's method", PARTS, "hadamard"),
        (f"{PARTS[0]} x {PARTS[1]} blocks, ours", PARTS, "auto"),
    ):
        used = mechanism(grid_context(SHAPE, parts, EPSILON), name)
        maps[title] = _estimate(used, data.people, spatial=name == "auto")
        rows.append((title, total_variation(maps[title], data.shares), squared_error(maps[title], data.shares)))
    occupied = int(np.count_nonzero(data.counts))
    return Report(
        "acharya2020-figure3",
        "the heat map of check-ins, and what is left of it",
        f"""
        Acharya2020, Figure 3, on: {data.label}. {occupied:,} of {data.counts.size:,} cells hold a check-in.

        The paper shows the data only. Beside them, one survey by its method (Hadamard response, projection onto
        the simplex) and one by ours (the best mechanism, spatial shrinkage with the total-variation rule), both
        at epsilon 1. Cells that an estimate leaves empty are white. A map has no number to be off by.
        """,
        [Table("error", "One survey each", [("method", "s"), ("TV", ".4f"), ("squared error", ".3g")], rows)],
        figures={"acharya2020-figure3.png": lambda path: _draw(maps, path)},
    )


def _estimate(used: Mechanism, people: NDArray[np.int64], *, spatial: bool) -> NDArray[np.float64]:
    tally = recorded_tally(used, people, 3)
    if spatial:
        return shrink(tally, rule="tv", coordinates=grid_coordinates(SHAPE)).shares
    return project(tally, onto="simplex").shares


def _draw(maps: dict[str, NDArray[np.float64]], path: Path) -> None:
    plot_maps({title: shares.reshape(SHAPE) for title, shares in maps.items()}, path, box=BOX)
