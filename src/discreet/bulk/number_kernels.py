"""Compiled forms of `discreet.bulk.numbers`: the same places and nodes, in one pass without a division of words.

`grid` is a `Grid` there. Importing this module imports Numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimation.arrays.compiled import inline, jit
from .kernels import ONE, ZERO, U, select

I = np.int64  # noqa: E741
DIGITS = 18
"""The most digits of a text that is read here."""

POINT, PLUS, MINUS, NINE = 46 - 48, 43 - 48, 45 - 48, 9
"""What is not a digit, counted from the digit 0."""


@jit
def place_doubles(x: Any, grid: Any, width: Any, out: Any) -> Any:
    """Write the place of each float; returns how many are left to be found one by one."""
    doubtful = ZERO
    for i in range(U(out.size)):
        value = np.float64(x[i])
        whole = np.floor(value * grid.scale)
        middle = (2.0 * whole + 1.0) / (2.0 * grid.scale)
        whole += np.float64(value >= middle)
        held = min(max(whole, grid.lowest), grid.highest)
        known = (whole == held) | (grid.clips & (value - value == 0.0))
        doubt = (abs(value - middle) <= width * abs(value)) & (abs(whole - held) <= 1.0 + abs(width * whole))
        above = I((held if known else grid.lowest) - grid.lowest)
        place = U(above) if known else grid.absent
        out[i] = grid.doubtful if doubt else place
        doubtful += U(doubt)
    return doubtful


@jit
def place_wholes(x: Any, grid: Any, out: Any) -> None:
    """Write the place of each whole number below 2**63."""
    for i in range(U(out.size)):
        whole = I(x[i])
        known = (whole >= grid.least) & (whole <= grid.most)
        beyond = (grid.span if whole > grid.most else ZERO) if grid.clips else grid.absent
        out[i] = U((whole if known else grid.least) * grid.unit - grid.first) if known else beyond


@jit
def place_texts(offsets: Any, data: Any, powers: Any, grid: Any, out: Any) -> Any:
    """Write the place of each text of digits and a point, in whole numbers alone; returns how many are others."""
    doubtful = ZERO
    for i in range(U(out.size)):
        at, end = U(offsets[i]), U(offsets[i + ONE])
        sign = I(data[at]) - 48 if at < end else 0
        at += U((sign == PLUS) | (sign == MINUS))
        digits, decimals, points, others, number = 0, 0, 0, 0, ZERO
        for j in range(at, min(end, at + U(DIGITS + 2))):
            digit = I(data[j]) - 48
            if 0 <= digit <= NINE:
                number = number * U(10) + U(digit)
                digits += 1
                decimals += points
            elif digit == POINT:
                points += 1
            else:
                others += 1
        if others > 0 or points > 1 or digits < 1 or digits > DIGITS:
            out[i] = grid.doubtful
            doubtful += ONE
            continue
        units = _units(number, decimals - grid.decimals, sign == MINUS, powers)
        held = min(max(units, grid.first), grid.last)
        out[i] = U(held - grid.first) if (units == held) | grid.clips else grid.absent
    return doubtful


@inline
def _units(number: Any, shift: Any, negative: Any, powers: Any) -> Any:
    """The nearest whole number to ``number / 10**shift``, the upper of two; with its sign; at most 2**62 or so."""
    power = powers[abs(shift)]
    if shift <= 0:
        size = I(number * power) if number <= U(1 << 62) // power else I(1 << 62)
        return -size if negative else size
    size, rest = I(number // power), U(2) * (number % power)
    return -(size + I(rest > power)) if negative else size + I(rest >= power)


@jit
def place_nodes(positions: Any, words: Any, grid: Any, out: Any) -> None:
    """Write the node of every place, by one word each."""
    for i in range(U(out.size)):
        node, rest = _node(U(positions[i]), grid)
        u = words[i]
        high = (u >> U(32)) * grid.units
        low = (u & U(0xFFFFFFFF)) * grid.units + (grid.units - ONE)
        out[i] = _beside(U(positions[i]), node + U((high + (low >> U(32))) >> U(32) < rest), grid)


@jit
def place_nearest(positions: Any, grid: Any, out: Any) -> None:
    """Write the nearest node of every place, the upper of two."""
    for i in range(U(out.size)):
        node, rest = _node(U(positions[i]), grid)
        out[i] = _beside(U(positions[i]), node + U(U(2) * rest >= grid.units), grid)


@inline
def _node(position: Any, grid: Any) -> Any:
    """The node at or below a place, and how far above it that is.

    With ``m = 2**32 // units``, ``p m / 2**32`` lies below ``p / units`` by less than ``p / 2**32 < 1``, so that its
    floor is the node or the one before.
    """
    held = min(position, grid.span)
    node = held * grid.inverse >> U(32)
    rest = held - node * grid.units
    more = U(rest >= grid.units)
    return node + more, rest - (grid.units & (ZERO - more))


@inline
def _beside(position: Any, node: Any, grid: Any) -> Any:
    """The node, or the number of a value outside the scale."""
    return select(U(position > grid.span), grid.nodes + (position - grid.span - ONE), node)
