"""How much of the difference between two distributions passes through a private channel: contraction, privacy curves.

The contraction coefficient of a channel is the largest ratio D(PQ || RQ) / D(P || R). Exact for a given
channel: E_gamma and total variation by two rows, KL and chi-square by one convex minimum per pair of rows.
Universal for every channel that is (epsilon, delta)-LDP or satisfies a privacy matrix E; with it come upper bounds on
chi-square, KL and total variation after privacy, from the two distributions before it.

A channel is (epsilon, delta)-LDP exactly when ``delta >= max over x, z of E_gamma(Q_x || Q_z)`` with
``gamma = e^epsilon``. For one pair the right side is the largest of the lines ``a - gamma b``, one per set of reports,
where a and b are the chances of the set under x and z; the sets that matter are those of the largest likelihood
ratios. So the privacy curve is the upper hull of the points (b, a) of all pairs, read by slope: piecewise linear in
gamma, with breakpoints found exactly.

References: Asoodeh2021 (Theorem 1, Lemmas 1 to 3), Acharya2020 (Theorems 1, 2), Dobrushin1956, Cohen1993,
Ordentlich2022, Duchi2013, Bretagnolle1979.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput
from .finite import (
    Channel,
    Floats,
    Number,
    Privacy,
    Vector,
    at_least,
    channel,
    check_lengths,
    check_unit,
    delta_value,
    epsilon_value,
    excess,
    floats,
    kl,
    place_of_least,
    privacy_matrix,
    total_variation,
)


def eta_gamma(Q: Channel, gamma: Number) -> Number:
    """The contraction of E_gamma by a channel, ``max over x, z of E_gamma(Q_x || Q_z)``, for ``gamma >= 1``.

    A channel is (epsilon, delta)-LDP exactly when this is at most delta at ``gamma = e^epsilon``.

    References: Asoodeh2021 (Section II.B, Theorem 1).
    """
    rows = channel(Q)
    at_least("gamma", float(gamma), 1)
    return cast(Number, max(excess(p, q, gamma) for p in rows for q in rows))


def eta_tv(Q: Channel) -> Number:
    """Dobrushin's coefficient, the largest total variation between two rows.

    No f-divergence contracts less: eta_f is at most this for every f.

    References: Dobrushin1956, Cohen1993.
    """
    return eta_gamma(Q, 1)


def _eta_kl_pair(p: Floats, q: Floats) -> float:
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
    return max((_eta_kl_pair(p, q) for p, q in combinations(floats(channel(Q)), 2)), default=0.0)


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


def kl_contraction(epsilon: Number, *, delta: Number = 0) -> float:
    """``tanh(epsilon/2)^2``, the contraction of KL and chi-square under epsilon-LDP; randomized response attains it.

    For ``delta > 0`` it is that of every f-divergence, `tv_contraction`.
    """
    eta = tv_contraction(epsilon, delta=delta)
    return eta if delta else eta**2


def pair_tv_contraction(epsilon_xz: Number, epsilon_zx: Number) -> float:
    """``(1-a)(1-b)/(1-ab)`` with ``a = e^-E[x,z]``, ``b = e^-E[z,x]``: the largest total variation of the two rows.

    The optimal binary mechanism of Acharya et al., Theorem 2, attains it, and every other is a degradation of
    that one, so data processing gives the bound. Zero and infinite entries are allowed.
    """
    first, second = epsilon_value("epsilon_xz", epsilon_xz), epsilon_value("epsilon_zx", epsilon_zx)
    if not (first and second):
        return 0.0
    return math.expm1(-first) * math.expm1(-second) / -math.expm1(-(first + second))


def pair_kl_contraction(epsilon_xz: Number, epsilon_zx: Number) -> float:
    """``(1-a)(1-b)/(1+sqrt(ab))^2``: the contraction of KL by any channel on a pair, attained as above."""
    first, second = epsilon_value("epsilon_xz", epsilon_xz), epsilon_value("epsilon_zx", epsilon_zx)
    return math.expm1(-first) * math.expm1(-second) / (1 + math.exp(-(first + second) / 2)) ** 2


def context_tv_contraction(E: Privacy) -> float:
    """The contraction of every f-divergence by any E-LDP channel: the largest over pairs of values, E closed."""
    return _over_pairs(pair_tv_contraction, E)


def context_kl_contraction(E: Privacy) -> float:
    """The contraction of KL and chi-square by any E-LDP channel: the largest over pairs of values, E closed."""
    return _over_pairs(pair_kl_contraction, E)


def _over_pairs(contraction: Callable[[Number, Number], float], E: Privacy) -> float:
    epsilons = privacy_matrix(E)
    return max(
        (contraction(epsilons[x, z], epsilons[z, x]) for x, z in combinations(range(len(epsilons)), 2)), default=0.0
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
    """The chances, under q and under p, of the growing sets of reports with the largest ratios."""
    possible = q > 0
    first = p[~possible].sum() if not possible.all() else p[0] * 0
    p, q = p[possible], q[possible]
    order = np.argsort(-(p / q), kind="stable")
    b, a = q[order].cumsum(), p[order].cumsum() + first
    return [(q[0] * 0, first), *zip(b.tolist(), a.tolist(), strict=True)]


def _upper_hull(points: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    highest = dict(sorted(points))  # of points with the same b, the last is the highest
    hull: list[tuple[Any, Any]] = []
    for b, a in highest.items():
        while len(hull) > 1:
            (b0, a0), (b1, a1) = hull[-2], hull[-1]
            if (a1 - a0) * (b - b1) > (a - a1) * (b1 - b0):
                break
            hull.pop()
        hull.append((b, a))
    return hull


def _curve(points: Sequence[tuple[Any, Any]]) -> PrivacyCurve:
    hull, one = _upper_hull(points), Fraction(1) if isinstance(points[0][0], Fraction) else 1.0
    gammas: list[Any] = []
    deltas: list[Any] = []
    for (b0, a0), (b1, a1) in pairwise(hull):
        gamma = (a1 - a0) / (b1 - b0)
        if not gamma > 1:
            break
        gammas.append(gamma)
        deltas.append(a0 - gamma * b0)
    b, a = hull[len(gammas)]
    gammas.append(one)
    deltas.append(max(a - b, one * 0))
    return PrivacyCurve(tuple(reversed(gammas)), tuple(reversed(deltas)))


def pair_curve(Q: Channel, x: int, z: int) -> PrivacyCurve:
    """The curve of one ordered pair: how far x's reports may exceed ``e^epsilon`` times z's."""
    rows = channel(Q)
    if not (0 <= x < len(rows) and 0 <= z < len(rows)):
        raise InvalidInput(f"x={x} and z={z} must be rows of the channel, 0 to {len(rows) - 1}")
    return _curve(_operating_points(rows[x], rows[z]))


def privacy_curve(Q: Channel) -> PrivacyCurve:
    """The curve of the whole channel, the largest over all ordered pairs at every epsilon."""
    rows = channel(Q)
    zero, one = (Fraction(0), Fraction(1)) if rows.dtype == object else (0.0, 1.0)
    points = (point for p, q in permutations(rows, 2) for point in _operating_points(p, q))
    return _curve([(zero, zero), (one, one), *points])


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
    check_lengths(E=epsilons, Q=rows)
    result = np.zeros_like(epsilons)
    for x, z in zip(*np.nonzero(np.isfinite(epsilons)), strict=True):
        result[x, z] = excess(rows[x], rows[z], math.exp(min(epsilons[x, z], 700.0)))
    return result


def chi_square_from_tv(epsilon: Number, distance: float) -> float:
    """The largest chi-square of two reports under epsilon-LDP when the values are at total variation `distance`.

    With ``e = e^epsilon`` and ``t = distance`` it is ``(e-1)^2 t^2 / e`` when ``2t(e-1) >= e-2``, which
    holds whenever ``epsilon <= log 2``, and at most ``2 (e-1)^2 t^2 / (e+2)`` in any case; the first is
    what randomized response gives and the second what it gives on three values as t goes to 0.

    *Proof.* Write the laws as ``(1-t)C + tP`` and ``(1-t)C + tR``. A column of an epsilon-LDP channel is a sum of
    columns with levels 1 and e. Chi-square is convex and homogeneous in the column (c, p, r) of the three laws, so it
    suffices to find a linear function ``l = u c + v p + w r`` above ``f = t^2 (p-r)^2 / ((1-t)c + tr)`` at the eight
    patterns of levels: chi-square is then at most ``u + v + w``, because each row sums to one. Put ``F = t^2 (e-1)^2``;
    f is zero unless p and r differ, and then F over 1, ``1+t(e-1)``, ``e-t(e-1)``, e for (c, p, r) = (1, e, 1), (1, 1,
    e), (e, e, 1), (e, 1, e). First, ``v = F/e`` and ``w = -u = F(1-t)/(e(1+t(e-1)))``: all eight hold, (e, 1, 1) being
    the one that asks for ``2t(e-1) >= e-2``; the total is F/e. Second, ``v = w = Fe/((e+2)(e-1))`` and ``u = -2v/e``:
    all eight hold when ``e >= 2`` and ``t <= 1 - 2/(e(e-1))``; the total is 2F/(e+2). For ``e >= 2`` every t is in one
    of the two ranges.
    """
    value = epsilon_value("epsilon", epsilon)
    check_unit("distance", distance)
    if distance == 0 or value == 0:
        return 0.0
    if value > 300:
        return math.inf
    e = math.exp(value)
    low = 1 / e if 2 * distance * (e - 1) >= e - 2 else 2 / (e + 2)
    return low * ((e - 1) * distance) ** 2


def kl_after(p: Vector, q: Vector, *, epsilon: Number, delta: Number = 0) -> float:
    """The most that KL(p || q) can be once each value has been reported under (epsilon, delta)-LDP.

    The smallest of KL times `tv_contraction` and, for ``delta = 0``, KL times `kl_contraction` and ``log(1
    + chi-square)`` by `chi_square_from_tv`. It bounds n reports n times over, even when each user may
    choose a mechanism after seeing earlier reports.
    """
    eta = kl_contraction(epsilon, delta=delta)
    after = 0.0 if eta == 0 else eta * kl(p, q)
    if delta == 0:
        after = min(after, math.log1p(chi_square_from_tv(epsilon, float(total_variation(p, q)))))
    return after


def tv_after(p: Vector, q: Vector, n: int, *, epsilon: Number, delta: Number = 0) -> float:
    """The most that the total variation of n reports can be under (epsilon, delta)-LDP, never above one.

    The smallest of ``1 - (1 - eta t)^n``, from a coupling user by user with t the total variation of the
    values and eta its contraction; Pinsker's ``sqrt(D/2)`` and Bretagnolle and Huber's ``sqrt(1 - e^-D)``
    with D the KL of n reports; and for ``delta = 0`` ``sqrt((1 + chi)^n - 1)``, the triangle inequality
    through the midpoint of p and q, at chi-square `chi` from each.
    """
    at_least("n", n, 0)
    t = float(total_variation(p, q))
    bounds = [over_users(tv_contraction(epsilon, delta=delta) * t, n)]
    if n:
        D = n * min(kl_after(p, q, epsilon=epsilon, delta=delta), kl_after(q, p, epsilon=epsilon, delta=delta))
        bounds += [math.sqrt(D / 2), math.sqrt(-math.expm1(-D))]
    if n and delta == 0:
        power = n * math.log1p(chi_square_from_tv(epsilon, t / 2))
        bounds.append(math.sqrt(math.expm1(power)) if power < 1 else 1.0)
    return min(bounds)
