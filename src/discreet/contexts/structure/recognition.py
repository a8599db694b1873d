"""Recognise the structure of a privacy matrix exactly: lines, rings, trees, grades, exchangeable values, components.

Every function takes a context that is its own closure as far as that is known (`Context.closure_if_cheap`) and
compares exact entries, leaving at the first that does not fit. All of these structures are their own closures, so
what is recognised in a context whose closure was too large to work out is true of the closure as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, compress, pairwise, product
from operator import add
from typing import TYPE_CHECKING, TypeAlias

from ...core.domain import Leaves
from ...core.exact import Epsilon

if TYPE_CHECKING:
    from ..context import Context


MAX_RECOGNISED = 1024
"""The most values of a line or ring, and classes of values otherwise, that are recognised from the entries alone."""

MAX_TREE_DEPTH = 128
"""The most levels of a tree that is recognised."""

MAX_CELLS_PER_VALUE = 16
"""The most cells of a dense grid for each value."""

PROBE_CLASSES = 8
"""How many classes are compared with all others before any two are compared entry by entry."""

Node: TypeAlias = "TreeStructure | int"


@dataclass(frozen=True)
class LineStructure:
    """Values along a line: E[x, z] is the sum of the steps between x and z, either way.

    `order` holds the numbers of the values from one end to the other, `steps` the k - 1 positive entries between
    neighbours.
    """

    order: tuple[int, ...]
    steps: tuple[Fraction, ...]


@dataclass(frozen=True)
class RingStructure:
    """Values around a ring: E[x, z] is the sum of the steps on the shorter way from x to z.

    `order` holds the numbers of the values, `steps` the k positive entries between neighbours, the last of which
    closes the ring. A line is not called a ring.
    """

    order: tuple[int, ...]
    steps: tuple[Fraction, ...]


@dataclass(frozen=True)
class TreeStructure:
    """Values as the leaves of a tree: E[x, z] is the level of the lowest node above both (an ultrametric).

    Values under different `children` are at `level` from each other, both ways; a whole number is a value, a leaf.
    Levels decrease downwards, and every node has at least two children.
    """

    level: Fraction
    children: tuple[TreeStructure | int, ...]


def has_closed_structure(context: Context) -> bool:
    """True if a context has a structure that is its own closure; False says nothing."""
    return any(find(context) is not None for find in (grades_of, tree_of, line_of, ring_of))


@dataclass(frozen=True)
class GridStructure:
    """Values in the cells of a grid: E[x, z] is the `level` times the distance of their cells under a norm.

    `cells` holds the whole coordinates of each value, from 0 on; `apart` is the distance of a displacement, which is
    that of the norm, or less by up to `rounding`.
    """

    cells: tuple[tuple[int, ...], ...]
    level: Fraction
    apart: Callable[[tuple[int, ...]], Fraction]
    rounding: Fraction

    def epsilon(self, displacement: tuple[int, ...]) -> Fraction:
        """E between two values that are so many cells apart along each side."""
        return self.level * self.apart(displacement)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the smallest grid that holds all cells."""
        return tuple(max(column) + 1 for column in zip(*self.cells, strict=True))

    @cached_property
    def is_dense(self) -> bool:
        """True if values are in different cells, and one cell in sixteen at least is that of a value."""
        return (
            math.prod(self.shape) <= MAX_CELLS_PER_VALUE * len(self.cells) == MAX_CELLS_PER_VALUE * len(set(self.cells))
        )

    def nearest(self) -> tuple[int, int]:
        """The numbers of two values that are as near to each other as any two are."""
        at, sides = {cell: x for x, cell in enumerate(self.cells)}, len(self.shape)
        reach = 1
        while True:
            steps = (step for step in product(range(-reach, reach + 1), repeat=sides) if step > (0,) * sides)
            for step in sorted(steps, key=self.epsilon):
                if reach < max(self.shape) and self.epsilon(step) > self.epsilon((reach + 1, *[0] * (sides - 1))):
                    break  # a step that leads further along one side may be shorter
                for cell, x in at.items():
                    z = at.get(tuple(map(add, cell, step)))
                    if z is not None:
                        return x, z
            reach *= 2


def line_of(context: Context) -> LineStructure | None:
    """The line that the values of a context form, from the end with the lower number; None if they form none."""
    size = context.size
    if not 2 <= size <= MAX_RECOGNISED:
        return None
    from_first = _distances(context, 0)
    if from_first is None:
        return None
    end = max(range(size), key=from_first.__getitem__)
    places = _distances(context, end)
    if places is None or len(set(places)) != size or not _measured_by(context, places, None):
        return None
    order = sorted(range(size), key=places.__getitem__)
    if order[0] > order[-1]:
        order.reverse()
    return LineStructure(tuple(order), tuple(abs(places[z] - places[x]) for x, z in pairwise(order)))


def ring_of(context: Context) -> RingStructure | None:
    """The ring that the values of a context form, from the first value; None if they form none.

    Between the first value and its nearest, s apart, every other value is on the near side of one of them, which the
    difference of its two distances says, or in the arc opposite, where the distances and s add up to the whole ring.
    """
    size = context.size
    if not 3 <= size <= MAX_RECOGNISED or line_of(context) is not None:
        return None
    near = _distances(context, 0)
    if near is None:
        return None
    neighbour = min(range(1, size), key=near.__getitem__)
    step = near[neighbour]
    far = _distances(context, neighbour)
    if far is None or far[0] != step:
        return None
    ahead = [x for x in range(size) if near[x] - far[x] == step]
    behind = [x for x in range(size) if far[x] - near[x] == step]
    opposite = next((x for x in range(size) if abs(near[x] - far[x]) < step), None)
    if opposite is not None:
        around: Epsilon = near[opposite] + far[opposite] + step
    else:
        last, other = max(ahead, key=near.__getitem__), max(behind, key=near.__getitem__)
        around = near[last] + near[other] + context.at(last, other)
    if not isinstance(around, Fraction):
        return None
    beyond = {x: far[x] + step for x in range(size) if abs(near[x] - far[x]) < step}
    places = [Fraction(0)] * size
    for x in range(1, size):
        places[x] = near[x] if near[x] - far[x] == step else beyond.get(x, around - near[x])
    if len(set(places)) != size or not _measured_by(context, places, around):
        return None
    order = sorted(range(size), key=places.__getitem__)
    if order[1] > order[-1]:
        order = [order[0], *reversed(order[1:])]
    circle = [*order, order[0]]
    return RingStructure(tuple(order), tuple(_apart(places[x], places[z], around) for x, z in pairwise(circle)))


def _apart(one: Fraction, other: Fraction, around: Fraction | None) -> Fraction:
    """The distance of two places on a line, or the shorter way between them on a ring of length `around`."""
    apart = abs(one - other)
    return apart if around is None else min(apart, around - apart)


def _distances(context: Context, x: int) -> list[Fraction] | None:
    """The entries from one value to every value; None unless they are finite and, but for its own, positive."""
    distances: list[Fraction] = []
    for z in range(context.size):
        entry = context.at(x, z)
        if not isinstance(entry, Fraction) or (entry <= 0) != (x == z):
            return None
        distances.append(entry)
    return distances


def _measured_by(context: Context, places: Sequence[Fraction], around: Fraction | None) -> bool:
    """True if every entry is the distance of two places on a line, or on a ring of length `around`."""
    for x, z in combinations(range(context.size), 2):
        apart = _apart(places[x], places[z], around)
        if context.at(x, z) != apart or context.at(z, x) != apart:
            return False
    return True


def tree_of(context: Context) -> TreeStructure | None:
    """The tree whose leaves are the values of a context; None if E is no finite ultrametric."""
    count = len(context.members)
    if context.size < 2 or count > MAX_RECOGNISED:
        return None
    root = _node(context, range(count), MAX_TREE_DEPTH)
    return root if isinstance(root, TreeStructure) else None


def _node(context: Context, classes: Sequence[int], depth: int) -> Node | None:
    """The tree over some classes, which every entry among them is compared with; None if one does not fit."""
    first = classes[0]
    if len(classes) == 1 and len(context.members[first]) == 1:
        return context.members[first][0]
    top = max(_within(context, first, d) for d in classes)
    if not isinstance(top, Fraction) or top <= 0 or depth == 0:
        return None
    children: list[Node] = []
    left, groups = list(classes), list[list[int]]()
    while left:
        near = [d == left[0] or context.between(left[0], d) < top for d in left]
        groups.append(list(compress(left, near)))
        left = [d for d, inside in zip(left, near, strict=True) if not inside]
    for group, other in combinations(groups, 2):
        if any(context.between(c, d) != top or context.between(d, c) != top for c in group for d in other):
            return None
    for group in groups:
        own = group[0]
        if len(group) == 1 and (len(context.members[own]) == 1 or context.between(own, own) == top):
            children += context.members[own]
            continue
        if len(group) == len(classes):
            return None  # two values of one class are further apart than from any other value
        child = _node(context, group, depth - 1)
        if child is None or (isinstance(child, TreeStructure) and child.level >= top):
            return None
        children.append(child)
    return TreeStructure(top, tuple(children))


def _within(context: Context, c: int, d: int) -> Epsilon:
    """The entry from a value of class `c` to another one of class `d`; 0 if there is no other."""
    return context.between(c, d) if c != d or len(context.members[c]) > 1 else Fraction(0)


def parting_pairs(node: Node, labels: Leaves) -> Iterator[tuple[int, int, Fraction]]:
    """For every node of the tree, both ways, two values of different children that part as high up as any do.

    The first and the last leaf of a node's values part highest; where both are in one child, any value of another
    child parts as high from one of the two.
    """
    pairs: list[tuple[int, int, Fraction]] = []

    def ends_of(node: Node) -> tuple[int, int]:
        """The values under a node that are its first and its last leaf."""
        if isinstance(node, int):
            return node, node
        inside = [ends_of(child) for child in node.children]
        first = min(range(len(inside)), key=lambda c: labels[inside[c][0]])
        last = max(range(len(inside)), key=lambda c: labels[inside[c][1]])
        ends = x, z = inside[first][0], inside[last][1]
        if first == last:
            other = inside[first == 0][0]
            x, z = other, min(ends, key=lambda end: labels.parting(other, end))
        pairs.extend([(x, z, node.level), (z, x, node.level)])
        return ends

    ends_of(node)
    return iter(pairs)


def grades_of(context: Context) -> tuple[Fraction, ...] | None:
    """The one finite entry in the row of every value; None if a row holds several, or none that is positive."""
    count = len(context.members)
    if context.size < 2 or count > MAX_RECOGNISED:
        return None
    grades: list[Fraction] = []
    for c, members in enumerate(context.members):
        others = [d for d in range(count) if d != c or len(members) > 1]
        grade = context.between(c, others[0])
        if not isinstance(grade, Fraction) or grade <= 0 or any(context.between(c, d) != grade for d in others):
            return None
        grades.append(grade)
    return tuple(grades[c] for c in context.class_of)


def exchangeable_of(context: Context) -> tuple[int, ...]:
    """The class of every value among those that can be swapped without changing E, numbered as they first appear.

    Above `MAX_RECOGNISED` classes of values, classes that are alike are not joined.
    """
    labels = context.class_of
    if len(context.members) > MAX_RECOGNISED:
        return numbered(labels)
    joined: list[int] = []
    probes = range(min(PROBE_CLASSES, len(context.members)))
    by_probes: dict[object, list[int]] = {}
    for c in range(len(context.members)):
        seen = tuple((context.between(c, w), context.between(w, c)) for w in probes) if c >= PROBE_CLASSES else None
        close = by_probes.get(None, []) + (by_probes.get(seen, []) if seen is not None else [])
        same = next((d for d in close if _swappable(context, c, d)), c)
        if same == c:
            by_probes.setdefault(seen, []).append(c)
        joined.append(same)
    return numbered([joined[c] for c in labels])


def _swappable(context: Context, c: int, d: int) -> bool:
    """True if a value of class `c` and one of class `d` can be swapped."""
    entry, apart = context.between, context.between(c, d)
    own = [entry(e, e) for e in (c, d) if len(context.members[e]) > 1]
    if entry(d, c) != apart or any(inside != apart for inside in own):
        return False
    others = (w for w in range(len(context.members)) if w not in (c, d))
    return all(entry(c, w) == entry(d, w) and entry(w, c) == entry(w, d) for w in others)


def numbered(labels: Iterable[Hashable]) -> tuple[int, ...]:
    """Numbers from 0 on in place of labels, in the order in which these first appear."""
    numbers: dict[Hashable, int] = {}
    return tuple([numbers.setdefault(label, len(numbers)) for label in labels])


@dataclass(frozen=True)
class Part:
    """Values that may be distinguished from all the others, and what is required among them.

    ``E[x, z] = level`` for x in `sensitive` and any other z in `members`, infinite for other x.
    """

    name: Hashable
    members: Sequence[int]
    sensitive: Sequence[int]
    level: Fraction

    @property
    def is_uniform(self) -> bool:
        """True if every member is sensitive."""
        return len(self.sensitive) == len(self.members)


def linked(count: int, pairs: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """The component of each of 0 .. count-1, numbered in order of first appearance (union-find)."""
    parent = list(range(count))

    def root(x: int) -> int:
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    for a, b in pairs:
        parent[root(a)] = root(b)
    return numbered(map(root, range(count)))


def components(context: Context) -> list[list[int]]:
    """The values linked by finite entries; in a class without finite entries each value is its own component."""
    members = context.members
    pairs = [(c, d) for c, d in context.finite() if c != d or len(members[c]) > 1]
    of_class = linked(len(members), pairs)
    touched = {c for pair in pairs for c in pair}
    labels, groups = context.class_of, dict[tuple[int, int], list[int]]()
    for x in range(context.size):
        c = labels[x]
        groups.setdefault((0, of_class[c]) if c in touched else (1, x), []).append(x)
    return list(groups.values())


def shortest_path(context: Context, x: int, z: int) -> Epsilon:
    """The entry of the closure between the values numbered `x` and `z`, without the others (Dijkstra over classes)."""
    if x == z or context.is_closed:
        return context.at(x, z)
    start, goal = context.class_of[x], context.class_of[z]
    best: Epsilon = context.at(x, z)
    reached: dict[int, Epsilon] = {c: context.between(start, c) for c in range(len(context.members)) if c != start}
    while reached:
        via = min(reached, key=reached.__getitem__)
        length = reached.pop(via)
        if length >= best:
            break
        best = min(best, length + context.between(via, goal))
        for c in reached:
            reached[c] = min(reached[c], length + context.between(via, c))
    return best
