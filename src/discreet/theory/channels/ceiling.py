"""The most that a report can say about a value under epsilon-LDP, whatever the prior, the domain and the mechanism.

A column of an optimal channel is e^epsilon on a set T of values and 1 elsewhere, up to scale. At a prior that gives T
the mass P it adds information ``j(P) = P e epsilon / S - log S`` times its chance, ``S = P e + 1 - P``. The largest j
is ``J = log((e-1)/epsilon) + epsilon/(e-1) - 1``, at ``P = (epsilon e - e + 1)/(e-1)^2``, and depends on nothing but
epsilon: so J bounds the information at every prior over any number of values, not only at the uniform one.

References: Wang2016 (Theorem 2.1, Section 4), McGregor2010, Kairouz2016.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...core.errors import InvalidInput
from .finite import Floats, Number, at_least, epsilon_value
from .information import Capacity, capacity, subset_optimum

MAX_VALUES = 10
"""The most values whose best prior is searched for, as all their subsets are tried."""


def information_ceiling(epsilon: Number) -> float:
    """J, at least the information of any epsilon-LDP report about any value at any prior, in nats.

    ``log((e-1)/epsilon) + epsilon/(e-1) - 1``, Wang's I_beta, with equality where the paper has "at most".

    References: Wang2016 (Section 4).
    """
    value = epsilon_value("epsilon", epsilon)
    if math.isinf(value):
        return math.inf
    if value < 1e-2:
        return value**2 / 8 - value**4 / 576
    low = -math.expm1(-value)
    return value + math.log(low / value) + value * math.exp(-value) / low - 1


@dataclass(frozen=True)
class InformationChain:
    """Bounds on the information about one of k equally likely values, each at most the next.

    `exact` is attained by the best subset mechanism; `ceiling` holds for every k and prior; `quadratic` is
    ``epsilon^2 / 8``; `earlier` is ``3 epsilon^2 / 2``, McGregor's, which was stated for two values.
    """

    exact: float
    ceiling: float
    quadratic: float
    earlier: float


def information_chain(k: int, *, epsilon: Number) -> InformationChain:
    """Wang's chain ``I <= I_beta <= epsilon^2 / 8`` for k equally likely values, beside McGregor's bound.

    References: Wang2016 (Section 4), McGregor2010.
    """
    value = epsilon_value("epsilon", epsilon)
    exact = subset_optimum(k, epsilon=epsilon).value
    return InformationChain(exact, information_ceiling(epsilon), value**2 / 8, 3 * value**2 / 2)


def best_prior(k: int, *, epsilon: Number) -> Capacity:
    """The most information over all priors on at most k values and all epsilon-LDP channels.

    From several priors the best channel and the best prior for it (`capacity`) are found in turn, which never loses.
    So `value` is attained at `prior`; whether another prior does better is not proved, but none exceeds `ceiling`.
    Uniform priors are not always best: at epsilon 1/2 four values do better with shares 2/5, 1/5, 1/5, 1/5.

    References: Wang2016 (the open question of Section 6), Kairouz2016 (extremal columns), Blahut1972.
    """
    at_least("k", k, 1)
    if k > MAX_VALUES:
        raise InvalidInput(f"k={k} must be at most {MAX_VALUES}, as all subsets are tried")
    value = epsilon_value("epsilon", epsilon)
    ceiling = min(information_ceiling(value), math.log(k))
    if k == 1 or value == 0:
        return Capacity(0.0, ceiling, (1.0, *[0.0] * (k - 1)), 0)
    if math.isinf(value):
        return Capacity(ceiling, ceiling, (1 / k,) * k, 0)
    climbs = [_climb(_start(k, used, ratio), value) for used in range(2, k + 1) for ratio in (1.0, 0.8, 0.6)]
    best = max(climbs, key=lambda climb: climb.value)
    return Capacity(best.value, max(ceiling, best.value), best.prior, best.iterations)


def _start(k: int, used: int, ratio: float) -> Floats:
    """Shares of the first `used` values, each `ratio` times the one before."""
    weights = np.zeros(k)
    weights[:used] = ratio ** np.arange(used)
    weights /= weights.sum()
    return weights


def _climb(prior: Floats, epsilon: float) -> Capacity:
    """Improve channel and prior in turn until nothing is gained."""
    best = Capacity(0.0, 0.0, tuple(prior.tolist()), 0)
    for steps in range(1, 101):
        positive = prior > 0
        now = capacity(_best_channel(prior[positive], epsilon), tolerance=1e-10, iterations=2000)
        if now.value <= best.value + 1e-9:
            break
        prior = prior.copy()
        prior[positive] = now.prior
        prior[prior < 1e-9] = 0.0
        prior /= prior.sum()
        best = Capacity(now.value, now.ceiling, tuple(prior.tolist()), steps)
    return best


def _best_channel(prior: Floats, epsilon: float) -> Floats:
    """The epsilon-LDP channel with the most information at a prior, by a linear programme over the sets.

    Weights w >= 0 of the columns ``e^epsilon`` on T, 1 elsewhere, with every row adding up to one. Simplex steps from
    randomized response: ten values take 1.4 ms, and 9 ms with SciPy's HiGHS, whose tolerance of 1e-7 loses up to
    2e-4 of the information at epsilon 0.01.
    """
    k = len(prior)
    sets = (np.arange(1, 1 << k)[:, None] >> np.arange(k)) & 1
    columns = np.exp(epsilon * (sets.T - 1.0))
    mean = prior @ columns
    worth = (prior[:, None] * columns * np.log(columns / mean)).sum(axis=0)
    basis = [(1 << x) - 1 for x in range(k)]  # randomized response
    for _ in range(50 * k * k):
        inside = columns[:, basis]
        weights = np.linalg.solve(inside, np.ones(k))
        gains = worth - np.linalg.solve(inside.T, worth[basis]) @ columns
        enters = int(gains.argmax())
        if gains[enters] <= 1e-12:
            break
        slope = np.linalg.solve(inside, columns[:, enters])
        steps = np.where(slope > 1e-12, weights / np.where(slope > 1e-12, slope, 1.0), np.inf)
        basis[int(steps.argmin())] = enters
    channel: Floats = columns[:, basis] * np.maximum(weights, 0.0)
    channel /= channel.sum(axis=1, keepdims=True)
    return channel
