"""The borders between cells of a grid that have different labels."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

REACH = 8
"""The most cells along which an edge is drawn as one straight line; beyond, a projection would bend it."""

Corner = tuple[int, int]
"""The corner of a cell: column and row of the grid's lines."""


def borders(labels: Any) -> list[list[Corner]]:
    """The edges between cells of different labels [row, column], as lines from one meeting of blocks to the next."""
    lines: list[list[Corner]] = []
    for at in range(1, labels.shape[1]):
        lines += [[(at, y) for y in _stretch(*run)] for run in _runs(labels[:, at - 1] != labels[:, at])]
    for at in range(1, labels.shape[0]):
        lines += [[(x, at) for x in _stretch(*run)] for run in _runs(labels[at - 1] != labels[at])]
    return _chained(lines)


def _runs(marked: Any) -> list[tuple[int, int]]:
    """Begin and end of every stretch of True."""
    turns = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]]).astype(np.int8)))
    return [(int(begin), int(end)) for begin, end in turns.reshape(-1, 2)]


def _stretch(begin: int, end: int) -> list[int]:
    """The places where a straight edge has corners."""
    return [*range(begin, end, REACH), end]


def _chained(lines: list[list[Corner]]) -> list[list[Corner]]:
    """Lines joined where the ends of just two meet."""
    at: dict[Corner, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        at[line[0]].append(number)
        at[line[-1]].append(number)
    used: set[int] = set()
    chains = []
    for number, line in enumerate(lines):
        if number not in used:
            used.add(number)
            ahead = _followed(line, lines, at, used)
            chains.append(_followed(ahead[::-1], lines, at, used))
    return chains


def _followed(
    line: list[Corner], lines: list[list[Corner]], at: dict[Corner, list[int]], used: set[int]
) -> list[Corner]:
    """The line with those that go on from its end."""
    chain = list(line)
    while len(at[chain[-1]]) == 2:
        left = [number for number in at[chain[-1]] if number not in used]
        if not left:
            break
        used.add(left[0])
        following = lines[left[0]]
        chain += (following if following[0] == chain[-1] else following[::-1])[1:]
    return chain
