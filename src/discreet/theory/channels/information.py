"""How much a report reveals about the value, in nats: mutual information, its optimum, capacity and ceiling.

A column of an optimal channel is e^epsilon on a set T of values and 1 elsewhere, up to scale. At a prior that gives T
the mass P it adds information ``j(P) = P e epsilon / S - log S`` times its chance, ``S = P e + 1 - P``. The largest j
is ``J = log((e-1)/epsilon) + epsilon/(e-1) - 1``, at ``P = (epsilon e - e + 1)/(e-1)^2``, and depends on nothing but
epsilon: so J bounds the information at every prior over any number of values, not only at the uniform one.

References: Wang2016 (Theorem 2.1, Section 4, (8)), Blahut1972, Arimoto1972, McGregor2010, Kairouz2016.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from ...core.errors import InvalidInput
from .finite import (
    Channel,
    Floats,
    Number,
    Vector,
    at_least,
    channel,
    check_lengths,
    distribution,
    epsilon_value,
    floats,
)


def information(rows: Floats, prior: Floats) -> float:
    """I(X; Y) for checked arrays: ``sum_x p_x sum_y Q(y|x) log(Q(y|x) / (pQ)(y))``."""
    return max(float(prior @ _divergences(rows, prior)), 0.0)


def _divergences(rows: Floats, prior: Floats) -> Floats:
    """D(Q_x || pQ) for every row; infinite where the row has a report that pQ lacks."""
    mixed = prior @ rows
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = rows * np.log(rows / mixed)
    result: Floats = np.where(rows > 0, terms, 0.0).sum(axis=1)
    return result


def mutual_information(Q: Channel, prior: Vector) -> float:
    """I(X; Y) of a value X drawn from `prior` and its report Y through the channel Q."""
    rows, p = floats(channel(Q)), floats(distribution("prior", prior, of=Q))
    check_lengths(prior=p, Q=rows)
    positive = p > 0
    return information(rows[positive], p[positive])


def subset_information(k: int, size: int, *, epsilon: Number) -> float:
    """I_m, the information of the subset mechanism with subsets of m of k values at the uniform prior.

    ``(m e log(k e/S) + (k-m) log(k/S)) / S`` with ``e = e^epsilon`` and ``S = m e + k - m``; computed with
    e divided out.

    References: Wang2016 (Theorem 2.1; (4) and Appendix C misprint it).
    """
    if not 0 <= size <= k:
        raise InvalidInput(f"size={size} must lie between 0 and k={k}")
    value = epsilon_value("epsilon", epsilon)
    b, m = math.exp(-value), size
    total = m + (k - m) * b
    if m == 0 or m == k:
        return 0.0
    low = (k - m) * b * (math.log(k / total) - value) if b > 0 else 0.0
    return max((m * math.log(k / total) + low) / total, 0.0)


@dataclass(frozen=True)
class SubsetOptimum:
    """The most information of any epsilon-LDP mechanism at the uniform prior, and the subset size that gives it."""

    value: float
    size: int


def subset_optimum(k: int, *, epsilon: Number) -> SubsetOptimum:
    """The exact optimum over all epsilon-LDP mechanisms at the uniform prior, with its subset size k*.

    I_m rises to ``beta = (epsilon e - e + 1) k / (e-1)^2`` and falls after it, so k* is beta rounded down or up.

    References: Wang2016 (Theorem 2.1).
    """
    at_least("k", k, 2)
    value = epsilon_value("epsilon", epsilon)
    if value == 0:
        return SubsetOptimum(0.0, max(k // 2, 1))
    if value < 1e-4:
        beta = k * (0.5 - value / 6)  # the series; the closed form cancels
    else:
        b = math.exp(-value)
        beta = k * b * (value - 1 + b) / (1 - b) ** 2 if b > 0 else 0.0
    sizes = sorted({min(max(m, 1), k - 1) for m in (math.floor(beta), math.ceil(beta))})
    best = max(sizes, key=lambda m: subset_information(k, m, epsilon=value))
    return SubsetOptimum(subset_information(k, best, epsilon=value), best)


def unary_information(k: int, *, epsilon: Number) -> float:
    """The information of unary encoding, k bits each flipped under epsilon/2, at the uniform prior.

    ``sum_m C(k, m) e^(epsilon (k-m-1)/2) (m e^epsilon + k - m) / (k (e^(epsilon/2) + 1)^k) I_m``: the
    report has m bits set with that probability and is then a uniform-prior report of the subset mechanism.

    References: Wang2016 (8).
    """
    at_least("k", k, 1)
    value = epsilon_value("epsilon", epsilon)
    if math.isinf(value):
        return math.log(k)
    log_all = k * math.log1p(math.exp(-value / 2)) + k * value / 2 + math.log(k)
    total = 0.0
    for m in range(1, k):
        log_ways = math.lgamma(k + 1) - math.lgamma(m + 1) - math.lgamma(k - m + 1)
        log_mass = math.log(m + (k - m) * math.exp(-value)) + value * (k - m + 1) / 2
        total += math.exp(log_ways + log_mass - log_all) * subset_information(k, m, epsilon=value)
    return total


def blocks_information(sizes: Sequence[int], *, epsilons: Sequence[Number]) -> float:
    """The most information that any mechanism for a context of blocks has at the uniform prior.

    Columns split into columns on single blocks, so the best report names the block, worth the entropy of
    the block, and inside it is the best of `subset_optimum`.
    """
    check_lengths(sizes=sizes, epsilons=epsilons)
    k = sum(sizes)
    value = 0.0
    for size, epsilon in zip(sizes, epsilons, strict=True):
        at_least("size", size, 1)
        inside = subset_optimum(size, epsilon=epsilon).value if size > 1 else 0.0
        value += size / k * (math.log(k / size) + inside)
    return value


@dataclass(frozen=True)
class Capacity:
    """The largest information over all priors: at least `value`, reached at `prior`, and at most `ceiling`."""

    value: float
    ceiling: float
    prior: tuple[float, ...]
    iterations: int


def capacity(Q: Channel, *, tolerance: float = 1e-9, iterations: int = 100_000) -> Capacity:
    """The capacity of a channel by the Blahut-Arimoto iteration, with a certified gap.

    ``p_x <- p_x exp(D(Q_x || pQ)) / (...)``. At every p, I is a lower and ``max_x D(Q_x || pQ)`` an upper
    bound; it stops when they are within `tolerance` or after the given number of iterations, and reports both.

    References: Blahut1972, Arimoto1972.
    """
    rows = floats(channel(Q))
    p = np.full(len(rows), 1 / len(rows))
    for steps in count():
        gains = _divergences(rows, p)
        value, ceiling = float(p @ gains), float(gains.max())
        if ceiling - value <= tolerance or steps >= iterations:
            break
        p = p * np.exp(gains - ceiling)
        p = p / p.sum()
    return Capacity(max(value, 0.0), max(ceiling, 0.0), tuple(p.tolist()), steps)


MAX_VALUES = 10
"""The most values whose best prior is searched for, as all their subsets are tried."""


def information_ceiling(epsilon: Number) -> float:
    """J, an upper bound on the information of any epsilon-LDP report about a value, at any prior, in nats.

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
    starts = [
        np.where(np.arange(k) < used, ratio ** np.arange(k), 0.0)
        for used in range(2, k + 1)
        for ratio in (1.0, 0.8, 0.6)
    ]
    best = max((_climb(start / start.sum(), value) for start in starts), key=lambda climb: climb.value)
    return replace(best, ceiling=max(ceiling, best.value))


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
