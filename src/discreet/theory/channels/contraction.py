"""How much of the difference between two distributions passes through a private channel.

The contraction coefficient of a channel is the largest ratio D(PQ || RQ) / D(P || R). Exact for a given
channel: E_gamma and total variation by two rows, KL and chi-square by one convex minimum per pair of rows.
Universal for every channel that is (epsilon, delta)-LDP or satisfies a privacy matrix E.

References: Asoodeh2021 (Lemmas 1, 2), Dobrushin1956, Cohen1993, Ordentlich2022, Acharya2020 (Theorem 2).

The exact trade-off of epsilon and delta for any finite channel.

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
from .finite import (
    Channel,
    Floats,
    Number,
    Privacy,
    at_least,
    channel,
    delta_value,
    epsilon_value,
    excess,
    floats,
    place_of_least,
    privacy_matrix,
)


def eta_gamma(Q: Channel, gamma: Number) -> Number:
    """The contraction of E_gamma by a channel, ``max over x, z of E_gamma(Q_x || Q_z)``, for ``gamma >= 1``.

    A channel is (epsilon, delta)-LDP exactly when this is at most delta at ``gamma = e^epsilon``.

    References: Asoodeh2021 (Section II.B, Theorem 1).
    """
    rows = channel(Q)
    at_least("gamma", float(gamma), 1)
    value: Number = max(excess(p, q, gamma) for p in rows for q in rows)
    return value


def eta_tv(Q: Channel) -> Number:
    """Dobrushin's coefficient, the largest total variation between two rows.

    No f-divergence contracts less: eta_f is at most this for every f.

    References: Dobrushin1956, Cohen1993.
    """
    return eta_gamma(Q, 1)


def eta_kl_pair(p: Floats, q: Floats) -> float:
    """The contraction of KL by the two-row channel [p, q]: ``1 - min_t sum_y p q / (t p + (1-t) q)``.

    The sum is one less the squared maximal correlation of the input, one with chance t, and the report; it
    is convex in t, as ``1/m`` is convex and ``m = t p + (1-t) q`` linear.
    """
    both = (p > 0) & (q > 0)
    p, q = p[both], q[both]

    def overlap(t: float) -> float:
        return float((p * q / (t * p + (1 - t) * q)).sum())

    return min(max(1 - overlap(place_of_least(overlap, 0.0, 1.0)), 0.0), 1.0)


def eta_kl(Q: Channel) -> float:
    """The contraction of KL, and of chi-square, by a channel: the largest over pairs of rows.

    That two rows suffice is a theorem for every operator-convex f, KL and chi-square among them, and all of
    those contract alike.

    References: Ordentlich2022 (strong data processing constants are achieved by binary inputs).
    """
    rows = floats(channel(Q))
    return max(
        (eta_kl_pair(p, q) for i, p in enumerate(rows) for q in rows[:i]),
        default=0.0,
    )


def phi(epsilon: Number, *, delta: Number = 0) -> float:
    """``1 - (1 - delta) e^-epsilon``, at least the contraction of any f-divergence under (epsilon, delta)-LDP.

    References: Asoodeh2021 (Lemma 1). `tv_contraction` is never larger.
    """
    d = delta_value(delta)
    return -math.expm1(-epsilon_value("epsilon", epsilon)) * (1 - d) + d


def phi_n(epsilon: Number, n: int, *, delta: Number = 0) -> float:
    """``1 - ((1 - delta) e^-epsilon)^n``, the same for n users who each run the mechanism.

    References: Asoodeh2021 (Lemma 2).
    """
    return over_users(phi(epsilon, delta=delta), n)


def over_users(eta: float, n: int) -> float:
    """``1 - (1 - eta)^n``, the contraction of n independent channels, each of which contracts by at most `eta`."""
    at_least("n", n, 0)
    if eta >= 1:
        return 1.0 if n else 0.0
    return -math.expm1(n * math.log1p(-eta))


def tv_contraction(epsilon: Number, *, delta: Number = 0) -> float:
    """``(e^epsilon - 1 + 2 delta) / (e^epsilon + 1)``, the contraction of every f-divergence, sharper than `phi`.

    Two rows of an (epsilon, delta)-LDP channel are at total variation at most this, by the corner of the
    region ``P_FA + e^epsilon P_MD >= 1 - delta`` and its mirror image, and total variation contracts least.
    """
    d = delta_value(delta)
    return math.tanh(epsilon_value("epsilon", epsilon) / 2) * (1 - d) + d


def kl_contraction(epsilon: Number) -> float:
    """``tanh(epsilon/2)^2``, the contraction of KL and chi-square under epsilon-LDP; randomized response attains it."""
    return math.tanh(epsilon_value("epsilon", epsilon) / 2) ** 2


def pair_tv_contraction(epsilon_xz: Number, epsilon_zx: Number) -> float:
    """``(1-a)(1-b)/(1-ab)`` with ``a = e^-E[x,z]``, ``b = e^-E[z,x]``: the largest total variation of the two rows.

    The optimal binary mechanism of Acharya et al., Theorem 2, attains it, and every other is a degradation of
    that one, so data processing gives the bound. Zero and infinite entries are allowed.
    """
    first, second = epsilon_value("epsilon_xz", epsilon_xz), epsilon_value("epsilon_zx", epsilon_zx)
    if first == 0 or second == 0:
        return 0.0
    return math.expm1(-first) * math.expm1(-second) / -math.expm1(-(first + second))


def pair_kl_contraction(epsilon_xz: Number, epsilon_zx: Number) -> float:
    """``(1-a)(1-b)/(1+sqrt(ab))^2``: the contraction of KL by any channel on a pair, attained as above."""
    first, second = epsilon_value("epsilon_xz", epsilon_xz), epsilon_value("epsilon_zx", epsilon_zx)
    return math.expm1(-first) * math.expm1(-second) / (1 + math.exp(-(first + second) / 2)) ** 2


def context_tv_contraction(E: Privacy) -> float:
    """The contraction of every f-divergence by any E-LDP channel: the largest over pairs of values, E closed."""
    epsilons = privacy_matrix(E)
    return max(
        (pair_tv_contraction(epsilons[x, z], epsilons[z, x]) for x in range(len(epsilons)) for z in range(x)),
        default=0.0,
    )


def context_kl_contraction(E: Privacy) -> float:
    """The contraction of KL and chi-square by any E-LDP channel: the largest over pairs of values, E closed."""
    epsilons = privacy_matrix(E)
    return max(
        (pair_kl_contraction(epsilons[x, z], epsilons[z, x]) for x in range(len(epsilons)) for z in range(x)),
        default=0.0,
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
