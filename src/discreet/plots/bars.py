"""Pictures that compare methods over settings: bars for a few settings, rows of dots for many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .picture import COLOURS, INK, MARKERS, kind_of, new_figure, plain, save

Heights = Sequence[float | None]


def plot_bars(
    groups: Sequence[str],
    series: Mapping[str, Heights],
    path: str | Path,
    *,
    y_label: str,
    x_label: str = "",
    title: str = "",
    errors: Mapping[str, Heights] | None = None,
    note: str = "",
) -> None:
    """Draw one bar per series in every group, labelled with its height, and save the picture; None leaves a gap.

    `errors` gives the half-length of the line at a bar's end, for the series that have one.
    """
    kind_of(path)
    width = 0.8 / len(series)
    figure = new_figure(2.0 + max(1.3, 0.42 * len(series)) * len(groups), 3.8)
    axes = figure.subplots()
    for number, (name, heights) in enumerate(series.items()):
        places = [group + (number - len(series) / 2 + 0.5) * width for group in range(len(groups))]
        ends = _ends(errors, name, heights)
        drawn = [
            (place, height, end) for place, height, end in zip(places, heights, ends, strict=True) if height is not None
        ]
        xs, ys, es = (list(column) for column in zip(*drawn, strict=True))
        colour = COLOURS[number % len(COLOURS)]
        axes.bar(xs, ys, width * 0.9, color=colour, label=name)
        axes.errorbar(xs, ys, yerr=es, fmt="none", ecolor="black", elinewidth=1, capsize=1.5)
        for place, height, end in drawn:
            axes.annotate(
                f"{height:.3g}",
                (place, height + (0.0 if end != end else end)),
                xytext=(0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=6.5,
                rotation=90 if len(series) > 3 else 0,
            )
    axes.set_xticks(range(len(groups)), groups)
    axes.margins(y=0.15)
    plain(axes, x_label=x_label, y_label=y_label, title=title)
    axes.grid(visible=False, axis="x")
    columns = 3 if len(series) > 3 else len(series)
    figure.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
    save(figure, path, note=note)


def plot_dots(
    groups: Sequence[str],
    series: Mapping[str, Sequence[float]],
    path: str | Path,
    *,
    x_label: str,
    title: str = "",
    errors: Mapping[str, Heights] | None = None,
    log_x: bool = False,
    note: str = "",
) -> None:
    """Draw one row per group with one dot per series, and save the picture.

    `errors` gives the half-length of the line through a dot. On a plain scale, which begins at 0, a line stands at
    1, the ratio of equals; a logarithmic scale (`log_x`) has neither.
    """
    kind_of(path)
    figure = new_figure(7.4, 1.2 + max(0.3, 0.12 * len(series)) * len(groups))
    axes = figure.subplots()
    if not log_x:
        axes.axvline(1, color=INK, linewidth=0.8)
    for number, (name, places) in enumerate(series.items()):
        rows = [row + 0.16 * (number - len(series) / 2 + 0.5) for row in range(len(groups))]
        style: dict[str, Any] = {"color": COLOURS[1 + number % (len(COLOURS) - 1)], "marker": MARKERS[number % 8]}
        ends = _ends(errors, name, places)
        axes.errorbar(places, rows, xerr=ends, fmt="none", ecolor=style["color"], elinewidth=1.2)
        axes.plot(places, rows, linestyle="none", markersize=5, label=name, **style)
    axes.set_yticks(range(len(groups)), groups)
    axes.set_ylim(len(groups) - 0.5, -0.5)
    if log_x:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    else:
        axes.set_xlim(left=0)
    plain(axes, x_label=x_label, title=title)
    figure.legend(loc="outside lower center", ncols=len(series), frameon=False, fontsize=8)
    save(figure, path, note=note)


def _ends(errors: Mapping[str, Heights] | None, name: str, places: Heights) -> list[float]:
    """The half-lengths of a series' lines, nan where none is known."""
    known = (errors or {}).get(name) or [None] * len(places)
    return [float("nan") if end is None else end for end in known]
