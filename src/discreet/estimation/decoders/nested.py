"""The decoder of nested blocks: what is inside a block, corrected for the cover reports of everyone else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...mechanisms.tree.nested import Nested
from ..arrays.layout import Array, Cells, total_of
from .concatenated import BlocksDecoder
from .decoder import Decoder, Group, replacing_others
from .pure import PureDecoder


class Side(NamedTuple):
    """Like blocks in arrays, one row each: their cells, their values, how often they are shown, and what follows.

    A block is shown with probability `own` by its values and with `other` by all others; `weight` is its share of the
    cover reports of all blocks. A report that shows it adds ``D / own + shown`` to phi, any other one `absent`, and
    `cover` is the mean of D over cover reports.
    """

    inner: PureDecoder[Any] | NestedDecoder
    cells: Array
    values: Array
    own: Array
    other: Array
    weight: float
    shown: Array
    absent: Array
    cover: Any


class NestedDecoder(Decoder[Nested]):
    """The estimator and its moments, from two masses in each block: its own values and the cover reports it shows.

    *Why unbiased.* The share of a block is ``phi_b = (1{b is shown} - c_b) / (g_b - c_b)``. With D the unbiased
    estimate of the block's decoder and beta its mean over cover reports,
    ``phi_x = (1{b is shown} D_x - c_b beta (1 - phi_b)) / g_b`` for x in block b: a multiple of D_x and a constant
    where b is shown, another constant where it is not.
    """

    def __init__(self, sampler: Nested) -> None:
        super().__init__(sampler)
        self.blocks = BlocksDecoder(sampler.blocks)
        self.cells, self.disjoint = self.blocks.cells, self.blocks.disjoint

    # -- counting: as blocks --------------------------------------------------------------------------
    @property
    def layout(self) -> Cells | None:
        return Cells(self.cells) if self.blocks.is_plain else None

    def cells_of(self, y: int) -> Sequence[int]:
        return self.blocks.cells_of(self.sampler.check_report(y))

    def count(self, counts: Array, reports: Array, start: Any) -> None:
        self.blocks.count(counts, reports, start)

    def gather(self, entries: Array, reports: Array, start: Any) -> Array:
        return self.blocks.gather(entries, reports, start)

    def total(self, counts: Array) -> Array:
        return self.blocks.total(counts)

    def inconsistency(self, counts: Array) -> str | None:
        return self.blocks.inconsistency(counts)

    def set_totals(self) -> Array:
        return self.blocks.set_totals()

    @property
    def exchangeable(self) -> Sequence[int]:
        return self.sampler.blocks.class_of

    # -- estimates and their moments ------------------------------------------------------------------
    @cached_property
    def sides(self) -> list[Side]:
        """The blocks, like ones together."""
        return [self._side(group) for group in self.blocks.groups()]

    def _side(self, group: Group) -> Side:
        inner, truth, space = group.decoder, self.sampler.truth, 1 << self.sampler.word_bits
        assert isinstance(inner, (PureDecoder, NestedDecoder))
        units = [self.sampler.law.units[b] for b in group.numbers]
        other = np.array([unit / space for unit in units])[:, None]
        own = np.array([(unit + truth) / space for unit in units])[:, None]
        gap, cover = truth / space, inner.cover_means  # own - other, without its rounding
        constant = -other * cover / own
        shown, absent = constant * (1 - (1 - other) / gap), constant * (1 + other / gap)
        return Side(inner, group.cells, group.values, own, other, inner.size / self.size, shown, absent, cover)

    def decode(self, counts: Array) -> Array:
        out, n = np.zeros((*counts.shape[:-1], self.size)), self.total(counts)[..., None]
        for side in self.sides:
            mine = counts[..., side.cells]
            seen = side.inner.total(mine)
            constant = seen * side.shown + (n - seen) * side.absent
            out[..., side.values] = side.inner.decode(mine) / side.own + constant
        return out

    def decode_adjoint(self, weights: Array) -> Array:
        out, absent = np.zeros((*weights.shape[:-1], self.cells)), self._absent(weights)[..., None]
        for side in self.sides:
            own = weights[..., side.values]
            constant = total_of((side.shown - side.absent) * own) + absent
            out[..., side.cells] = side.inner.decode_adjoint(own / side.own) + constant * side.inner.unit_weights()
        return out

    def likelihoods(self, reports: Array) -> Array:
        out = np.zeros((len(reports), self.size))
        for (kind, mine, blocks, inside), side in zip(self.blocks.split(reports), self.sides, strict=True):
            rank = self.blocks.ranks[blocks]
            own, other = side.own[rank], side.other[rank]
            cover = side.weight * own + (1 - side.weight) * other
            out[mine] = other / cover
            out[mine[:, None], side.values[rank]] = own / cover * self.blocks.kinds[kind].likelihoods(inside)
        return out

    def _masses(self, side: Side, shares: Array, cover: Any) -> tuple[Array, Array, Array]:
        """The shares of the values of each block, the cover reports that it shows, and all reports that show it."""
        held = shares[..., side.values]
        mass, total = total_of(held), total_of(shares)[..., None]
        away = cover if isinstance(cover, float) else cover[..., None]
        cover = side.other * (total - mass) + away * (side.weight * side.own + (1 - side.weight) * side.other)
        return held, cover, side.own * mass + cover

    def _moments(self, shares: Array, cover: float) -> Array:
        out, total = np.zeros((*shares.shape[:-1], self.size)), total_of(shares)[..., None] + cover
        for side in self.sides:
            held, shown, seen = self._masses(side, shares, cover)
            square = side.own * side.inner.second_moments(held) + shown * side.inner.cover_moments
            mean = side.own * held + shown * side.cover
            out[..., side.values] = _squared(side, square, mean, seen, total - seen)
        return out

    def second_moments(self, shares: Array) -> Array:
        return self._moments(shares, 0.0)

    @property
    def cover_moments(self) -> Array:
        return self._moments(np.zeros(self.size), 1.0)

    @property
    def cover_means(self) -> Array:
        out = np.zeros(self.size)
        for side in self.sides:
            out[side.values] = side.weight * side.cover
        return out

    @property
    def own_moments(self) -> Array:
        out = np.zeros(self.size)
        for side in self.sides:
            square = side.own * side.inner.own_moments
            out[side.values] = _squared(side, square, side.own, side.own, 1 - side.own)
        return out

    def second_moment_derivative(self, shares: Array) -> Array:
        return replacing_others(self.own_moments, self.second_moments(shares), shares)

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        return self.covered_moment(shares, 0.0, first, second)

    def covered_moment(self, shares: Array, cover: Any, first: Array, second: Array) -> Array:
        absent = [self._absent(weights) for weights in (first, second)]
        total = np.zeros(1)
        for side in self.sides:
            held, shown, seen = self._masses(side, shares, cover)
            f, s = first[..., side.values], second[..., side.values]
            fixed = [
                total_of((side.shown - side.absent) * weights) + elsewhere[..., None]
                for weights, elsewhere in zip((f, s), absent, strict=True)
            ]
            means = [total_of(weights * (side.own * held + shown * side.cover)) for weights in (f, s)]
            square = side.inner.covered_moment(side.own * held, shown, f, s) / side.own**2
            crossed = (fixed[0] * means[1] + fixed[1] * means[0]) / side.own + fixed[0] * fixed[1] * seen
            total = total + (square + crossed).sum(axis=-2)
        return total

    def _absent(self, weights: Array) -> Array:
        """The sum of weights . phi over all blocks, none of them shown."""
        parts = (total_of(side.absent * weights[..., side.values]).sum(axis=-2) for side in self.sides)
        return sum(parts, np.zeros(1))

    def _expected(self, shares: Array, cover: Any) -> Array:
        out = np.zeros((*shares.shape[:-1], self.cells))
        for side in self.sides:
            held, shown, _ = self._masses(side, shares, cover)
            out[..., side.cells] = side.own * side.inner.expected_counts(held) + side.inner.cover_counts(shown)
        return out

    def expected_counts(self, shares: Array) -> Array:
        return self._expected(shares, 0.0)

    def cover_counts(self, mass: Any) -> Array:
        return np.asarray(mass * self._expected(np.zeros(self.size), 1.0))

    def expected_counts_adjoint(self, weights: Array) -> Array:
        out, others = np.zeros((*weights.shape[:-1], self.size)), self._elsewhere(weights, 0.0)
        for side in self.sides:
            mine = weights[..., side.cells]
            cover = side.other * side.inner.cover_counts_adjoint(mine)
            own = side.own * side.inner.expected_counts_adjoint(mine)
            out[..., side.values] = own + others[..., None] - cover
        return out

    def cover_counts_adjoint(self, weights: Array) -> Array:
        return self._elsewhere(weights, 1.0)

    def _elsewhere(self, weights: Array, cover: float) -> Array:
        """The expected sum of weights of someone without a value here, or of a cover report."""
        total = np.zeros(1)
        for side in self.sides:
            often = side.other + cover * side.weight * (side.own - side.other)
            total = total + (often * side.inner.cover_counts_adjoint(weights[..., side.cells])).sum(axis=-2)
        return total

    def reach(self) -> tuple[Array, Array]:
        least, most = np.zeros(self.size), np.zeros(self.size)
        for side in self.sides:
            low, high = (end / side.own + side.shown for end in side.inner.reach())
            if len(self.blocks.kind_of) > 1:
                low, high = np.minimum(low, side.absent), np.maximum(high, side.absent)
            least[side.values], most[side.values] = low, high
        return least, most

    def square_sums(self, counts: Array) -> Array | None:
        out, n = np.zeros((*counts.shape[:-1], self.size)), self.total(counts)[..., None]
        for side in self.sides:
            mine = counts[..., side.cells]
            square = side.inner.square_sums(mine)
            if square is None:
                return None
            seen = side.inner.total(mine)
            out[..., side.values] = _squared(side, square, side.inner.decode(mine), seen, n - seen)
        return out

    @property
    def decode_cost(self) -> float:
        return self.blocks.decode_cost + 3.0 * self.size


def _squared(side: Side, square: Any, mean: Any, seen: Any, unseen: Any) -> Any:
    """E[phi**2] from E[D**2] and E[D] over reports that show the block, and how many do and do not."""
    fixed = side.shown**2 * seen + side.absent**2 * unseen
    return square / side.own**2 + 2 * side.shown / side.own * mean + fixed
