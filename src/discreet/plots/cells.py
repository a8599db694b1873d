"""Cells of a grid as areas and lines: what is marked, merged to polygons, and the borders between labels."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

REACH = 8
"""The most cells along which an edge is drawn as one straight line; beyond, a projection would bend it."""

Corner = tuple[int, int]
"""The corner of a cell: column and row of the grid's lines."""


def merged(marked: Any) -> list[list[Corner]]:
    """The rims of the marked cells [row, column] as closed rings of corners, marked cells at their left."""
    ends: dict[Corner, list[list[Corner]]] = defaultdict(list)
    padded = np.pad(np.asarray(marked, dtype=bool), 1).astype(np.int8)
    for turned, lines in ((False, np.diff(padded, axis=0)), (True, np.diff(padded, axis=1).T)):
        for at, line in enumerate(lines):
            for side in (1, -1):
                for begin, end in runs(line == side):
                    # columns and rows of the padded grid begin one before those of the grid
                    places = _stretch(begin - 1, end - 1)
                    piece = [(at, place) if turned else (place, at) for place in places]
                    forward = (side == 1) != turned
                    piece = piece if forward else piece[::-1]
                    ends[piece[0]].append(piece)
    rings = []
    while ends:
        ring = _pop(ends, next(iter(ends)), None)
        while ring[-1] != ring[0]:
            ring += _pop(ends, ring[-1], ring[-2])[1:]
        rings.append(ring)
    return rings


def borders(labels: Any) -> list[list[Corner]]:
    """The edges between cells of different labels [row, column], each as long as it runs straight."""
    lines: list[list[Corner]] = []
    for at in range(1, labels.shape[1]):
        lines += [[(at, y) for y in _stretch(*run)] for run in runs(labels[:, at - 1] != labels[:, at])]
    for at in range(1, labels.shape[0]):
        lines += [[(x, at) for x in _stretch(*run)] for run in runs(labels[at - 1] != labels[at])]
    return lines


def runs(marked: Any) -> list[tuple[int, int]]:
    """Begin and end of every stretch of True."""
    turns = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]]).astype(np.int8)))
    return [(int(begin), int(end)) for begin, end in turns.reshape(-1, 2)]


def _stretch(begin: int, end: int) -> list[int]:
    """The places where a straight edge has corners."""
    return [*range(begin, end, REACH), end]


def _pop(ends: dict[Corner, list[list[Corner]]], at: Corner, before: Corner | None) -> list[Corner]:
    """The edge that goes on from a corner; where two do, the one that turns left, so that rings touch but never cross."""
    waiting = ends[at]
    number = 0
    if before is not None and len(waiting) > 1:
        came = (at[0] - before[0], at[1] - before[1])
        turns = [came[0] * (piece[1][1] - at[1]) - came[1] * (piece[1][0] - at[0]) for piece in waiting]
        number = turns.index(max(turns))
    piece = waiting.pop(number)
    if not waiting:
        del ends[at]
    return piece
