"""Pictures that compare methods over settings: bars for a few settings, rows of dots for many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .picture import COLOURS, INK, kind_of, new_figure, plain, save_small


def plot_bars(
    groups: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    path: str | Path,
    *,
    y_label: str,
    title: str = "",
    log_y: bool = False,
) -> None:
    """Draw one bar per series in every group, labelled with its height, and save the picture; None leaves a gap."""
    kind_of(path)
    width = 0.8 / len(series)
    figure = new_figure(2.0 + max(1.3, 0.42 * len(series)) * len(groups), 3.8)
    axes = figure.subplots()
    for number, (name, heights) in enumerate(series.items()):
        places = [group + (number - len(series) / 2 + 0.5) * width for group in range(len(groups))]
        drawn = [(place, height) for place, height in zip(places, heights, strict=True) if height is not None]
        xs, ys = [place for place, _ in drawn], [height for _, height in drawn]
        axes.bar(xs, ys, width * 0.9, color=COLOURS[number % len(COLOURS)], label=name)
        for place, height in drawn:
            axes.annotate(
                f"{height:.3g}",
                (place, height),
                xytext=(0, 2),
                textcoords="offset points",
                ha="center",
                fontsize=6,
                rotation=90 if len(series) > 3 else 0,
            )
    axes.set_xticks(range(len(groups)), groups)
    axes.set_yscale("log" if log_y else "linear")
    axes.margins(y=0.15)
    plain(axes, y_label=y_label, title=title)
    axes.grid(visible=False, axis="x")
    columns = 3 if len(series) > 3 else len(series)
    figure.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
    save_small(figure, path)


def plot_dots(
    groups: Sequence[str],
    series: Mapping[str, Sequence[float]],
    path: str | Path,
    *,
    x_label: str,
    title: str = "",
) -> None:
    """Draw one row per group with one dot per series, to be compared with 1, and save the picture."""
    kind_of(path)
    figure = new_figure(7.4, 1.2 + 0.24 * len(groups))
    axes = figure.subplots()
    rows = list(range(len(groups)))
    axes.axvline(1, color=INK, linewidth=0.8)
    for number, (name, places) in enumerate(series.items()):
        axes.plot(places, rows, "o", color=COLOURS[1 + number % len(COLOURS)], markersize=5, label=name)
    axes.set_yticks(rows, groups)
    axes.set_ylim(len(groups) - 0.5, -0.5)
    axes.set_xlim(left=0)
    plain(axes, x_label=x_label, title=title)
    figure.legend(loc="outside lower center", ncols=len(series), frameon=False, fontsize=8)
    save_small(figure, path)
