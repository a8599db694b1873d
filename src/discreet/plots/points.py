"""Pictures of points: one number against another, with one colour per series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .picture import COLOURS, kind_of, new_figure, plain, save_small

Points = tuple[Sequence[float], Sequence[float]]


def plot_points(panels: Mapping[str, Mapping[str, Points]], path: str | Path, *, x_label: str, y_label: str) -> None:
    """Draw panels of points on logarithmic scales; a panel maps a series' name to places and heights.

    The first series, with which the others are compared, is joined by a line.
    """
    kind_of(path)
    figure = new_figure(1.0 + 4.0 * len(panels), 4.0)
    from matplotlib.ticker import FuncFormatter

    grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (title, series) in zip(grid, panels.items(), strict=True):
        for number, (name, (places, heights)) in enumerate(series.items()):
            colour = COLOURS[number % len(COLOURS)]
            order = sorted(range(len(places)), key=lambda i, at=places: at[i])  # type: ignore[misc]
            xs, ys = [places[i] for i in order], [heights[i] for i in order]
            style = "o-" if number == 0 else "D"
            axes.plot(xs, ys, style, color=colour, markersize=4, linewidth=1, label=name)
        axes.set_xscale("log")
        axes.set_yscale("log")
        for scale in (axes.xaxis, axes.yaxis):
            scale.set_major_formatter("{x:g}")
            scale.set_minor_formatter(FuncFormatter(_some))
        plain(axes, x_label=x_label, y_label=y_label, title=title)
        axes.label_outer()
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 5), frameon=False, fontsize=8)
    save_small(figure, path)


def _some(value: float, _: int) -> str:
    """The labels between powers of ten: 2, 3 and 5 times a power, in plain numbers."""
    return f"{value:g}" if f"{value:e}"[0] in "235" else ""
