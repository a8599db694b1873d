"""Shares shrunk by empirical Bayes: less error than projection on real data, with the unbiased guarantee."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput, Unavailable, check_type
from ...core.per_value import per_value
from ..tally import Tally
from .projection import Distribution
from .shares import Query, Shares, tally_of
from .shrinkage import ShrinkResult, shrink_counts
from .table import CONFIDENCE
from .unbiased import Estimate, estimate

Array = NDArray[np.float64]

ROUNDING = 1e-12
"""A smaller share of people is a leftover of rounding."""


@dataclass(frozen=True, eq=False, repr=False)
class Shrunk(Distribution):
    """Non-negative shares that keep the exact block totals; each is pulled towards what is typical of its block.

    Intervals are made from the unbiased ones, as for any other distribution, and cover at least as often; there is no
    standard error, because what is pulled is biased. The *posterior* has names of its own, `posterior_stderr` and
    `posterior_interval`: it is for the shares among the people who answered, under the prior learnt from them, which
    takes the noise of different values as independent. For a single value it promises nothing.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(range(20), epsilon="2"))
    >>> shrunk = dc.shrink(mechanism.tally(mechanism.randomize_many([0, 0, 0, 1] * 500, dc.random.seeded(1))))
    >>> shrunk.biased, round(float(shrunk.shares.sum()), 9), round(float(shrunk.posterior_stderr[0]), 3)
    (True, 1.0, 0.027)
    """

    result: ShrinkResult

    @property
    def stderr(self) -> Array:
        """Not available: shares that are pulled are biased, by more than their posterior deviation shows."""
        raise Unavailable(NO_STDERR.format("stderr"))

    def _query_stderr(self, query: Query) -> float:
        raise Unavailable(NO_STDERR.format("query(weights).stderr"))

    @cached_property
    def posterior_stderr(self) -> Array:
        """The posterior standard deviation of each share, or the unbiased standard error where nothing is learnt."""
        return np.where(self._learnt, self.result.deviations() / self.n, self.unbiased.stderr)

    @cached_property
    def _learnt(self) -> NDArray[np.bool_]:
        """False for values with nothing to be pulled towards: blocks of one value, and values that may pass."""
        return np.asarray(self.result.deviations() > 0)

    def posterior_interval(self, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
        """Credible intervals under the prior that was learnt: a description of the prior's view, with no coverage.

        Where half of the values are at zero they cover the true share in half of the cases, and of heavy values less;
        `interval` has a guarantee. They are stretched to include the share where it is not a posterior mean.
        """
        own, unbiased = self.result.interval(confidence), self.unbiased.interval(confidence)
        low, high = (np.where(self._learnt, end / self.n, other) for end, other in zip(own, unbiased, strict=True))
        return np.minimum(np.clip(low, 0.0, 1.0), self.shares), np.maximum(np.clip(high, 0.0, 1.0), self.shares)


NO_STDERR = (
    "shrunken shares are biased and have no standard error: use dc.estimate(tally).{}, interval, or posterior_stderr"
)


def shrink(
    tally: Tally | Shares,
    *,
    rule: Literal["mean", "tv"] = "mean",
    coordinates: Any = None,
) -> Shrunk:
    """Empirical-Bayes shares: a prior for the shares of a block is learnt from the reports themselves.

    Each unbiased count is normal around the true one with its known variance; the true ones follow a
    mixture of gamma distributions whose weights are fitted by EM; "mean" gives posterior means,
    "tv" the posterior quantile that minimises the expected total variation (it may raise the squared
    error). With `coordinates` (grid row and column of each value) neighbours inform each other.

    It helps when shares are skewed or many are near zero, the usual case. It hurts when they lie
    on two separate levels, such as half of them at zero, and is on a par with projection when there is little noise.
    Its intervals are made from the unbiased ones and keep their guarantee; `posterior_interval` has none.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(range(20), epsilon="2"))
    >>> tally = mechanism.tally(mechanism.randomize_many([0, 0, 0, 1] * 500, dc.random.seeded(1)))
    >>> dc.shrink(tally).shares[:4].round(2).tolist()
    [0.73, 0.25, 0.0, 0.0]

    References: Efron2010.
    """
    check_type("rule", rule, str, "text")
    counted = tally_of("tally", tally)
    if not counted.n:
        raise InvalidInput("n=0 reports give nothing to shrink")
    unbiased = estimate(tally)
    cells = per_value(unbiased.values, coordinates, name="coordinates", others=None)
    block_of, totals = _blocks(unbiased)
    constant, slopes = unbiased.moment_line
    mass = np.maximum(totals[block_of], 1.0) / counted.n
    result = shrink_counts(
        unbiased.shares * counted.n,
        block_of,
        totals,
        constant / mass,
        slopes - 1,
        rule=rule,
        coordinates=None if cells is None else np.asarray(cells),
    )
    where = "" if coordinates is None else ", spatial"
    method = f"empirical Bayes ({rule}{where}), biased"
    return Shrunk(counted, result.counts / result.counts.sum(), method, result)


def _blocks(unbiased: Estimate) -> tuple[NDArray[np.int64], Array]:
    """The block of each value and the total of each block; a value that may pass as it is gets a block of its own.

    The rest of a block's total, beyond the values that pass, belongs to the other values of the block.
    """
    n, (block_of, shares) = unbiased.n, unbiased.blocks
    block_of, totals = block_of.copy(), shares * n
    passed = np.array(unbiased.mechanism.sampler.disclosed, dtype=np.int64)
    if not len(passed):
        return block_of, totals
    of, seen = block_of[passed], np.clip(unbiased.shares[passed] * n, 0.0, None)
    most = np.bincount(of, seen, len(totals))
    seen *= np.minimum(1.0, totals / np.maximum(most, 1.0))[of]
    hidden = totals - np.bincount(of, seen, len(totals))
    hidden[hidden <= ROUNDING * n] = 0.0
    block_of[passed] = len(totals) + np.arange(len(passed))
    return _without_empty(block_of, np.concatenate([hidden, seen]))


def _without_empty(block_of: NDArray[np.int64], totals: Array) -> tuple[NDArray[np.int64], Array]:
    """The same blocks numbered without gaps."""
    blocks, numbers = np.unique(block_of, return_inverse=True)
    return numbers, totals[blocks]
