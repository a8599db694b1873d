"""Pictures of points: one number against another, with one colour per series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .picture import COLOURS, MARKERS, kind_of, new_figure, plain, plain_numbers, save

Points = tuple[Sequence[float], Sequence[float], Sequence[float]]
"""Places, heights, and the half-length of the line through each point, nan where it is not known."""


def plot_points(
    panels: Mapping[str, Mapping[str, Points]], path: str | Path, *, x_label: str, y_label: str, note: str = ""
) -> None:
    """Draw panels of points on logarithmic scales; a panel maps a series' name to its points.

    The first series, with which the others are compared, is joined by a line.
    """
    kind_of(path)
    figure = new_figure(1.0 + 4.0 * len(panels), 4.0)
    grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (title, series) in zip(grid, panels.items(), strict=True):
        for number, (name, points) in enumerate(series.items()):
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
            xs, ys, ends = zip(*sorted(zip(*points, strict=True)), strict=True)
            axes.errorbar(xs, ys, yerr=ends, fmt="none", ecolor=colour, elinewidth=1.2, capsize=2)
            line = "-" if number == 0 else "none"
            axes.plot(
                xs,
                ys,
                marker=marker,
                linestyle=line,
                color=colour,
                markersize=4.5 if number else 3,
                linewidth=1,
                label=name,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        for scale in (axes.xaxis, axes.yaxis):
            plain_numbers(scale)
        plain(axes, x_label=x_label, y_label=y_label, title=title)
        axes.label_outer()
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 5), frameon=False, fontsize=8)
    save(figure, path, note=note)
