"""Figure 3 of Acharya2020: the heat map of check-ins, and what each method leaves of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..estimation.results.projection import project
from ..geo import grid_context, north_america
from ..mechanisms.build import mechanism
from ..plots import plot_maps
from .data import BOX, CITIES, PAPER_RECORDS, SHAPE, CheckInGrid, check_ins
from .report import ExperimentReport, ReportTable, Setting, beside_the_print
from .simulate import recorded_tally, shrink_spatially, squared_error, total_variation

EPSILON = "1"
PARTS = (25, 35)


def run(setting: Setting) -> ExperimentReport:
    """The map of the data, and one survey by each method."""
    data = check_ins(setting)
    maps: dict[str, NDArray[np.float64]] = {}
    rows = []
    for title, parts, name in (
        ("LDP, the paper's method", (1, 1), "hadamard"),
        ("LDP, ours", (1, 1), "auto"),
        (f"{PARTS[0]} x {PARTS[1]} blocks, the paper's method", PARTS, "hadamard"),
        (f"{PARTS[0]} x {PARTS[1]} blocks, ours", PARTS, "auto"),
    ):
        used = mechanism(grid_context(SHAPE, parts, EPSILON), name)
        tally = recorded_tally(used, data.people, 3)
        maps[title] = shrink_spatially(tally) if name == "auto" else project(tally, onto="simplex").shares
        errors = total_variation(maps[title], data.shares), squared_error(maps[title], data.shares)
        rows.append((title, data.name, used.name, *errors))
    columns = [("method", "s"), ("data", "s"), ("mechanism", "s"), ("TV", ".4f"), ("squared error", ".3g")]
    occupied = int(np.count_nonzero(data.counts))
    return ExperimentReport(
        "acharya2020-figure3",
        "the heat map of check-ins, and what is left of it",
        f"""
        Acharya2020, Figure 3, on the data named below: {occupied:,} of {data.counts.size:,} cells hold someone.

        The paper shows its data only, without numbers; what follows is ours to add. Beside the data, one survey
        by the paper's method (Hadamard response, projection onto the simplex) and one by ours (the mechanism that
        `discreet.mechanism` chooses, spatial shrinkage with the total-variation rule), both at epsilon 1. The total
        variation is the share of all check-ins that an estimate has in the wrong cell. Cells with less than one
        check-in in a million are left blank.
        """,
        [ReportTable("error", f"One survey each, on {data.name}", columns, rows)],
        figures={"acharya2020-figure3": lambda path: _draw(maps, {row[0]: row[3] for row in rows}, data, path)},
        data=data.source,
        beside=beside_the_print(
            "What the paper says of its file, and what ours has",
            [("check-ins", f"{PAPER_RECORDS:,}", int(data.counts.sum())), ("cells", "43,750", data.counts.size)],
            form=",d",
        ),
    )


def _draw(maps: dict[str, NDArray[np.float64]], wrong: dict[str, float], data: CheckInGrid, path: Path) -> None:
    shown = {f"The data: {data.name}": data.shares.reshape(SHAPE)}
    for title, shares in maps.items():
        shown[f"{title}: {100 * wrong[title]:.0f} % misplaced"] = shares.reshape(SHAPE)
    everywhere, within = (100 * share for title, share in wrong.items() if title.endswith("ours"))
    plot_maps(
        shown,
        path,
        box=BOX,
        title=f"Block shown, {within:.0f} % of check-ins are misplaced; nothing shown, {everywhere:.0f} %",
        unit="check-ins",
        outline=north_america(),
        places=CITIES,
        note=f"{data.note} Epsilon {EPSILON}, one survey by each method, cells of 0.2 degrees; a report shows its "
        "block of 5 x 10 cells, if any. No method was told where the sea is. Misplaced: in the wrong cell, by total "
        "variation.",
    )
