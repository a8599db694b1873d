"""A proof for all displacements of a large torus at once: units that follow e**-E within a few of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from ...core.exact import exp_below
from ..tables.tight import BITS, faded

if TYPE_CHECKING:
    from ...contexts.structure.recognition import Grid

CLOSE = Fraction(1, 1 << 190)
"""More than `exp_below` may lie below the exponential, relative to it."""

Cell = tuple[int, ...]


def shorter(shape: Sequence[int]) -> Iterator[Cell]:
    """The displacements that go the shorter way round along every side: all others are mirror images of these."""
    return product(*(range(side // 2 + 1) for side in shape))


def faded_by(grid: Grid, shape: Sequence[int]) -> dict[Cell, int]:
    """e**-E of each of the `shorter` displacements, rounded down, in units of 2**-BITS."""
    known: dict[Fraction, int] = {}
    found = {}
    for cell in shorter(shape):
        entry = grid.epsilon(cell)
        if entry not in known:
            known[entry] = faded(entry)
        found[cell] = known[entry]
    return found


def follows(units: Mapping[Cell, int], weights: Mapping[Cell, int], grid: Grid) -> bool:
    """True if units that follow e**-E this closely keep every ratio within e**E of the displacement.

    With ``K W + c - s <= u <= K W + c`` for the units u of every displacement, W its e**-E, and E(z) at most
    E(y) + E(t) for the step t from y to z, ``u(y) / u(z) <= (K W + c) / (K W e**-E(t) + c - s)``. That is at most
    e**E(t) if ``e**E(t) (c - s) >= c``, which holds for all steps if it does for the least E. Distances that are
    rounded and exponentials that are bounded from below move K W by a part of at most `CLOSE` and twice the rounding.
    K is taken from the largest and the least weight, c and s from all units: whole numbers decide.
    """
    first, last = max(weights, key=weights.__getitem__), min(weights, key=weights.__getitem__)
    if weights[first] == weights[last]:
        return False
    slope = (units[first] - units[last] << BITS) // (weights[first] - weights[last])
    most = max(unit - (slope * weights[cell] >> BITS) for cell, unit in units.items())
    least = min(unit - (slope * (weights[cell] + 1) >> BITS) - 1 for cell, unit in units.items())
    nearest = min(grid.epsilon(cell) for cell in weights if any(cell))
    part = CLOSE + 2 * grid.level * grid.rounding
    return slope > 0 and least > 0 and exp_below(nearest) * least >= most + part * slope
