"""What statistics are held against: Student's t, with infinitely many degrees of freedom the normal law."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...estimation.results.intervals import quantile
from ...estimation.tails import t_quantile, t_tails

Array = NDArray[np.float64]


def two_sided(t: Any, freedom: Any = np.inf) -> Any:
    """Two-sided p-values of statistics on so many degrees of freedom each; nan where there is none."""
    return t_tails(t, freedom)


def quantiles(confidence: float, freedom: Any = np.inf) -> Any:
    """The t with ``Pr(|T| <= t) = confidence`` for so many degrees of freedom each."""
    normal, tails = quantile(confidence), float(1 - confidence)
    finite = np.isfinite(freedom)
    return np.where(finite, t_quantile(tails, np.where(finite, freedom, 1.0)), normal)
