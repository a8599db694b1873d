"""Differences between the shares of two labels: a z-test for each value, corrected for their number by Holm's rule."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..domain import plain_value
from ..results.unbiased import estimate
from ..tally import Tally

Array = NDArray[np.float64]

MOST_TESTS = 1_000_000
"""The most tests that one question may ask for."""


def differences(groups: Mapping[str, Tally]) -> list[dict[str, Any]]:
    """For every two groups: how far their shares differ, the standard error, and p-values, as they are and corrected.

    If the share of a value is the same in both, ``d / sqrt(v (1/n + 1/m))`` is nearly normal, where v is the variance
    of one report's estimate at the shares of both groups together. `adjusted` holds for all tests at once: to call
    everything below 0.05 different is wrong about anything with probability of at most 0.05.
    """
    pairs = list(combinations(groups.items(), 2))
    tested = [(a, b, *_test(first, second)) for (a, first), (b, second) in pairs]
    adjusted = holm(np.concatenate([p for *_, p in tested])) if tested else np.zeros(0)
    rows = []
    for number, (a, b, gap, error, p) in enumerate(tested):
        values = [plain_value(value) for value in groups[a].mechanism.context.values]
        corrected = adjusted[number * len(p) : (number + 1) * len(p)]
        rows.append(
            {
                "first": a or None,
                "second": b or None,
                "values": values,
                "difference": gap.tolist(),
                "stderr": error.tolist(),
                "p": p.tolist(),
                "adjusted": corrected.tolist(),
            }
        )
    return rows


def _test(first: Tally, second: Tally) -> tuple[Array, Array, Array]:
    gap = estimate(first).shares - estimate(second).shares
    both = estimate(first + second)
    error = both.stderr * math.sqrt(both.n) * math.sqrt(1 / first.n + 1 / second.n)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(error > 0, np.abs(gap) / error, np.where(np.abs(gap) > 0, np.inf, 0.0))
    return gap, error, np.array([math.erfc(one / math.sqrt(2)) for one in z.tolist()])


def holm(p: Array) -> Array:
    """P-values that hold for all tests at once: the i-th smallest times ``m - i``, never falling (Holm1979)."""
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
