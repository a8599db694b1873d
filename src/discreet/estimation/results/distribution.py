"""Shares that form a distribution: biased, with intervals guaranteed by the unbiased shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .intervals import stretched
from .shares import Query, Shares
from .unbiased import Estimate, estimate

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Distribution(Shares):
    """Non-negative shares that add up to one, at the price of some bias.

    Their intervals are those of the unbiased shares of the same tally, cut to the range of a share and, where
    necessary, stretched to include the share given here: they cover the true share at least as often.
    """

    @cached_property
    def unbiased(self) -> Estimate:
        """The unbiased shares of the same tally, on which the intervals are based."""
        return estimate(self.tally)

    def interval(self, confidence: float = 0.95) -> tuple[Array, Array]:
        """The unbiased intervals, cut to 0..1 and stretched to include these shares; each covers at least as often."""
        return stretched(*self.unbiased.interval(confidence), around=self.shares, limits=(0.0, 1.0))

    def simultaneous_interval(self, confidence: float = 0.95) -> tuple[Array, Array]:
        """The same from the unbiased intervals that all hold together (Bonferroni over the values)."""
        return stretched(*self.unbiased.simultaneous_interval(confidence), around=self.shares, limits=(0.0, 1.0))

    def _query_interval(self, query: Query, confidence: float) -> tuple[float, float]:
        """The unbiased interval, cut to the range of a mean of the weights and stretched to include this one."""
        ends = self.unbiased.query(query.weights).interval(confidence)
        limits = float(query.weights.min()), float(query.weights.max())
        low, high = stretched(*ends, around=query.value, limits=limits)
        return float(low), float(high)
