"""Counts shrunk towards the spread of counts that the reports themselves show (empirical Bayes).

Each unbiased count y_i of a block with exact total n_j and k_j values is read as normal with variance V_i =
V0 n_j + V1 clip(y_i, 0, n_j) around the true count, whose prior is a mixture of twelve gamma distributions of
mean n_j / k_j with weights fitted to all the reports. With coordinates, three more sets of twelve have as
means the first round's counts averaged over each value's neighbours (Gaussian, 1, 2 and 5 cells wide, the
value itself left out).
"""

from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from ....core.errors import InvalidInput
from ...simplex import project_blocks
from ..intervals import check_confidence
from .dictionary import gamma_masses, gamma_shapes, nearest_levels
from .layout import Layout, lay_out
from .posterior import FloatArray, IntArray, Prior, evidence, moments
from .quantiles import Quantiles, balanced_quantiles
from .smooth import check_coordinates, neighbour_averages
from .totals import fit_shift
from .weights import fit_weights

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
        low, high = self._layout.settled.copy(), self._layout.settled.copy()
        if self._prior is not None:
            law = Quantiles.of(self._layout.edges, self._layout.readings.moved(self._shift), self._prior)
            rows = np.arange(len(self._layout.live))
            most = self._layout.totals[self._layout.block]
            for end, level in ((low, 0.5 * (1 - confidence)), (high, 0.5 * (1 + confidence))):
                end[self._layout.live] = np.minimum(law.at(np.full(len(rows), level), rows), most)
        return low, high

    def deviations(self) -> FloatArray:
        """The posterior standard deviation of every count, 0 where the count is settled."""
        found = np.zeros(len(self._layout.settled))
        if self._prior is not None:
            readings = self._layout.readings.moved(self._shift)
            _, spread = moments(self._layout.edges, readings, self._prior)
            found[self._layout.live] = readings.sigma * np.sqrt(spread)
        return found


def shrink_counts(
    unbiased: ArrayLike,
    block_of: ArrayLike,
    totals: ArrayLike,
    v0: ArrayLike,
    v1: ArrayLike,
    *,
    rule: Rule = "mean",
    coordinates: ArrayLike | None = None,
) -> ShrinkResult:
    """Empirical-Bayes counts of k values in m blocks with exact totals, from unbiased counts alone.

    unbiased [k] are counts y_i with variance v0 n_j + v1 clip(y_i, 0, n_j) given the data; block_of [k] names
    each value's block, totals [m] are the blocks' exact numbers of reports; v0 and v1 are one number, one per
    block or one per value. For subset selection and cyclic designs v0 = h(1-h)/(g-h)^2 and v1 = (g(1-g) -
    h(1-h))/(g-h)^2, where g and h are the probabilities that a report covers its own and another value; for
    Hadamard v0 = ((e+1)/(e-1))^2, v1 = -1.

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
    cells = None if coordinates is None else check_coordinates(coordinates, len(layout.settled))
    if not len(layout.live):
        nothing = np.empty(0)
        return ShrinkResult(layout.settled, layout.settled, np.empty((0, 0)), nothing, 0.0, layout, nothing, None)
    shapes = gamma_shapes(layout.largest)
    tables = [_table(layout, shapes, np.zeros(len(layout.live), dtype=np.int64))]
    weights, prior, shift, means = _fit(layout, tables)
    if cells is not None:
        tables += [_table(layout, shapes, _neighbour_levels(layout, means, cells, width)) for width in BANDWIDTHS]
        weights, prior, shift, means = _fit(layout, tables)
    projected = project_blocks(layout.readings.count, layout.block, layout.totals)
    distance = float(np.sum(((means - projected) / layout.readings.sigma) ** 2))
    if rule == "tv":
        law = Quantiles.of(layout.edges, layout.readings.moved(shift), prior)
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
    shift, means = fit_shift(layout.edges, layout.readings, prior, layout.block, layout.totals, layout.direction)
    return weights, prior, shift, means


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
    counts = layout.settled.copy()
    counts[layout.live] = live
    return counts
