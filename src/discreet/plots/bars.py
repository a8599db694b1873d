"""Pictures that compare methods over settings, by bars or rows of dots, and pictures of diagnostics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..estimation.results.intervals import quantile
from .picture import (
    COLOURS,
    ESTIMATE,
    FAINT,
    INK,
    INTERVAL,
    MARKERS,
    TRUTH,
    add_legend,
    annotate,
    new_axes,
    plain,
    save,
)

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
    width = 0.8 / len(series)
    figure, axes = new_axes(path, 2.0 + max(1.3, 0.42 * len(series)) * len(groups), 3.8)
    for number, (name, heights) in enumerate(series.items()):
        places = [group + (number - len(series) / 2 + 0.5) * width for group in range(len(groups))]
        ends = _ends(errors, name, heights)
        drawn = [(at, top, end) for at, top, end in zip(places, heights, ends, strict=True) if top is not None]
        xs, ys, es = (list(column) for column in zip(*drawn, strict=True))
        axes.bar(xs, ys, width * 0.9, color=COLOURS[number % len(COLOURS)], label=name)
        axes.errorbar(xs, ys, yerr=es, fmt="none", ecolor="black", elinewidth=1, capsize=1.5)
        for at, height, end in drawn:
            top, turn = height + (0.0 if end != end else end), 90 if len(series) > 3 else 0
            annotate(axes, f"{height:.3g}", (at, top), (0, 3), ha="center", fontsize=6.5, rotation=turn)
    axes.set_xticks(range(len(groups)), groups)
    axes.margins(y=0.15)
    plain(axes, x_label=x_label, y_label=y_label, title=title)
    axes.grid(visible=False, axis="x")
    add_legend(figure, min(3, len(series)))
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
    figure, axes = new_axes(path, 7.4, 1.2 + max(0.3, 0.12 * len(series)) * len(groups))
    if not log_x:
        axes.axvline(1, color=INK, linewidth=0.8)
    for number, (name, places) in enumerate(series.items()):
        rows = [row + 0.16 * (number - len(series) / 2 + 0.5) for row in range(len(groups))]
        style: dict[str, Any] = {"color": COLOURS[1 + number % (len(COLOURS) - 1)], "marker": MARKERS[number % 8]}
        axes.errorbar(places, rows, xerr=_ends(errors, name, places), fmt="none", ecolor=style["color"], elinewidth=1.2)
        axes.plot(places, rows, linestyle="none", markersize=5, label=name, **style)
    axes.set_yticks(range(len(groups)), groups)
    axes.set_ylim(len(groups) - 0.5, -0.5)
    if log_x:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    else:
        axes.set_xlim(left=0)
    plain(axes, x_label=x_label, title=title)
    add_legend(figure, len(series))
    save(figure, path, note=note)


def _ends(errors: Mapping[str, Heights] | None, name: str, places: Heights) -> list[float]:
    """The half-lengths of a series' lines, nan where none is known."""
    known = (errors or {}).get(name) or [None] * len(places)
    return [float("nan") if end is None else end for end in known]


MAX_STEMS = 60
"""With more points than this, they are drawn without stems."""


def plot_deviations(
    deviations: Iterable[float],
    path: str | Path,
    *,
    title: str,
    x_label: str,
    y_label: str,
    one_sided: bool,
    confidence: float,
) -> None:
    """Draw deviations in order, with those outside of a simultaneous band in another colour.

    With `one_sided` only those below the band count: shares may be as far above 0 as they like.
    """
    shown = [(at, height) for at, height in enumerate(deviations) if height == height]
    reach = quantile(confidence, among=max(1, len(shown)))
    figure, axes = new_axes(path, 7.2, 3.4)
    top = max([reach, *(height for _, height in shown)]) * 1.05 if one_sided else reach
    axes.axhspan(-reach, top, color=FAINT, alpha=0.5, linewidth=0, label=f"{confidence:g} of the time, all inside")
    axes.axhline(0, color=INK, linewidth=0.8)
    for far, colour in ((False, ESTIMATE), (True, TRUTH)):
        chosen = [(at, height) for at, height in shown if (height < -reach or height > top) == far]
        places, heights = [at for at, _ in chosen], [height for _, height in chosen]
        if len(shown) <= MAX_STEMS:
            axes.vlines(places, 0, heights, color=colour, linewidth=1.2)
        axes.plot(places, heights, "o", color=colour, markersize=3.2)
    plain(axes, x_label=x_label, y_label=y_label, title=title)
    axes.legend(frameon=False, fontsize=8)
    save(figure, path)


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
    figure, axes = new_axes(path, 6.4, 4.0)
    axes.fill_between(shares, *band, color=INTERVAL, alpha=0.35, linewidth=0)
    for (name, heights), colour, style in zip(lines.items(), COLOURS[1:], ("-", "--", "-."), strict=False):
        axes.plot(shares, heights, color=colour, linestyle=style, linewidth=1.5, label=name)
    if threshold is not None:
        axes.axhline(threshold, color=INK, linewidth=0.9, linestyle=(0, (6, 3)), label=f"threshold {threshold:g}")
    axes.axvline(largest, color=INK, linewidth=0.8, linestyle=":")
    plain(axes, x_label="share of people who evade", y_label="estimate", title=title)
    add_legend(figure, 1)
    save(figure, path)
