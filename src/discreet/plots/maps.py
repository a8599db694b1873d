"""Heat maps of shares on a grid of places, and maps of partitions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .picture import INK, kind_of, new_figure, save_small


def plot_maps(
    maps: Mapping[str, Any], path: str | Path, *, box: tuple[float, float, float, float], smallest: float = 1e-7
) -> None:
    """Draw shares [row, column], southernmost row first, on one logarithmic scale; cells without a share are white."""
    kind_of(path)
    figure = new_figure(8.6, 0.6 + 2.45 * -(-len(maps) // 2))
    from matplotlib import colormaps
    from matplotlib.colors import LogNorm

    colours = colormaps["viridis_r"].resampled(21)
    largest = max(float(shares.max()) for shares in maps.values())
    scale = LogNorm(smallest, largest)
    grid = _panels(figure, len(maps))
    for axes, (title, shares) in zip(grid, maps.items(), strict=False):
        shown = shares.copy()
        shown[shown <= 0] = float("nan")
        image = axes.imshow(shown, origin="lower", extent=_extent(box), norm=scale, cmap=colours, aspect="auto")
        axes.set_title(title, fontsize=9, color=INK, loc="left")
    figure.colorbar(image, ax=grid, label="share of a cell", shrink=0.6, pad=0.01)
    save_small(figure, path, dpi=75)


def plot_partitions(
    partitions: Mapping[str, Any], path: str | Path, *, box: tuple[float, float, float, float], weights: Any
) -> None:
    """Draw block borders over grey public weights, for labels [row, column] of each partition."""
    kind_of(path)
    figure = new_figure(8.6, 0.6 + 2.45 * -(-len(partitions) // 2))
    from matplotlib.colors import LogNorm

    for axes, (title, labels) in zip(_panels(figure, len(partitions)), partitions.items(), strict=False):
        shown = weights.astype(float)
        shown[shown <= 0] = float("nan")
        largest = max(float(weights.max()), 2.0)
        axes.imshow(shown, origin="lower", extent=_extent(box), norm=LogNorm(1, largest), cmap="Greys", aspect="auto")
        axes.imshow(_borders(labels), origin="lower", extent=_extent(box), aspect="auto", interpolation="nearest")
        axes.set_title(title, fontsize=9, color=INK, loc="left")
    save_small(figure, path, dpi=75)


def _panels(figure: Any, count: int) -> Any:
    """The axes of `count` small maps, two per row, without ticks; spare ones are removed."""
    grid = figure.subplots(-(-count // 2), min(count, 2), squeeze=False).ravel()
    for axes in grid:
        axes.set_xticks([])
        axes.set_yticks([])
        for spine in axes.spines.values():
            spine.set_color("#bbbbbb")
    for axes in grid[count:]:
        axes.remove()
    return grid[:count]


def _extent(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    south, north, west, east = box
    return west, east, south, north


def _borders(labels: Any) -> Any:
    """Red where a cell's block differs from the one to the east or north, clear elsewhere."""
    import numpy as np

    edge = np.zeros(labels.shape, dtype=bool)
    edge[:, :-1] |= labels[:, :-1] != labels[:, 1:]
    edge[:-1, :] |= labels[:-1, :] != labels[1:, :]
    colour = np.zeros((*labels.shape, 4))
    colour[edge] = (0.82, 0.29, 0.36, 0.75)
    return colour
