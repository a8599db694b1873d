"""Pictures of shares, and of any estimates, with their intervals: a dot and a line in each row, under headings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.domain import Domain
from ..core.errors import InvalidInput
from ..core.per_value import has_names, per_value
from ..estimation.results.shares import Shares
from .picture import (
    ESTIMATE,
    FAINT,
    INK,
    INTERVAL,
    TRUTH,
    add_title,
    annotate,
    kind_of,
    new_axes,
    new_grid,
    plain,
    save,
)

MAX_ROWS = 60
"""The most rows of a picture; of more only the largest shares, or estimates, are drawn, and the title says so."""


class _Rows:
    """The places of rows from top to bottom, with room for a heading wherever a new group begins."""

    def __init__(self, names: Sequence[Any], groups: Sequence[Any] | None) -> None:
        self.names, headings = [str(name) for name in names], groups or ()
        self.heads = {n: str(group) for n, group in enumerate(headings) if n == 0 or group != headings[n - 1]}
        self.places, self.end = list[float](), 0.0
        for number in range(len(names)):
            self.end += (1.1 if number else 0.7) if number in self.heads else 0.0
            self.places.append(self.end)
            self.end += 1.0

    def rule(self, axes: Any) -> None:
        """Draw the lines between groups."""
        for number in self.heads:
            if number:
                axes.axhline(self.places[number] - 1.35, color=FAINT, linewidth=0.8)

    def label(self, axes: Any) -> None:
        """Write the names and the headings at the left."""
        axes.set_yticks(self.places, self.names, fontsize=8)
        style = {"ha": "right", "va": "center", "fontsize": 8.5, "fontweight": "bold", "color": INK}
        for number, head in self.heads.items():
            place = 0, self.places[number] - 0.85
            annotate(axes, head, place, (-4, 0), xycoords=("axes fraction", "data"), **style)
        axes.set_ylim(self.end - 0.3, -1.1 if self.heads else -0.7)


def _plain(axes: Any, x_label: str, title: str = "") -> None:
    plain(axes, x_label=x_label, title=title)
    axes.grid(visible=False, axis="y")


def plot_shares(
    panels: Shares | Mapping[str, Any] | Sequence[Shares | Mapping[str, Any]],
    path: str | Path,
    *,
    title: str = "",
    truth: Sequence[float] | None = None,
    confidence: float = 0.95,
) -> None:
    """Draw shares with their intervals, and the truth where it is known, and save the picture.

    A panel is a result, drawn with its intervals at `confidence`, or a mapping with `values`, `shares`, `low` and
    `high` as ``discreet estimate --json`` prints them (no intervals where these are None), and perhaps `title` and
    `groups` (the heading above each value; equal neighbours share one). Panels are side by side over the same
    values.
    """
    given = [panels] if isinstance(panels, (Shares, Mapping)) else panels
    several = [_as_panel(panel, confidence) if isinstance(panel, Shares) else panel for panel in given]
    values = list(several[0]["values"])
    if any(list(panel["values"]) != values for panel in several):
        raise InvalidInput("panels must show the same values")
    if truth is not None and has_names(truth):
        truth = list(per_value(Domain(values), truth, name="truth"))
    if truth is not None and len(truth) != len(values):
        raise InvalidInput(f"truth has {len(truth)} shares; it must have one per value, {len(values)}")
    kind_of(path)
    if not all(share is not None and math.isfinite(share) for panel in several for share in panel["shares"]):
        raise InvalidInput("there is nothing to draw: no reports, no shares")
    order = list(range(len(values)))
    if len(values) > MAX_ROWS:
        order = sorted(order, key=lambda x: -several[0]["shares"][x])[:MAX_ROWS]
        title = f"{title}: the {MAX_ROWS} largest of {len(values)} shares".removeprefix(": ")
    groups = several[0].get("groups")
    rows = _Rows([values[x] for x in order], [groups[x] for x in order] if groups else None)
    shape = 1, len(several)
    figure, grid = new_grid(path, 2.2 + 3.6 * len(several), 1.6 + 0.24 * rows.end, shape, sharex=True, sharey=True)
    for axes, panel in zip(grid.flat, several, strict=True):
        _draw_panel(axes, panel, order, rows, truth)
    first = grid[0, 0]
    rows.label(first)
    add_title(figure, title)
    handles, labels = first.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower right", ncols=len(labels), frameon=False, fontsize=8)
    save(figure, path)


def _as_panel(result: Shares, confidence: float) -> dict[str, Any]:
    """A result as a panel, with its method as the title."""
    return result._columns(confidence)[0] | {"values": list(result.values), "title": result.method}


def _draw_panel(
    axes: Any, panel: Mapping[str, Any], order: list[int], rows: _Rows, truth: Sequence[float] | None
) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.axvline(0, color=INK, linewidth=0.8)
    if panel["low"] is not None:
        low, high = ([panel[end][x] for x in order] for end in ("low", "high"))
        axes.hlines(rows.places, low, high, color=INTERVAL, linewidth=4.5, label="interval")
    axes.plot([panel["shares"][x] for x in order], rows.places, "o", color=ESTIMATE, markersize=4, label="estimate")
    if truth is not None:
        style = {"color": TRUTH, "markersize": 8, "markeredgewidth": 1.8, "label": "truth"}
        axes.plot([truth[x] for x in order], rows.places, "|", **style)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{round(100 * share, 6):g} %"))
    _plain(axes, "share of people", panel.get("title", ""))
    rows.rule(axes)


def plot_estimates(
    rows: Mapping[str, Sequence[Any]], path: str | Path, *, title: str = "", x_label: str = "estimate", note: str = ""
) -> None:
    """Draw estimates with their intervals, the numbers beside them (a forest plot), and save the picture.

    `rows` has `names`, `estimate`, `low` and `high`, and perhaps `groups`: the heading above each row, which equal
    neighbours share. An estimate that is not known (None or nan) is left out. Of more than 60, those farthest from
    zero in their errors are drawn.
    """
    kind_of(path)
    columns = [rows[key] for key in ("estimate", "low", "high")]
    known = [
        i
        for i, numbers in enumerate(zip(*columns, strict=True))
        if all(n is not None and math.isfinite(n) for n in numbers)
    ]
    if not known:
        raise InvalidInput("there is nothing to draw: no estimate has an interval")
    order = known
    if len(known) > MAX_ROWS:
        estimate, low, high = columns
        order = sorted(sorted(known, key=lambda i: -abs(estimate[i]) / max(high[i] - low[i], 1e-300))[:MAX_ROWS])
        title = f"{title}: the {MAX_ROWS} of {len(known)} that are farthest from zero".removeprefix(": ")
    groups = rows.get("groups")
    drawn = _Rows([rows["names"][i] for i in order], None if groups is None else [groups[i] for i in order])
    estimate, low, high = ([float(column[i]) for i in order] for column in columns)
    figure, axes = new_axes(path, 7.0, 1.3 + 0.24 * drawn.end)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.hlines(drawn.places, low, high, color=ESTIMATE, linewidth=1.4)
    axes.plot(estimate, drawn.places, "o", color=ESTIMATE, markersize=4.5)
    spans = [h - s for s, h in zip(low, high, strict=True) if h > s]
    digits = min(9, max(1, 2 - math.floor(math.log10(min(spans))))) if spans else 3
    style = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": 7.5, "color": INK}
    for place, *numbers in zip(drawn.places, estimate, low, high, strict=True):
        middle, left, right = (f"{number:.{digits}f}".replace("-", "\N{MINUS SIGN}") for number in numbers)
        annotate(axes, f"{middle} [{left}, {right}]", (1, place), (6, 0), **style)
    drawn.label(axes)
    drawn.rule(axes)
    _plain(axes, x_label)
    if title:
        figure.suptitle(title, fontsize=11, color=INK, x=0.01, ha="left")
    save(figure, path, note=note)
