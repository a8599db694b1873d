"""A tree of blocks of any sizes, put into one of equal branching."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ...core.errors import NotServed
from ...core.limits import spend
from .levels import SPARSE

if TYPE_CHECKING:
    from ...contexts.structure.recognition import Tree

LEVELS = 16
"""The most levels of a tree."""

VALUE = 16
"""Steps that it takes to place a value, for each level."""


class Shape(NamedTuple):
    """A tree of equal branching around one of any, with the epsilon of each depth, the highest first.

    ``together[j]`` is the sum over nodes of depth j of their values times their shares.
    """

    branches: tuple[int, ...]
    levels: tuple[Fraction, ...]
    leaves: tuple[int, ...]
    together: tuple[float, ...]


def shape_of(tree: Tree, size: int, shares: Sequence[float] | None) -> Shape:
    """The tree of equal branching that holds a tree: every node at the depth of its level, values as leaves."""
    nodes: list[tuple[Tree, int]] = [(tree, -1)]
    for node, _ in nodes:
        nodes += [(child, len(nodes)) for child in node.children if not isinstance(child, int)]
    depth_of = {level: depth for depth, level in enumerate(sorted({node.level for node, _ in nodes}, reverse=True))}
    if len(depth_of) > LEVELS:
        raise NotServed(f"levels serves at most {LEVELS} levels; the context has {len(depth_of)}")
    spend(VALUE * size * len(depth_of), f"levels of {size} values")
    branches = [0] * len(depth_of)
    for node, _ in nodes:
        depth = depth_of[node.level]
        branches[depth] = max(branches[depth], len(node.children))
    total = math.prod(branches)
    if total > SPARSE * size:
        raise NotServed(f"levels: equal blocks around these would have {total} places for {size} values")
    leaves = [0] * size
    left: list[tuple[Tree, int]] = [(tree, 0)]
    while left:
        node, at = left.pop()
        span = math.prod(branches[depth_of[node.level] + 1 :])
        for number, child in enumerate(node.children):
            if isinstance(child, int):
                leaves[child] = at + number * span
            else:
                left.append((child, at + number * span))
    return Shape(tuple(branches), tuple(depth_of), tuple(leaves), _together(branches, leaves, shares))


def _together(branches: Sequence[int], leaves: Sequence[int], shares: Sequence[float] | None) -> tuple[float, ...]:
    found, span = [], math.prod(branches)
    for branch in (*branches, 1):
        counts: dict[int, int] = {}
        masses: dict[int, float] = {}
        for x, leaf in enumerate(leaves):
            node = leaf // span
            counts[node] = counts.get(node, 0) + 1
            masses[node] = masses.get(node, 0.0) + (1 / len(leaves) if shares is None else float(shares[x]))
        found.append(sum(counts[node] * mass for node, mass in masses.items()))
        span //= branch
    return tuple(found)
