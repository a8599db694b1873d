"""Partitions of places into blocks: one label per value, from coordinates and public knowledge only.

The trees take public weights; nearest_city_blocks, city_population and the H3 functions need the extra `pip
install 'discreet[geo]'`.
"""

from .cities import Cities, cities_around, city_population, nearest_city_blocks
from .grid import Box, box_blocks, grid_blocks, grid_centres, grid_coordinates
from .hexagons import h3_blocks, h3_parent_blocks
from .labels import block_sizes, compact, worst_block_size
from .trees import kd_tree_blocks, quadtree_blocks

__all__ = [
    "Box",
    "Cities",
    "block_sizes",
    "box_blocks",
    "cities_around",
    "city_population",
    "compact",
    "grid_blocks",
    "grid_centres",
    "grid_coordinates",
    "h3_blocks",
    "h3_parent_blocks",
    "kd_tree_blocks",
    "nearest_city_blocks",
    "quadtree_blocks",
    "worst_block_size",
]
