"""The estimates of several randomizers averaged value by value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..randomizer import Randomizer

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric


class Averaged:
    """Part i is used with odds pi_i; its estimate counts with weight beta_ix for value x, ``sum_i pi_i beta_ix = 1``.

    The weights are in inverse proportion to the parts' second moments at `prior`.

    *Why unbiased.* ``phi_x = beta_ix phi_x of part i`` has mean ``sum_i pi_i beta_ix 1{x = z}``.
    """

    def __init__(self, parts: Sequence[Randomizer], odds: Sequence[float], prior: Sequence[float], ops: Numeric):
        self.parts, self.odds = parts, odds
        exact = [1 / part.second_moments(ops.array(prior), ops) for part in parts]
        scale = sum(share * one for share, one in zip(odds, exact, strict=True))
        self.weights = [one / scale for one in exact]
        """beta_i for every value."""

    @property
    def _terms(self) -> list[tuple[float, Any, Randomizer]]:
        return list(zip(self.odds, self.weights, self.parts, strict=True))

    def decode(self, counts: Sequence[Array], ops: Numeric) -> Array:
        own = zip(self.weights, self.parts, counts, strict=True)
        return sum((beta * part.decode(some, ops) for beta, part, some in own), ops.zeros(1))

    def weigh(self, weights: Array, ops: Numeric) -> list[Array]:
        """The weights of the cells of each part."""
        return [part.weigh(beta * weights, ops) for beta, part in zip(self.weights, self.parts, strict=True)]

    def second_moments(self, shares: Array, ops: Numeric) -> Array:
        return sum(
            (odds * beta**2 * part.second_moments(shares, ops) for odds, beta, part in self._terms), ops.zeros(1)
        )

    def slopes(self, shares: Array, ops: Numeric) -> Array:
        return sum((odds * beta**2 * part.slopes(shares, ops) for odds, beta, part in self._terms), ops.zeros(1))

    def cross_moment(self, shares: Array, first: Array, second: Array, ops: Numeric) -> Array:
        return sum(
            (odds * part.cross_moment(shares, first * beta, second * beta, ops) for odds, beta, part in self._terms),
            ops.zeros(1),
        )

    def influence(self, ops: Numeric) -> float:
        return max(float(beta.max()) * part.influence(ops) for _, beta, part in self._terms)
