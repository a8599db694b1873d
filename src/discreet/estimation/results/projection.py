"""Shares that form a distribution: projections of the unbiased estimate, each biased and labelled so.

Shares that form a distribution: biased, with intervals guaranteed by the unbiased shares.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput, Unavailable, check_type
from ..simplex import project_blocks
from ..tally import Tally
from .intervals import stretched
from .shares import Query, Shares, tally_of
from .unbiased import Estimate, estimate
from .unbiased import estimate as unbiased_shares

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


NO_STDERR = "a projection is biased near zero and has no standard error: use dc.estimate(tally).{} or interval"


@dataclass(frozen=True, eq=False, repr=False)
class Projected(Distribution):
    """Non-negative shares that add up to one, made from the unbiased ones by a biased step.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="1/2"))
    >>> tally = mechanism.tally(mechanism.randomize_many(["bus", "car", "car"] * 100, dc.random.seeded(1)))
    >>> projected = dc.project(tally, onto="simplex")
    >>> projected.biased, bool(projected.shares.min() >= 0), round(float(projected.shares.sum()), 9)
    (True, True, 1.0)
    """

    @property
    def stderr(self) -> Array:
        """Not available: a projection is biased near zero, so its spread would not show how far off it is."""
        raise Unavailable(NO_STDERR.format("stderr"))

    def _query_stderr(self, query: Query) -> float:
        raise Unavailable(NO_STDERR.format("query(weights).stderr"))


def project(estimate: Tally | Shares, *, onto: Literal["blocks", "simplex", "clip"] = "blocks") -> Projected:
    """The nearest distribution to the unbiased shares of a tally or result; it is biased, most of all near zero.

    "simplex": Euclidean projection onto all distributions, ``max(p_x - t, 0)`` with t such that they
    add up to one. "blocks": the same inside every block, onto the block's total, which the reports
    give exactly (one block for other contexts). "clip": negative shares set to 0, then rescaled.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="1/2"))
    >>> tally = mechanism.tally(mechanism.randomize_many(["bus", "car", "car"] * 100, dc.random.seeded(1)))
    >>> dc.estimate(tally).shares.round(2).tolist()
    [0.16, 0.99, -0.15]
    >>> dc.project(tally).shares.round(2).tolist()
    [0.09, 0.91, 0.0]

    References: Duchi2008; Acharya2020 (Section 7 uses the simplex).
    """
    tally = tally_of("estimate", estimate)
    if not tally.n:
        raise InvalidInput("n=0 reports give nothing to project")
    shares = _projected(unbiased_shares(estimate), onto)
    return Projected(tally, shares, f"projection ({onto}), biased")


def _projected(unbiased: Estimate, onto: str) -> Array:
    check_type("onto", onto, str, "text")
    if onto == "clip":
        return _clipped(unbiased.shares)
    if onto == "simplex":
        return project_blocks(unbiased.shares, np.zeros(len(unbiased.shares), dtype=np.int64), np.ones(1))
    if onto == "blocks":
        return unbiased.plug_in
    raise InvalidInput(f"onto={onto!r} must be blocks, simplex or clip")


def _clipped(shares: Array) -> Array:
    """Negative shares set to 0 and the rest rescaled; all equal if none is positive."""
    clipped = np.clip(shares, 0, None)
    return clipped / clipped.sum() if clipped.sum() > 0 else np.full(len(clipped), 1 / len(clipped))
