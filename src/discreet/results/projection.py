"""Shares that are a distribution: projections of the unbiased estimate, each biased and said to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..statistics.simplex import project_blocks
from .unbiased import Estimate

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
        shares = project_blocks(estimate.shares, np.zeros(len(estimate.shares), dtype=np.int64), np.ones(1))
    elif onto == "blocks":
        shares = project_blocks(estimate.shares, *estimate.blocks)
    else:
        raise InvalidInput(f"onto={onto!r} must be blocks, simplex or clip")
    return Projected(shares, estimate, f"projection ({onto}), biased")
