"""Posterior quantiles, and the one quantile level per block at which they add up to the block's total."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import special

from .posterior import FloatArray, IntArray, Prior, Readings, bin_likelihood, groups

_STEPS: Final = 60
_TOLERANCE: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Posterior distribution functions of some counts, ready to be inverted at any level."""

    edges: FloatArray
    readings: Readings
    cumulative: FloatArray

    @classmethod
    def of(cls, edges: FloatArray, readings: Readings, prior: Prior) -> "Quantiles":
        """The distribution functions at the edges: cumulative[i, g] = Pr(count_i < E_g units)."""
        cumulative = np.zeros((len(readings), len(edges)))
        for rows, bins in groups(edges, readings):
            ends = edges[bins.start : bins.stop + 1]
            mass = prior.masses(rows, bins)
            mass /= np.diff(ends)
            mass *= bin_likelihood(ends, readings.take(rows)).mass
            np.cumsum(mass, axis=1, out=mass)
            mass /= mass[:, -1:]
            cumulative[rows, bins.start + 1 : bins.stop + 1] = mass
            cumulative[rows, bins.stop + 1 :] = 1.0
        return cls(edges, readings, cumulative)

    def at(self, level: FloatArray, rows: IntArray) -> FloatArray:
        """The quantiles of these rows, each at its own level in (0, 1); inside a bin the law is normal."""
        left = np.zeros(len(rows), dtype=np.int64)
        right = np.full(len(rows), len(self.edges) - 1)
        while np.any(right - left > 1):
            middle = (left + right) // 2
            under = self.cumulative[rows, middle] <= level
            left, right = np.where(under, middle, left), np.where(under, right, middle)
        start, stop = self.cumulative[rows, left], self.cumulative[rows, right]
        share = np.clip((level - start) / np.maximum(stop - start, 1e-300), 0.0, 1.0)
        part = self.readings.take(rows)
        u, t = part.unit / part.sigma, part.count / part.sigma
        lower, upper = u * self.edges[left] - t, u * self.edges[right] - t
        inside = np.clip(between(lower, upper, share), lower, upper)
        quantiles: FloatArray = np.maximum(part.count + part.sigma * inside, 0.0)
        return quantiles


def between(lower: FloatArray, upper: FloatArray, share: FloatArray) -> FloatArray:
    """The quantile at level share of a standard normal held between lower and upper."""
    flip = lower + upper < 0
    near, far = np.where(flip, -upper, lower), np.where(flip, -lower, upper)
    share = np.where(flip, 1 - share, share)
    log_near = special.log_ndtr(-near)
    log_tail = log_near + np.log1p(share * np.expm1(special.log_ndtr(-far) - log_near))
    z: FloatArray = -special.ndtri_exp(np.minimum(log_tail, 0.0))
    return np.where(flip, -z, z)


def balanced_quantiles(quantiles: Quantiles, block: IntArray, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The level tau_j of each block with sum_i q_i(tau_j) = n_j, and the quantiles, rescaled to add up.

    Halving and false position by turns, until the sum is right to one part in ten thousand.
    """
    blocks = len(totals)
    low, high = np.zeros(blocks), np.ones(blocks)
    low_gap, high_gap = -totals, np.full(blocks, np.inf)
    level = np.full(blocks, 0.75)
    counts = np.zeros(len(block))
    active = np.ones(blocks, dtype=bool)
    for step in range(_STEPS):
        rows = np.flatnonzero(active[block])
        counts[rows] = quantiles.at(level[block[rows]], rows)
        gap = np.bincount(block, counts, blocks) - totals
        active &= (np.abs(gap) > _TOLERANCE * totals) & (high - low > 1e-14)
        if not active.any():
            break
        short, long = active & (gap < 0), active & (gap > 0)
        low[short], low_gap[short] = level[short], gap[short]
        high[long], high_gap[long] = level[long], gap[long]
        share = np.clip(low_gap / (low_gap - high_gap), 0.01, 0.99) if step % 2 else np.full(blocks, 0.5)
        level[active] = (low + share * (high - low))[active]
    sums = np.bincount(block, counts, blocks)
    return level, counts * (totals / sums)[block]
