"""Pictures of curves and points in panels; and of what reports give away, and of designed mechanisms, by these."""

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
    add_legend,
    add_title,
    kind_of,
    new_axes,
    new_grid,
    plain,
    plain_numbers,
    save,
)

if TYPE_CHECKING:
    from ..leakage.repetition import Repeated
    from ..leakage.shuffling import Shuffled
    from ..leakage.single_report import Exposure
    from ..planning.design import Designed


POINTS = 25
"""The points of a curve."""
MIN_DELTA = 1e-9
"""The smallest delta that is drawn."""
MAX_EXPOSED = 40
"""The most values whose exposure is drawn."""
MAX_DESIGNED = 320
"""The most values of a designed mechanism that are drawn."""

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
    rows = math.ceil(len(panels) / columns)
    shape = rows, columns
    figure, grid = new_grid(path, 1.2 + 4.2 * columns, 0.9 + 2.9 * rows, shape, sharex=True, sharey=True)
    for axes, panel in zip(grid.flat, panels, strict=False):
        _draw_panel(axes, panel)
        axes.set_xscale("log" if log_x else "linear")
        axes.set_yscale("log" if log_y else "linear")
        if log_x:
            plain_numbers(axes.xaxis)
        plain(axes, x_label=x_label, y_label=y_label, title=panel["title"])
        axes.label_outer()
    if not log_y:
        grid[0, 0].set_ylim(bottom=0)
    add_title(figure, title)
    few = columns == 1 and len(grid[0, 0].get_legend_handles_labels()[1]) < 6
    add_legend(figure, 2 if few else 2 * columns + 1, axes=grid[0, 0])
    save(figure, path, note=note)


def _draw_panel(axes: Any, panel: Mapping[str, Any]) -> None:
    """Draw the bands of a panel, then its lines."""
    colours = {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(panel["series"])}
    for name, (lows, highs) in panel.get("bands", {}).items():
        known = name in colours
        style = {"color": colours[name], "alpha": 0.22} if known else {"color": FAINT, "alpha": 0.6, "label": name}
        axes.fill_between(panel["x"], lows, highs, linewidth=0, **style)
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
    """Draw ratios as points around 1; of every two series the first is hollow, the second filled.

    Places are on a scale of powers of two, with series next to each other so that none covers another. `errors`
    gives the half-length of the line through each point.
    """
    figure, axes = new_axes(path, 9.5, 4.4)
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
    figure, grid = new_grid(path, 1.0 + 4.0 * len(panels), 4.0, (1, len(panels)), sharey=True)
    for axes, (title, series) in zip(grid.flat, panels.items(), strict=True):
        for number, (name, points) in enumerate(series.items()):
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
            xs, ys, ends = zip(*sorted(zip(*points, strict=True)), strict=True)
            axes.errorbar(xs, ys, yerr=ends, fmt="none", ecolor=colour, elinewidth=1.2, capsize=2)
            style = {"linestyle": "none", "markersize": 4.5} if number else {"linestyle": "-", "markersize": 3}
            axes.plot(xs, ys, marker=marker, color=colour, linewidth=1, label=name, **style)
        axes.set_xscale("log")
        axes.set_yscale("log")
        for scale in (axes.xaxis, axes.yaxis):
            plain_numbers(scale)
        plain(axes, x_label=x_label, y_label=y_label, title=title)
        axes.label_outer()
    add_legend(figure, min(len(grid[0, 0].get_legend_handles_labels()[1]), 5), axes=grid[0, 0])
    save(figure, path, note=note)


def plot_shuffled(shuffled: Shuffled, x: Any, z: Any, path: str | Path, *, title: str = "") -> None:
    """Draw the certified delta of x against z over epsilon, both ways, down to where it is next to nothing."""
    kind_of(path)
    ends = [shuffled.epsilon(*pair, MIN_DELTA) for pair in ((x, z), (z, x))]
    end = max((one for one in ends if math.isfinite(one)), default=1.0) or 1e-6
    places = [end * number / POINTS for number in range(POINTS + 1)]
    series = {f"{a} against {b}": _visible(shuffled.curve(a, b, places)) for a, b in ((x, z), (z, x))}
    panel = {"title": title or shuffled.mechanism.name, "x": places, "series": series}
    note = "Certified, for whoever sees the batch without who sent what."
    plot_curves([panel], path, x_label="epsilon", y_label="delta", log_y=True, note=note)


def plot_repeated(repeated: Repeated, x: Any, z: Any, path: str | Path, *, delta: float) -> None:
    """Draw epsilon at `delta` of x against z by the number of repetitions, beside the sum of E."""
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
    """Draw each value's share, the range of its posterior after one report, and the range that E promises."""
    rows = exposure.as_dict()["values"][:MAX_EXPOSED]
    figure, axes = new_axes(path, 7.0, 1.2 + 0.3 * len(rows))
    for at, row in enumerate(rows):
        ends = (row["promised_low"], row["promised_high"]), (row["low"], row["high"])
        axes.plot(ends[0], [at, at], color=INTERVAL, linewidth=5, label="promised by E" if not at else None)
        axes.plot(ends[1], [at, at], color=ESTIMATE, linewidth=2, label="after one report" if not at else None)
        axes.plot(row["share"], at, "o", color=TRUTH, markersize=4, label="before" if not at else None)
    axes.set_yticks(range(len(rows)), [str(row["value"]) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(left=0)
    plain(axes, x_label="share of those who hold it", title=exposure.mechanism.name)
    add_legend(figure, 3)
    save(figure, path)


def _visible(deltas: list[float]) -> list[float]:
    """The deltas that a logarithmic scale has a place for; nan for the others."""
    return [delta if delta >= MIN_DELTA / 10 else math.nan for delta in deltas]


def plot_design(designed: Designed, path: str | Path) -> None:
    """Draw E, the channel with its reports sorted by the value that they speak for, and the error along the search."""
    mechanism = designed.mechanism
    size = mechanism.context.size
    if size > MAX_DESIGNED or mechanism.sampler.outputs > 1 << 14:
        raise InvalidInput(f"{path}: at most {MAX_DESIGNED} values and {1 << 14} reports are drawn")
    figure, grid = new_grid(path, 12.0, 3.8, (1, 3))
    left, middle, right = grid.flat
    entries = [[float(mechanism.context.closure().at(x, z)) for z in range(size)] for x in range(size)]
    shown = [[entry if math.isfinite(entry) else math.nan for entry in row] for row in entries]
    figure.colorbar(left.imshow(shown, cmap="viridis"), ax=left, shrink=0.8)
    plain(left, x_label="against the value", y_label="value", title="E (blank: nothing is asked)")
    rows = [[float(entry) for entry in row] for row in mechanism.channel()]
    columns = sorted(zip(*rows, strict=True), key=lambda column: (column.index(max(column)), max(column)))
    logs = [
        [math.log(column[x] / max(column)) if column[x] > 0 else math.nan for column in columns] for x in range(size)
    ]
    drawn = middle.imshow(logs, cmap="viridis", aspect="auto", interpolation="nearest")
    figure.colorbar(drawn, ax=middle, shrink=0.8)
    plain(middle, x_label="report", y_label="value", title="log of the channel, each report's largest 0")
    for axes in (left, middle):
        axes.grid(visible=False)
    _draw_search(right, designed)
    save(figure, path, note=f"{mechanism.name} for {designed.objective}: {designed.label}.")


def _draw_search(axes: Any, designed: Designed) -> None:
    """Draw the error along the search, the best closed form, and the bound."""
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
