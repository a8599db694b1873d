"""Heat maps of shares on a grid of places, and maps of partitions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .picture import FAINT, INK, TRUTH, kind_of, new_figure, save

Box = tuple[float, float, float, float]
"""South, north, west and east in degrees."""

_KM_PER_DEGREE = 111.2
_SCALE_KM = 500


def plot_maps(maps: Mapping[str, Any], path: str | Path, *, box: Box, smallest: float = 1e-7, note: str = "") -> None:
    """Draw shares [row, column], southernmost row first, on one logarithmic scale; cells without a share are white.

    Shares below `smallest` have the colour of the tip of the scale.
    """
    kind_of(path)
    figure, grid = _panels(len(maps), box)
    from matplotlib import colormaps
    from matplotlib.colors import LogNorm

    colours = colormaps["viridis_r"].resampled(21)
    largest = max(float(shares.max()) for shares in maps.values())
    below = any(((shares > 0) & (shares < smallest)).any() for shares in maps.values())
    for axes, (title, shares) in zip(grid, maps.items(), strict=True):
        image = _image(axes, shares, box, LogNorm(smallest, largest), colours)
        axes.set_title(title, fontsize=9, color=INK, loc="left")
    _colour_bar(figure, image, grid, "share of a cell (white: none)", extend="min" if below else "neither")
    save(figure, path, note=note)


def plot_partitions(partitions: Mapping[str, Any], path: str | Path, *, box: Box, weights: Any, note: str = "") -> None:
    """Draw block borders over grey public weights, for labels [row, column] of each partition."""
    kind_of(path)
    figure, grid = _panels(len(partitions), box)
    from matplotlib.colors import LogNorm
    from matplotlib.lines import Line2D

    scale = LogNorm(1, max(float(weights.max()), 2.0))
    for axes, (title, labels) in zip(grid, partitions.items(), strict=True):
        image = _image(axes, weights, box, scale, "Greys")
        pieces = [point for line in _borders(labels, box) for point in (*line, (math.nan, math.nan))]
        axes.plot(*zip(*pieces, strict=True), color=TRUTH, linewidth=0.45, scalex=False, scaley=False)
        axes.set_title(title, fontsize=9, color=INK, loc="left")
    _colour_bar(figure, image, grid, "inhabitants of a cell (white: none)")
    border = Line2D([], [], color=TRUTH, linewidth=0.8, label="border of a block")
    figure.legend(handles=[border], loc="outside lower center", frameon=False, fontsize=8)
    save(figure, path, note=note)


def _panels(count: int, box: Box) -> tuple[Any, Any]:
    """A figure and the axes of `count` small maps, two per row, in degrees, with one scale of kilometres.

    A degree of longitude is as wide as it is in the middle of the box.
    """
    south, north, west, east = box
    narrowed = math.cos(math.radians((south + north) / 2))
    columns = min(count, 2)
    rows = -(-count // columns)
    tall = 3.3 * (north - south) / ((east - west) * narrowed)
    figure = new_figure(0.9 + 3.9 * columns, 0.6 + (tall + 0.35) * rows)
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for place, axes in enumerate(grid[:count]):
        axes.set_aspect(1 / narrowed)
        for scale, suffixes in ((axes.xaxis, "WE"), (axes.yaxis, "SN")):
            scale.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
            scale.set_major_formatter(FuncFormatter(lambda degrees, _, s=suffixes: _degrees(degrees, s)))
        axes.tick_params(length=2.5, color="#999999", labelsize=7.5, labelcolor=INK)
        if place + columns >= count:
            axes.set_xlabel("longitude", fontsize=8, color=INK)
        if place % columns == 0:
            axes.set_ylabel("latitude", fontsize=8, color=INK)
        for spine in axes.spines.values():
            spine.set_color("#999999")
    for axes in grid[count:]:
        axes.remove()
    _scale_bar(grid[0], box, narrowed)
    return figure, grid[:count]


def _degrees(degrees: float, suffixes: str) -> str:
    """A coordinate such as 100° W."""
    return f"{abs(degrees):g}° {suffixes[int(degrees > 0)]}" if degrees else "0°"


def _scale_bar(axes: Any, box: Box, narrowed: float) -> None:
    """A line as long as 500 km in the middle of the box, in its south-west corner, if it fits there."""
    south, north, west, east = box
    wide, high = east - west, north - south
    length = _SCALE_KM / (_KM_PER_DEGREE * narrowed)
    if length < wide / 2:
        left, at = west + 0.04 * wide, south + 0.07 * high
        axes.plot([left, left + length], [at, at], color=INK, linewidth=1.6, solid_capstyle="butt", zorder=5)
        paper = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.6}
        label = {"ha": "center", "fontsize": 7, "color": INK, "zorder": 5, "bbox": paper}
        axes.text(left + length / 2, at + 0.03 * high, f"{_SCALE_KM} km", **label)


def _image(axes: Any, values: Any, box: Box, scale: Any, colours: Any) -> Any:
    """The positive values as coloured cells."""
    shown = values.astype(float)
    shown[shown <= 0] = float("nan")
    south, north, west, east = box
    image = axes.imshow(
        shown,
        origin="lower",
        extent=(west, east, south, north),
        norm=scale,
        cmap=colours,
        aspect=axes.get_aspect(),
        interpolation="nearest",
    )
    return image


def _colour_bar(figure: Any, image: Any, grid: Any, label: str, *, extend: str = "neither") -> None:
    bar = figure.colorbar(image, ax=list(grid), shrink=0.8, pad=0.01, aspect=30, extend=extend)
    bar.set_label(label, fontsize=8.5, color=INK)
    bar.ax.tick_params(labelsize=7.5, labelcolor=INK, color=FAINT)


def _borders(labels: Any, box: Box) -> list[list[tuple[float, float]]]:
    """The edges between cells of different blocks as lines in degrees, each as long as it runs straight."""
    import numpy as np

    south, north, west, east = box
    down, across = labels.shape
    xs, ys = np.linspace(west, east, across + 1), np.linspace(south, north, down + 1)
    lines = []
    for column in range(1, across):
        for begin, end in _runs(labels[:, column - 1] != labels[:, column]):
            lines.append([(float(xs[column]), float(ys[begin])), (float(xs[column]), float(ys[end]))])
    for row in range(1, down):
        for begin, end in _runs(labels[row - 1] != labels[row]):
            lines.append([(float(xs[begin]), float(ys[row])), (float(xs[end]), float(ys[row]))])
    return lines


def _runs(marked: Any) -> list[tuple[int, int]]:
    """Begin and end of every stretch of True."""
    import numpy as np

    turns = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]]).astype(np.int8)))
    return [(int(begin), int(end)) for begin, end in turns.reshape(-1, 2)]
