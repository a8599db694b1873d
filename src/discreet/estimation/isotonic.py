"""Isotonic regression: the nearest sequence that never falls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def isotonic(numbers: Any) -> NDArray[np.float64]:
    """The non-decreasing sequence of least squared distance: neighbours that fall are pooled into their mean.

    References: Barlow1972.
    """
    means: list[float] = []
    sizes: list[int] = []
    for number in np.asarray(numbers, dtype=float).tolist():
        mean, size = number, 1
        while means and means[-1] > mean:
            more = sizes.pop()
            mean, size = (means.pop() * more + mean * size) / (more + size), size + more
        means.append(mean)
        sizes.append(size)
    return np.repeat(means, sizes) if means else np.zeros(0)
