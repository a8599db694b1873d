"""Projection onto non-negative numbers with the exact total of every block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def project_blocks(counts: FloatArray, block: NDArray[np.int64], totals: FloatArray) -> FloatArray:
    """The nearest non-negative counts that add up to totals [m] in every block, for labels in 0..m-1.

    p_i = max(y_i - theta_j, 0): with y_(1) >= y_(2) >= ... the sorted counts of block j,
    theta_j = (y_(1) + ... + y_(s) - n_j) / s for the last s at which y_(s) exceeds it.

    References: Duchi2008, Wang2013.
    """
    order = np.lexsort((-counts, block))
    label, ordered = block[order], counts[order]
    sizes = np.bincount(label, minlength=len(totals))
    starts = np.cumsum(sizes) - sizes
    rank = np.arange(len(order)) - starts[label] + 1
    running = np.cumsum(ordered)
    before = np.concatenate([[0.0], running])[starts]
    level = (running - before[label] - totals[label]) / rank
    last = np.zeros(len(totals), dtype=np.int64)
    np.maximum.at(last, label, np.where(ordered > level, rank, 1))
    theta = np.zeros(len(totals))
    used = sizes > 0
    theta[used] = level[(starts + last - 1)[used]]
    projected: FloatArray = np.maximum(counts - theta[block], 0.0)
    return projected
