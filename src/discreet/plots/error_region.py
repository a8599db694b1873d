"""A picture of one error region: what a test between two values can reach, inside what the context allows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from .picture import ESTIMATE, FAINT, INK, INTERVAL, kind_of, new_figure, plain, save
from .regions import closed


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
