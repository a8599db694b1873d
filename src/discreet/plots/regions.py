"""Pictures of error regions: what a test between two values can reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .picture import COLOURS, kind_of, new_figure, plain, save_small


def plot_regions(
    regions: Mapping[str, Sequence[tuple[float, float]]], path: str | Path, *, x_label: str, y_label: str
) -> None:
    """Draw the lower boundary of each region through its corners from (0, 1) to (1, 0)."""
    kind_of(path)
    figure = new_figure(5.2, 4.6)
    axes = figure.subplots()
    for number, (name, corners) in enumerate(regions.items()):
        colour = COLOURS[number % len(COLOURS)]
        xs, ys = zip(*corners, strict=True)
        axes.plot(xs, ys, "-", color=colour, linewidth=1.5, label=name)
        axes.plot(*corners[1], "o", color=colour, markersize=4)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_aspect("equal")
    plain(axes, x_label=x_label, y_label=y_label)
    axes.legend(loc="upper right", frameon=False, fontsize=8)
    save_small(figure, path)
