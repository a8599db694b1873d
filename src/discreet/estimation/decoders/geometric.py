"""The decoder of two-sided geometric noise on a line: the channel's inverse has three diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...mechanisms.lines_and_grids.geometric import Geometric
from ..arrays.layout import Array, total_of
from .decoder import replacing_others
from .numbered import NumberedDecoder

MIN_FADE = 1e-30
"""Steps after which less than this is left of a weight add nothing to a sum."""


class GeometricDecoder(NumberedDecoder[Geometric]):
    """Linear time for everything, place by place along the line.

    *Why unbiased.* But for the flat words the channel is ``a**|x-y| c_y``, a = t_1 / t_0, whose inverse has three
    diagonals; the share of the flat words in every count is known and taken off.
    """

    def __init__(self, sampler: Geometric) -> None:
        super().__init__(sampler)
        (first, second), space, flat = sampler.ends[:2], 1 << sampler.word_bits, sampler.law.flat
        self.a, self.gap = second / first, (first - second) / first
        """a, and 1 - a without its rounding."""
        self.full, self.flat = 1 - (self.size - 2) * flat / space, flat / space
        """The share of the words that is not flat, and the flat share of a place between the ends."""
        self.middle = self._with_ends(1.0, 0.0)
        """1 for every place between the ends, 0 for these."""
        self.peaks = self._with_ends(self.gap / (1 + self.a), 1 / (1 + self.a))
        """c: how likely the own place is."""

    def _with_ends(self, middle: float, end: float) -> Array:
        row = np.full(self.size, middle)
        row[0] = row[-1] = end
        return row

    def _to_places(self, values: Array) -> Array:
        """What belongs to values, in the order of their places."""
        if not self.sampler.places:
            return values
        placed = np.zeros(values.shape)
        placed[..., np.array(self.sampler.places)] = values
        return placed

    def _to_values(self, places: Array) -> Array:
        """What belongs to places, in the order of the values there."""
        return places[..., np.array(self.sampler.places)] if self.sampler.places else places

    def _spread(self, weights: Array) -> Array:
        """A weights, A = a**|x-y|: every weight fades by a with each step, both ways; the steps are doubled."""
        up, down, step = 1.0 * weights, 1.0 * weights, 1
        while step < self.size and self.a**step > MIN_FADE:
            up[..., step:] = up[..., step:] + self.a**step * up[..., :-step]
            down[..., :-step] = down[..., :-step] + self.a**step * down[..., step:]
            step *= 2
        return up + down - weights

    def _sharpened(self, weights: Array) -> Array:
        """The inverse of `_spread`."""
        sharp = self._with_ends(1 + self.a**2, 1.0) * weights
        sharp[..., 1:] -= self.a * weights[..., :-1]
        sharp[..., :-1] -= self.a * weights[..., 1:]
        return np.asarray(sharp / (self.gap * (1 + self.a)))

    def decode(self, counts: Array) -> Array:
        rest = counts - self.flat * total_of(counts) * self.middle
        return self._to_values(self._sharpened(rest / self.peaks) / self.full)

    def decode_adjoint(self, weights: Array) -> Array:
        sharp = self._sharpened(self._to_places(weights)) / self.peaks
        return np.asarray((sharp - self.flat * total_of(sharp * self.middle)) / self.full)

    def _phi(self) -> tuple[Array, Array, Array, Array]:
        """phi_x of the report at x, of those a step above and below it, and of all others, by place x."""
        others = -self.flat / self.full * self._sharpened(self.middle / self.peaks)
        scale = self.full * self.gap * (1 + self.a)
        own = self._with_ends(1 + self.a**2, 1.0) / self.peaks / scale + others
        above, below = others.copy(), others.copy()
        above[:-1] -= self.a / self.peaks[1:] / scale
        below[1:] -= self.a / self.peaks[:-1] / scale
        return own, above, below, others

    def _squares(self, own: Array, above: Array, below: Array, mass: Any) -> Array:
        """E[phi_x**2] from the chance of a report at x, a step above and a step below, `mass` in all."""
        at, up, down, rest = (part**2 for part in self._phi())
        return np.asarray(mass * rest + own * (at - rest) + above * (up - rest) + below * (down - rest))

    def _moments_by_place(self, placed: Array) -> Array:
        law = self._expected(placed)
        above, below = np.zeros(law.shape), np.zeros(law.shape)
        above[..., :-1], below[..., 1:] = law[..., 1:], law[..., :-1]
        return self._squares(law, above, below, total_of(placed))

    def second_moments(self, shares: Array) -> Array:
        return self._to_values(self._moments_by_place(self._to_places(shares)))

    def second_moment_derivative(self, shares: Array) -> Array:
        placed, flat = self._to_places(shares), self.flat * self.middle
        beside = self.full * self.a * self.peaks + flat
        above, below = np.zeros(self.size), np.zeros(self.size)
        above[:-1], below[1:] = beside[1:], beside[:-1]
        own = self._squares(self.full * self.peaks + flat, above, below, 1.0)
        return self._to_values(replacing_others(own, self._moments_by_place(placed), placed))

    def _expected(self, placed: Array) -> Array:
        spread = self.full * self.peaks * self._spread(placed)
        return np.asarray(spread + self.flat * total_of(placed) * self.middle)

    def expected_counts(self, shares: Array) -> Array:
        return self._expected(self._to_places(shares))

    def expected_counts_adjoint(self, weights: Array) -> Array:
        spread = self.full * self._spread(self.peaks * weights)
        return self._to_values(spread + self.flat * total_of(self.middle * weights))

    def likelihoods(self, reports: Array) -> Array:
        sampler, cells = self.sampler, self.gather(np.arange(self.cells), reports, 0)
        away = abs(cells[:, None] - np.array(sampler.places or range(self.size)))
        flat = [sampler.law.flat] * self.size
        between, ends = (np.array([*near, *flat[len(near) :]], dtype=float) for near in (sampler.between, sampler.ends))
        at_end = ((cells == 0) | (cells == self.size - 1))[:, None]
        return np.asarray((ends[away] * at_end + between[away] * ~at_end) / (1 << sampler.word_bits))

    def influence(self) -> float:
        own, _, _, others = self._phi()
        return float(max(own.max(), others.max()))

    @property
    def decode_cost(self) -> float:
        return 5.0 * self.size
