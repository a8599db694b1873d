"""The grid of bins and the gamma priors on it, all in units of a block's average count n_j / k_j.

Bins: edges 0 and top rho^-G, ..., top / rho, top with rho = 1.15, where top is the largest block size; the
lowest positive edge follows the noise, so that a quiet block is not read on a coarse scale.

Priors: the masses of Gamma(shape a, mean S) in the bins, cut at the block's own size (no count exceeds n_j)
and tilted by exp(-theta x) so that the mean over the bins, each prior being uniform inside a bin, is S again.
The means are the levels S = rho^(l/2), l an integer: a mass depends on edge / S alone, so every level reads
one table of half bins.
"""

import math
from typing import Final

import numpy as np

from .posterior import FloatArray, IntArray

RHO: Final = 1.15
SHAPES: Final = 12
_HALF: Final = 0.5 * math.log(RHO)
_DEPTH: Final = 260
_STEPS: Final = 100
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(4)


def bin_edges(sizes: FloatArray, totals: FloatArray, v0: FloatArray) -> FloatArray:
    """The common bin edges for values in blocks of these sizes and totals, with noise variance v0 per report.

    The lowest positive edge is at most min(.02, max(.05 min k_j sqrt(v0 / n_j), 1e-5)).
    """
    noise = float(np.min(sizes * np.sqrt(v0 / totals)))
    lowest = min(0.02, max(0.05 * noise, 1e-5))
    top = float(np.max(sizes))
    steps = math.ceil(math.log(top / lowest) / math.log(RHO))
    return np.concatenate([[0.0], top * RHO ** np.arange(-steps, 1, dtype=np.float64)])


def support_tops(edges: FloatArray, sizes: FloatArray) -> IntArray:
    """For each block size, the index of the first edge that is not below it."""
    return np.searchsorted(edges, sizes * (1 - 1e-9))


def gamma_shapes(size: float) -> FloatArray:
    """Twelve shapes in geometric steps from max(.5 / size, 2e-4) to 10."""
    return np.geomspace(max(0.5 / size, 2e-4), 10.0, SHAPES)


def nearest_levels(means: FloatArray) -> IntArray:
    """The integers l with rho^(l/2) nearest to the means on a logarithmic scale."""
    return np.rint(np.log(means) / _HALF).astype(np.int64)


def gamma_masses(edges: FloatArray, shapes: FloatArray, levels: IntArray, tops: IntArray) -> FloatArray:
    """Masses [prior, shape, bin] of Gamma(shape, rho^(level/2)) in the bins that end at or below edges[top].

    A mean too near an end of the support to be reached by tilting is moved just inside: it is kept between the
    lowest positive edge and .98 times the middle of the last bin.
    """
    masses = _level_masses(edges, shapes, levels)
    masses *= (np.arange(1, len(edges)) <= tops[:, None])[:, None, :]
    middles = 0.5 * (edges[1:] + edges[:-1])
    means = np.clip(np.exp(_HALF * levels), edges[1], 0.98 * middles[tops - 1])
    flat = masses.reshape(-1, masses.shape[2])
    tilted = _with_means(flat, middles, np.repeat(means, len(shapes)))
    return tilted.reshape(masses.shape)


def _level_masses(edges: FloatArray, shapes: FloatArray, levels: IntArray) -> FloatArray:
    """Integrals of x^(a-1) exp(-a x) over the bins / rho^(level/2), four-point Gauss in log x."""
    start = math.log(edges[1]) - _HALF * (int(levels.max()) + _DEPTH)
    count = _DEPTH + 2 * (len(edges) - 2) + int(levels.max() - levels.min())
    places = start + _HALF * (np.arange(count)[:, None] + 0.5 * (1 + _NODES))
    power = shapes[:, None, None] * (places - np.exp(places))
    halves = np.exp(power) @ (0.5 * _HALF * _NODE_WEIGHTS)
    below = np.exp(shapes * start) / shapes
    upto = below[:, None] + np.cumsum(halves, axis=1)
    pairs = halves[:, 1:] + halves[:, :-1]
    first = _DEPTH + levels.max() - levels
    columns = first[:, None] + 2 * np.arange(len(edges) - 2)
    masses = np.concatenate([upto[:, first - 1, None], pairs[:, columns]], axis=2)
    return np.ascontiguousarray(masses.transpose(1, 0, 2))


def _with_means(masses: FloatArray, middles: FloatArray, means: FloatArray) -> FloatArray:
    """The rows of masses tilted by exp(-theta x) to these means; theta by guarded Newton steps."""
    tilted: FloatArray = masses / masses.sum(axis=1, keepdims=True)
    reach = np.where(masses > 0, middles, 0.0).max(axis=1)
    theta = np.zeros(len(masses))
    low, high = np.full(len(masses), -np.inf), np.full(len(masses), np.inf)
    active = np.arange(len(masses))
    for _ in range(_STEPS):
        part = tilted[active]
        mean = part @ middles
        excess = mean - means[active]
        off = np.abs(excess) > 1e-6 * means[active]
        active, part, mean, excess = active[off], part[off], mean[off], excess[off]
        if not len(active):
            break
        at = theta[active]
        low[active] = np.where(excess > 0, at, low[active])
        high[active] = np.where(excess < 0, at, high[active])
        variance = part @ middles**2 - mean**2
        limit = 4 / reach[active]
        step = at + np.clip(excess / np.maximum(variance, 1e-300), -limit, np.maximum(limit, 4 / means[active]))
        bounded = np.isfinite(low[active]) & np.isfinite(high[active])
        outside = bounded & ~((step > low[active]) & (step < high[active]))
        step[outside] = 0.5 * (low[active][outside] + high[active][outside])
        theta[active] = step
        power = -step[:, None] * middles
        power -= np.maximum(power[:, 0], -step * reach[active])[:, None]
        part = masses[active] * np.exp(np.minimum(power, 0.0))
        tilted[active] = part / part.sum(axis=1, keepdims=True)
    return tilted
