"""Pictures of error regions: what a test between two values can reach."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .picture import ESTIMATE, FAINT, INK, INTERVAL, add_legend, annotate, new_axes, new_grid, plain, save

if TYPE_CHECKING:
    from ..theory import AttainedRegion

Corners = Sequence[tuple[float, float]]


def closed(corners: Corners) -> list[tuple[float, float]]:
    """The polygon between a lower boundary from (0, 1) to (1, 0) and its reflection through (1/2, 1/2).

    The opposite of a test is a test too, so whoever can err little can also err much.
    """
    return [*((a, b) for a, b in corners), *((1 - a, 1 - b) for a, b in corners)]


def plot_regions(
    regions: Mapping[str, Corners], path: str | Path, *, x_label: str, y_label: str, note: str = ""
) -> None:
    """Draw each region in a panel of its own, shaded, with its lower boundary and the corner of that marked.

    A region is given by the corners of its lower boundary from (0, 1) to (1, 0).
    """
    columns = min(len(regions), 2)
    rows = math.ceil(len(regions) / columns)
    shape = rows, columns
    figure, grid = new_grid(path, 0.6 + 3.5 * columns, 0.4 + 3.5 * rows, shape, sharex=True, sharey=True)
    for axes, (name, corners) in zip(grid.flat, regions.items(), strict=False):
        axes.fill(*zip(*closed(corners), strict=True), color=INTERVAL, alpha=0.55, linewidth=0, label="allowed")
        axes.plot(*zip(*corners, strict=True), "-", color=ESTIMATE, linewidth=1.5, label="least errors")
        axes.plot([0, 1], [1, 0], "--", color=INK, linewidth=0.8, label="guessing, blind")
        a, b = corners[len(corners) // 2]
        axes.plot(a, b, "o", color=ESTIMATE, markersize=4.5, clip_on=False)
        annotate(axes, f"({a:.2f}, {b:.2f})", (a, b), (7, 5), fontsize=8, color=INK)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_aspect("equal")
        plain(axes, x_label=x_label, y_label=y_label, title=name)
        axes.label_outer()
    for axes in grid.ravel()[len(regions) :]:
        axes.remove()
    add_legend(figure, 3, axes=grid[0, 0])
    save(figure, path, note=note)


def plot_error_region(region: AttainedRegion, path: str | Path, *, title: str = "") -> None:
    """Draw the allowed region, the attained one inside it, and their corners, and save the picture.

    Both are closed by reflection through (1/2, 1/2): the opposite of a test is a test too.

    References: Acharya2020 (Figure 1).
    """
    figure, axes = new_axes(path, 5.2, 4.8)
    boundaries = region.as_dict()
    shades = {"allowed": (FAINT, "allowed by the context"), "attained": (INTERVAL, "attained by the mechanism")}
    for name, (colour, label) in shades.items():
        axes.fill(*zip(*closed(boundaries[name]), strict=True), color=colour, alpha=0.8, label=label)
    for corners, colour, line in ((boundaries["allowed"], INK, "--"), (boundaries["attained"], ESTIMATE, "-")):
        axes.plot(*zip(*corners, strict=True), line, color=colour, linewidth=1.4)
    if len(boundaries["attained"]) <= 40:
        axes.plot(*zip(*boundaries["attained"], strict=True), "o", color=ESTIMATE, markersize=4)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_aspect("equal")
    x, z = str(region.x), str(region.z)
    plain(axes, x_label=f"false alarm: says {x} of {z}", y_label=f"missed detection: says {z} of {x}", title=title)
    add_legend(figure, 2)
    save(figure, path)
