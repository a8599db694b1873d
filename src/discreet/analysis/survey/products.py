"""Products of long thin matrices, in pieces so small that no other thread is woken for them.

Linear algebra libraries share out larger products among threads. For long thin matrices that brings little, and where
the cores are busy with other work it costs far more than it brings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

VECTOR = 8000
"""The entries of a matrix that is multiplied with a vector by one thread."""
MATRIX = 1 << 18
"""The multiplications in a product of two matrices that one thread makes."""
FEWEST = 128
"""Fewer rows at a time would cost more than other threads."""


def rows_at_a_time(columns: int, terms: int = 1) -> int:
    """How many rows of so many columns, each turned into so many terms, are taken at a time."""
    return max(FEWEST, min(VECTOR // columns, MATRIX // (columns * terms)))


def squared(terms: Array) -> Array:
    """``terms' terms``."""
    n, width = terms.shape
    rows = MATRIX // (width * width)
    if rows < 16 or n <= rows:
        return np.asarray(terms.T @ terms)
    whole = n // rows * rows
    pieces = terms[:whole].reshape(-1, rows, width)
    return np.asarray(np.matmul(pieces.transpose(0, 2, 1), pieces).sum(axis=0) + terms[whole:].T @ terms[whole:])
