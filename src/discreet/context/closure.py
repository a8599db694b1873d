"""The shortest-path closure of a privacy matrix."""

from __future__ import annotations

import math
from fractions import Fraction

from .context import Context
from .matrix import Matrix


def closed(context: Context) -> Context:
    """`context` itself if no detour is shorter, else the matrix of shortest paths (Floyd-Warshall, exact)."""
    if context.settled:
        return context
    entries = context.matrix()
    scale = math.lcm(*(e.denominator for row in entries for e in row if isinstance(e, Fraction)))
    longest = max(int(e * scale) for row in entries for e in row if isinstance(e, Fraction))
    unreachable = longest * len(entries) + 1
    paths = [[int(e * scale) if isinstance(e, Fraction) else unreachable for e in row] for row in entries]
    direct = [list(row) for row in paths]
    for via, onward in enumerate(paths):
        for row in paths:
            first = row[via]
            if first < unreachable:
                row[:] = [
                    there if there <= first + rest else first + rest for there, rest in zip(row, onward, strict=True)
                ]
    if paths == direct:
        return context
    return Matrix(
        context.domain,
        [[Fraction(path, scale) if path < unreachable else math.inf for path in row] for row in paths],
    )
