"""Contexts of places: hidden inside a block that may be shown, or the better the nearer."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ..contexts import Blocks, Context, Metric
from ..contexts.forms.blocks import levels_of
from ..core.domain import Domain, Value
from ..core.errors import InvalidInput
from .cities import nearest_city_blocks
from .grid import block_sizes, check_points, grid_blocks, h3_blocks
from .trees import kd_tree_blocks, quadtree_blocks


def blocks_context(labels: ArrayLike, epsilon: object, *, values: Iterable[Value] | None = None) -> Context:
    """The context of a partition given by one label per value, 0..m-1, with every block at `epsilon`.

    Values are the numbers 0..k-1 unless given; `epsilon` is one for all blocks or a list with one per block.
    """
    sizes = block_sizes(labels)
    if not sizes.all():
        raise InvalidInput(f"labels must name every block: block {int(np.argmin(sizes))} has no value")
    block_of = np.asarray(labels).astype(np.int64).tolist()
    names = range(len(sizes))
    domain = Domain(range(len(block_of)) if values is None else values)
    return Blocks(domain, block_of, names, levels_of(names, epsilon))


def grid_context(shape: tuple[int, int], parts: tuple[int, int], epsilon: object) -> Context:
    """The cells of a grid, row by row, hidden inside parts[0] x parts[1] equal rectangles.

    One part, (1, 1), is classical local differential privacy.

    References: Acharya2020 (Section 7).
    """
    labels = grid_blocks(shape, parts)
    return Context.uniform(range(len(labels)), epsilon) if parts == (1, 1) else blocks_context(labels, epsilon)


def city_context(latitude: ArrayLike, longitude: ArrayLike, epsilon: object, *, blocks: int, least: int = 2) -> Context:
    """Points hidden among those with the same nearest city, for at most `blocks` of the most populous cities."""
    return blocks_context(nearest_city_blocks(latitude, longitude, blocks=blocks, least=least), epsilon)


def h3_context(latitude: ArrayLike, longitude: ArrayLike, epsilon: object, *, resolution: int) -> Context:
    """Points hidden among those in the same H3 cell at that resolution."""
    return blocks_context(h3_blocks(latitude, longitude, resolution=resolution), epsilon)


def kd_tree_context(
    latitude: ArrayLike, longitude: ArrayLike, weights: ArrayLike, epsilon: object, **size: int
) -> Context:
    """Points hidden inside the blocks of a k-d tree over public weights, of the `size` that `kd_tree_blocks` takes.

    That is either the number of `blocks` or the `worst` size, and the `least` number of values in a block.
    """
    return blocks_context(kd_tree_blocks(latitude, longitude, weights, **size), epsilon)


def quadtree_context(
    latitude: ArrayLike, longitude: ArrayLike, weights: ArrayLike, epsilon: object, **size: int
) -> Context:
    """Points hidden inside the blocks of a quadtree over public weights, of the `size` that `quadtree_blocks` takes.

    That is either the number of `blocks` or the `worst` size, and the `least` number of values in a block.
    """
    return blocks_context(quadtree_blocks(latitude, longitude, weights, **size), epsilon)


EARTH = 6371.0088
"""The mean radius of the earth in kilometres."""


def distance_context(
    latitude: ArrayLike, longitude: ArrayLike, epsilon: object, *, values: Iterable[Value] | None = None
) -> Context:
    """Points hidden the better the nearer they are: E = `epsilon` a kilometre between any two.

    Distances are straight ones on a plane, on which a degree of longitude is as long as in the middle of the points;
    coordinates there are whole metres. Values are the numbers 0..k-1 unless given.

    References: Chatzikokolakis2013.
    """
    lat, lon = check_points(latitude, longitude)
    middle = np.radians((lat.min() + lat.max()) / 2)
    metres = np.rint(1000 * EARTH * np.radians(np.stack([(lon - lon.min()) * np.cos(middle), lat - lat.min()])))
    points = [[f"{metre / 1000:.3f}" for metre in place] for place in metres.T.tolist()]
    domain = Domain(range(len(points)) if values is None else values)
    return Metric.from_points(domain, points, "l2", epsilon)
