"""Blocks that follow cities beside uniform grids: the question that Acharya2020 leaves open."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..build import mechanism
from ..geo import blocks_context, grid_coordinates
from ..mechanisms.mechanism import Mechanism
from ..plots import plot_partitions, plot_points
from ..results.projection import project
from ..results.shrinking import shrink
from .cuts import Cut, cut, population, uniform_like
from .data import Grid, check_ins, real_subset
from .report import Check, Report, Table
from .setting import Setting
from .simulate import Mean, recorded_tally, squared_error, total_variation
from .snap import BOX, SHAPE

EPSILON = "1"
KINDS = (
    ("nearest city", 35),
    ("H3 parents", 1),
    ("k-d tree", 35),
    ("quadtree", 35),
    ("nearest city", 875),
    ("H3 parents", 3),
    ("k-d tree", 875),
    ("quadtree", 875),
    ("k-d tree, largest block", 1250),
    ("k-d tree, largest block", 50),
    ("quadtree, largest block", 50),
)
"""From the paper's two sizes: 35 and 875 blocks, of 1,250 and 50 cells in its uniform grids."""
RESPECTS = {"blocks": "as many blocks", "worst": "as large", "cells": "as many cells"}
"""The respect in which a uniform grid resembles the partition beside it."""

Beside = dict[str, dict[str, Cut]]
"""For each partition and respect, the uniform grid."""


@lru_cache(maxsize=2)
def grids(setting: Setting) -> dict[str, Grid]:
    """The check-ins, and the real subset if it is present."""
    found = [check_ins(setting), real_subset()]
    return {grid.key: grid for grid in found if grid is not None}


@lru_cache(maxsize=4)
def _made(labels: bytes) -> Mechanism:
    return mechanism(blocks_context(np.frombuffer(labels, dtype=np.int64), EPSILON))


def measure(setting: Setting, key: str, used: Cut, run: int) -> dict[str, float]:
    """One survey with our best mechanism in these blocks: errors after projection and after spatial shrinkage."""
    data = grids(setting)[key]
    tally = recorded_tally(_made(used.labels.tobytes()), data.people, run)
    flat = project(tally).shares
    smooth = shrink(tally, rule="tv", coordinates=grid_coordinates(SHAPE)).shares
    return {
        "projection": total_variation(flat, data.shares),
        "spatial": total_variation(smooth, data.shares),
        "squared": squared_error(flat, data.shares),
    }


def _measure(job: tuple[Setting, str, Cut, int]) -> dict[str, float]:
    return measure(*job)


Found = dict[tuple[str, str], dict[str, Mean]]


def run(setting: Setting) -> Report:
    """Every partition beside the uniform grids that are like it in one respect."""
    runs = setting.repetitions(short=1, full=3)
    chosen = [cut(*kind) for kind in KINDS]
    beside: Beside = {one.name: {by: uniform_like(one, by=by) for by in RESPECTS} for one in chosen}
    cuts = {one.name: one for one in (*chosen, *(grid for like in beside.values() for grid in like.values()))}
    data = grids(setting)
    jobs = [(setting, key, one, number) for one in cuts.values() for key in data for number in range(runs)]
    measured = setting.each(_measure, jobs, "partitions")
    found: Found = {}
    for place in range(0, len(jobs), runs):
        several = measured[place : place + runs]
        _, key, one, _ = jobs[place]
        found[key, one.name] = {what: Mean.of([m[what] for m in several]) for what in several[0]}
    tables = [_table(grid, chosen, beside, found) for grid in data.values()]
    return Report(
        "partitions",
        "blocks that follow cities beside uniform grids",
        f"""
        Acharya2020 tries uniform grids only, and asks for partitions that reflect the topology of cities. Here
        blocks come from public knowledge alone: the nearest of the most populous cities, H3 cells, and k-d
        trees and quadtrees that split where (cells) x (public population) is largest. Beside each stand three
        uniform grids, as near as a grid comes: one with as many blocks, one with as large a largest block, and
        one that hides the mean inhabitant among as many cells. Epsilon 1, our best mechanism, projection onto
        block totals; *spatial* is spatial shrinkage instead; {runs} run(s) each.

        Data: {"; ".join(f"*{grid.key}*: {grid.label}" for grid in data.values())}. The placement in the semi-synthetic
        grid was itself modelled from population, which favours partitions by population, so the real subset
        is the fairer judge where it is there.

        What a person gives for the smaller error: *cells* is the number of cells that the mean person is hidden
        among, *people* the number of others in the same block. Before projection the squared error grows with
        *cells* alone, so most of what a partition gains at equal blocks it gains by hiding people in towns
        among fewer cells, though still among many people; and in open country among more. Whoever finds that
        too few should compare at equal *cells*, the last columns and the figure. What is left there is a true
        gain: large blocks where few people are cost little, as projection leaves most of their cells empty.
        H3 cells are all alike, and a quadtree that only keeps to a largest size cuts everything alike, so neither
        follows population; both do as uniform grids do.
        """,
        tables,
        [check for grid in data.values() for check in _checks(grid, chosen, beside, found)],
        {
            "partitions.png": lambda path: _draw(data, cuts, chosen, found, path),
            "partitions-map.png": lambda path: _draw_maps(chosen, path),
        },
    )


def _table(grid: Grid, chosen: list[Cut], beside: Beside, found: Found) -> Table:
    rows: list[list[Any]] = []
    for one in chosen:
        mine = found[grid.key, one.name]
        line: list[Any] = [
            one.name,
            one.blocks,
            one.worst,
            one.hidden_cells(grid.shares),
            one.hidden_people(grid.people),
        ]
        line += [mine["projection"].value, mine["spatial"].value, mine["squared"].value]
        for other in beside[one.name].values():
            theirs = found[grid.key, other.name]["projection"].value
            line += [other.name.removeprefix("uniform "), theirs, mine["projection"].value / theirs]
        rows.append(line)
    columns = [("partition", "s"), ("blocks", "d"), ("largest", "d"), ("cells", ".0f"), ("people", ",.0f")]
    columns += [("TV", ".4f"), ("spatial", ".4f"), ("squared", ".2g")]
    for respect in RESPECTS.values():
        columns += [(f"uniform, {respect}", "s"), ("TV", ".4f"), ("ratio", ".2f")]
    return Table(grid.key, f"Total variation on {grid.key}, beside uniform grids", columns, rows)


def _checks(grid: Grid, chosen: list[Cut], beside: Beside, found: Found) -> list[Check]:
    """Whether the partitions that follow population beat uniform grids; H3 and a quadtree by size do not follow it."""
    checks = []
    for number, respect in enumerate(RESPECTS.values()):
        ratios = {row[0]: row[10 + 3 * number] for row in _table(grid, chosen, beside, found).rows}
        following = {name: r for name, r in ratios.items() if not name.startswith(("H3", "quadtree, largest"))}
        rest = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items() if name not in following)
        spread = f"ratios of TV {min(following.values()):.2f} to {max(following.values()):.2f}"
        claim = f"on {grid.key}, blocks that follow population have less error than uniform ones, {respect}"
        checks.append(Check(claim, max(following.values()) < 1, f"{spread}; others: {rest}" if rest else spread))
    return checks


def _draw(data: dict[str, Grid], cuts: dict[str, Cut], chosen: list[Cut], found: Found, path: Path) -> None:
    families = ("uniform", "nearest city", "H3 parents", "k-d tree", "quadtree")
    panels = {}
    for key, grid in data.items():
        panels[key] = {
            family: (
                [one.hidden_cells(grid.shares) for one in cuts.values() if one.name.startswith(family)],
                [found[key, one.name]["projection"].value for one in cuts.values() if one.name.startswith(family)],
            )
            for family in families
        }
    plot_points(panels, path, x_label="cells the mean person is hidden among", y_label="total variation")


def _draw_maps(chosen: list[Cut], path: Path) -> None:
    shown = {
        f"{one.name} ({one.blocks} blocks)": one.labels.reshape(SHAPE) for one in chosen if one.name.endswith(" 875")
    }
    plain = uniform_like(next(one for one in chosen if one.name == "k-d tree 875"), by="blocks")
    shown[f"{plain.name} ({plain.blocks} blocks)"] = plain.labels.reshape(SHAPE)
    plot_partitions(shown, path, box=BOX, weights=population().reshape(SHAPE))
