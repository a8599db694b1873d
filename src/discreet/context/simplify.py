"""A context in the simplest form that expresses it exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

from ..exact import Epsilon
from .binary import Binary
from .blocks import Blocks
from .components import linked
from .context import MATRIX_LIMIT, Context
from .high_low import HighLow
from .uniform import Uniform

Full: TypeAlias = Callable[[int, Sequence[int]], bool]
"""True if a class is protected from every one of some others."""


def simplest(context: Context) -> Context:
    """The same context in uniform, block, high-low or binary form if it has one, else its closure.

    Above `CLOSURE_LIMIT` classes a context whose closure is not known is taken as it stands.
    """
    if context.settled or (context.size > MATRIX_LIMIT and len(context.members) > MATRIX_LIMIT):
        return context
    joined = context.strict()
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
