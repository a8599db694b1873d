"""Lower bounds on the Bayes risk of a parameter estimated from private reports.

The prior enters through its small-ball function ``L(z) = sup_t P(loss(Theta, t) <= z)`` and through what the values
reveal about the parameter before privacy: mutual information for Corollary 3, E_gamma-information for Theorem 2.
Mechanisms are fixed before any report is seen. Every z tried gives a true bound, so a scan never overstates.

References: Asoodeh2021 (Section V), Xu2015.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..channels.contraction import over_users, phi_n, tv_contraction
from ..channels.finite import (
    Bound,
    Floats,
    Matrix,
    Number,
    Vector,
    at_least,
    channel,
    check_lengths,
    delta_value,
    distribution,
    epsilon_value,
    excess,
    floats,
    lower,
    place_of_least,
)
from .van_trees import bernoulli_e_gamma, bernoulli_information

SmallBall = Callable[[float], float]
_MODEL = "Bernoulli, uniform prior, absolute error"


def uniform_ball(z: float) -> float:
    """The small-ball function of a uniform parameter on [0, 1] under absolute error: ``min(2z, 1)``."""
    return min(2 * z, 1.0)


def _radii(largest: float) -> Floats:
    return np.geomspace(largest * 1e-9, largest, 400)


def _best_of(value: Callable[[float], float], scan: Floats) -> float:
    """The largest value over a scan of places, improved by a search around the best of them."""
    places = scan.tolist()
    values = [value(place) for place in places]
    i = values.index(max(values))
    place = place_of_least(lambda z: -value(z), places[max(i - 1, 0)], places[min(i + 1, len(places) - 1)])
    return max(value(place), values[i])


def information_risk(information: float, *, ball: SmallBall = uniform_ball, largest: float = 0.5) -> float:
    """``sup_z z (1 - (I + log 2)/log(1/L(z)))`` for information I about the parameter; zero if that is negative.

    References: Xu2015 (Theorem 1), Asoodeh2021 (15). `largest` is where L reaches one.
    """
    at_least("information", information, 0)

    def value(z: float) -> float:
        chance = ball(z)
        if not 0 < chance < 1:
            return 0.0
        return z * (1 + (information + math.log(2)) / math.log(chance))

    return max(_best_of(value, _radii(largest)), 0.0)


def e_gamma_risk(information: float, gamma: float, *, ball: SmallBall = uniform_ball, largest: float = 0.5) -> float:
    """``sup_z z (1 - I_gamma - gamma L(z) - (1 - gamma)_+)``; zero if that is negative.

    References: Asoodeh2021 (17), the proof of Theorem 2.
    """
    at_least("information", information, 0)
    at_least("gamma", gamma, 0)
    room = 1 - information - max(1 - gamma, 0.0)
    return max(_best_of(lambda z: z * (room - gamma * ball(z)), _radii(largest)), 0.0)


def e_gamma_information(prior: Vector, likelihood: Matrix, gamma: Number) -> float:
    """I_gamma(Theta; X) for a finite parameter: E_gamma from the joint law to the product of its margins.

    `prior` may be the weights of a quadrature rule, `likelihood` having one row of chances per node. The
    quantity is a mean of E_gamma over the nodes, so the rule's own error is the only one.
    """
    weights, rows = floats(distribution("prior", prior)), floats(channel(likelihood))
    check_lengths(prior=weights, likelihood=rows)
    at_least("gamma", float(gamma), 0)
    mixed, g = weights @ rows, float(gamma)
    total = math.fsum(w * excess(row, mixed, g) for w, row in zip(weights.tolist(), rows, strict=True))
    return max(total - max(1 - g, 0.0), 0.0)


def corollary_3(epsilon: Number, n: int, *, delta: Number = 0) -> Bound:
    """Corollary 3 for the Bernoulli model with a uniform prior: `information_risk` of ``phi_n I(Theta; X^n)``.

    References: Asoodeh2021 (Corollary 3, Example 4).
    """
    value = information_risk(phi_n(epsilon, n, delta=delta) * bernoulli_information(n))
    return lower("Bayes risk, Corollary 3", value, "Asoodeh2021 Corollary 3", note=_MODEL)


def theorem_2(epsilon: Number, n: int, *, delta: Number = 0) -> Bound:
    """Theorem 2 for the same Bernoulli model: `e_gamma_risk` at ``gamma = e^epsilon`` of ``phi_n I_gamma``.

    For one user the factor is delta in place of phi_n.

    References: Asoodeh2021 (Theorem 2, Example 4).
    """
    value = epsilon_value("epsilon", epsilon)
    at_least("n", n, 1)
    if value > 300:
        return lower("Bayes risk, Theorem 2", 0.0, "Asoodeh2021 Theorem 2")
    gamma = math.exp(value)
    share = delta_value(delta) if n == 1 else phi_n(epsilon, n, delta=delta)
    risk = e_gamma_risk(share * bernoulli_e_gamma(n, gamma), gamma)
    return lower("Bayes risk, Theorem 2", risk, "Asoodeh2021 Theorem 2", note=_MODEL)


def theorem_2_best_gamma(epsilon: Number, n: int, *, delta: Number = 0) -> Bound:
    """Theorem 2 with the best gamma from 1 up, which is never below the other two for several users.

    The proof uses ``gamma = e^epsilon`` only to name the contraction of E_gamma, which is at most phi_n at
    every gamma. Every gamma gives a true bound, so a scan with a search around its best never overstates.
    """
    return _best_gamma("Bayes risk, Theorem 2, best gamma", phi_n(epsilon, n, delta=delta), n)


def theorem_2_sharp(epsilon: Number, n: int, *, delta: Number = 0) -> Bound:
    """Theorem 2 with the best gamma and ``1 - (1 - eta)^n``, eta by `tv_contraction`: the largest of these bounds."""
    share = over_users(tv_contraction(epsilon, delta=delta), n)
    return _best_gamma("Bayes risk, Theorem 2, best gamma, sharp contraction", share, n)


def _best_gamma(name: str, share: float, n: int) -> Bound:
    at_least("n", n, 1)

    def value(gamma: float) -> float:
        return e_gamma_risk(share * bernoulli_e_gamma(n, gamma), gamma)

    risk = _best_of(value, np.geomspace(1.0, n + 1.0, 25))
    return lower(name, risk, "Asoodeh2021 Theorem 2", note=_MODEL)
