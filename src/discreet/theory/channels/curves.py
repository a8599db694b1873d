"""The exact trade-off of epsilon and delta for any finite channel.

A channel is (epsilon, delta)-LDP exactly when ``delta >= max over x, z of E_gamma(Q_x || Q_z)`` with
``gamma = e^epsilon`` (Asoodeh2021, Theorem 1). For one pair the right side is the largest of the lines ``a
- gamma b``, one per set of reports, where a and b are the chances of the set under x and z; the sets
that matter are those of the largest likelihood ratios. So the curve is the upper hull of the points (b, a)
of all pairs, read by slope: piecewise linear in gamma, with breakpoints found exactly.

References: Asoodeh2021 (Theorem 1), Acharya2020 (Theorem 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput
from .divergences import excess
from .finite import (
    Channel,
    Floats,
    Number,
    Privacy,
    at_least,
    channel,
    delta_value,
    epsilon_value,
    floats,
    privacy_matrix,
)


@dataclass(frozen=True)
class PrivacyCurve:
    """The smallest delta at every epsilon: linear in gamma between breakpoints, constant after the last.

    `gammas` increase from 1; `deltas` are the values there. The last delta is the chance of a report that
    one value gives and another cannot: zero for a channel that is epsilon-LDP for some epsilon. All are
    fractions when the channel was.
    """

    gammas: tuple[Number, ...]
    deltas: tuple[Number, ...]

    def delta_at(self, gamma: Number) -> Number:
        """The smallest delta at ``e^epsilon = gamma >= 1``, exact for fractions."""
        at_least("gamma", float(gamma), 1)
        for i in range(1, len(self.gammas)):
            left, right = self.gammas[i - 1], self.gammas[i]
            if gamma <= right:
                low, high = self.deltas[i], self.deltas[i - 1]
                return low + (high - low) * (right - gamma) / (right - left)
        return self.deltas[-1]

    def gamma_at(self, delta: Number) -> Number:
        """The smallest ``e^epsilon >= 1`` at which `delta` is enough; infinite if none is."""
        delta_value(delta)
        if delta < self.deltas[-1]:
            return math.inf
        i = next(i for i, enough in enumerate(self.deltas) if enough <= delta)
        if i == 0:
            return self.gammas[0]
        (g0, g1), (d0, d1) = self.gammas[i - 1 : i + 1], self.deltas[i - 1 : i + 1]
        return g1 - (g1 - g0) * (delta - d1) / (d0 - d1)

    def delta(self, epsilon: Number) -> float:
        """The smallest delta at `epsilon`, which may be infinite."""
        value = epsilon_value("epsilon", epsilon)
        if value > math.log(float(self.gammas[-1])):
            return float(self.deltas[-1])
        return float(self.delta_at(math.exp(value)))

    def epsilon(self, *, delta: Number = 0) -> float:
        """The smallest epsilon at `delta`; infinite if no epsilon suffices."""
        return math.log(self.gamma_at(delta))


def _operating_points(p: NDArray[Any], q: NDArray[Any]) -> list[tuple[Any, Any]]:
    """(chance under q, chance under p) of the growing sets of reports with the largest ratios."""
    possible = q > 0
    first = p[~possible].sum() if not possible.all() else p[0] * 0
    p, q = p[possible], q[possible]
    order = np.argsort(-(p / q), kind="stable")
    b, a = q[order].cumsum(), p[order].cumsum() + first
    return [(q[0] * 0, first), *zip(b.tolist(), a.tolist(), strict=True)]


def _upper_hull(points: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    highest: dict[Any, Any] = {}
    for b, a in points:
        if b not in highest or a > highest[b]:
            highest[b] = a
    hull: list[tuple[Any, Any]] = []
    for b, a in sorted(highest.items()):
        while len(hull) > 1:
            (b0, a0), (b1, a1) = hull[-2], hull[-1]
            if (a1 - a0) * (b - b1) > (a - a1) * (b1 - b0):
                break
            hull.pop()
        hull.append((b, a))
    return hull


def _curve(points: Iterable[tuple[Any, Any]], one: Any) -> PrivacyCurve:
    hull = _upper_hull(points)
    gammas: list[Any] = []
    deltas: list[Any] = []
    for (b0, a0), (b1, a1) in pairwise(hull):
        gamma = (a1 - a0) / (b1 - b0)
        if not gamma > 1:
            break
        gammas.append(gamma)
        deltas.append(a0 - gamma * b0)
    last = len(gammas)
    b, a = hull[last] if last < len(hull) else hull[-1]
    gammas.append(one)
    deltas.append(max(a - b, one * 0))
    return PrivacyCurve(tuple(reversed(gammas)), tuple(reversed(deltas)))


def _one(array: NDArray[Any]) -> Any:
    return Fraction(1) if array.dtype == object else 1.0


def _index(name: str, x: int, size: int) -> None:
    if not 0 <= x < size:
        raise InvalidInput(f"{name}={x} must be a row of the channel, 0 to {size - 1}")


def pair_curve(Q: Channel, x: int, z: int) -> PrivacyCurve:
    """The curve of one ordered pair: how far x's reports may exceed ``e^epsilon`` times z's."""
    rows = channel(Q)
    _index("x", x, len(rows))
    _index("z", z, len(rows))
    return _curve(_operating_points(rows[x], rows[z]), _one(rows))


def privacy_curve(Q: Channel) -> PrivacyCurve:
    """The curve of the whole channel, the largest over all ordered pairs at every epsilon."""
    rows = channel(Q)
    one = _one(rows)
    points = [(one * 0, one * 0), (one, one)]
    for x, p in enumerate(rows):
        for z, q in enumerate(rows):
            if x != z:
                points += _operating_points(p, q)
    return _curve(points, one)


def pairwise_epsilon(Q: Channel) -> Floats:
    """The matrix that a channel attains: ``log max_y Q(y|x) / Q(y|z)`` for every pair, infinite where the ratio is."""
    rows = channel(Q)
    result = np.zeros((len(rows), len(rows)))
    for x, p in enumerate(rows):
        for z, q in enumerate(rows):
            if bool(((q == 0) & (p > 0)).any()):
                result[x, z] = math.inf
            elif x != z:
                result[x, z] = math.log((p[q > 0] / q[q > 0]).max())
    return result


def pairwise_delta(Q: Channel, E: Privacy) -> Floats:
    """The delta left to each pair: entry (x, z) is E_gamma(Q_x || Q_z) at ``gamma = e^E[x, z]``, E closed.

    An infinite entry requires nothing and has delta zero. All are zero, up to rounding, exactly when the
    channel is E-LDP.
    """
    rows, epsilons = floats(channel(Q)), privacy_matrix(E)
    if len(epsilons) != len(rows):
        raise InvalidInput(f"E has {len(epsilons)} rows and Q {len(rows)}; they must be over the same values")
    result = np.zeros_like(epsilons)
    for x, z in zip(*np.nonzero(np.isfinite(epsilons)), strict=True):
        result[x, z] = excess(rows[x], rows[z], math.exp(min(epsilons[x, z], 700.0)))
    return result
