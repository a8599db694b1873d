"""The normal quantile at which several estimates hold together, from their correlation.

References: MontielOlea2019.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .intervals import quantile

Array = NDArray[np.float64]

DRAWS = 20_000
"""Draws from the normal distribution of all estimates."""
SEED = 1
MAX_TOGETHER = 1 << 17
"""The most scores, of queries times cells, whose correlation is used; with more, Bonferroni's level is as good."""
STEADY = 1e-12
"""A standard deviation below this is that of something known exactly."""


def sup_t(confidence: float, scores: Array, frequencies: Array) -> float:
    """The z with ``Pr(max |Z_j| <= z) = confidence`` for the queries with these scores, a row each, by cell.

    ``Z = D xi`` with ``D = sqrt(f_y) (s_jy - q_j) / sd_j`` and xi standard normal, by simulation with a fixed seed; not
    below that of one query alone, nor above Bonferroni's for all of them.
    """
    spread = np.sqrt(frequencies) * (scores - (scores @ frequencies)[:, None])
    deviations = np.sqrt((spread**2).sum(axis=1))
    spread = spread[deviations > STEADY] / deviations[deviations > STEADY, None]
    if not len(spread):
        return quantile(confidence)
    used = frequencies > 0
    rng, largest = np.random.default_rng(SEED), np.empty(DRAWS)
    step = max(1, (1 << 22) // len(frequencies))
    for begin in range(0, DRAWS, step):
        draws = rng.standard_normal((min(step, DRAWS - begin), len(frequencies)))[:, used]
        largest[begin : begin + len(draws)] = np.abs(draws @ spread[:, used].T).max(axis=1)
    alone, bonferroni = quantile(confidence), quantile(confidence, among=len(scores))
    return float(np.clip(np.quantile(largest, float(confidence)), alone, bonferroni))
