"""Partitions that follow public weights: the k-d tree and the quadtree.

With base noise of c^2 per report, the total squared error of a partition grows with sum_j k_j p_j, k_j values
and share p_j in block j. Both trees therefore split the block with the largest (number of values) x
(weight) next, so dense places get small blocks. The weights must be public, such as population: labels that
depend on what people hold would reveal something about it.
"""

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import ArrayLike

from ..core.errors import InvalidInput
from .grid import FloatArray, IntArray, check_points, check_positive


@dataclass(frozen=True, slots=True)
class _Leaf:
    """Some points, and the rectangle (south, north, west, east) they came from."""

    members: IntArray
    box: tuple[float, float, float, float]


_Split = Callable[[FloatArray, _Leaf, int], list[_Leaf]]
"""Latitude, longitude and weight of all points [3, point], a leaf, and the least size of a part; to the parts."""


def kd_tree_blocks(
    latitude: ArrayLike,
    longitude: ArrayLike,
    weights: ArrayLike,
    *,
    blocks: int | None = None,
    worst: int | None = None,
    least: int = 2,
) -> IntArray:
    """Labels of points by a k-d tree: each split halves the weight of a block across its longer side.

    Where several cuts come equally near, as around one town in empty country, the one nearest the middle value is made.
    Give either the number of blocks, or the worst size: then blocks are split as long as one holds more values. A block
    without weight is split at its median value. No split leaves fewer than `least` values on a side, as a block of one
    value is shown in the clear; so there may be fewer blocks than requested.
    """
    return _grow(latitude, longitude, weights, blocks, worst, least, _halves)


def quadtree_blocks(
    latitude: ArrayLike,
    longitude: ArrayLike,
    weights: ArrayLike,
    *,
    blocks: int | None = None,
    worst: int | None = None,
    least: int = 2,
) -> IntArray:
    """Labels of points by a quadtree: each split cuts a rectangle into four equal ones, empty ones left out.

    Give either the largest number of blocks, or the worst size: then blocks are split as long as one holds more values.
    A split that leaves a block fewer than `least` values is not made, even where this leaves one above the worst size.
    """
    return _grow(latitude, longitude, weights, blocks, worst, least, _quarters)


def _grow(
    latitude: ArrayLike,
    longitude: ArrayLike,
    weights: ArrayLike,
    blocks: int | None,
    worst: int | None,
    least: int,
    split: _Split,
) -> IntArray:
    """Labels after splitting the leaf with the largest size x weight (or size, for a worst size) as long as needed."""
    lat, lon = check_points(latitude, longitude)
    weight = np.asarray(weights, dtype=np.float64)
    if weight.shape != lat.shape or not np.all(np.isfinite(weight)) or np.any(weight < 0):
        raise InvalidInput(f"weights of shape {weight.shape} must be {len(lat)} finite numbers, none negative")
    if (blocks is None) == (worst is None):
        raise InvalidInput(f"blocks={blocks} and worst={worst}: exactly one of them must be given")
    most = check_positive("blocks", blocks) if blocks is not None else len(lat)
    largest = check_positive("worst", worst) if worst is not None else 0
    fewest = check_positive("least", least)
    if worst is not None and worst < fewest:
        raise InvalidInput(f"worst={worst} must not be below least={fewest}")
    points = np.stack([lat, lon, weight])
    root = _Leaf(np.arange(len(lat)), (float(lat.min()), float(lat.max()), float(lon.min()), float(lon.max())))
    done: list[_Leaf] = []
    heap: list[tuple[float, float, int, _Leaf]] = []
    serial = count()

    def put(leaf: _Leaf) -> None:
        size = len(leaf.members)
        rank = size * float(weight[leaf.members].sum()) if worst is None else 0.0
        heapq.heappush(heap, (-rank, -float(size), next(serial), leaf))

    put(root)
    while heap:
        leaf = heapq.heappop(heap)[3]
        parts = split(points, leaf, fewest) if len(leaf.members) > largest else [leaf]
        if len(parts) == 1 or len(done) + len(heap) + len(parts) > most:
            done.append(leaf)
        else:
            for part in parts:
                put(part)
    labels = np.empty(len(lat), dtype=np.int64)
    for label, leaf in enumerate(sorted(done, key=lambda part: int(part.members[0]))):
        labels[leaf.members] = label
    return labels


def _halves(points: FloatArray, leaf: _Leaf, least: int) -> list[_Leaf]:
    """Two leaves of nearly equal weight, cut across the points' longer extent, or the leaf itself."""
    lat, lon, weights = points[:, leaf.members]
    height = float(np.ptp(lat))
    width = float(np.ptp(lon)) * math.cos(math.radians(float(lat.mean())))
    for along in (lat, lon) if height >= width else (lon, lat):
        order = np.argsort(along, kind="stable")
        cuts = np.flatnonzero(np.diff(along[order]) > 0) + 1
        cuts = cuts[(cuts >= least) & (cuts <= len(order) - least)]
        if not len(cuts):
            continue
        weight = weights[order] if weights.sum() > 0 else np.ones(len(order))
        gap = np.abs(np.cumsum(weight)[cuts - 1] - 0.5 * weight.sum())
        nearest = cuts[gap <= gap.min() + 1e-12 * weight.sum()]
        cut = int(nearest[np.argmin(np.abs(nearest - 0.5 * len(order)))])
        return [_Leaf(np.sort(leaf.members[order[part]]), leaf.box) for part in (slice(cut), slice(cut, None))]
    return [leaf]


def _quarters(points: FloatArray, leaf: _Leaf, least: int) -> list[_Leaf]:
    """The quarters of the leaf's rectangle that hold points; a rectangle with all in one quarter shrinks to it."""
    lat, lon, _ = points[:, leaf.members]
    if np.ptp(lat) == 0 and np.ptp(lon) == 0:
        return [leaf]
    south, north, west, east = leaf.box
    while True:
        middle, centre = 0.5 * (south + north), 0.5 * (west + east)
        quarter = 2 * (lat >= middle) + (lon >= centre)
        present = np.unique(quarter)
        if len(present) > 1:
            break
        before = south, north, west, east
        south, north = (middle, north) if present[0] >= 2 else (south, middle)
        west, east = (centre, east) if present[0] % 2 else (west, centre)
        if (south, north, west, east) == before:
            return [leaf]
    if np.bincount(quarter)[present].min() < least:
        return [leaf]
    rows, columns = ((south, middle), (middle, north)), ((west, centre), (centre, east))
    return [_Leaf(leaf.members[quarter == one], (*rows[one // 2], *columns[one % 2])) for one in present]
