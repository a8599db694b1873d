"""Pictures of a query against the share of people who do not follow the instructions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .picture import COLOURS, INK, INTERVAL, kind_of, new_figure, plain, save


def plot_noncompliance(
    shares: Any,
    lines: Mapping[str, Any],
    band: tuple[Any, Any],
    path: str | Path,
    *,
    title: str,
    threshold: float | None,
    largest: float,
) -> None:
    """Draw one line for each reading over the shares of people who evade; `band` is the interval of the first.

    A dashed line is at the threshold, a dotted one at the largest share that leaves no share of a value below 0.
    """
    kind_of(path)
    figure = new_figure(6.4, 4.0)
    axes = figure.subplots()
    axes.fill_between(shares, *band, color=INTERVAL, alpha=0.35, linewidth=0)
    for (name, heights), colour, style in zip(lines.items(), COLOURS[1:], ("-", "--", "-."), strict=False):
        axes.plot(shares, heights, color=colour, linestyle=style, linewidth=1.5, label=name)
    if threshold is not None:
        axes.axhline(threshold, color=INK, linewidth=0.9, linestyle=(0, (6, 3)), label=f"threshold {threshold:g}")
    axes.axvline(largest, color=INK, linewidth=0.8, linestyle=":")
    plain(axes, x_label="share of people who evade", y_label="estimate", title=title)
    figure.legend(loc="outside lower center", ncols=1, frameon=False, fontsize=8)
    save(figure, path)
