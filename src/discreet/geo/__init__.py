"""Partitions of places into blocks, one label per value, and contexts made from them in one line.

Only coordinates and public knowledge enter a partition, never what people hold:

>>> from discreet import geo
>>> geo.grid_context((125, 350), (25, 35), epsilon="1")
Context.blocks(43750 values in 875 blocks, epsilon=1)

The trees take public weights; nearest_city_blocks, city_population and the H3 functions need the extra `pip
install 'discreet[geo]'`.
"""

from .cities import Cities, Outline, cities_around, city_population, nearest_city_blocks, north_america
from .contexts import (
    blocks_context,
    city_context,
    distance_context,
    grid_context,
    h3_context,
    kd_tree_context,
    quadtree_context,
)
from .grid import (
    Box,
    block_sizes,
    box_blocks,
    compact,
    grid_blocks,
    grid_centres,
    grid_coordinates,
    h3_blocks,
    h3_centres,
    h3_parent_blocks,
    worst_block_size,
)
from .trees import kd_tree_blocks, quadtree_blocks

__all__ = [
    "Box",
    "Cities",
    "Outline",
    "block_sizes",
    "blocks_context",
    "box_blocks",
    "cities_around",
    "city_context",
    "city_population",
    "compact",
    "distance_context",
    "grid_blocks",
    "grid_centres",
    "grid_context",
    "grid_coordinates",
    "h3_blocks",
    "h3_centres",
    "h3_context",
    "h3_parent_blocks",
    "kd_tree_blocks",
    "kd_tree_context",
    "nearest_city_blocks",
    "north_america",
    "quadtree_blocks",
    "quadtree_context",
    "worst_block_size",
]


def __dir__() -> list[str]:
    return __all__
