"""Shares shrunk by empirical Bayes: less error than projection on real data, no guaranteed interval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..statistics.numeric import NUMERIC
from ..tally import Tally
from .shrinkage import ShrinkResult, shrink_counts
from .unbiased import Estimate

Array = NDArray[np.float64]

ROUNDING = 1e-12
"""A share of people below this is left over by rounding."""


@dataclass(frozen=True, eq=False)
class Shrunk:
    """Non-negative shares that keep the exact block totals; each pulled towards what its block looks like."""

    tally: Tally
    result: ShrinkResult
    method: str

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.tally.n

    @property
    def values(self) -> Any:
        """The values that the shares belong to, in order."""
        return self.tally.mechanism.context.values

    @cached_property
    def shares(self) -> Array:
        """The shrunken shares; they add up to one."""
        return np.asarray(self.result.counts / self.result.counts.sum())

    def interval(self, confidence: float = 0.95) -> tuple[Array, Array]:
        """Posterior intervals: right on average over values like these, not guaranteed for any one."""
        low, high = self.result.interval(confidence)
        return low / self.n, high / self.n


def shrink(
    tally: Tally,
    *,
    rule: Literal["mean", "tv"] = "mean",
    coordinates: Any = None,
) -> Shrunk:
    """Empirical-Bayes shares: a prior for the shares of a block is learnt from the reports themselves.

    Each unbiased count is normal around the true one with its known variance; the true ones follow a
    mixture of gamma distributions whose weights are fitted by EM; "mean" gives posterior means,
    "tv" the posterior quantile that minimises the expected total variation (it may raise the squared
    error). With `coordinates` (grid row and column of each value) neighbours inform each other.

    It helps when shares are skewed or many are near zero, the usual case. It hurts when they stand
    on two separate levels, such as half of them at zero, and is level with projection when there is little noise.
    Its intervals hold on average over values, not for heavy values that the data cannot see: for a
    guaranteed one use `discreet.estimate(tally).interval`.

    References: Efron2010.
    """
    if not tally.n:
        raise InvalidInput("n=0 reports give nothing to shrink")
    unbiased = Estimate(tally)
    randomizer = tally.mechanism.randomizer
    block_of, totals = _blocks(tally, unbiased)
    shares = unbiased.plausible
    slopes = np.asarray(randomizer.slopes(shares, NUMERIC))
    constant = np.maximum(np.asarray(randomizer.second_moments(shares, NUMERIC)) - slopes * shares, 0.0)
    mass = np.maximum(totals[block_of], 1.0) / tally.n
    result = shrink_counts(
        unbiased.shares * tally.n,
        block_of,
        totals,
        constant / mass,
        slopes - 1,
        rule=rule,
        coordinates=None if coordinates is None else np.asarray(coordinates),
    )
    where = "" if coordinates is None else ", spatial"
    return Shrunk(tally, result, f"empirical Bayes ({rule}{where}), biased, intervals not guaranteed")


def _blocks(tally: Tally, unbiased: Estimate) -> tuple[NDArray[np.int64], Array]:
    """The block of each value and the total of each block; a value that may pass as it is is a block of its own.

    What the values that pass leave of a block's total belongs to the others of the block.
    """
    block_of, shares = unbiased.blocks
    block_of, totals = block_of.copy(), shares * tally.n
    passed = np.array(tally.mechanism.randomizer.passed, dtype=np.int64)
    if not len(passed):
        return block_of, totals
    of, seen = block_of[passed], np.clip(unbiased.shares[passed] * tally.n, 0.0, None)
    most = np.bincount(of, seen, len(totals))
    seen *= np.minimum(1.0, totals / np.maximum(most, 1.0))[of]
    hidden = totals - np.bincount(of, seen, len(totals))
    hidden[hidden <= ROUNDING * tally.n] = 0.0
    block_of[passed] = len(totals) + np.arange(len(passed))
    return _without_empty(block_of, np.concatenate([hidden, seen]))


def _without_empty(block_of: NDArray[np.int64], totals: Array) -> tuple[NDArray[np.int64], Array]:
    """The same blocks numbered without gaps."""
    kept, numbers = np.unique(block_of, return_inverse=True)
    return numbers, totals[kept]
