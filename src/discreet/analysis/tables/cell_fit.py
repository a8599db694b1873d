"""The law that fits the counts of disjoint cells best: weighted least squares through the channel's transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...estimation.decoders import Decoder

Array = NDArray[np.float64]

CLOSE = 1e-11
"""The part of the right-hand side that may be left when the equations count as solved."""

STEPS = 300
"""The most steps to a solution, beside two for every value."""

LEAST = 1e-3
"""No cell is taken for rarer than this part of one report."""


def fitted(part: Decoder[Any], frequencies: Array, shares: Array, n: Array) -> tuple[Array, Array]:
    """The law of the cells that is nearest to their frequencies, row by row, and the law that it was weighted by.

    ``min_p sum_y (f_y - (Q'p)_y)**2 / law_y`` over all p, negative ones too, where the law is that at `shares`, a
    distribution near those of the people. `n` is the number of reports of each row. Only `push` and `pull` are used,
    so that no matrix is written out; nan where the equations were not solved.
    """
    used = part.expected_counts(np.full(part.size, 1 / part.size)) > 0
    law = np.maximum(part.expected_counts(shares), LEAST / np.maximum(n, 1)[:, None])
    weights = np.where(used, 1 / law, 0.0)

    def product(p: Array) -> Array:
        return np.asarray(part.expected_counts_adjoint(weights * part.expected_counts(p)))

    p = _solved(product, np.asarray(part.expected_counts_adjoint(weights * frequencies)), shares)
    return np.asarray(part.expected_counts(p)), law


def _solved(product: Callable[[Array], Array], right: Array, start: Array) -> Array:
    """The solution of ``product(p) = right`` row by row, by conjugate gradients; nan in rows that did not settle."""
    p = start.copy()
    left = right - product(p)
    way, size = left.copy(), (left**2).sum(axis=-1)
    goal = CLOSE**2 * (right**2).sum(axis=-1)
    for _ in range(STEPS + 2 * p.shape[-1]):
        open_rows = size > goal
        if not open_rows.any():
            return p
        moved = product(way)
        along = (way * moved).sum(axis=-1)
        step = np.where(open_rows & (along > 0), size / np.where(along > 0, along, 1.0), 0.0)[:, None]
        p, left = p + step * way, left - step * moved
        now = np.where(open_rows, (left**2).sum(axis=-1), size)
        way = left + np.where(open_rows, now / np.maximum(size, 1e-300), 0.0)[:, None] * way
        size = now
    return np.where((size > goal)[:, None], np.nan, p)
