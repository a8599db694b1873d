"""What the reports tell of the shares: the expected information, inverted part by part.

``I = n sum_y q_y q_y^T / P_y`` with P = Q^T p. Since ``I p = n 1``, the covariance of the most likely shares on the
plane of shares that add up to one is ``I**-1 - p p^T / n``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..mechanisms.blocks import Blocks
from ..mechanisms.randomizer import Randomizer
from ..statistics.numeric import NUMERIC

Array = NDArray[np.float64]

DENSE = 1500
"""Largest part whose information is inverted outright."""
PROBES = 32
UNLIKELY = 1e-100
"""Chance of a report below which it counts as impossible."""


def variances(randomizer: Randomizer, n: int, shares: Array) -> Array:
    """The variance of each share; infinite for values that none of the likely reports could come from."""
    found = np.empty(len(shares))
    for part in _parts(randomizer, n, shares):
        found[part.values] = part.diagonal()
    return np.asarray(np.maximum(found - shares**2 / n, 0.0))


def variance(randomizer: Randomizer, n: int, shares: Array, weights: Array) -> float:
    """The variance of ``weights . shares``: ``v^T I**-1 v`` with v the weights less their mean under the shares."""
    centred = weights - weights @ shares
    total = 0.0
    for part in _parts(randomizer, n, shares):
        own = centred[part.values]
        if np.any((own != 0) & (weights[part.values] != 0) & part.unknown):
            return float("inf")
        total += part.form(own)
    return max(total, 0.0)


@dataclass(frozen=True, eq=False)
class _Part:
    """Values whose reports tell nothing of other values: one block, or all values."""

    randomizer: Randomizer
    curvature: Array
    values: NDArray[np.int64]

    @property
    def size(self) -> int:
        return len(self.values)

    @cached_property
    def unknown(self) -> NDArray[np.bool_]:
        """The values that none of the likely reports could come from."""
        return np.asarray(self.randomizer.pull(self.curvature, NUMERIC)) <= 0

    @cached_property
    def inverse(self) -> Array:
        channel = np.stack([np.asarray(self.randomizer.push(unit, NUMERIC)) for unit in np.eye(self.size)])
        return np.asarray(np.linalg.pinv((channel * self.curvature) @ channel.T, hermitian=True))

    def diagonal(self) -> Array:
        """The diagonal of the inverse: outright, or probed with random signs in large parts."""
        if not self.curvature.any():
            return np.full(self.size, np.inf)
        if self.size <= DENSE:
            return np.where(self.unknown, np.inf, np.diag(self.inverse))
        rng = np.random.default_rng(1)
        found = np.zeros(self.size)
        for _ in range(PROBES):
            signs = rng.choice([-1.0, 1.0], size=self.size)
            found += signs * _conjugate_gradient(self.apply, signs) / PROBES
        return np.maximum(found, 0.0)

    def form(self, vector: Array) -> float:
        """``vector^T I**-1 vector``: outright, or by one conjugate-gradient solve in large parts."""
        if not self.curvature.any() or not vector.any():
            return 0.0
        if self.size <= DENSE:
            return float(vector @ self.inverse @ vector)
        return float(vector @ _conjugate_gradient(self.apply, vector))

    def apply(self, vector: Array) -> Array:
        """The information times a vector, with a ridge too small to matter."""
        ridge = 1e-9 * float(self.curvature.sum()) / self.size
        pushed = np.asarray(self.randomizer.push(vector, NUMERIC))
        return np.asarray(self.randomizer.pull(self.curvature * pushed, NUMERIC)) + ridge * vector


def _parts(randomizer: Randomizer, n: int, shares: Array) -> Iterator[_Part]:
    """The parts one after the other, so that only one is inverted at a time."""
    law = np.asarray(randomizer.push(shares, NUMERIC))
    curvature = np.divide(n, law, out=np.zeros_like(law), where=law > UNLIKELY)
    if isinstance(randomizer, Blocks):
        for part, _, cells, values in randomizer.groups(NUMERIC):
            for rows, columns in zip(cells, values, strict=True):
                yield _Part(part, curvature[rows], columns)
    else:
        yield _Part(randomizer, curvature, np.arange(len(shares)))


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
