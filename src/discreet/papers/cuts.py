"""Partitions of the paper's grid: uniform, and made from public knowledge of where people live."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..geo import (
    block_sizes,
    city_population,
    grid_blocks,
    grid_centres,
    h3_blocks,
    kd_tree_blocks,
    nearest_city_blocks,
    quadtree_blocks,
)
from .snap import BOX, SHAPE

Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Cut:
    """A partition of the grid's cells: its description, and one label per cell."""

    name: str
    labels: Labels

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return len(block_sizes(self.labels))

    @property
    def worst(self) -> int:
        """The number of cells in the largest block."""
        return int(block_sizes(self.labels).max())

    def hidden_cells(self, shares: NDArray[np.float64]) -> float:
        """How many cells the mean person is hidden among: ``sum_j k_j p_j``, with which the error grows."""
        return float(block_sizes(self.labels) @ np.bincount(self.labels, shares))

    def hidden_people(self, counts: NDArray[np.int64]) -> float:
        """How many people share the mean person's block: ``sum_j n_j p_j``."""
        inside = np.bincount(self.labels, counts)
        return float(inside @ inside / counts.sum())


@lru_cache(maxsize=1)
def population() -> NDArray[np.float64]:
    """The public population of each cell: towns of at least 1,000 inhabitants in GeoNames."""
    return city_population(*grid_centres(SHAPE, BOX), smallest=1000)


def cut(kind: str, size: int) -> Cut:
    """A partition from public knowledge alone, such as ``cut("k-d tree, blocks", 35)``."""
    latitude, longitude = grid_centres(SHAPE, BOX)
    makers: dict[str, Callable[[], Labels]] = {
        "nearest city": lambda: nearest_city_blocks(latitude, longitude, blocks=size),
        "H3 parents": lambda: h3_blocks(latitude, longitude, resolution=size),
        "k-d tree": lambda: kd_tree_blocks(latitude, longitude, population(), blocks=size),
        "quadtree": lambda: quadtree_blocks(latitude, longitude, population(), blocks=size),
        "k-d tree, largest block": lambda: kd_tree_blocks(latitude, longitude, population(), worst=size),
        "quadtree, largest block": lambda: quadtree_blocks(latitude, longitude, population(), worst=size),
    }
    return Cut(f"{kind} {size}", makers[kind]())


def uniform_like(other: Cut, *, by: str, shares: NDArray[np.float64]) -> Cut:
    """The uniform grid nearest to another partition in one respect.

    "blocks": the number of blocks. "worst": the cells of the largest block. "cells": the cells that the mean
    person is hidden among, `shares` of the people being in each cell.
    """
    if by == "cells":
        wanted = other.hidden_cells(shares)
    else:
        wanted = other.blocks if by == "blocks" else other.worst

    def far(parts: tuple[int, int]) -> float:
        height, width = SHAPE[0] / parts[0], SHAPE[1] / parts[1]
        has = {"blocks": parts[0] * parts[1], "worst": math.ceil(height) * math.ceil(width), "cells": height * width}
        return abs(math.log(has[by] / wanted)) + 0.1 * abs(math.log(height / width))

    down, across = min(((a, b) for a in range(1, SHAPE[0] + 1) for b in range(1, SHAPE[1] + 1)), key=far)
    return Cut(f"uniform ({down}, {across})", grid_blocks(SHAPE, (down, across)))
