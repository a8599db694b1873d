"""What the reports reveal about the shares: the expected information, inverted part by part.

``I = n sum_y q_y q_y^T / P_y`` with P = Q^T p. Since ``I p = n 1``, the covariance of the most likely shares on the
plane of shares that add up to one is ``I**-1 - p p^T / n``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...estimation.decoders import Decoder

Array = NDArray[np.float64]

DENSE = 1500
"""The largest part whose information is inverted directly."""
PROBES = 32
UNLIKELY = 1e-100
"""A report with a smaller chance counts as impossible."""
BLIND = 1e-13
"""A smaller fraction of the information counts as none."""
SLIGHT = 1e-6
"""The fraction of a weighted sum that may lie where there is no information: it is rounding error."""
ROUNDING = 1e-12
"""Weights that differ by a smaller fraction of the largest count as equal."""


def variances(decoder: Decoder[Any], n: int, shares: Array) -> Array:
    """The variance of each share; infinite where the likely reports do not tell a value from others."""
    found = np.empty(len(shares))
    for part in _parts(decoder, n, shares):
        found[part.values] = part.diagonal()
    return np.asarray(np.maximum(found - shares**2 / n, 0.0))


def variance(decoder: Decoder[Any], n: int, shares: Array, weights: Array) -> float:
    """The variance of ``weights . shares``: ``v^T I**-1 v`` with v the weights less their mean under the shares."""
    centred = weights - weights @ shares
    centred[np.abs(centred) <= ROUNDING * np.abs(weights).max()] = 0.0
    asked = np.where(centred != 0, weights, 0.0)
    total = 0.0
    for part in _parts(decoder, n, shares):
        if part.blind_to(asked[part.values]):
            return float("inf")
        total += part.form(centred[part.values])
    return max(total, 0.0)


@dataclass(frozen=True, eq=False)
class _Part:
    """Values whose reports reveal nothing about other values: one block, or all values."""

    decoder: Decoder[Any]
    curvature: Array
    values: NDArray[np.int64]

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def empty(self) -> bool:
        """True if none of the likely reports could come from any of the values."""
        return not self.curvature.any()

    @cached_property
    def axes(self) -> tuple[Array, Array, Array, Array]:
        """The information in units that make its diagonal 1: the units, its levels and axes, and its blind axes.

        A report that cannot occur shows that its values have no share, as surely as numbers allow.
        """
        channel = np.stack([np.asarray(self.decoder.expected_counts(unit)) for unit in np.eye(self.size)])
        curvature = np.where(self.curvature > 0, self.curvature, 1 / UNLIKELY)
        information = (channel * curvature) @ channel.T
        known = np.diag(information)
        units = 1 / np.sqrt(np.where(known > 0, known, 1.0))
        levels, axes = np.linalg.eigh(information * units * units[:, None])
        seen = levels > BLIND * self.size
        return units, levels[seen], axes[:, seen], axes[:, ~seen]

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """The values from which none of the likely reports could come."""
        return np.asarray(self.decoder.expected_counts_adjoint(self.curvature)) <= 0

    def blind_to(self, weights: Array) -> bool:
        """True if the likely reports leave the weighted sum undecided."""
        if self.empty or self.size > DENSE:
            return bool((weights * self.unknown).any())
        units, _, _, blind = self.axes
        scaled = weights * units
        return bool(np.linalg.norm(scaled @ blind) > SLIGHT * np.linalg.norm(scaled))

    def diagonal(self) -> Array:
        """The diagonal of the inverse: computed directly, or probed with random signs in large parts."""
        if self.empty:
            return np.full(self.size, np.inf)
        if self.size <= DENSE:
            units, levels, axes, blind = self.axes
            found = (axes**2 / levels).sum(axis=1) * units**2
            return np.where(np.linalg.norm(blind, axis=1) > SLIGHT, np.inf, found)
        rng = np.random.default_rng(1)
        found = np.zeros(self.size)
        for _ in range(PROBES):
            signs = rng.choice([-1.0, 1.0], size=self.size)
            found += signs * _conjugate_gradient(self.apply, signs) / PROBES
        return np.where(self.unknown, np.inf, np.maximum(found, 0.0))

    def form(self, vector: Array) -> float:
        """``vector^T I**-1 vector``: computed directly, or by one conjugate-gradient solve in large parts."""
        if self.empty or not vector.any():
            return 0.0
        if self.size <= DENSE:
            units, levels, axes, _ = self.axes
            return float(np.sum((vector * units @ axes) ** 2 / levels))
        return float(vector @ _conjugate_gradient(self.apply, vector))

    def apply(self, vector: Array) -> Array:
        """The information times a vector, with a ridge too small to matter."""
        ridge = 1e-9 * float(self.curvature.sum()) / self.size
        pushed = np.asarray(self.decoder.expected_counts(vector))
        return np.asarray(self.decoder.expected_counts_adjoint(self.curvature * pushed)) + ridge * vector


def _parts(decoder: Decoder[Any], n: int, shares: Array) -> Iterator[_Part]:
    """The parts in turn, so that only one is inverted at a time."""
    law = np.asarray(decoder.expected_counts(shares))
    curvature = np.divide(n, law, out=np.zeros_like(law), where=law > UNLIKELY)
    for part, _, cells, values in decoder.groups():
        for rows, columns in zip(cells, values, strict=True):
            yield _Part(part, curvature[rows], columns)


def _conjugate_gradient(apply: Callable[[Array], Array], target: Array) -> Array:
    """The solution of apply(v) = target for a positive definite operator, to a thousandth."""
    solution = np.zeros_like(target)
    residual = target.copy()
    direction = residual.copy()
    squared = float(residual @ residual)
    goal = 1e-6 * squared
    for _ in range(200):
        if squared <= goal:
            break
        applied = apply(direction)
        step = squared / float(direction @ applied)
        solution += step * direction
        residual -= step * applied
        new = float(residual @ residual)
        direction = residual + new / squared * direction
        squared = new
    return solution
