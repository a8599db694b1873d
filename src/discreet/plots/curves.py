"""Pictures of curves and points: one line or colour per series, panels side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .picture import COLOURS, FAINT, INK, MARKERS, kind_of, new_figure, plain, plain_numbers, save

Points = tuple[Sequence[float], Sequence[float], Sequence[float]]
"""Places, heights, and the half-length of the line through each point, nan where it is not known."""


def plot_curves(
    panels: Sequence[Mapping[str, Any]],
    path: str | Path,
    *,
    x_label: str,
    y_label: str,
    title: str = "",
    log_x: bool = False,
    log_y: bool = False,
    columns: int = 1,
    note: str = "",
) -> None:
    """Draw panels of lines over a common scale and save the picture.

    A panel is a mapping with `title`, `x` and `series`, which maps a line's name to its heights over `x`; every
    panel has the same lines. `bands`, if it is there, maps names to (lows, highs), shaded: under a line's name in
    the colour of the line, under any other in grey with a place of its own in the legend.
    """
    kind_of(path)
    rows = math.ceil(len(panels) / columns)
    figure = new_figure(1.2 + 4.2 * columns, 0.9 + 2.9 * rows)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes, panel in zip(grid.flat, panels, strict=False):
        _draw(axes, panel)
        axes.set_xscale("log" if log_x else "linear")
        axes.set_yscale("log" if log_y else "linear")
        if log_x:
            plain_numbers(axes.xaxis)
        plain(axes, x_label=x_label, y_label=y_label, title=panel["title"])
        axes.label_outer()
    if not log_y:
        grid[0, 0].set_ylim(bottom=0)
    if title:
        figure.suptitle(title, fontsize=11.5, color=INK, x=0.01, ha="left")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=columns + 1 if len(labels) < 6 and columns == 1 else 2 * columns + 1,
        frameon=False,
        fontsize=8,
    )
    save(figure, path, note=note)


def _draw(axes: Any, panel: Mapping[str, Any]) -> None:
    """The bands of a panel, then its lines."""
    colours = {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(panel["series"])}
    for name, (lows, highs) in panel.get("bands", {}).items():
        if name in colours:
            axes.fill_between(panel["x"], lows, highs, color=colours[name], alpha=0.22, linewidth=0)
        else:
            axes.fill_between(panel["x"], lows, highs, color=FAINT, alpha=0.6, linewidth=0, label=name)
    every = max(1, len(panel["x"]) // 15)
    for number, (name, heights) in enumerate(panel["series"].items()):
        style = {"color": colours[name], "marker": MARKERS[number % len(MARKERS)], "markevery": (number % every, every)}
        axes.plot(panel["x"], heights, markersize=3.2, linewidth=1.3, label=name, **style)


def plot_ratios(
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    path: str | Path,
    *,
    title: str,
    x_label: str,
    y_label: str = "ratio",
    errors: Mapping[str, Sequence[float]] | None = None,
    note: str = "",
) -> None:
    """Draw ratios as points around 1, with series (places, ratios) in pairs: the first hollow, the second filled.

    Places are on a scale of powers of two, with series next to each other so that none covers another. `errors`
    gives the half-length of the line through each point.
    """
    kind_of(path)
    figure = new_figure(9.5, 4.4)
    axes = figure.subplots()
    axes.axhline(1, color=INK, linewidth=0.8)
    for number, (name, (places, ratios)) in enumerate(series.items()):
        moved = [place * 2 ** (0.075 * (number - len(series) / 2 + 0.5)) for place in places]
        colour, marker = COLOURS[1 + number // 2], MARKERS[number // 2]
        if errors is not None:
            axes.errorbar(moved, ratios, yerr=errors[name], fmt="none", ecolor=colour, elinewidth=0.7, alpha=0.7)
        face = colour if number % 2 else "white"
        axes.plot(moved, ratios, marker, markersize=3.8, color=colour, markerfacecolor=face, label=name)
    ticks = sorted({place for places, _ in series.values() for place in places})
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    plain(axes, x_label=x_label, y_label=y_label, title=title)
    figure.legend(loc="outside right center", frameon=False, fontsize=8)
    save(figure, path, note=note)


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
