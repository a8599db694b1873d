"""Log-odds of an event by moments of scores, for any mechanism and number of values: their quasi-likelihood."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import expit

from ..reference_distribution import Array
from .cells import Cells
from .design_matrix import DesignMatrix, gram
from .maximum import Point
from .sandwich import TINY


class QuasiLikelihood:
    """The quasi-likelihood of scores under log-odds ``x b`` of an event (Wedderburn1974).

    Its gradient is ``sum w x (d / V)(s - g)`` with ``g = expit(x b)``, ``d = g (1 - g)`` and the variance
    ``V = v0 (1 - g) + v1 g + d`` of a score with the variances v0 `outside` and v1 `inside` of the event; wrong ones
    cost precision only. With the roots of ``V = (g - low)(high - g)`` it is
    ``sum w ((s - low) log(g - low) + (high - s) log(high - g)) / (high - low)``: for two values the likelihood of the
    reports (Blair2015). The information to expect is ``sum w d**2 / V x x'``. Where there is an `offset`, which the
    labels determine, log-odds are ``x b - offset``.
    """

    def __init__(
        self,
        design: DesignMatrix,
        scores: Array,
        outside: Array,
        inside: Array,
        *,
        exact: bool,
        offset: Array | None = None,
    ) -> None:
        self.exact = exact
        self.cells = Cells(design, scores)
        self.size = len(design.formula.names)
        self.scores, self.outside, self.inside = (one[self.cells.places] for one in (scores, outside, inside))
        self.offset = np.zeros(len(self.cells)) if offset is None else offset[self.cells.places]
        total = self.inside - self.outside + 1
        half, reach = total / 2, np.sqrt(total**2 / 4 + self.outside)
        self.low, self.high = np.minimum(half - reach, 0.0), np.maximum(half + reach, 1.0)

    @property
    def work(self) -> float:
        """The multiplications for one fit and the information at its end, roughly."""
        return len(self.cells) * (5.0 * self.size**2 + 50)

    def _logits(self, place: slice, rows: Array, b: Array) -> Array:
        return np.asarray(rows @ b - self.offset[place])

    def value(self, b: Array) -> float:
        """The logarithm of the quasi-likelihood."""
        total = 0.0
        for _, place, rows in self.cells.chunks():
            total += self._value(place, self._logits(place, rows, b))
        return total if math.isfinite(total) else -math.inf

    def _value(self, place: slice, logits: Array) -> float:
        s, low, high = self.scores[place], self.low[place], self.high[place]
        up, down = s - low, high - s
        with np.errstate(divide="ignore", invalid="ignore"):
            above = np.where(up == 0, 0.0, up * np.log(expit(logits) - low))
            below = np.where(down == 0, 0.0, down * np.log(high - 1 + expit(-logits)))
        return float(self.cells.weights[place] @ ((above + below) / (high - low)))

    def _moments(self, place: slice, logits: Array) -> tuple[Array, Array, Array, Array]:
        """The probability of the event, its derivative, the variance of a score, and its derivative by g."""
        g = expit(logits)
        d = g * expit(-logits)
        v0, v1 = self.outside[place], self.inside[place]
        return g, d, np.maximum(v0 * (1 - g) + v1 * g + d, TINY), v1 - v0 + 1 - 2 * g

    def at(self, b: Array) -> Point:
        """The quasi-likelihood and its derivatives at these coefficients."""
        total, gradient, (information, left) = 0.0, np.zeros(self.size), np.zeros((2, self.size, self.size))
        for _, place, rows in self.cells.chunks():
            w, logits = self.cells.weights[place], self._logits(place, rows, b)
            g, d, variance, slope = self._moments(place, logits)
            total, away = total + self._value(place, logits), self.scores[place] - g
            bend = (d * (1 - 2 * g) * variance - d * d * slope) / variance**2
            gradient += (w * d / variance * away) @ rows
            information += gram(rows * np.sqrt(w * d * d / variance)[:, None])
            left += rows.T @ (rows * (w * away * bend)[:, None])
        return Point(b, total if math.isfinite(total) else -math.inf, gradient, information, left)

    def terms(self, b: Array) -> Iterator[tuple[slice, Array]]:
        """The gradient of every cell for a weight of 1, a row each, some at a time."""
        for _, place, rows in self.cells.chunks():
            g, d, variance, _ = self._moments(place, self._logits(place, rows, b))
            yield place, rows * (d / variance * (self.scores[place] - g))[:, None]

    def evenly(self, place: slice) -> Array:
        """What the terms at this place would be if all were of one size."""
        return self.cells.rows(place) * self.cells.weights[place, None] ** bool(self.cells.design.survey.design)

    def expected(self, b: Array, weights: Array) -> Array:
        """The expected information where the cells have these weights."""
        information = np.zeros((self.size, self.size))
        for _, place, rows in self.cells.chunks():
            _, d, variance, _ = self._moments(place, self._logits(place, rows, b))
            information += gram(rows * np.sqrt(weights[place] * d * d / variance)[:, None])
        return information

    def expected_along(self, b: Array, direction: Array) -> Iterator[tuple[slice, Array]]:
        """The expected information of every cell for a weight of 1, times this direction, a row each."""
        for _, place, rows in self.cells.chunks():
            _, d, variance, _ = self._moments(place, self._logits(place, rows, b))
            yield place, rows * (d * d / variance * (rows @ direction))[:, None]

    def expected_slope(self, b: Array, inverse: Array) -> Array:
        """``tr(inverse dI/db)`` for every coefficient, I the expected information."""
        slopes = np.zeros(self.size)
        for _, place, rows in self.cells.chunks():
            g, d, variance, slope = self._moments(place, self._logits(place, rows, b))
            bend = d * d * (2 * (1 - 2 * g) * variance - d * slope) / variance**2
            slopes += (self.cells.weights[place] * bend * ((rows @ inverse) * rows).sum(axis=1)) @ rows
        return slopes
