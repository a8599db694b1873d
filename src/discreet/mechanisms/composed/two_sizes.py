"""Two subset sizes mixed for a high-low context: the best ones for given shares, and for the worst ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from .high_low import best_subset_size, subset_levels


def least_between(value: Callable[[float], float], low: float, high: float, *, steps: int) -> float:
    """The place between `low` and `high` where `value` is least, for a function that falls and then rises.

    Each step leaves out a third of the interval, so the place is known to ``(2/3)**steps`` of it.
    """
    for _ in range(steps):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if value(left) < value(right):
            high = right
        else:
            low = left
    return (low + high) / 2


REACH = 3
"""How far from the best single size the two are sought."""

STEPS = 60
"""Halvings of an interval of shares."""


class TwoSizes(NamedTuple):
    """Subset sizes, the share of the first, n times the squared error of both together and of the best single size."""

    first: int
    second: int
    share: float
    error: float
    single: float


class SizeTerms(NamedTuple):
    """What reports of one size tell: among the sensitive values, of the others together, and of each of the others."""

    inside: float
    total: float
    passed: float


def terms_of(size: int, d: int, epsilon: float, mass: float) -> SizeTerms:
    """The terms of subsets of d of `size` sensitive values of total share `mass`.

    ``1/V, sigma/(1 - (1-m) sigma), sigma`` with ``V = (1 - (1-m) sigma) d (s-d) / (s (s-1) (p-q)**2)``.
    """
    p, q, _, sigma = subset_levels(size, d, epsilon)
    hidden = 1 - (1 - mass) * sigma
    return SizeTerms(size * (size - 1) * (p - q) ** 2 / (hidden * d * (size - d)), sigma / hidden, sigma)


def mixed_error(known: SizeTerms, size: int, mass: float, spread: float) -> float:
    """n times the expected squared error of all shares for the mean of the terms of a mixture over its odds.

    ``(s-1)/sum(pi/V) + (1/s + r)(1-m)/sum(pi t) + (1-r)(1-m)/sum(pi sigma)``, where r is `spread`, the sum of the
    squared shares of the others among themselves, and the sensitive values are equally likely.
    """
    return sum(part / one for part, one in zip(_parts(size, mass, spread), known, strict=True))


def _parts(size: int, mass: float, spread: float) -> SizeTerms:
    return SizeTerms(size - 1, (1 / size + spread) * (1 - mass), (1 - spread) * (1 - mass))


def _mean(first: SizeTerms, second: SizeTerms, share: float) -> SizeTerms:
    return SizeTerms(*(share * one + (1 - share) * two for one, two in zip(first, second, strict=True)))


@lru_cache(maxsize=1024)
def best_two_sizes(size: int, epsilon: float, mass: float, spread: float) -> TwoSizes:
    """The two subset sizes, next to each other, that leave the least error together; one has share 1 if it is best.

    The error is convex in the share of the first, so its slope is zero once at most.
    """
    middle = best_subset_size(size, epsilon, mass)
    near = range(max(1, middle - REACH), min(size - 1, middle + REACH) + 1)
    known = {d: terms_of(size, d, epsilon, mass) for d in near}
    parts = _parts(size, mass, spread)
    single = mixed_error(known[middle], size, mass, spread)
    best = TwoSizes(middle, middle, 1.0, single, single)
    for d in near[:-1]:
        share = _flat(parts, known[d], known[d + 1])
        error = mixed_error(_mean(known[d], known[d + 1], share), size, mass, spread)
        if error < best.error:
            best = TwoSizes(d, d + 1, share, error, single)
    return best


def _flat(parts: SizeTerms, first: SizeTerms, second: SizeTerms) -> float:
    """The share of the first at which the slope of the error is zero, or the end where it is least."""
    for end, sign in ((0.0, 1), (1.0, -1)):
        if sign * _slope(parts, first, second, end) >= 0:
            return end
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        share = (low + high) / 2
        if _slope(parts, first, second, share) < 0:
            low = share
        else:
            high = share
    return (low + high) / 2


def _slope(parts: SizeTerms, first: SizeTerms, second: SizeTerms, share: float) -> float:
    mean = _mean(first, second, share)
    return sum(part * (b - a) / one**2 for part, a, b, one in zip(parts, first, second, mean, strict=True))


@lru_cache(maxsize=1024)
def least_favourable_mass(size: int, others: int, epsilon: float) -> float:
    """The share of `size` sensitive values, beside `others` that are equally likely, with the most error at best.

    No unbiased estimate from any mixture of subset sizes has less error in the worst case than the best one for this
    share, which has no more error at any other shares.

    References: Yoon2025.
    """

    def least(mass: float) -> float:
        return -best_two_sizes(size, epsilon, mass, 1 / others).error

    return least_between(least, 0.0, 1.0, steps=STEPS)


def least_favourable(size: int, sensitive: Sequence[int], epsilon: float) -> list[float]:
    """The shares of all `size` values at which a high-low context leaves the most error at best."""
    others = size - len(sensitive)
    mass = least_favourable_mass(len(sensitive), others, epsilon) if len(sensitive) > 1 else 1 / size
    shares = [(1 - mass) / others] * size
    for x in sensitive:
        shares[x] = mass / len(sensitive)
    return shares
