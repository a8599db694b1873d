"""The simplest form, the coarsest context with parts, and the shortest-path closure of a context."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from ...core.domain import Alike
from ...core.errors import NotIdentifiable
from ...core.exact import Epsilon
from ..context import MATRIX_LIMIT, Context
from ..forms.blocks import Blocks
from ..forms.graded import Graded
from ..forms.high_low import HighLow
from ..forms.matrix import Derived
from ..forms.nested import MAX_DEPTH, NestedBlocks
from ..forms.places import LINE, RING, LineOrRing
from ..forms.uniform import Binary, Uniform
from .recognition import has_closed_structure, linked

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
    named = _as_blocks(joined, rows, full) or _as_graded(joined, rows, full) or _as_nested(joined, rows, levels)
    return named or _as_places(joined) or joined


def _as_blocks(joined: Context, rows: dict[int, dict[int, Epsilon]], full: Full) -> Context | None:
    block_of = [0] * joined.size
    levels: list[Epsilon] = []
    groups: dict[int, list[int]] = {}
    for c, number in enumerate(linked(len(joined.members), ((c, d) for c, row in rows.items() for d in row))):
        groups.setdefault(number, []).append(c)
    for group in groups.values():
        entries = {entry for c in group for entry in rows.get(c, {}).values()}
        if not entries:
            for x in (x for c in group for x in joined.members[c]):
                block_of[x] = len(levels)
                levels.append(math.inf)
            continue
        if len(entries) != 1 or not all(c in rows and full(c, group) for c in group):
            return None
        for c in group:
            for x in joined.members[c]:
                block_of[x] = len(levels)
        levels.append(entries.pop())
    if len(levels) == 1:
        return None
    finite = [level for level in levels if isinstance(level, Fraction)]
    exact = [level if isinstance(level, Fraction) else finite[0] for level in levels]
    return Blocks(joined.domain, block_of, range(len(levels)), exact)


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
    return NestedBlocks(joined.domain, list(zip(*columns[len(epsilons) - 2 :: -1], strict=True)), epsilons)


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
    return LineOrRing(joined.domain, form, Fraction(1, scale), points=places, around=around)


def coarsest_served(context: Context) -> Context:
    """A context with parts that implies `context`: its own simplest form, or its smallest entry in each component."""
    form = context.canonical_form()
    if form.parts is not None:
        return form
    groups = form.components()
    block_of = [0] * form.size
    for number, group in enumerate(groups):
        for x in group:
            block_of[x] = number
    smallest: dict[int, Fraction] = {}
    for x, z, asked in form.generators(block_of if len(groups) > 1 else Alike(form.size)):
        if asked == 0:  # one way is enough: rows that add up to one, and are nowhere larger, are equal
            raise NotIdentifiable(
                f"E=0 makes {form.values[x]!r} and {form.values[z]!r} indistinguishable; give them one value"
            )
        if isinstance(asked, Fraction):
            smallest[block_of[x]] = min(asked, smallest.get(block_of[x], asked))
    if len(groups) == 1 and smallest:
        if len(form.hidden) < len(form.members):
            sensitive = [form.values[x] for c in sorted(form.hidden) for x in form.members[c]]
            return HighLow(form.domain, sensitive, smallest[0])
        return Uniform(form.domain, smallest[0])
    anything = next(iter(smallest.values()), Fraction(1))
    levels = [smallest.get(number, anything) for number in range(len(groups))]
    return Blocks(form.domain, block_of, range(len(groups)), levels)


class Closed(Derived):
    """A context whose entries are the shortest paths of another one, over the same classes of values."""

    form = "closed"
    is_closed = True

    def __init__(self, of: Context, entries: Sequence[Sequence[Epsilon]]) -> None:
        self.domain, self.class_of = of.domain, of.class_of
        self.of, self.entries = of, entries

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


def _shortest(direct: list[list[int]], unreachable: int) -> list[list[int]]:
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
