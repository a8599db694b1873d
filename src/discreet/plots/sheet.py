"""One map: a projected box with land under what is drawn, and coasts, borders, names and a scale over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .picture import COAST, INK, LAND, PAPER
from .projection import Albers, Box, edge

if TYPE_CHECKING:
    from ..geo import Outline

SCALES = (1000, 500, 200, 100, 50, 20, 10, 5, 2, 1)
"""The lengths of a scale in kilometres, of which the longest that fits into a quarter of the map is drawn."""


PIXELS = 200
"""The pixels of an inch of cells, and no fewer than two across a cell."""


POINTS = 66
"""The points of an inch of outline; what is nearer to each other is drawn as one."""


def frame(box: Box) -> tuple[float, float, float, float]:
    """The least and the most kilometres east and north of a projected box."""
    x, y = Albers(box)(*edge(box).T)
    return float(x.min()), float(x.max()), float(y.min()), float(y.max())


@lru_cache(maxsize=4)
def cell_of_pixels(box: Box, shape: tuple[int, int], across: int) -> Any:
    """For each pixel of an image of the frame the number of its cell, row by row; one more than the last for none.

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
    """Axes of so many inches without frame or ticks, in kilometres, with everything clipped to the rim of the box."""

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
            self.area(outline.land, LAND)
            self.area(outline.lakes, PAPER)

    @staticmethod
    def height(box: Box) -> float:
        """The height of a map over its width."""
        left, right, down, up = frame(box)
        return (up - down) / (right - left)

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

    def area(self, rings: Sequence[Any], colour: str) -> None:
        """Fill rings of longitudes and latitudes."""
        if len(rings):
            self._draw(rings, closed=True, facecolor=colour, edgecolor="none", linewidth=0)

    def lines(self, lines: Sequence[Any], colour: str, width: float) -> None:
        """Draw lines of longitudes and latitudes."""
        if len(lines):
            self._draw(lines, closed=False, facecolor="none", edgecolor=colour, linewidth=width, joinstyle="round")

    def finish(self) -> None:
        """Coasts and borders over what was drawn."""
        if self.outline is not None:
            self.lines((*self.outline.land, *self.outline.lakes), COAST, 0.45)
            self.lines(self.outline.states, COAST, 0.25)
            self.lines(self.outline.countries, INK, 0.55)

    def name(self, places: Mapping[str, tuple[float, float]]) -> None:
        """Dots with names, and a scale in the lower left corner."""
        from matplotlib.patheffects import withStroke

        halo = [withStroke(linewidth=2.2, foreground=PAPER)]
        for name, (latitude, longitude) in places.items():
            x, y = self.project(longitude, latitude)
            self.axes.plot(x, y, "o", color=INK, markersize=2.4, markeredgecolor=PAPER, markeredgewidth=0.5, zorder=7)
            self.axes.annotate(
                name,
                (x, y),
                xytext=(3.5, 2),
                textcoords="offset points",
                fontsize=self.size,
                color=INK,
                path_effects=halo,
                zorder=8,
            )
        self._scale(halo)

    def _scale(self, halo: Any) -> None:
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
        """One path of many lines, clipped to the rim."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        points, codes = [], []
        for line in lines:
            points.append(_thinned(np.stack(self.project(*np.asarray(line).T), axis=1), self.near))
            codes += [Path.MOVETO] + [Path.LINETO] * (len(points[-1]) - 1)
            if closed:
                points.append(points[-1][:1])
                codes.append(Path.CLOSEPOLY)
        patch = PathPatch(Path(np.concatenate(points), codes), **style)
        self.axes.add_artist(patch)
        patch.set_clip_path(self.rim)


def _thinned(line: Any, near: float) -> Any:
    """The line without the points that are nearer than that to the one before; its ends stay."""
    kept = [0]
    for number in range(1, len(line) - 1):
        if abs(line[number] - line[kept[-1]]).max() >= near:
            kept.append(number)
    return line[[*kept, len(line) - 1]]
