"""Counts shrunk towards the spread of counts that the reports themselves show (empirical Bayes).

Each unbiased count y_i of a block with exact total n_j and k_j values is read as normal with variance V_i =
V0 n_j + V1 clip(y_i, 0, n_j) around the true count, whose prior is a mixture of twelve gamma distributions of
mean n_j / k_j with weights fitted to all the reports. With coordinates, three more sets of twelve have as
means the first round's counts averaged over each value's neighbours (Gaussian, 1, 2 and 5 cells wide, the
value itself left out).

The posterior means add up to the exact total of every block: one shift lambda_j d_i is added to every count of block j,
d_i = V0_i n_j; the sum of the posterior means grows with lambda_j, with slope sum_i d_i Var_i / sigma_i^2, and is
brought to n_j by Newton steps kept inside a bracket. The last, small step is taken along the slope, and what it leaves
is removed by scaling the block.
"""

import math
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....core.errors import InvalidInput
from ...simplex import project_blocks
from ..intervals import check_confidence
from .dictionary import bin_edges, gamma_masses, gamma_shapes, nearest_levels, support_tops
from .posterior import FloatArray, IntArray, Prior, Quantiles, Readings, balanced_quantiles, evidence, moments

_QUIETEST: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Layout:
    """The live values, whose block has reports and more than one value, and their blocks.

    known holds every value's count where it needs no estimate: the total of a block of one, 0 in a block without
    reports. block, readings and direction have one row per live value; totals and tops (an edge's index) one
    per live block.
    """

    known: FloatArray
    live: IntArray
    block: IntArray
    totals: FloatArray
    edges: FloatArray
    tops: IntArray
    largest: float
    readings: Readings
    direction: FloatArray


def lay_out(counts: FloatArray, block_of: IntArray, totals: FloatArray, v0: FloatArray, v1: FloatArray) -> Layout:
    """The layout of k unbiased counts in m blocks; the variance of a count is v0 n_j + v1 clip(y, 0, n_j)."""
    sizes = np.bincount(block_of, minlength=len(totals)).astype(np.float64)
    reports, size = totals[block_of], sizes[block_of]
    live = np.flatnonzero((reports > 0) & (size > 1))
    blocks, block = np.unique(block_of[live], return_inverse=True)
    known = np.where(size == 1, reports, 0.0)
    if not len(live):
        empty, none = np.empty(0), np.empty(0, dtype=np.int64)
        return Layout(known, live, none, empty, empty, none, 0.0, Readings(empty, empty, empty, empty), empty)
    y, n, a, b = counts[live], reports[live], v0[live], v1[live]
    unit = n / size[live]
    variance = np.maximum(np.maximum(a * n + b * np.clip(y, 0.0, n), b), (_QUIETEST * unit) ** 2)
    edges = bin_edges(size[live], n, a)
    tops = support_tops(edges, sizes[blocks])
    readings = Readings(y, np.sqrt(variance), unit, edges[tops][block])
    direction = np.where(a > 0, a * n, variance)
    return Layout(known, live, block, totals[blocks], edges, tops, float(sizes[blocks].max()), readings, direction)


_REACH: Final = 4.0
_SMALL_GRID: Final = 1 << 20
_CELLS_PER_VALUE: Final = 64


def check_coordinates(given: ArrayLike, size: int) -> IntArray:
    """The coordinates; `InvalidInput` unless they are [size, 2] distinct integers in a box of reasonable size."""
    array: NDArray[np.generic] = np.asarray(given)
    if array.shape != (size, 2) or not np.issubdtype(array.dtype, np.integer):
        raise InvalidInput(f"coordinates of shape {array.shape} and type {array.dtype} must be integers [{size}, 2]")
    cells = array.astype(np.int64)
    rows, columns = (cells.max(axis=0) - cells.min(axis=0) + 1).tolist()
    if rows * columns > max(_SMALL_GRID, _CELLS_PER_VALUE * size):
        raise InvalidInput(
            f"coordinates span {rows} x {columns} cells; they must span at most {_CELLS_PER_VALUE} per value"
        )
    if len(np.unique(cells, axis=0)) != size:
        raise InvalidInput("coordinates must be distinct: one cell per value")
    return cells


def neighbour_averages(counts: FloatArray, coordinates: IntArray, bandwidth: float) -> FloatArray:
    """sum_{x' != x} K(x - x') counts(x') / sum_{x' != x} K(x - x') with Gaussian K, bandwidth in cells.

    Cells without a value count in neither sum; a value with no neighbour in reach gets 0.
    """
    place = coordinates - coordinates.min(axis=0)
    shape = tuple((place.max(axis=0) + 1).tolist())
    grid = np.zeros((2, *shape))
    grid[0, place[:, 0], place[:, 1]] = counts
    grid[1, place[:, 0], place[:, 1]] = 1.0
    reach = math.ceil(_REACH * bandwidth)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / bandwidth) ** 2)
    blurred = _along(_along(grid, kernel, 1), kernel, 2) - grid
    above, below = blurred[:, place[:, 0], place[:, 1]]
    averages: FloatArray = np.where(below > 1e-9, np.maximum(above, 0.0) / np.maximum(below, 1e-9), 0.0)
    return averages


def _along(grid: FloatArray, kernel: FloatArray, axis: int) -> FloatArray:
    """The grid convolved with a kernel of odd length along one axis, with zeros outside."""
    reach = len(kernel) // 2
    moved = np.moveaxis(grid, axis, -1)
    padded = np.pad(moved, [(0, 0), (0, 0), (reach, reach)])
    length = moved.shape[-1]
    total = sum(weight * padded[..., start : start + length] for start, weight in enumerate(kernel.tolist()))
    return np.moveaxis(np.asarray(total, dtype=np.float64), -1, axis)


_STEPS: Final = 60
_TOLERANCE: Final = 0.01


def fit_shift(layout: Layout, prior: Prior) -> tuple[FloatArray, FloatArray]:
    """The shift of every live value's count, and the posterior means at that shift, which add up to the totals."""
    readings, block, totals, direction = layout.readings, layout.block, layout.totals, layout.direction
    blocks = len(totals)
    level = np.zeros(blocks)
    low, high = np.full(blocks, -np.inf), np.full(blocks, np.inf)
    means, slopes = np.zeros(len(readings)), np.zeros(len(readings))
    limit = 4 * np.bincount(block, readings.sigma, blocks) / np.bincount(block, direction, blocks)
    active = np.ones(blocks, dtype=bool)
    for _ in range(_STEPS):
        rows = np.flatnonzero(active[block])
        part = readings.take(rows).shift(level[block[rows]] * direction[rows])
        means[rows], spread = moments(layout.edges, part, prior.take(rows))
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


_SMALLEST_GAIN: Final = 0.02
_WEIGHT_STEPS: Final = 200
_ROWS_AT_ONCE: Final = 2048


def fit_weights(evidence: FloatArray) -> FloatArray:
    """The weights of the components that the EM algorithm reaches on evidence [value, component].

    It starts with .9 on the best single component and .1 spread evenly: w_d <- w_d mean_i(X_id / sum_e w_e
    X_ie), which never lowers the likelihood. It stops when a step gains less than .02 nats, or after 200
    steps; where the values say little about the prior this leaves most of the weight on the one component
    that explains them best.
    """
    scaled = evidence / evidence.max(axis=1, keepdims=True)
    count = scaled.shape[1]
    best = int(np.argmax(np.log(np.maximum(scaled, 1e-300)).sum(axis=0)))
    weights = np.full(count, 0.1 / count)
    weights[best] += 0.9
    reached = -np.inf
    for _ in range(_WEIGHT_STEPS):
        likelihood, update = _step(scaled, weights)
        if likelihood - reached < _SMALLEST_GAIN:
            break
        reached, weights = likelihood, update
    return weights


def _step(scaled: FloatArray, weights: FloatArray) -> tuple[float, FloatArray]:
    """The log-likelihood of the weights, and the weights after one EM step; the rows are read once."""
    likelihood = 0.0
    sums = np.zeros(len(weights))
    for start in range(0, len(scaled), _ROWS_AT_ONCE):
        rows = scaled[start : start + _ROWS_AT_ONCE]
        whole = rows @ weights
        likelihood += float(np.log(whole).sum())
        sums += (1 / whole) @ rows
    update = weights * sums
    return likelihood, update / update.sum()


BANDWIDTHS: Final = (1.0, 2.0, 5.0)
Rule = Literal["mean", "tv"]
_Table = tuple[FloatArray, IntArray]


@dataclass(frozen=True, slots=True, eq=False)
class ShrinkResult:
    """Shrunken counts of every value, adding up to the exact total of every block.

    counts follow the requested rule; means are the posterior means; weights [set, shape] are the
    fitted mixture (the first set has the block's average as mean, the others the averages over neighbours);
    shapes are its gamma shapes. distance = sum_i ((m_i - p_i) / sigma_i)^2 says how far the means lie from the
    projection p of the unbiased counts onto the totals.
    """

    counts: FloatArray
    means: FloatArray
    weights: FloatArray
    shapes: FloatArray
    distance: float
    _layout: Layout = field(repr=False)
    _shift: FloatArray = field(repr=False)
    _prior: Prior | None = field(repr=False)

    @property
    def indistinct(self) -> bool:
        """Whether shrinking moves all counts together by less than the noise of one, so rule "mean" projects."""
        return self.distance < 1

    def interval(self, confidence: float) -> tuple[FloatArray, FloatArray]:
        """Low and high counts with (1 - confidence) / 2 posterior probability beyond each.

        They are not guaranteed: they hold for values selected by their estimate and miss heavy values that the
        reports cannot tell from the rest. For a guaranteed interval use the unbiased count and its variance.
        """
        check_confidence(confidence)
        low, high = self._layout.known.copy(), self._layout.known.copy()
        if self._prior is not None:
            law = Quantiles.of(self._layout.edges, self._layout.readings.shift(self._shift), self._prior)
            rows = np.arange(len(self._layout.live))
            most = self._layout.totals[self._layout.block]
            for end, level in ((low, 0.5 * (1 - confidence)), (high, 0.5 * (1 + confidence))):
                end[self._layout.live] = np.minimum(law.at(np.full(len(rows), level), rows), most)
        return low, high

    def deviations(self) -> FloatArray:
        """The posterior standard deviation of every count, 0 where the count is known."""
        deviations = np.zeros(len(self._layout.known))
        if self._prior is not None:
            readings = self._layout.readings.shift(self._shift)
            _, spread = moments(self._layout.edges, readings, self._prior)
            deviations[self._layout.live] = readings.sigma * np.sqrt(spread)
        return deviations


def shrink_counts(
    unbiased: FloatArray,
    block_of: IntArray,
    totals: FloatArray,
    v0: FloatArray,
    v1: FloatArray,
    *,
    rule: Rule = "mean",
    coordinates: ArrayLike | None = None,
) -> ShrinkResult:
    """Empirical-Bayes counts of k values in m blocks with exact totals, from unbiased counts alone.

    unbiased [k] are counts y_i with variance v0 n_j + v1 clip(y_i, 0, n_j) given the data, v0 and v1 [k]; block_of [k]
    names each value's block, totals [m] are the blocks' exact numbers of reports. For subset selection and cyclic
    designs v0 = q(1-q)/(p-q)^2 and v1 = (p(1-p) - q(1-q))/(p-q)^2, where p and q are the probabilities that a report
    covers its own and another value; for Hadamard v0 = ((e+1)/(e-1))^2, v1 = -1.

    rule "mean" gives posterior means, for small squared error; where these differ from the projection of the
    unbiased counts by less than the noise of a single count (distance < 1: few values, little noise), luck decides
    which is better and the projection is given. Rule "tv" gives the posterior quantiles at one level per block,
    chosen so that they add up: for small total variation, at the price of a larger squared error.
    coordinates [k, 2], integers, let values learn from their neighbours on a grid, across blocks too.

    It helps most where noise hides many counts and a few are large, or where counts are nearly even. It gains
    nothing, and can lose a few percent, in small blocks at large epsilon, or where counts have a shape that no
    gamma mixture has, such as two equally common levels. Blocks of one value keep their total, blocks without reports
    get 0.
    """
    if rule not in ("mean", "tv"):
        raise InvalidInput(f"rule={rule!r} must be 'mean' or 'tv'")
    layout = lay_out(unbiased, block_of, totals, v0, v1)
    cells = None if coordinates is None else check_coordinates(coordinates, len(layout.known))
    if not len(layout.live):
        nothing = np.empty(0)
        return ShrinkResult(layout.known, layout.known, np.empty((0, 0)), nothing, 0.0, layout, nothing, None)
    shapes = gamma_shapes(layout.largest)
    tables = [_table(layout, shapes, np.zeros(len(layout.live), dtype=np.int64))]
    weights, prior, shift, means = _fit(layout, tables)
    if cells is not None:
        tables += [_table(layout, shapes, _neighbour_levels(layout, means, cells, width)) for width in BANDWIDTHS]
        weights, prior, shift, means = _fit(layout, tables)
    projected = project_blocks(layout.readings.count, layout.block, layout.totals)
    distance = float(np.sum(((means - projected) / layout.readings.sigma) ** 2))
    if rule == "tv":
        law = Quantiles.of(layout.edges, layout.readings.shift(shift), prior)
        chosen = balanced_quantiles(law, layout.block, layout.totals)[1]
    else:
        chosen = projected if distance < 1 else means
    return ShrinkResult(_all(layout, chosen), _all(layout, means), weights, shapes, distance, layout, shift, prior)


def _fit(layout: Layout, tables: list[_Table]) -> tuple[FloatArray, Prior, FloatArray, FloatArray]:
    """Weights [set, shape], their prior, the shift of every count and the live values' posterior means."""
    likelihood = evidence(layout.edges, layout.readings, tables)
    weights = fit_weights(likelihood).reshape(len(tables), -1)
    mixed = tuple(np.einsum("d,edg->eg", part, table) for part, (table, _) in zip(weights, tables, strict=True))
    prior = Prior(mixed, tuple(index for _, index in tables))
    return weights, prior, *fit_shift(layout, prior)


def _table(layout: Layout, shapes: FloatArray, levels: IntArray) -> _Table:
    """The gamma masses of every pair of level and support among the live values, and the pair of each value."""
    pairs, index = np.unique(np.stack([levels, layout.tops[layout.block]]), axis=1, return_inverse=True)
    return gamma_masses(layout.edges, shapes, pairs[0], pairs[1]), index.ravel()


def _neighbour_levels(layout: Layout, means: FloatArray, cells: IntArray, width: float) -> IntArray:
    """The level of each live value's neighbour average; a block's averages add up to its total."""
    averages = neighbour_averages(_all(layout, means), cells, width)[layout.live]
    sums = np.bincount(layout.block, averages, len(layout.totals))[layout.block]
    scale = layout.totals[layout.block] / (np.maximum(sums, 1e-300) * layout.readings.unit)
    ratio = np.where(sums > 0, averages * scale, 1.0)
    return nearest_levels(np.clip(ratio, layout.edges[1], layout.largest))


def _all(layout: Layout, live: FloatArray) -> FloatArray:
    """The counts of all values, with those of the live ones as given."""
    counts = layout.known.copy()
    counts[layout.live] = live
    return counts
