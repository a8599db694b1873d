"""Every way to share n draws out among a few kinds: what they add up to, and how likely each is."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .contour import ULP, Reals

LISTED = 1 << 17
"""The most ways that are listed."""


class Ways(NamedTuple):
    """Sums of n draws, the logarithm of the probability of each, and the relative error that a probability may have."""

    sums: Reals
    logs: Reals
    doubt: float


def ways(masses: Reals, steps: Reals, n: int) -> Ways | None:
    """The sums of n draws of `steps` with probabilities `masses`, which may fall short of one, the rest adding nothing.

    None where there are more than `LISTED` ways. Masses that add up to one, or more, leave nothing over.
    """
    missed = 1 - math.fsum(masses)
    kinds, count = len(masses) - (missed <= 4 * ULP), 1
    for i in range(1, kinds + 1):
        count = count * (n + i) // i
        if count > LISTED:
            return None
    if missed > 4 * ULP:
        masses, steps = np.append(masses, missed), np.append(steps, 0.0)
    factorials = _log_factorials(n)
    logs = np.log(masses)
    sums, chances, left = np.zeros(1), np.full(1, factorials[n]), np.array([n])
    for step, log in zip(steps[:-1], logs[:-1], strict=True):
        counts = np.concatenate([np.arange(most + 1) for most in left])
        often = left + 1
        sums = np.repeat(sums, often) + counts * step
        chances = np.repeat(chances, often) + counts * log - factorials[counts]
        left = np.repeat(left, often) - counts
    sums, chances = sums + left * steps[-1], chances + left * logs[-1] - factorials[left]
    unsure = 1 / missed if missed > 4 * ULP else 1.0
    doubt = 8 * ULP * (n * (float(np.abs(logs).max()) + 4 + unsure) + 4 * float(factorials[n]) + 64)
    return Ways(np.asarray(sums), np.asarray(chances), doubt)


@lru_cache(maxsize=8)
def _log_factorials(n: int) -> Reals:
    return np.array([math.lgamma(i + 1) for i in range(n + 1)])
