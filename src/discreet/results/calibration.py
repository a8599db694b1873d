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


def constants(randomizer: Randomizer, weights: Array, shares: Array) -> Array:
    """The constant of every value's block that makes the calibrated query vary least at these shares."""
    found = np.zeros(len(weights))
    for part, _, _, values in randomizer.groups(NUMERIC):
        w, p = weights[values], shares[values]
        one = np.ones_like(w)
        excess = part.cross_moment(p, one, one, NUMERIC) - p.sum(axis=-1, keepdims=True)
        joint = part.cross_moment(p, w, one, NUMERIC) - (w * p).sum(axis=-1, keepdims=True)
        loose = excess > NOTHING * p.sum(axis=-1, keepdims=True)
        found[values] = np.where(loose, joint / np.where(loose, excess, 1.0), 0.0)
    return found
