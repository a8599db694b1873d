"""The shares at which a channel with a fixed estimator has its largest error."""

from __future__ import annotations

import numpy as np

from ...estimation.simplex import peak_of_squares, peak_on_simplex
from .cone import Array


def worst_shares(moments: Array, rows: Array) -> tuple[Array, float]:
    """The distribution p with the largest ``moments . p - |rows p|^2``, and that value.

    Where the queries are the shares themselves it is the projection of half the moments onto the simplex, exactly.
    """
    size = len(moments)
    if not np.array_equal(rows, np.eye(size)):
        return peak_on_simplex(moments, rows)
    return peak_of_squares(moments)
