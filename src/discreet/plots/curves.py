"""Pictures of curves and points: one line or colour per series, panels side by side.

Pictures of what reports give away: shuffled with others, repeated, and one by one.

A picture of a design: E, the channel that was found for it, and the search.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import InvalidInput
from .picture import (
    COLOURS,
    ESTIMATE,
    FAINT,
    INK,
    INTERVAL,
    MARKERS,
    TRUTH,
    kind_of,
    new_figure,
    plain,
    plain_numbers,
    save,
)

if TYPE_CHECKING:
    from ..leakage.repetition import Repeated
    from ..leakage.shuffling import Shuffled
    from ..leakage.single_report import Exposure
    from ..planning.design import Designed


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


POINTS = 25
"""The points of a curve."""

SMALLEST = 1e-9
"""The smallest delta that is drawn."""

MAX_VALUES = 40
"""The most values that are drawn."""


def plot_shuffled(shuffled: Shuffled, x: Any, z: Any, path: str | Path, *, title: str = "") -> None:
    """Draw the certified delta of x against z over epsilon, both ways, down to where it is next to nothing."""
    kind_of(path)
    ends = [shuffled.epsilon(*pair, SMALLEST) for pair in ((x, z), (z, x))]
    end = max((one for one in ends if math.isfinite(one)), default=1.0) or 1e-6
    places = [end * number / POINTS for number in range(POINTS + 1)]
    series = {f"{a} against {b}": _drawn(shuffled.curve(a, b, places)) for a, b in ((x, z), (z, x))}
    panel = {"title": title or shuffled.mechanism.name, "x": places, "series": series}
    note = "Certified, for whoever sees the batch without who sent what."
    plot_curves([panel], path, x_label="epsilon", y_label="delta", log_y=True, note=note)


def plot_repeated(repeated: Repeated, x: Any, z: Any, path: str | Path, *, delta: float) -> None:
    """Draw epsilon at `delta` of x against z over the number of repetitions, beside the sum of E."""
    kind_of(path)
    most = max(times for _, times in repeated.releases)
    counts = sorted({max(1, round(most * number / 12)) for number in range(13)})
    scaled = [type(repeated)(tuple((one, count) for one, _ in repeated.releases)) for count in counts]
    series = {
        "sum of E": [float(one.context.epsilon(x, z)) for one in scaled],
        f"epsilon at delta {delta:g}": [one.epsilon(x, z, delta) for one in scaled],
    }
    panel = {"title": f"{x} against {z}", "x": counts, "series": series}
    plot_curves([panel], path, x_label="fresh reports", y_label="epsilon")


def plot_exposure(exposure: Exposure, path: str | Path) -> None:
    """Draw for each value its share, what reports make of it at least and at most, and what E promises."""
    kind_of(path)
    rows = exposure.as_dict()["values"][:MAX_VALUES]
    figure = new_figure(7.0, 1.2 + 0.3 * len(rows))
    axes = figure.subplots()
    for at, row in enumerate(rows):
        ends = (row["promised_low"], row["promised_high"]), (row["low"], row["high"])
        axes.plot(ends[0], [at, at], color=INTERVAL, linewidth=5, label="promised by E" if not at else None)
        axes.plot(ends[1], [at, at], color=ESTIMATE, linewidth=2, label="after one report" if not at else None)
        axes.plot(row["share"], at, "o", color=TRUTH, markersize=4, label="before" if not at else None)
    axes.set_yticks(range(len(rows)), [str(row["value"]) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(left=0)
    plain(axes, x_label="share of those who hold it", title=exposure.mechanism.name)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    save(figure, path)


def _drawn(deltas: list[float]) -> list[float]:
    """Nothing at all has no place on a logarithmic scale."""
    return [delta if delta >= SMALLEST / 10 else math.nan for delta in deltas]


MAX_DRAWN = 320
"""The most values that are drawn."""


def plot_design(designed: Designed, path: str | Path) -> None:
    """Draw E, the channel with its reports sorted by the value that they speak for, and the error along the search."""
    kind_of(path)
    made = designed.mechanism
    size = made.context.size
    if size > MAX_DRAWN or made.sampler.outputs > 1 << 14:
        raise InvalidInput(f"{path}: at most {MAX_DRAWN} values and {1 << 14} reports are drawn")
    figure = new_figure(12.0, 3.8)
    left, middle, right = figure.subplots(1, 3)
    entries = [[float(made.context.closure().at(x, z)) for z in range(size)] for x in range(size)]
    shown = [[entry if math.isfinite(entry) else math.nan for entry in row] for row in entries]
    figure.colorbar(left.imshow(shown, cmap="viridis"), ax=left, shrink=0.8)
    plain(left, x_label="against the value", y_label="value", title="E (blank: nothing is asked)")
    rows = [[float(entry) for entry in row] for row in made.channel()]
    columns = sorted(zip(*rows, strict=True), key=lambda column: (column.index(max(column)), max(column)))
    logs = [
        [math.log(column[x] / max(column)) if column[x] > 0 else math.nan for column in columns] for x in range(size)
    ]
    drawn = middle.imshow(logs, cmap="viridis", aspect="auto", interpolation="nearest")
    figure.colorbar(drawn, ax=middle, shrink=0.8)
    plain(middle, x_label="report", y_label="value", title="log of the channel, each report's largest 0")
    for axes in (left, middle):
        axes.grid(visible=False)
    _search(right, designed)
    save(figure, path, note=f"{designed.mechanism.name} for {designed.objective}: {designed.label}.")


def _search(axes: Any, designed: Designed) -> None:
    """The error along the search, the best closed form, and the bound."""
    plain(axes, x_label="seconds", y_label="n x error", title="search")
    for level, colour, name in (
        (designed.compared[0].error if designed.compared else None, INK, "best closed form"),
        (designed.bound or None, TRUTH, "no mechanism below"),
    ):
        if level is not None:
            axes.axhline(level, color=colour, linewidth=1, linestyle="--", label=name)
    seconds, errors = [step.seconds for step in designed.history], [step.error for step in designed.history]
    axes.plot(seconds, errors, color=ESTIMATE, marker="o", markersize=2.5, label="designed")
    axes.set_yscale("log")
    axes.legend(fontsize=8, frameon=False)
