"""Sums and conjunctions of contexts, brought back to a named form where they have one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Literal

from ..errors import InvalidContext
from ..exact import Epsilon
from .binary import Binary
from .blocks import Blocks
from .context import MATRIX_LIMIT, Context
from .high_low import HighLow
from .matrix import Matrix
from .uniform import Uniform


class Combined(Context):
    """Two contexts joined entry by entry over the classes that both respect; nothing is written out."""

    form = "combined"

    def __init__(self, first: Context, second: Context, join: Literal["sum", "both"]) -> None:
        self.domain = first.domain
        self.parts = (first, second)
        self.join = join
        numbers: dict[tuple[int, int], int] = {}
        self._labels = [
            numbers.setdefault(pair, len(numbers)) for pair in zip(first.labels, second.labels, strict=True)
        ]
        self._classes = list(numbers)

    @property
    def labels(self) -> Sequence[int]:
        return self._labels

    def between(self, c: int, d: int) -> Epsilon:
        (a, b), (p, q) = self._classes[c], self._classes[d]
        one, two = self.parts[0].between(a, p), self.parts[1].between(b, q)
        return one + two if self.join == "sum" else min(one, two)

    def finite(self) -> Iterator[tuple[int, int]]:
        groups: list[dict[int, list[int]]] = [{}, {}]
        for number, pair in enumerate(self._classes):
            for side in (0, 1):
                groups[side].setdefault(pair[side], []).append(number)
        seen: set[tuple[int, int]] = set()
        for side in (0, 1) if self.join == "both" else (0,):
            for a, p in self.parts[side].finite():
                for c in groups[side].get(a, ()):
                    for d in groups[side].get(p, ()):
                        if (c, d) not in seen and isinstance(self.between(c, d), Fraction):
                            seen.add((c, d))
                            yield c, d

    def describe(self) -> dict[str, Any]:
        return Matrix(self.domain, self.matrix()).describe()

    def __repr__(self) -> str:
        return f"({self.parts[0]!r} {'+' if self.join == 'sum' else '&'} {self.parts[1]!r})"


def combined(first: Context, second: Context, join: Literal["sum", "both"]) -> Context:
    """The sum (adaptive composition) or the conjunction, in the simplest form that says it exactly."""
    if first.domain != second.domain:
        raise InvalidContext("contexts can be combined only over the same values in the same order")
    return simplest(Combined(first, second, join))


def simplest(joined: Context) -> Context:
    """The same context as a uniform, block, high-low or binary one where it is one, else itself."""
    if isinstance(joined, (Uniform, Blocks, HighLow, Binary)) or (
        joined.size > MATRIX_LIMIT and joined.form == "metric"
    ):
        return joined
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
    return _as_blocks(joined, rows, full) or joined


def _as_blocks(joined: Context, rows: dict[int, dict[int, Epsilon]], full: Any) -> Context | None:
    parent = list(range(len(joined.members)))

    def root(c: int) -> int:
        while parent[c] != c:
            parent[c] = parent[parent[c]]
            c = parent[c]
        return c

    for c, row in rows.items():
        for d in row:
            parent[root(c)] = root(d)
    groups: dict[int, list[int]] = {}
    for c in range(len(parent)):
        groups.setdefault(root(c), []).append(c)
    block_of = [0] * joined.size
    found: list[Epsilon] = []
    for group in groups.values():
        entries = {entry for c in group for entry in rows.get(c, {}).values()}
        alone = [x for c in group for x in joined.members[c]] if not entries else None
        if alone is not None:
            for x in alone:
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
