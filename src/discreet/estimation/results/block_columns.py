"""The totals of blocks with their errors, as the columns of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.domain import plain_value
from ..tally import Tally
from .intervals import check_confidence, quantile
from .shares import finite
from .unbiased import estimate


def block_columns(tally: Tally, *, confidence: float = 0.95, simultaneous: bool = False) -> dict[str, Any] | None:
    """The share of every block with its stderr, low and high as JSON data; None if reports show no blocks.

    Every report shows its block, so a total is a plain frequency t of n, whatever the method for the shares: its
    standard error is ``sqrt(t (1-t) / n)`` and its interval Wilson's, for all blocks together if `simultaneous`.
    """
    check_confidence(confidence)
    named = estimate(tally).block_totals
    if len(named) < 2:
        return None
    shares, n = np.array(list(named.values())), tally.n
    z = quantile(confidence, among=len(named) if simultaneous else 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        c = np.float64(z * z) / n
        reach = np.sqrt(c * shares * (1 - shares) + c * c / 4)
        low, high = (shares + c / 2 - reach) / (1 + c), (shares + c / 2 + reach) / (1 + c)
        stderr = np.sqrt(shares * (1 - shares) / n)
    columns = {"shares": shares, "stderr": stderr, "low": np.maximum(low, 0.0), "high": np.minimum(high, 1.0)}
    return {"names": [plain_value(name) for name in named], **{key: finite(column) for key, column in columns.items()}}
