"""Pictures of curves: one line per series, panels side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .picture import COLOURS, INK, kind_of, new_figure, plain, save_small


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
) -> None:
    """Draw panels of lines over a common scale and save the picture.

    A panel is a mapping with `title`, `x` and `series`, which maps a line's name to its heights over `x`; every
    panel has the same lines.
    """
    kind_of(path)
    rows = math.ceil(len(panels) / columns)
    figure = new_figure(1.2 + 4.2 * columns, 0.9 + 2.9 * rows)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes, panel in zip(grid.flat, panels, strict=False):
        for number, (name, heights) in enumerate(panel["series"].items()):
            colour = COLOURS[number % len(COLOURS)]
            axes.plot(panel["x"], heights, "o-", color=colour, markersize=2.5, linewidth=1.3, label=name)
        axes.set_xscale("log" if log_x else "linear")
        axes.set_yscale("log" if log_y else "linear")
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
        ncols=columns + 1 if len(labels) < 5 else 2 * columns + 1,
        frameon=False,
        fontsize=8,
    )
    save_small(figure, path)


def plot_ratios(
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    path: str | Path,
    *,
    title: str,
    x_label: str,
) -> None:
    """Draw ratios as points around 1, with series (places, ratios) in pairs: the first hollow, the second filled.

    Places are on a scale of powers of two, with series next to each other so that none covers another.
    """
    kind_of(path)
    figure = new_figure(8, 3.8)
    axes = figure.subplots()
    axes.axhline(1, color=INK, linewidth=0.8)
    for number, (name, (places, ratios)) in enumerate(series.items()):
        moved = [place * 2 ** (0.07 * (number - len(series) / 2 + 0.5)) for place in places]
        colour = COLOURS[1 + number // 2]
        face = colour if number % 2 else "none"
        axes.plot(moved, ratios, "o", markersize=4, color=colour, markerfacecolor=face, alpha=0.85, label=name)
    ticks = sorted({place for places, _ in series.values() for place in places})
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    plain(axes, x_label=x_label, title=title)
    figure.legend(loc="outside right center", frameon=False, fontsize=8)
    save_small(figure, path)
