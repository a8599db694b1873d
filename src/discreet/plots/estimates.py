"""Pictures of estimates: a dot and a whisker each, under headings, with the numbers beside them (a forest plot)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.errors import InvalidInput
from .picture import ESTIMATE, FAINT, INK, kind_of, new_figure, save

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
    heads = _heads([groups[i] for i in order]) if groups is not None else {}
    drawn = [[float(column[i]) for i in order] for column in values]
    save(_figure(shown, drawn, heads, title, x_label), path, note=note)


def _finite(number: Any) -> bool:
    return number is not None and math.isfinite(number)


def _farthest(known: list[int], estimate: Sequence[Any], low: Sequence[Any], high: Sequence[Any]) -> list[int]:
    """Those to draw, in their order."""
    if len(known) <= MAX_ROWS:
        return known
    order = sorted(known, key=lambda i: -abs(estimate[i]) / max(high[i] - low[i], 1e-300))
    return sorted(order[:MAX_ROWS])


def _heads(groups: Sequence[Any]) -> dict[int, str]:
    """The positions where a new group begins, and its name."""
    return {n: str(group) for n, group in enumerate(groups) if n == 0 or group != groups[n - 1]}


def _figure(names: list[str], values: list[list[float]], heads: Mapping[int, str], title: str, x_label: str) -> Any:
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
