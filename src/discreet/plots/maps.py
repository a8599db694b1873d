"""Maps of shares on a grid of places, and of partitions of one, over the outline of the land, in equal areas."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .picture import COAST, HEAT, INK, LAND, PAPER, SHADES, TRUTH, annotate, kind_of, new_figure, save

if TYPE_CHECKING:
    from ..geo import Outline

Corner = tuple[int, int]
"""The corner of a cell: column and row of the grid's lines."""
Box = tuple[float, float, float, float]
"""South, north, west and east in degrees."""
Cities = Mapping[str, tuple[float, float]]
"""Names of cities, with their latitude and longitude."""

KILOMETRES = 6371.0088
"""The mean radius of the earth."""
MAX_STRAIGHT = 8
"""The most cells along which an edge is drawn as one straight line; beyond, a projection would bend it."""
SCALES = (1000, 500, 200, 100, 50, 20, 10, 5, 2, 1)
"""The lengths of a scale in kilometres, of which the longest that fits into a quarter of the map is drawn."""
PIXELS = 200
"""The pixels of an inch of cells, and no fewer than two across a cell."""
POINTS = 66
"""The points of an inch of outline; what is nearer to each other is drawn as one."""
STEPS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
"""Where the colours of shares begin."""
WEIGHTS = (1e4, 1e5, 1e6)
"""Where the shades of inhabitants begin."""


def borders(labels: Any) -> list[list[Corner]]:
    """The borders between cells of different labels [row, column], as lines between the points where blocks meet."""
    lines: list[list[Corner]] = []
    for at in range(1, labels.shape[1]):
        lines += [[(at, y) for y in run] for run in _runs(labels[:, at - 1] != labels[:, at])]
    for at in range(1, labels.shape[0]):
        lines += [[(x, at) for x in run] for run in _runs(labels[at - 1] != labels[at])]
    return _chain(lines)


def _runs(marked: Any) -> list[list[int]]:
    """For every stretch of True the places where a straight edge along it has corners."""
    turns = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]]).astype(np.int8)))
    return [[*range(begin, end, MAX_STRAIGHT), end] for begin, end in turns.reshape(-1, 2).tolist()]


def _chain(lines: list[list[Corner]]) -> list[list[Corner]]:
    """Join lines wherever exactly two ends meet."""
    at: dict[Corner, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        at[line[0]].append(number)
        at[line[-1]].append(number)
    used: set[int] = set()
    chains = []
    for number, line in enumerate(lines):
        if number not in used:
            used.add(number)
            ahead = _extend(line, lines, at, used)
            chains.append(_extend(ahead[::-1], lines, at, used))
    return chains


def _extend(line: list[Corner], lines: list[list[Corner]], at: dict[Corner, list[int]], used: set[int]) -> list[Corner]:
    """The line, continued by those that begin at its end."""
    chain = list(line)
    while len(at[chain[-1]]) == 2:
        left = [number for number in at[chain[-1]] if number not in used]
        if not left:
            break
        used.add(left[0])
        following = lines[left[0]]
        chain += (following if following[0] == chain[-1] else following[::-1])[1:]
    return chain


@dataclass(frozen=True)
class Albers:
    """Albers' equal-area projection of a box: a cone that cuts it at a sixth and at five sixths of its height.

    With standard parallels a and b, n = (sin a + sin b)/2 and C = cos^2 a + 2 n sin a, a point is at the distance
    sqrt(C - 2 n sin latitude)/n from the tip of the cone and at the angle n (longitude - middle).

    References: Snyder1987 (Section 14).
    """

    box: Box

    @property
    def _cone(self) -> tuple[float, float, float, float]:
        """n, C, the middle of the longitudes and the distance of the middle latitude from the tip."""
        south, north, west, east = self.box
        sixth = (north - south) / 6
        first, second = np.radians(south + sixth), np.radians(north - sixth)
        n = (np.sin(first) + np.sin(second)) / 2
        n = float(n) if abs(n) > 1e-6 else 1e-6  # the equator halves the box: a cone so steep that it is a cylinder
        constant = float(np.cos(first) ** 2 + 2 * n * np.sin(first))
        between = float(np.sqrt(constant - 2 * n * np.sin(np.radians((south + north) / 2))) / n)
        return n, constant, float(np.radians((west + east) / 2)), between

    def __call__(self, longitude: Any, latitude: Any) -> tuple[Any, Any]:
        """Kilometres east and north of the middle, from degrees."""
        n, constant, middle, between = self._cone
        away = np.sqrt(np.maximum(constant - 2 * n * np.sin(np.radians(latitude)), 0)) / n
        angle = n * (np.radians(longitude) - middle)
        return KILOMETRES * away * np.sin(angle), KILOMETRES * (between - away * np.cos(angle))

    def inverse(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Longitude and latitude in degrees, from kilometres east and north of the middle."""
        n, constant, middle, between = self._cone
        x, y = np.asarray(x) / KILOMETRES, between - np.asarray(y) / KILOMETRES
        sine = (constant - n * n * (x * x + y * y)) / (2 * n)
        angle = np.arctan2(np.sign(n) * x, np.sign(n) * y)
        return np.degrees(middle + angle / n), np.degrees(np.arcsin(np.clip(sine, -1, 1)))


def edge(box: Box, *, points: int = 60) -> Any:
    """The rim of a box, as longitudes and latitudes [point, 2] close enough to bend with a projection."""
    south, north, west, east = box
    along = np.linspace(west, east, points)
    rim = [np.stack([along, np.full(points, south)], 1), np.stack([along[::-1], np.full(points, north)], 1)]
    return np.concatenate([*rim, rim[0][:1]])


def frame(box: Box) -> tuple[float, float, float, float]:
    """The least and the most kilometres east and north of a projected box."""
    x, y = Albers(box)(*edge(box).T)
    return float(x.min()), float(x.max()), float(y.min()), float(y.max())


@lru_cache(maxsize=4)
def cell_of_pixels(box: Box, shape: tuple[int, int], across: int) -> Any:
    """The number of the cell of each pixel of an image of the frame, row by row; one more than the last for none.

    So many pixels lie across a cell.
    """
    left, right, down, up = frame(box)
    rows, columns = shape
    wide = across * columns
    high = round(wide * (up - down) / (right - left))
    x = left + (np.arange(wide) + 0.5) * (right - left) / wide
    y = up - (np.arange(high) + 0.5) * (up - down) / high
    longitude, latitude = Albers(box).inverse(x[None, :], y[:, None])
    south, north, west, east = box
    row = np.floor((latitude - south) * rows / (north - south)).astype(int)
    column = np.floor((longitude - west) * columns / (east - west)).astype(int)
    inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
    return np.where(inside, row * columns + column, rows * columns)


class Sheet:
    """A map of one box: axes in kilometres without frame or ticks, with everything clipped to the rim of the box."""

    def __init__(self, axes: Any, box: Box, outline: Outline | None, width: float) -> None:
        from matplotlib.patches import Polygon

        self.axes, self.box, self.outline, self.width = axes, box, outline, width
        self.size = 8.0 if width > 5 else 7.0
        self.project = Albers(box)
        rim = np.stack(self.project(*edge(box).T), axis=1)
        axes.set_axis_off()
        axes.set_aspect("equal")
        left, right, down, up = frame(box)
        axes.set_xlim(left, right)
        axes.set_ylim(down, up)
        self.near = (right - left) / (POINTS * width)
        self.rim = Polygon(rim, facecolor="none", edgecolor=COAST, linewidth=0.6, zorder=6)
        axes.add_patch(self.rim)
        if outline is not None:
            self.fill(outline.land, LAND)
            self.fill(outline.lakes, PAPER)

    def cells(self, classes: Any, colours: Sequence[str]) -> None:
        """Paint the cells of a grid [row, column] that fills the box: class 0 blank, class 1 in the first colour.

        Many small cells are one image, in few colours, whatever the size of the picture.
        """
        from matplotlib.colors import to_rgba

        (left, right), (down, up) = self.axes.get_xlim(), self.axes.get_ylim()
        padded = np.append(classes.ravel(), 0)
        shown = padded[cell_of_pixels(self.box, classes.shape, max(2, round(PIXELS * self.width / classes.shape[1])))]
        palette = np.array([(0, 0, 0, 0), *(to_rgba(colour) for colour in colours)])
        image = self.axes.imshow(palette[shown], extent=(left, right, down, up), interpolation="none", aspect="equal")
        image.set_zorder(1)

    def fill(self, rings: Sequence[Any], colour: str) -> None:
        """Fill rings of longitudes and latitudes."""
        self._draw(rings, closed=True, facecolor=colour, edgecolor="none", linewidth=0)

    def lines(self, lines: Sequence[Any], colour: str, width: float) -> None:
        """Draw lines of longitudes and latitudes."""
        self._draw(lines, closed=False, facecolor="none", edgecolor=colour, linewidth=width, joinstyle="round")

    def finish(self) -> None:
        """Draw coasts and borders over everything else."""
        if self.outline is not None:
            self.lines((*self.outline.land, *self.outline.lakes), COAST, 0.45)
            self.lines(self.outline.states, COAST, 0.25)
            self.lines(self.outline.countries, INK, 0.55)

    def add_names(self, places: Mapping[str, tuple[float, float]]) -> None:
        """Draw dots with names, and a scale in the lower left corner."""
        from matplotlib.patheffects import withStroke

        halo = [withStroke(linewidth=2.2, foreground=PAPER)]
        for name, (latitude, longitude) in places.items():
            x, y = self.project(longitude, latitude)
            self.axes.plot(x, y, "o", color=INK, markersize=2.4, markeredgecolor=PAPER, markeredgewidth=0.5, zorder=7)
            annotate(self.axes, name, (x, y), (3.5, 2), fontsize=self.size, color=INK, path_effects=halo, zorder=8)
        left, right = self.axes.get_xlim()
        down, up = self.axes.get_ylim()
        length = next((one for one in SCALES if one < (right - left) / 4), None)
        if length is not None:
            at = down + 0.02 * (up - down)
            begin = left + 0.02 * (right - left)
            self.axes.plot([begin, begin + length], [at, at], color=INK, linewidth=1.4, solid_capstyle="butt", zorder=8)
            words = {"ha": "left", "va": "bottom", "fontsize": self.size - 0.5, "color": INK, "path_effects": halo}
            self.axes.text(begin, at + 0.012 * (up - down), f"{length:,} km", zorder=8, **words)

    def _draw(self, lines: Sequence[Any], *, closed: bool, **style: Any) -> None:
        """Draw many lines as one path, clipped to the rim."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        if not len(lines):
            return
        points, codes = [], []
        for line in lines:
            points.append(_thin(np.stack(self.project(*np.asarray(line).T), axis=1), self.near))
            codes += [Path.MOVETO] + [Path.LINETO] * (len(points[-1]) - 1)
            if closed:
                points.append(points[-1][:1])
                codes.append(Path.CLOSEPOLY)
        patch = PathPatch(Path(np.concatenate(points), codes), **style)
        self.axes.add_artist(patch)
        patch.set_clip_path(self.rim)


def _thin(line: Any, near: float) -> Any:
    """The line without points nearer than `near` to the one before; its ends stay."""
    rows = [0]
    for number in range(1, len(line) - 1):
        if abs(line[number] - line[rows[-1]]).max() >= near:
            rows.append(number)
    return line[[*rows, len(line) - 1]]


def plot_maps(
    maps: Mapping[str, Any],
    path: str | Path,
    *,
    box: Box,
    title: str = "",
    unit: str = "people",
    outline: Outline | None = None,
    places: Cities | None = None,
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
    sheets[0].add_names(places or {})
    colours = dict(zip(map(one_in, STEPS), HEAT, strict=True))
    _legend(figure, f"A cell of this colour holds at least … of all {unit}", colours)
    save(figure, path, note=_with_source(note, outline))


def plot_partitions(
    partitions: Mapping[str, Any],
    path: str | Path,
    *,
    box: Box,
    weights: Any,
    title: str = "",
    unit: str = "inhabitants",
    outline: Outline | None = None,
    places: Cities | None = None,
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
        sheet.lines(_coordinates(borders(labels), labels.shape, box), TRUTH, 0.45)
    sheets[0].add_names(places or {})
    shades = {f"{weight:,.0f} {unit}": colour for weight, colour in zip(WEIGHTS, SHADES, strict=True)}
    _legend(figure, "Lines are the borders of blocks; a cell has at least", shades | {"border": TRUTH})
    save(figure, path, note=_with_source(note, outline))


def one_in(share: float) -> str:
    """A share in words: 1 in 10,000."""
    number = round(1 / share)
    return f"1 in {number // 1_000_000} million" if number >= 1_000_000 else f"1 in {number:,}"


def _sheets(names: Mapping[str, Any], box: Box, outline: Outline | None, title: str) -> tuple[Any, list[Sheet]]:
    """A figure with a sheet for each map: two in a row, and the first alone if their number is odd."""
    count = len(names)
    rows, alone = (count + 1) // 2, count % 2
    left, right, down, up = frame(box)
    wide = 3.7
    heights = [2 if alone and not row else 1 for row in range(rows)]
    figure = new_figure(
        2 * wide, wide * ((up - down) / (right - left)) * sum(heights) + 0.27 * rows + 0.75 + (0.4 if title else 0)
    )
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


def _coordinates(rings: Sequence[Sequence[Corner]], shape: tuple[int, int], box: Box) -> list[Any]:
    """Corners of cells as longitudes and latitudes [point, 2]."""
    south, north, west, east = box
    across = np.array([(east - west) / shape[1], (north - south) / shape[0]])
    return [np.array(ring) * across + (west, south) for ring in rings]


def _legend(figure: Any, title: str, colours: Mapping[str, str]) -> None:
    """Explain the colours, in a row."""
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


def _with_source(note: str, outline: Outline | None) -> str:
    return f"{note} Outline: {outline.source}.".strip() if outline is not None else note
