"""Pictures of matrices as shades, with bars beside them, and of joint tables with every number in its field."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.errors import InvalidInput
from .picture import COLOURS, ESTIMATE, FAINT, INK, add_title, annotate, new_axes, new_grid, plain, save

TICKS = 8
"""The most names of values along a side."""


def plot_matrices(
    panels: Sequence[Mapping[str, Any]],
    path: str | Path,
    *,
    bars: Mapping[str, float] | None = None,
    bars_title: str = "",
    title: str = "",
    note: str = "",
) -> None:
    """Draw matrices as shades, and perhaps bars of positive heights beside them, and save the picture.

    A panel is a mapping with `title`, `rows`, `x_label` and `y_label`, and perhaps `x_names` and `y_names`; entries
    that are infinite are left white and hatched, and said so beside the scale. Bars are on a logarithmic scale.
    """
    count = len(panels) + (bars is not None)
    figure, grid = new_grid(path, 0.8 + 3.4 * count, 3.5, (1, count))
    for axes, panel in zip(grid.flat, panels, strict=False):
        _shade(figure, axes, panel)
    if bars is not None:
        _compare(grid[0, -1], bars, bars_title)
    add_title(figure, title)
    save(figure, path, note=note)


def _shade(figure: Any, axes: Any, panel: Mapping[str, Any]) -> None:
    """Draw one matrix, with a scale beside it."""
    rows = [[math.nan if math.isinf(entry) else float(entry) for entry in row] for row in panel["rows"]]
    endless = any(math.isinf(entry) for row in panel["rows"] for entry in row)
    axes.set_facecolor("white")
    if endless:
        axes.patch.set(hatch="xxx", edgecolor=FAINT)
    drawn = axes.imshow(rows, cmap="viridis", aspect="auto", interpolation="nearest")
    scale = figure.colorbar(drawn, ax=axes, shrink=0.8, pad=0.02)
    scale.outline.set_visible(False)
    scale.ax.tick_params(length=0, labelsize=7, labelcolor=INK)
    scale.set_label("hatched: no protection" if endless else "", fontsize=7.5, color=INK)
    plain(axes, x_label=panel["x_label"], y_label=panel["y_label"], title=panel["title"])
    axes.grid(visible=False)
    _set_names(axes.set_xticks, panel.get("x_names"), len(rows[0]), rotation=90)
    _set_names(axes.set_yticks, panel.get("y_names"), len(rows), rotation=0)


def _set_names(set_ticks: Any, names: Sequence[object] | None, count: int, *, rotation: int) -> None:
    """Write some of the names, if there are any, evenly along a side."""
    step = max(1, math.ceil(count / TICKS))
    places = list(range(0, count, step))
    labels = [] if names is None else [str(names[place])[:14] for place in places]
    set_ticks(places if names is not None else [], labels, rotation=rotation, fontsize=7)


def _compare(axes: Any, bars: Mapping[str, float], title: str) -> None:
    """Draw one bar for each name, labelled with its height, on a logarithmic scale."""
    places = range(len(bars))
    axes.barh(places, list(bars.values()), height=0.62, color=[COLOURS[i % len(COLOURS)] for i in places], log=True)
    for place, height in zip(places, bars.values(), strict=True):
        annotate(axes, f"{height:.3g}", (height, place), (3, 0), va="center", fontsize=7.5)
    axes.set_yticks(list(places), list(bars))
    axes.invert_yaxis()
    axes.margins(x=0.3)
    plain(axes, title=title)
    axes.grid(visible=False, axis="y")


DEEPEST = 0.5
"""How much of the colour the largest share has: so much that ink can still be read on it, in both themes."""
MAX_SIDE = 30
"""The most rows or columns whose numbers can still be read."""


def plot_table(
    shares: Sequence[Sequence[float]],
    halves: Sequence[Sequence[float]],
    path: str | Path,
    *,
    row_names: Sequence[object],
    column_names: Sequence[object],
    labels: tuple[str, str],
    title: str = "",
    note: str = "",
) -> None:
    """Draw a table of shares as shades, each with its number and, below it, the half-width of its interval."""
    rows, columns = len(shares), len(shares[0])
    if max(rows, columns) > MAX_SIDE:
        raise InvalidInput(
            f"a table of {rows} x {columns} fields cannot be read; it must have at most {MAX_SIDE} a side"
        )
    figure, axes = new_axes(path, max(4.4, 1.8 + 0.78 * columns), 1.4 + 0.46 * rows)
    from matplotlib.patches import Rectangle

    largest = max(max(map(max, shares)), 1e-12)
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(rows - 0.5, -0.5)
    for x, row in enumerate(shares):
        for z, share in enumerate(row):
            depth = DEEPEST * max(share, 0) / largest
            axes.add_patch(Rectangle((z - 0.48, x - 0.47), 0.96, 0.94, color=ESTIMATE, alpha=depth, linewidth=0))
            centred = {"ha": "center", "color": INK}
            axes.annotate(f"{100 * share:.1f} %", (z, x), va="bottom", fontsize=8, fontweight="bold", **centred)
            annotate(axes, f"± {100 * halves[x][z]:.1f}", (z, x), (0, -2), va="top", fontsize=6.5, **centred)
    plain(axes, x_label=labels[1], y_label=labels[0], title=title)
    axes.grid(visible=False)
    axes.set_xticks(range(columns), [_short(name) for name in column_names], rotation=90 if columns > 8 else 0)
    axes.set_yticks(range(rows), [_short(name) for name in row_names])
    save(figure, path, note=note)


def _short(name: object) -> str:
    text = str(name)
    return text if len(text) <= 16 else f"{text[:15]}…"
