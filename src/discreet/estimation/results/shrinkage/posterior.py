"""Posterior means and variances of counts under normal noise and a prior that is constant inside bins.

For one value, in units of its block's average count: u = unit / sigma, t = y / sigma, z_g = E_g u - t. Bin g
has the likelihood A_g = Phi(z_{g+1}) - Phi(z_g), taken from the tail it lies in. With r_g = mass_g / width_g
and phi the normal density, D = sum_g r_g A_g,

    E[z] = sum_g r_g (phi_g - phi_{g+1}) / D,   E[z^2] = 1 + sum_g r_g (z_g phi_g - z_{g+1} phi_{g+1}) / D,

and the count is y + sigma z. A row whose y lies outside its support is scaled by exp(z^2 / 2) at the nearest
end, so that nothing underflows. Bins more than nine sigma from every y (or nearest end) of a group of rows
are left out.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_ENTRIES_AT_ONCE: Final = 100_000
_REACH: Final = 9.0
_LARGEST_POWER: Final = 600.0
_ROOT_HALF: Final = math.sqrt(0.5)
_ROOT_2PI: Final = math.sqrt(2 * math.pi)


@dataclass(frozen=True, slots=True)
class Readings:
    """Unbiased counts in blocks with their noise, one row per value.

    count = y; sigma = its standard deviation; unit = n_j / k_j; top = the last edge of the value's support,
    in units.
    """

    count: FloatArray
    sigma: FloatArray
    unit: FloatArray
    top: FloatArray

    def __len__(self) -> int:
        return len(self.count)

    def take(self, rows: IntArray) -> "Readings":
        """The readings of these rows."""
        return Readings(self.count[rows], self.sigma[rows], self.unit[rows], self.top[rows])

    def shift(self, by: FloatArray) -> "Readings":
        """The readings with `by` added to every count and the noise as it was."""
        return replace(self, count=self.count + by)


@dataclass(frozen=True, slots=True)
class Prior:
    """Masses per bin of each value's prior: the sum of one row of each table, at the value's index."""

    tables: tuple[FloatArray, ...]
    indices: tuple[IntArray, ...]

    def masses(self, rows: IntArray, bins: slice) -> FloatArray:
        """The masses [value, bin] of these values and bins."""
        total: FloatArray = self.tables[0][self.indices[0][rows], bins]
        for table, index in zip(self.tables[1:], self.indices[1:], strict=True):
            total += table[index[rows], bins]
        return total

    def take(self, rows: IntArray) -> "Prior":
        """The priors of these values."""
        return Prior(self.tables, tuple(index[rows] for index in self.indices))


def bin_likelihood(edges: FloatArray, readings: Readings) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Phi(z_{g+1}) - Phi(z_g) [value, bin], accurate in both tails, with z and its density [value, edge].

    The likelihood and the density are scaled per value.
    """
    u = readings.unit / readings.sigma
    t = readings.count / readings.sigma
    z = u[:, None] * edges
    z -= t[:, None]
    height = 0.5 * np.maximum(np.maximum(-t, t - u * readings.top), 0.0) ** 2
    size = np.abs(z)
    size *= _ROOT_HALF
    tail = special.erfcx(size)
    np.multiply(size, size, out=size)
    np.subtract(height[:, None], size, out=size)
    np.minimum(size, _LARGEST_POWER, out=size)
    bell = np.exp(size, out=size)
    tail *= bell
    tail *= -0.5
    np.copysign(tail, z, out=tail)
    mass = tail[:, :-1] - tail[:, 1:]
    crossing = np.signbit(z).sum(axis=1)
    across = np.flatnonzero((crossing > 0) & (crossing < len(edges)))
    mass[across, crossing[across] - 1] += np.exp(np.minimum(height[across], _LARGEST_POWER))
    bell /= _ROOT_2PI
    return mass, z, bell


def groups(edges: FloatArray, readings: Readings) -> Iterator[tuple[IntArray, slice]]:
    """Rows in groups that keep the work in the cache, with the bins that matter to each group."""
    spread = _REACH * readings.sigma
    far = (np.maximum(readings.count, 0.0) + spread) / readings.unit
    near = (np.minimum(readings.count, readings.top * readings.unit) - spread) / readings.unit
    far = np.minimum(far, readings.top)
    order = np.argsort(far)
    start = 0
    while start < len(order):
        rows = order[start : start + max(1, _ENTRIES_AT_ONCE // len(edges))]
        first = max(0, int(np.searchsorted(edges, near[rows].min(), side="right")) - 1)
        last = min(len(edges) - 1, int(np.searchsorted(edges, far[rows[-1]])))
        yield rows, slice(min(first, last - 1), last)
        start += len(rows)


def moments(edges: FloatArray, readings: Readings, prior: Prior) -> tuple[FloatArray, FloatArray]:
    """Posterior mean of each count, and its posterior variance divided by sigma^2."""
    means = np.empty(len(readings))
    spreads = np.empty(len(readings))
    for rows, bins in groups(edges, readings):
        part = readings.take(rows)
        ends = edges[bins.start : bins.stop + 1]
        mass, z, density = bin_likelihood(ends, part)
        heights = prior.masses(rows, bins)
        heights /= np.diff(ends)
        whole = np.einsum("ig,ig->i", heights, mass)
        jumps = np.diff(heights, axis=1, prepend=0.0, append=0.0)
        jumps *= density
        first = jumps.sum(axis=1) / whole
        second = 1 + np.einsum("ie,ie->i", jumps, z) / whole
        means[rows] = np.maximum(part.count + part.sigma * first, 0.0)
        spreads[rows] = np.maximum(second - first * first, 0.0)
    return means, spreads


def evidence(edges: FloatArray, readings: Readings, tables: Sequence[tuple[FloatArray, IntArray]]) -> FloatArray:
    """Likelihood [value, component] of each value under each component, times a factor per value.

    For each (table, index), table[index[i], d] holds the bin masses of component d for value i.
    """
    heights = [np.ascontiguousarray((table / np.diff(edges)).transpose(0, 2, 1)) for table, _ in tables]
    likelihood = np.empty((len(readings), sum(table.shape[1] for table, _ in tables)))
    for rows, bins in groups(edges, readings):
        mass = bin_likelihood(edges[bins.start : bins.stop + 1], readings.take(rows))[0]
        column = 0
        for height, (_, index) in zip(heights, tables, strict=True):
            order = np.argsort(index[rows], kind="stable")
            keys, starts = np.unique(index[rows][order], return_index=True)
            width = height.shape[2]
            for key, members in zip(keys.tolist(), np.split(order, starts[1:]), strict=True):
                likelihood[rows[members], column : column + width] = mass[members] @ height[key, bins]
            column += width
    return likelihood


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
            mass *= bin_likelihood(ends, readings.take(rows))[0]
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
