"""A context in the simplest form that expresses it exactly.

The shortest-path closure of a privacy matrix, worked out class by class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from ...core.exact import Epsilon
from ..context import MATRIX_LIMIT, Context
from ..forms.blocks import Blocks
from ..forms.graded import Graded
from ..forms.high_low import HighLow
from ..forms.matrix import Derived
from ..forms.nested import MAX_DEPTH, Nested
from ..forms.places import LINE, RING, Places
from ..forms.uniform import Binary, Uniform
from .components import linked
from .recognition import has_closed_structure

Full: TypeAlias = Callable[[int, Sequence[int]], bool]
"""True if a class is protected from every one of some others."""


def canonical_form(context: Context) -> Context:
    """The same context in the first named form that expresses it, else its closure.

    These are uniform, high-low, blocks and, for two values, binary, which have parts or closed mechanisms; then graded,
    nested, and places on a line or ring. Above `CLOSURE_LIMIT` classes a context whose closure is not known is taken
    as it stands.
    """
    if context.is_canonical or (context.size > MATRIX_LIMIT and len(context.members) > MATRIX_LIMIT):
        return context
    joined = context.closure_if_cheap()
    if joined.size == 2:
        return Binary(joined.domain, (joined.at(0, 1), joined.at(1, 0)))
    classes = len(joined.members)
    rows: dict[int, dict[int, Epsilon]] = {}
    for c, d in joined.finite():
        if c != d or len(joined.members[c]) > 1:
            rows.setdefault(c, {})[d] = joined.between(c, d)
    levels = {entry for row in rows.values() for entry in row.values()}
    if not rows or min(levels) == 0:
        return joined

    def full(row: int, among: Sequence[int]) -> bool:
        return all(d in rows[row] for d in among if d != row or len(joined.members[d]) > 1)

    everyone = range(classes)
    if len(levels) == 1 and all(full(row, everyone) for row in rows):
        level = levels.pop()
        if len(rows) == classes:
            return Uniform(joined.domain, level)
        names = [joined.domain[x] for row in rows for x in joined.members[row]]
        return HighLow(joined.domain, names, level)
    found = _as_blocks(joined, rows, full) or _as_graded(joined, rows, full) or _as_nested(joined, rows, levels)
    return found or _as_places(joined) or joined


def _as_blocks(joined: Context, rows: dict[int, dict[int, Epsilon]], full: Full) -> Context | None:
    block_of = [0] * joined.size
    found: list[Epsilon] = []
    groups: dict[int, list[int]] = {}
    for c, number in enumerate(linked(len(joined.members), ((c, d) for c, row in rows.items() for d in row))):
        groups.setdefault(number, []).append(c)
    for group in groups.values():
        entries = {entry for c in group for entry in rows.get(c, {}).values()}
        if not entries:
            for x in (x for c in group for x in joined.members[c]):
                block_of[x] = len(found)
                found.append(math.inf)
            continue
        if len(entries) != 1 or not all(c in rows and full(c, group) for c in group):
            return None
        for c in group:
            for x in joined.members[c]:
                block_of[x] = len(found)
        found.append(entries.pop())
    if len(found) == 1:
        return None
    finite = [level for level in found if isinstance(level, Fraction)]
    levels = [level if isinstance(level, Fraction) else finite[0] for level in found]
    return Blocks(joined.domain, block_of, range(len(found)), levels)


def _as_graded(joined: Context, rows: dict[int, dict[int, Epsilon]], full: Full) -> Context | None:
    """A context whose every row holds one entry, or none."""
    everyone = range(len(joined.members))
    grades: list[Epsilon] = [math.inf] * len(everyone)
    for c, row in rows.items():
        grades[c] = next(iter(row.values()))
        if any(entry != grades[c] for entry in row.values()) or not full(c, everyone):
            return None
    return Graded(joined.domain, [grades[c] for c in joined.class_of])


def _as_nested(joined: Context, rows: dict[int, dict[int, Epsilon]], levels: set[Epsilon]) -> Context | None:
    """An ultrametric: at every level, the values within it of each other are blocks, each inside one of the next."""
    classes = range(len(joined.members))
    if len(levels) > MAX_DEPTH or any(
        rows.get(d, {}).get(c) != entry for c, row in rows.items() for d, entry in row.items()
    ):
        return None
    ordered, columns = sorted(levels), list[list[int]]()
    for level in ordered:
        near = linked(len(classes), ((c, d) for c, row in rows.items() for d, entry in row.items() if entry <= level))
        groups: dict[int, list[int]] = {}
        for c in classes:
            groups.setdefault(near[c], []).append(c)
        for group in groups.values():
            if any(rows.get(c, {}).get(d, math.inf) > level for c in group for d in group if c != d):
                return None  # they are linked through others only
        alone = [len(joined.members[c]) > 1 and rows.get(c, {}).get(c, math.inf) > level for c in classes]
        if any(alone[c] and len(groups[near[c]]) > 1 for c in classes):
            return None
        columns.append([joined.size + x if alone[c] else near[c] for x, c in enumerate(joined.class_of)])
    whole = len(set(columns[-1])) == 1
    epsilons = ordered if whole else [*ordered, math.inf]
    return Nested(joined.domain, list(zip(*columns[len(epsilons) - 2 :: -1], strict=True)), epsilons)


def _as_places(joined: Context) -> Context | None:
    """A line or a ring whose places are whole numbers of the smallest common part of its steps."""
    shape = joined.line or joined.ring
    if shape is None:
        return None
    scale = math.lcm(*(step.denominator for step in shape.steps))
    places, at = [0] * joined.size, 0
    for x, step in zip(shape.order, (*shape.steps, Fraction(0)), strict=False):
        places[x] = at
        at += int(step * scale)
    form, around = (LINE, None) if joined.line else (RING, at)
    return Places(joined.domain, form, Fraction(1, scale), points=places, around=around)


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
