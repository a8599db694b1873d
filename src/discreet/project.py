"""Shares that are a distribution: projections of the unbiased estimate, each biased and said to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInput
from .estimate import Estimate
from .mechanisms.blocks import Blocks
from .numerics.numeric import NUMERIC

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Projected:
    """Non-negative shares that add up to one, made from an unbiased estimate by a biased step."""

    shares: Array
    source: Estimate
    method: str

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.source.n

    @property
    def values(self) -> Any:
        """The values that the shares belong to, in order."""
        return self.source.values


def project(estimate: Estimate, *, onto: Literal["blocks", "simplex", "clip"] = "blocks") -> Projected:
    """The nearest distribution to an unbiased estimate; it is biased, most of all near zero.

    "simplex": Euclidean projection onto all distributions, ``max(p_x - t, 0)`` with t such that they
    add up to one. "blocks": the same inside every block, onto the block's total, which the reports
    give exactly (one block for other contexts). "clip": negative shares set to 0, then rescaled.

    References: Duchi2008; Acharya2020 (Section 7 uses the simplex).
    """
    if not estimate.n:
        raise InvalidInput("n=0 reports give nothing to project")
    if onto == "clip":
        clipped = np.clip(estimate.shares, 0, None)
        shares = clipped / clipped.sum() if clipped.sum() > 0 else np.full(len(clipped), 1 / len(clipped))
    elif onto == "simplex":
        shares = onto_simplex(estimate.shares, 1.0)
    elif onto == "blocks":
        shares = _by_block(estimate)
    else:
        raise InvalidInput(f"onto={onto!r} must be blocks, simplex or clip")
    return Projected(shares, estimate, f"projection ({onto}), biased")


def _by_block(estimate: Estimate) -> Array:
    randomizer = estimate.tally.mechanism.randomizer
    if not isinstance(randomizer, Blocks):
        return onto_simplex(estimate.shares, 1.0)
    totals = randomizer.block_totals(estimate.tally.counts, NUMERIC) / estimate.n
    shares = np.zeros(len(estimate.shares))
    for _, blocks, _, values in randomizer._groups(NUMERIC):
        shares[values] = onto_simplex(estimate.shares[values], totals[blocks])
    return shares


def onto_simplex(shares: Array, total: float | Array) -> Array:
    """The nearest non-negative vector with the given total, over the last axis, in k log k time.

    ``max(p - t, 0)`` with t from the largest prefix of the sorted shares that stays positive.
    """
    ordered = -np.sort(-shares, axis=-1)
    rank = np.arange(1, shares.shape[-1] + 1)
    total = np.asarray(total, dtype=float)[..., None]
    threshold = (np.cumsum(ordered, axis=-1) - total) / rank
    last = np.maximum((ordered > threshold).sum(axis=-1, keepdims=True), 1) - 1
    t = np.take_along_axis(threshold, last, axis=-1)
    projected: Array = np.where(total > 0, np.maximum(shares - t, 0.0), 0.0)
    return projected
