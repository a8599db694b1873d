"""Shares that form a distribution, and the projections of the unbiased ones: biased, with guaranteed intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput, NotIdentifiable, Unavailable, check_type
from ..simplex import project_blocks
from ..tally import Tally
from .intervals import Level, move_inside
from .shares import Query, Shares, tally_of
from .unbiased import Estimate
from .unbiased import estimate as estimate_shares

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Distribution(Shares):
    """Non-negative shares that add up to one, at the price of some bias.

    Their intervals are those of the unbiased shares of the same tally, moved into the range of a share, cut to it and,
    where necessary, stretched to include the share given here: they cover the true share at least as often.
    """

    @cached_property
    def unbiased(self) -> Estimate:
        """The unbiased shares of the same tally, on which the intervals are based."""
        return estimate_shares(self.tally)

    def _interval(self, level: Level) -> tuple[Array, Array]:
        ends = self.unbiased._interval(level)
        return move_inside(*ends, value=self.unbiased.shares, around=self.shares, limits=(0.0, 1.0))

    def _together(self, confidence: float) -> Level:
        return self.unbiased._together(confidence)

    def _remarks(self) -> list[str]:
        kind = "intervals are those of the unbiased shares, moved into 0 to 1 and stretched to hold the share shown"
        try:
            return [kind, *self.unbiased._remarks()]
        except NotIdentifiable:
            return []  # there are no intervals, as the notes say

    def _query_interval(self, query: Query, level: Level) -> tuple[float, float]:
        """The unbiased interval, moved into the range of a mean of the weights and stretched to include this one."""
        unbiased = self.unbiased.query(query.weights)
        ends = self.unbiased._query_interval(unbiased, level)
        limits = float(query.weights.min()), float(query.weights.max())
        low, high = move_inside(*ends, value=unbiased.value, around=query.value, limits=limits)
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
    counted = tally_of("estimate", estimate)
    if not counted.n:
        raise InvalidInput("n=0 reports give nothing to project")
    check_type("onto", onto, str, "text")
    unbiased = estimate_shares(estimate)
    shares = unbiased.shares
    if onto == "clip":
        shares = _clip(shares)
    elif onto == "simplex":
        shares = project_blocks(shares, np.zeros(len(shares), dtype=np.int64), np.ones(1))
    elif onto == "blocks":
        shares = unbiased.plug_in
    else:
        raise InvalidInput(f"onto={onto!r} must be blocks, simplex or clip")
    return Projected(counted, shares, f"projection ({onto}), biased")


def _clip(shares: Array) -> Array:
    """Negative shares set to 0 and the rest rescaled; all equal if none is positive."""
    clipped = np.clip(shares, 0, None)
    return clipped / clipped.sum() if clipped.sum() > 0 else np.full(len(clipped), 1 / len(clipped))
