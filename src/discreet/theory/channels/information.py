"""How much a report reveals about the value, in nats: mutual information, its optimum, and capacity.

References: Wang2016 (Theorem 2.1, (8)), Blahut1972, Arimoto1972.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.errors import InvalidInput
from .finite import (
    Channel,
    Floats,
    Number,
    Vector,
    at_least,
    channel,
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
    rows, p = floats(channel(Q)), floats(distribution("prior", prior))
    if len(p) != len(rows):
        raise InvalidInput(f"prior has {len(p)} entries and Q {len(rows)} rows; they must be equally many")
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

    I_m rises to ``beta = (epsilon e - e + 1) k / (e-1)^2`` and falls after it, so k* is beta rounded down
    or up.

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
    if not sizes or len(sizes) != len(epsilons):
        raise InvalidInput(f"{len(sizes)} sizes and {len(epsilons)} epsilons must be equally many, and at least one")
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
    done = 0
    while True:
        gains = _divergences(rows, p)
        value, ceiling = float(p @ gains), float(gains.max())
        if ceiling - value <= tolerance or done >= iterations:
            return Capacity(max(value, 0.0), max(ceiling, 0.0), tuple(p.tolist()), done)
        p = p * np.exp(gains - ceiling)
        p = p / p.sum()
        done += 1
