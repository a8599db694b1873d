"""Maps of shares on a grid of places, and of partitions of one, over the outline of the land."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .cells import Corner, borders
from .picture import HEAT, INK, SHADES, TRUTH, kind_of, new_figure, save
from .projection import Box
from .sheet import Sheet

if TYPE_CHECKING:
    from ..geo import Outline

Places = Mapping[str, tuple[float, float]]
"""Names of cities, with their latitude and longitude."""

STEPS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
"""Where the colours of shares begin."""
WEIGHTS = (1e4, 1e5, 1e6)
"""Where the shades of inhabitants begin."""


def plot_maps(
    maps: Mapping[str, Any],
    path: str | Path,
    *,
    box: Box,
    title: str = "",
    unit: str = "people",
    outline: Outline | None = None,
    places: Places | None = None,
    note: str = "",
) -> None:
    """Draw shares [row, column], southernmost row first, on a map of equal areas, in five colours.

    A cell has the colour of its share: 1 in a million of all people (or another `unit`), 1 in 100,000 and so on up
    to 1 in 100; what is below the first is left blank. The outline, such as `geo.north_america()`, lies under and
    over the cells; `places` are named on the first map, which is the largest if their number is odd.
    """
    kind_of(path)
    figure, sheets = _sheets(maps, box, outline, title)
    for sheet, shares in zip(sheets, maps.values(), strict=True):
        sheet.cells(np.digitize(shares, STEPS), HEAT)
        sheet.finish()
    sheets[0].name(places or {})
    colours = dict(zip(map(one_in, STEPS), HEAT, strict=True))
    _legend(figure, f"A cell of this colour holds at least … of all {unit}", colours)
    save(figure, path, note=_sourced(note, outline))


def plot_partitions(
    partitions: Mapping[str, Any],
    path: str | Path,
    *,
    box: Box,
    weights: Any,
    title: str = "",
    unit: str = "inhabitants",
    outline: Outline | None = None,
    places: Places | None = None,
    note: str = "",
) -> None:
    """Draw the borders of blocks, from labels [row, column] of each partition, over public weights in three greys.

    Weights are numbers of inhabitants, or of another `unit`, of each cell: below 10,000 a cell is left blank.
    """
    kind_of(path)
    figure, sheets = _sheets(partitions, box, outline, title)
    for sheet, labels in zip(sheets, partitions.values(), strict=True):
        sheet.cells(np.digitize(weights, WEIGHTS), SHADES)
        sheet.finish()
        sheet.lines(_placed(borders(labels), labels.shape, box), TRUTH, 0.45)
    sheets[0].name(places or {})
    shades = {f"{weight:,.0f} {unit}": colour for weight, colour in zip(WEIGHTS, SHADES, strict=True)}
    _legend(figure, "Lines are the borders of blocks; a cell has at least", shades | {"border": TRUTH})
    save(figure, path, note=_sourced(note, outline))


def one_in(share: float) -> str:
    """A share in words: 1 in 10,000."""
    number = round(1 / share)
    return f"1 in {number // 1_000_000} million" if number >= 1_000_000 else f"1 in {number:,}"


def _sheets(names: Mapping[str, Any], box: Box, outline: Outline | None, title: str) -> tuple[Any, list[Sheet]]:
    """A figure with a sheet for each map: two in a row, and the first alone if their number is odd."""
    count = len(names)
    rows, alone = (count + 1) // 2, count % 2
    tall = Sheet.height(box)
    wide = 3.7
    heights = [2 if alone and not row else 1 for row in range(rows)]
    figure = new_figure(2 * wide, wide * tall * sum(heights) + 0.27 * rows + 0.75 + (0.4 if title else 0))
    grid = figure.add_gridspec(rows, 2, height_ratios=heights)
    sheets = []
    for number, name in enumerate(names):
        first = bool(alone) and number == 0
        row, column = divmod(number + alone, 2)
        axes = figure.add_subplot(grid[0, :] if first else grid[row, column])
        sheets.append(Sheet(axes, box, outline, 2 * wide if first else wide))
        axes.set_title(name, fontsize=10 if first else 9, color=INK, loc="left", pad=3)
    if title:
        figure.suptitle(title, fontsize=12, fontweight="bold", color=INK, x=0.01, ha="left")
    return figure, sheets


def _placed(rings: Sequence[Sequence[Corner]], shape: tuple[int, int], box: Box) -> list[Any]:
    """Corners of cells as longitudes and latitudes [point, 2]."""
    south, north, west, east = box
    across = np.array([(east - west) / shape[1], (north - south) / shape[0]])
    return [np.array(ring) * across + (west, south) for ring in rings]


def _legend(figure: Any, title: str, colours: Mapping[str, str]) -> None:
    """The colours in a row, each with its words."""
    from matplotlib.patches import Patch

    handles = [Patch(facecolor=colour, edgecolor="none", label=words) for words, colour in colours.items()]
    legend = figure.legend(
        handles=handles,
        title=title,
        loc="outside lower left",
        ncols=len(handles),
        frameon=False,
        fontsize=8.5,
        title_fontsize=8.5,
        alignment="left",
        handlelength=1.6,
        handleheight=1.0,
        columnspacing=1.4,
        labelcolor=INK,
    )
    legend.get_title().set_color(INK)


def _sourced(note: str, outline: Outline | None) -> str:
    return f"{note} Outline: {outline.source}.".strip() if outline is not None else note
