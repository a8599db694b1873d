"""One map: a projected box with land under what is drawn, and coasts, borders, names and a scale over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .picture import COAST, INK, LAND, PAPER
from .projection import Box, albers, edge

if TYPE_CHECKING:
    from ..geo import Outline

SCALES = (1000, 500, 200, 100, 50, 20, 10, 5, 2, 1)
"""The lengths of a scale in kilometres, of which the longest that fits into a quarter of the map is drawn."""


class Sheet:
    """Axes without frame or ticks, in kilometres, on which everything is clipped to the rim of the box."""

    def __init__(self, axes: Any, box: Box, outline: Outline | None, size: float) -> None:
        from matplotlib.patches import Polygon

        self.axes, self.box, self.outline, self.size = axes, box, outline, size
        self.project = albers(box)
        rim = np.stack(self.project(*edge(box).T), axis=1)
        axes.set_axis_off()
        axes.set_aspect("equal")
        (left, down), (right, up) = rim.min(axis=0), rim.max(axis=0)
        axes.set_xlim(left, right)
        axes.set_ylim(down, up)
        self.rim = Polygon(rim, facecolor="none", edgecolor=COAST, linewidth=0.6, zorder=6)
        axes.add_patch(self.rim)
        if outline is not None:
            self.area(outline.land, LAND)
            self.area(outline.lakes, PAPER)

    @staticmethod
    def height(box: Box) -> float:
        """The height of a map over its width."""
        x, y = albers(box)(*edge(box).T)
        return float(np.ptp(y) / np.ptp(x))

    def area(self, rings: Sequence[Any], colour: str, alpha: float = 1.0) -> None:
        """Fill rings of longitudes and latitudes; those inside others are holes where they turn the other way."""
        if len(rings):
            self._draw(rings, True, facecolor=colour, edgecolor="none", alpha=alpha, linewidth=0)

    def lines(self, lines: Sequence[Any], colour: str, width: float) -> None:
        """Draw lines of longitudes and latitudes."""
        if len(lines):
            self._draw(lines, False, facecolor="none", edgecolor=colour, linewidth=width, joinstyle="round")

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

    def _draw(self, lines: Sequence[Any], closed: bool, **style: Any) -> None:
        """One path of many lines, clipped to the rim."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        points, codes = [], []
        for line in lines:
            points.append(np.stack(self.project(*np.asarray(line).T), axis=1))
            codes += [Path.MOVETO] + [Path.LINETO] * (len(line) - 1)
            if closed:
                points.append(points[-1][:1])
                codes.append(Path.CLOSEPOLY)
        patch = PathPatch(Path(np.concatenate(points), codes), **style)
        self.axes.add_patch(patch)
        patch.set_clip_path(self.rim)
