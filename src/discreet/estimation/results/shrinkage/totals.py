"""Posterior means that add up to the exact total of every block.

One shift lambda_j d_i is added to every count of block j, d_i = V0_i n_j; the sum of the posterior means
grows with lambda_j, with slope sum_i d_i Var_i / sigma_i^2, and is brought to n_j by Newton steps kept inside
a bracket. The last, small step is taken along the slope, and what it leaves is removed by scaling the block.
"""

from typing import Final

import numpy as np

from .posterior import FloatArray, IntArray, Prior, Readings, moments

_STEPS: Final = 60
_TOLERANCE: Final = 0.01


def fit_shift(
    edges: FloatArray,
    readings: Readings,
    prior: Prior,
    block: IntArray,
    totals: FloatArray,
    direction: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """The shift of every count, and the posterior means at that shift, which add up to totals."""
    blocks = len(totals)
    level = np.zeros(blocks)
    low, high = np.full(blocks, -np.inf), np.full(blocks, np.inf)
    means, slopes = np.zeros(len(readings)), np.zeros(len(readings))
    limit = 4 * np.bincount(block, readings.sigma, blocks) / np.bincount(block, direction, blocks)
    active = np.ones(blocks, dtype=bool)
    for _ in range(_STEPS):
        rows = np.flatnonzero(active[block])
        part = readings.take(rows).moved(level[block[rows]] * direction[rows])
        means[rows], spread = moments(edges, part, prior.take(rows))
        slopes[rows] = spread * direction[rows]
        excess = np.bincount(block, means, blocks) - totals
        newton = np.clip(-excess / np.maximum(np.bincount(block, slopes, blocks), 1e-300), -limit, limit)
        active &= np.abs(excess) > _TOLERANCE * totals
        if not active.any():
            break
        short, long = active & (excess < 0), active & (excess > 0)
        low[short], high[long] = level[short], level[long]
        trial = level + newton
        outside = np.isfinite(low) & np.isfinite(high) & ~((trial > low) & (trial < high))
        trial[outside] = 0.5 * (low[outside] + high[outside])
        level[active] = trial[active]
        limit[active] *= 2
    means = np.maximum(means + slopes * newton[block], 0.0)
    sums = np.bincount(block, means, blocks)
    return (level + newton)[block] * direction, means * (totals / sums)[block]
