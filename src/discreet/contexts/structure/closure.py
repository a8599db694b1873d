"""The shortest-path closure of a privacy matrix, worked out class by class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from ...core.exact import Epsilon
from ..context import Context
from ..forms.matrix import Derived
from .recognition import has_closed_structure

Paths = list[list[int]]


class Closed(Derived):
    """A context whose entries are the shortest paths of another one, over the same classes of values."""

    form = "closed"

    def __init__(self, of: Context, entries: Sequence[Sequence[Epsilon]]) -> None:
        self.domain = of.domain
        self.of = of
        self.entries = entries

    @property
    def is_closed(self) -> bool:
        return True

    @property
    def class_of(self) -> Sequence[int]:
        return self.of.class_of

    def between(self, c: int, d: int) -> Epsilon:
        return self.entries[c][d]

    def finite(self) -> Iterator[tuple[int, int]]:
        for c, row in enumerate(self.entries):
            for d, entry in enumerate(row):
                if isinstance(entry, Fraction) and (c != d or len(self.members[c]) > 1):
                    yield c, d

    def generators(self, labels: Sequence[int]) -> Iterator[tuple[int, int, Epsilon]]:
        return ((x, z, self.at(x, z)) for x, z, _ in self.of.generators(labels))

    def __repr__(self) -> str:
        return f"{self.of!r}.closure()"


def closure_of(context: Context) -> Context:
    """`context` itself if no detour is shorter, else the context of shortest paths (Floyd-Warshall, exact)."""
    if context.is_closed or has_closed_structure(context):
        return context
    count = len(context.members)
    entries = {(c, d): context.between(c, d) for c, d in context.finite()}
    finite = [entry for entry in entries.values() if isinstance(entry, Fraction)]
    scale = math.lcm(*(entry.denominator for entry in finite))
    unreachable = max((int(entry * scale) for entry in finite), default=0) * (count + 1) + 1
    direct = [[unreachable] * count for _ in range(count)]
    for (c, d), entry in entries.items():
        direct[c][d] = int(entry * scale)
    for c, members in enumerate(context.members):
        if len(members) == 1:
            direct[c][c] = 0
    paths = _shortest(direct, unreachable)
    if paths == direct:
        return context
    return Closed(
        context, [[Fraction(path, scale) if path < unreachable else math.inf for path in row] for row in paths]
    )


def _shortest(direct: Paths, unreachable: int) -> Paths:
    """The shortest path from a member of each class to another value of each class.

    A path that comes back to a class is worth its while only to reach another member of the class it set out from.
    """
    paths = [list(row) for row in direct]
    for via, onward in enumerate(paths):
        for row in paths:
            first = row[via]
            if first < unreachable and row is not onward:
                row[:] = [
                    there if there <= first + rest else first + rest for there, rest in zip(row, onward, strict=True)
                ]
    return paths


def shortest_path(context: Context, x: int, z: int) -> Epsilon:
    """The entry of the closure between the values numbered `x` and `z`, found alone (Dijkstra over classes)."""
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
