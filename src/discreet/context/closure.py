"""The shortest-path closure of a privacy matrix."""

from __future__ import annotations

import math
from fractions import Fraction

from ..exact import Epsilon
from .context import Context
from .matrix import Matrix

CLOSED_FORMS = ("uniform", "blocks", "high_low", "binary")
"""Forms that are their own closure: no detour is shorter than the direct entry."""


def closed(context: Context) -> Context:
    """`context` itself when no detour is shorter, else the matrix of shortest paths (Floyd-Warshall, exact)."""
    if context.form in CLOSED_FORMS:
        return context
    entries = [list(row) for row in context.matrix()]
    scale = math.lcm(*(e.denominator for row in entries for e in row if isinstance(e, Fraction)))
    paths: list[list[float]] = [[int(e * scale) if isinstance(e, Fraction) else math.inf for e in r] for r in entries]
    direct = [list(row) for row in paths]
    for via, onward in enumerate(paths):
        for row in paths:
            first = row[via]
            if first != math.inf:
                row[:] = [
                    there if there <= first + rest else first + rest for there, rest in zip(row, onward, strict=True)
                ]
        assert paths[via][via] == 0
    if paths == direct:
        return context
    return Matrix(context.domain, [[_entry(path, scale) for path in row] for row in paths])


def _entry(path: float, scale: int) -> Epsilon:
    return math.inf if path == math.inf else Fraction(int(path), scale)
