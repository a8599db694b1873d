"""Calibration: what reports show exactly, their block, need not be estimated.

The part of a query that is constant in a block is known from the block's total, so ``(w - c_b) . phi(Y) + c_b``, with
b the block of the report, has the mean of ``w . phi(Y)`` for any constants c. The variance is least for
``c_b = (E[(w . phi)(1_b . phi)] - w . p_b) / (E[(1_b . phi)**2] - p(b))``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..mechanisms.randomizer import Randomizer
from ..statistics.numeric import NUMERIC

Array = NDArray[np.float64]

NOTHING = 1e-12
"""Where the shares of a block add up to its total but for so small a part of it, there is nothing to calibrate."""


def constants(randomizer: Randomizer, weights: Array, shares: Array | None = None) -> Array:
    """The constant of every value's block that makes a calibrated query, or each row of several, vary least.

    It does so where values follow `shares`, even ones unless given; only their proportions inside a block matter.
    """
    held = np.full(weights.shape[-1], 1 / weights.shape[-1]) if shares is None else shares
    found = np.zeros_like(weights, dtype=float)
    for part, _, _, values in randomizer.groups(NUMERIC):
        w, p = weights[..., values], held[values]
        one, whole = np.ones(values.shape), p.sum(axis=-1, keepdims=True)
        excess = part.cross_moment(p, one, one, NUMERIC) - whole
        joint = part.cross_moment(p, w, np.broadcast_to(one, w.shape), NUMERIC) - (w * p).sum(axis=-1, keepdims=True)
        loose = excess > NOTHING * whole
        found[..., values] = np.where(loose, joint / np.where(loose, excess, 1.0), 0.0)
    return found


def second_moment(randomizer: Randomizer, weights: Array, shares: Array) -> Array:
    """``E[s**2]`` of the scores s of a query calibrated at even shares, or of each row of several."""
    c = constants(randomizer, weights)
    rest = weights - c
    spread = randomizer.cross_moment(shares, rest, rest, NUMERIC).sum(axis=-1)
    return np.asarray(spread + ((2 * rest + c) * c * shares).sum(axis=-1))
