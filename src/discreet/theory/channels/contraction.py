"""How much of the difference between two distributions passes through a private channel.

The contraction coefficient of a channel is the largest ratio D(PQ || RQ) / D(P || R). Exact for a given
channel: E_gamma and total variation by two rows, KL and chi-square by one convex minimum per pair of rows.
Universal for every channel that is (epsilon, delta)-LDP or satisfies a privacy matrix E.

References: Asoodeh2021 (Lemmas 1, 2), Dobrushin1956, Cohen1993, Ordentlich2022, Acharya2020 (Theorem 2).
"""

from __future__ import annotations

import math

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
