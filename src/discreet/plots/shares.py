"""Pictures of shares with their intervals.

Pictures of estimates: a dot and a whisker each, under headings, with the numbers beside them (a forest plot).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.errors import InvalidInput
from ..estimation.results.shares import Shares
from .picture import ESTIMATE, FAINT, INK, INTERVAL, TRUTH, kind_of, new_figure, save

MAX_VALUES = 60
"""The most values drawn in one panel; beyond that only the largest shares are shown, and the title says so."""


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
    if truth is not None and len(truth) != len(values):
        raise InvalidInput(f"truth has {len(truth)} shares; it must have one per value, {len(values)}")
    kind_of(path)
    if not all(share is not None and math.isfinite(share) for panel in several for share in panel["shares"]):
        raise InvalidInput("there is nothing to draw: no reports, no shares")
    order = list(range(len(values)))
    if len(values) > MAX_VALUES:
        order = sorted(order, key=lambda x: -several[0]["shares"][x])[:MAX_VALUES]
        title = f"{title}: the {MAX_VALUES} largest of {len(values)} shares".removeprefix(": ")
    save(_figure(several, order, title, truth), path)


def _as_panel(result: Shares, confidence: float) -> dict[str, Any]:
    """A result as a panel, with its method as the title."""
    return result.to_dict(confidence=confidence) | {"values": list(result.values), "title": result.method}


def _figure(panels: Sequence[Mapping[str, Any]], order: list[int], title: str, truth: Sequence[float] | None) -> Any:
    names = [str(panels[0]["values"][x]) for x in order]
    groups = panels[0].get("groups")
    heads = _heads([groups[x] for x in order]) if groups else {}
    places, at = [], 0.0
    for number in range(len(order)):
        at += (1.1 if number else 0.7) if number in heads else 0.0
        places.append(at)
        at += 1.0
    height = 1.6 + 0.24 * at
    figure = new_figure(2.2 + 3.6 * len(panels), height)
    all_axes = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
    for axes, panel in zip(all_axes, panels, strict=True):
        _panel(axes, panel, order, places, truth)
        axes.set_title(panel.get("title", ""), fontsize=10, color=INK, loc="left")
        for number in heads:
            if number:
                axes.axhline(places[number] - 1.35, color=FAINT, linewidth=0.8)
    first = all_axes[0]
    first.set_yticks(places, names, fontsize=8)
    for number, head in heads.items():
        first.annotate(
            head,
            (0, places[number] - 0.85),
            xycoords=("axes fraction", "data"),
            xytext=(-4, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=8.5,
            fontweight="bold",
            color=INK,
        )
    first.set_ylim(at - 0.3, -1.1 if heads else -0.7)
    if title:
        figure.suptitle(title, fontsize=11.5, color=INK, x=0.01, ha="left")
    handles, labels = first.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower right", ncols=len(labels), frameon=False, fontsize=8)
    return figure


def _heads(groups: Sequence[str]) -> dict[int, str]:
    """The positions where a new group begins, and its name."""
    return {n: str(group) for n, group in enumerate(groups) if n == 0 or group != groups[n - 1]}


def _panel(
    axes: Any, panel: Mapping[str, Any], order: list[int], places: list[float], truth: Sequence[float] | None
) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.axvline(0, color=INK, linewidth=0.8)
    if panel["low"] is not None:
        low, high = ([panel[end][x] for x in order] for end in ("low", "high"))
        axes.hlines(places, low, high, color=INTERVAL, linewidth=4.5, label="interval")
    axes.plot([panel["shares"][x] for x in order], places, "o", color=ESTIMATE, markersize=4, label="estimate")
    if truth is not None:
        marks = [truth[x] for x in order]
        axes.plot(marks, places, "|", color=TRUTH, markersize=8, markeredgewidth=1.8, label="truth")
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{round(100 * share, 6):g} %"))
    axes.grid(axis="x", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=8, labelcolor=INK)
    axes.set_xlabel("share of people", fontsize=8.5, color=INK)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)


MAX_ROWS = 60
"""The most estimates drawn; beyond that only those farthest from zero in their errors are, and the title says so."""


def plot_estimates(
    rows: Mapping[str, Sequence[Any]], path: str | Path, *, title: str = "", x_label: str = "estimate", note: str = ""
) -> None:
    """Draw estimates with their intervals, and save the picture.

    `rows` has `names`, `estimate`, `low` and `high`, and perhaps `groups`: the heading above each row, which equal
    neighbours share. An estimate that is not known (None or nan) is left out.
    """
    kind_of(path)
    names, values = list(rows["names"]), [rows[key] for key in ("estimate", "low", "high")]
    groups = list(rows["groups"]) if rows.get("groups") is not None else None
    known = [i for i in range(len(names)) if all(_finite(column[i]) for column in values)]
    if not known:
        raise InvalidInput("there is nothing to draw: no estimate has an interval")
    order = _farthest(known, *values)
    if len(order) < len(known):
        title = f"{title}: the {MAX_ROWS} of {len(known)} that are farthest from zero".removeprefix(": ")
    shown = [str(names[i]) for i in order]
    heads = _header([groups[i] for i in order]) if groups is not None else {}
    drawn = [[float(column[i]) for i in order] for column in values]
    save(_estimate_figure(shown, drawn, heads, title, x_label), path, note=note)


def _finite(number: Any) -> bool:
    return number is not None and math.isfinite(number)


def _farthest(known: list[int], estimate: Sequence[Any], low: Sequence[Any], high: Sequence[Any]) -> list[int]:
    """Those to draw, in their order."""
    if len(known) <= MAX_ROWS:
        return known
    order = sorted(known, key=lambda i: -abs(estimate[i]) / max(high[i] - low[i], 1e-300))
    return sorted(order[:MAX_ROWS])


def _header(groups: Sequence[Any]) -> dict[int, str]:
    """The positions where a new group begins, and its name."""
    return {n: str(group) for n, group in enumerate(groups) if n == 0 or group != groups[n - 1]}


def _estimate_figure(
    names: list[str], values: list[list[float]], heads: Mapping[int, str], title: str, x_label: str
) -> Any:
    places, at = [], 0.0
    for number in range(len(names)):
        at += (1.1 if number else 0.7) if number in heads else 0.0
        places.append(at)
        at += 1.0
    figure = new_figure(7.0, 1.3 + 0.24 * at)
    axes = figure.subplots()
    estimate, low, high = values
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.hlines(places, low, high, color=ESTIMATE, linewidth=1.4)
    axes.plot(estimate, places, "o", color=ESTIMATE, markersize=4.5)
    axes.set_yticks(places, names, fontsize=8)
    _write(axes, places, heads, values)
    axes.set_ylim(at - 0.3, -1.1 if heads else -0.7)
    axes.grid(axis="x", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=8, labelcolor=INK)
    axes.set_xlabel(x_label, fontsize=8.5, color=INK)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    if title:
        figure.suptitle(title, fontsize=11, color=INK, x=0.01, ha="left")
    return figure


def _write(axes: Any, places: Sequence[float], heads: Mapping[int, str], values: Sequence[Sequence[float]]) -> None:
    """The numbers at the right, and the headings at the left."""
    estimate, low, high = values
    spans = [h - s for s, h in zip(low, high, strict=True) if h > s]
    digits = min(9, max(1, 2 - math.floor(math.log10(min(spans))))) if spans else 3
    for place, *numbers in zip(places, estimate, low, high, strict=True):
        middle, left, right = (f"{number:.{digits}f}".replace("-", "\u2212") for number in numbers)
        axes.annotate(
            f"{middle} [{left}, {right}]",
            (1, place),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=7.5,
            color=INK,
        )
    for number, head in heads.items():
        axes.annotate(
            head,
            (0, places[number] - 0.85),
            xycoords=("axes fraction", "data"),
            xytext=(-4, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=8.5,
            fontweight="bold",
            color=INK,
        )
        if number:
            axes.axhline(places[number] - 1.35, color=FAINT, linewidth=0.8)
