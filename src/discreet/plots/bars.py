"""Pictures of bars in groups: a few methods over a few settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .picture import COLOURS, kind_of, new_figure, plain, save_small


def plot_bars(
    groups: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    path: str | Path,
    *,
    y_label: str,
    title: str = "",
    log_y: bool = False,
) -> None:
    """Draw one bar a series in every group, with its height above it, and save the picture; None leaves a gap."""
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
