"""Pictures of error regions: what a test between two values can reach."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from .picture import ESTIMATE, FAINT, INK, INTERVAL, kind_of, new_figure, plain, save

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
    kind_of(path)
    columns = min(len(regions), 2)
    rows = math.ceil(len(regions) / columns)
    figure = new_figure(0.6 + 3.5 * columns, 0.4 + 3.5 * rows)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axes, (name, corners) in zip(grid, regions.items(), strict=False):
        axes.fill(*zip(*closed(corners), strict=True), color=INTERVAL, alpha=0.55, linewidth=0, label="allowed")
        axes.plot(*zip(*corners, strict=True), "-", color=ESTIMATE, linewidth=1.5, label="least errors")
        axes.plot([0, 1], [1, 0], "--", color=INK, linewidth=0.8, label="guessing, blind")
        a, b = corners[len(corners) // 2]
        axes.plot(a, b, "o", color=ESTIMATE, markersize=4.5, clip_on=False)
        axes.annotate(f"({a:.2f}, {b:.2f})", (a, b), xytext=(7, 5), textcoords="offset points", fontsize=8, color=INK)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_aspect("equal")
        plain(axes, x_label=x_label, y_label=y_label, title=name)
        axes.label_outer()
    for axes in grid[len(regions) :]:
        axes.remove()
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    save(figure, path, note=note)


class Region(Protocol):
    """The interface of `discreet.theory.AttainedRegion`."""

    @property
    def x(self) -> Any:
        """The value that a test looks for."""
        ...

    @property
    def z(self) -> Any:
        """The value that it is compared with."""
        ...

    def as_dict(self) -> dict[str, Any]:
        """Its two lower boundaries."""
        ...


def plot_error_region(region: Region, path: str | Path, *, title: str = "") -> None:
    """Draw the allowed region, the attained one inside it, and their corners, and save the picture.

    Both are closed by reflection through (1/2, 1/2): the opposite of a test is a test too.

    References: Acharya2020 (Figure 1).
    """
    kind_of(path)
    boundaries = region.as_dict()
    figure = new_figure(5.2, 4.8)
    axes = figure.subplots()
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
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    save(figure, path)
