"""The most likely table of two answers: never below 0, and adding up to 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from .paired_answers import MOST_TERMS, TERMS
from .survey import Survey

Array = NDArray[np.float64]

STEPS = 20_000
"""The most steps of the iteration."""
SETTLED = 1e-9
"""The total change of a step that ends it."""


def likely_table(first: Survey, second: Survey, weights: Array) -> Array:
    """The table p that makes the reports most likely, by ``p <- p * sum_i w_i Q1(y1_i | x) Q2(y2_i | z) / P_i``.

    P_i is the probability of both reports of person i under p, and w the weights, which add up to 1 (Dempster1977).
    Pairs of reports that are alike are taken together.
    """
    sides = [_columns(survey) for survey in (first, second)]
    shape = sides[0][0].shape[1], sides[1][0].shape[1]
    together, numbers = np.unique(np.stack([sides[0][1], sides[1][1]]), axis=1, return_inverse=True)
    held = np.bincount(numbers.reshape(-1), weights)
    one, two = sides[0][0][together[0]], sides[1][0][together[1]]
    p = np.full(shape, 1 / (shape[0] * shape[1]))
    step = max(1, TERMS // max(shape))
    for _ in range(STEPS):
        found = np.zeros(shape)
        for begin in range(0, len(held), step):
            rows = slice(begin, begin + step)
            chance = np.einsum("ij,ij->i", one[rows] @ p, two[rows])
            found += one[rows].T @ (two[rows] * (held[rows] / chance)[:, None])
        found *= p
        found /= found.sum()
        moved = float(np.abs(found - p).sum())
        p = found
        if moved < SETTLED:
            break
    return p


def _columns(survey: Survey) -> tuple[Array, NDArray[np.int64]]:
    """How likely every different report is under every value, up to a factor a report, and the number of each's."""
    tables, places, start = [], [], 0
    for wave in survey.waves:
        distinct, found = np.unique(wave.reports, axis=0, return_inverse=True)
        if len(distinct) * len(survey.values) > MOST_TERMS:
            raise InvalidInput(f"{len(distinct)} different reports are too many for the most likely table")
        columns = wave.mechanism.columns(distinct)
        tables.append(columns / columns.max(axis=1, keepdims=True))
        places.append(found.reshape(-1) + start)
        start += len(distinct)
    return np.concatenate(tables), np.concatenate(places)
