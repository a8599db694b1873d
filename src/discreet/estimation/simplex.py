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


def peak_of_squares(linear: FloatArray) -> tuple[FloatArray, float]:
    """The distribution p with the largest ``linear . p - |p|**2``, and that value.

    It is the projection of half of `linear` onto the simplex; projecting differences from the largest entry keeps what
    large entries would round away.
    """
    level = linear - linear.max()
    p = project_blocks(level / 2, np.zeros(len(linear), dtype=np.int64), np.ones(1))
    return p, float(linear.max() + level @ p - p @ p)


TOLERANCE = 1e-9
"""How near, relative to it, the largest value on the simplex is sought."""

MAX_STEPS = 20_000
"""The most steps of that search."""


def peak_on_simplex(linear: FloatArray, rows: FloatArray) -> tuple[FloatArray, float]:
    """The distribution p with about the largest ``linear . p - |rows p|**2``, and the largest from above.

    Each step moves mass from the worst value that has some to the best value of all, as far as pays. The function is
    concave, so the largest is at most what is found plus the last gap between the best slope and the mean one, which
    is added.

    References: LacosteJulien2015.
    """
    p = np.zeros(len(linear))
    p[int(np.argmax(linear - np.sum(rows**2, axis=0)))] = 1.0
    image = rows @ p
    for _ in range(MAX_STEPS):
        slope = linear - 2 * (image @ rows)
        best, support = int(np.argmax(slope)), np.flatnonzero(p)
        gap = float(slope[best] - slope @ p)
        value = float(linear @ p - image @ image)
        worst = int(support[np.argmin(slope[support])])
        if gap <= TOLERANCE * abs(value) or best == worst:
            break
        way = rows[:, best] - rows[:, worst]
        gain, curved = float(slope[best] - slope[worst]), 2 * float(way @ way)
        step = float(p[worst]) if curved * p[worst] <= gain else gain / curved
        p[best] += step
        p[worst] = 0.0 if step == p[worst] else p[worst] - step
        image = image + step * way
    return p, value + max(gap, 0.0)
