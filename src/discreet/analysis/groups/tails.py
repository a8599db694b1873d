"""What statistics are held against: Student's t, with infinitely many degrees of freedom the normal law."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...estimation.results.intervals import quantile
from ...estimation.student import student_reach, student_tails

Array = NDArray[np.float64]


def two_sided(t: Any, freedom: Any = np.inf) -> Any:
    """Two-sided p-values of statistics on so many degrees of freedom each; nan where there is none."""
    both = np.broadcast_arrays(t, freedom)
    found = [student_tails(*one) for one in zip(*(np.ravel(side).tolist() for side in both), strict=True)]
    return np.array(found).reshape(np.shape(both[0]))


def quantiles(confidence: float, freedom: Any = np.inf) -> Any:
    """The t with ``Pr(|T| <= t) = confidence`` for so many degrees of freedom each."""
    normal, tails = quantile(confidence), float(1 - confidence)
    different, places = np.unique(np.asarray(freedom, dtype=float), return_inverse=True)
    found = [normal if np.isinf(one) else student_reach(tails, one) for one in different.tolist()]
    return np.array(found)[places].reshape(np.shape(freedom))
