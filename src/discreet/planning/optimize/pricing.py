"""Columns that would improve a channel: local search over the extreme rays of the cone, from many starts at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .cone import Array, Cone, normalize

MAX_SWEEPS = 12
"""Rounds over all values in a climb, at most."""

MAX_DRAGGED_VALUES = 40
"""How many values of each column are dragged, at most."""

DRAG_PARTNERS = 8
"""How many values each value is tried to be made tight with when it is dragged."""


@dataclass(frozen=True, eq=False)
class Price:
    """What a column is worth: ``r^T K r - lam . r`` for r of mean one under the prior; above zero it improves."""

    K: Array
    multipliers: Array
    prior: Array

    def __call__(self, columns: Array) -> Array:
        mean = columns @ self.prior
        curved = np.einsum("yx,yx->y", columns @ self.K, columns)
        found: Array = (curved / mean - columns @ self.multipliers) / mean
        return found


def climb(cone: Cone, price: Price, columns: Array, rng: np.random.Generator) -> Array:
    """The columns with each value in turn at its lower or its upper end, whichever pays, until nothing does.

    Every column takes its values in an order of its own: shared ones lead different starts to one end.
    """
    columns = normalize(columns, price.prior)
    moving = np.arange(len(columns))
    for _ in range(MAX_SWEEPS):
        swept, moved = _sweep(cone, price, columns[moving], rng)
        columns[moving] = swept
        moving = moving[moved]
        if not len(moving):
            break
    return columns


def _sweep(cone: Cone, price: Price, columns: Array, rng: np.random.Generator) -> tuple[Array, NDArray[np.bool_]]:
    """The columns after one turn of every value, and which of them moved."""
    K, lam, p = price.K, price.multipliers, price.prior
    each, along = np.arange(len(columns)), columns @ K
    curved, cost, mean = np.einsum("yx,yx->y", along, columns), columns @ lam, columns @ p
    best = (curved / mean - cost) / mean
    moved = np.zeros(len(columns), dtype=bool)
    for x in rng.permuted(np.tile(np.arange(cone.size), (len(columns), 1)), axis=1).T:
        own = columns[each, x]
        columns[each, x] = np.inf
        high = (columns * cone.most[x]).min(axis=1)
        columns[each, x] = 0.0
        low = (columns * cone.least[x]).max(axis=1)
        chosen = own
        for end in (low, high):
            by = end - own
            after = curved + by * (2 * along[each, x] + by * K[x, x])
            after_mean = mean + by * p[x]
            found = (after / after_mean - cost - by * lam[x]) / after_mean
            pays = found > best + 1e-12 * np.abs(best)
            chosen, best = np.where(pays, end, chosen), np.where(pays, found, best)
        by = chosen - own
        columns[each, x] = chosen
        curved += by * (2 * along[each, x] + by * K[x, x])
        cost += by * lam[x]
        mean += by * p[x]
        along += by[:, None] * K[x]
        moved |= by != 0
    return normalize(columns, p), moved


def drag(cone: Cone, price: Price, columns: Array, rng: np.random.Generator) -> Array:
    """The columns with values raised or lowered until they are tight with another, taking along those in their way.

    Each turn tries one value of every column with a few partners, up and down, and keeps what pays.
    """
    columns = columns.copy()
    each, best = np.arange(len(columns)), price(columns)
    for x in rng.permuted(np.tile(np.arange(cone.size), (len(columns), 1)), axis=1).T[:MAX_DRAGGED_VALUES]:
        for _ in range(DRAG_PARTNERS):
            z = (x + rng.integers(1, cone.size, len(columns))) % cone.size
            other = columns[each, z]
            up = np.maximum(columns, (other * cone.most[x, z])[:, None] / cone.most[x])
            down = np.minimum(columns, (other * cone.least[x, z])[:, None] / cone.least[x])
            for tried in (up, down):
                found = price(tried)
                pays = found > best + 1e-12 * np.abs(best)
                columns[pays], best[pays] = tried[pays], found[pays]
    return columns
