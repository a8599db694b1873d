"""The most likely table of two answers: never below 0, and adding up to 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput
from ..survey.survey import Survey
from .paired_answers import MAX_TERMS

Array = NDArray[np.float64]

MAX_STEPS = 3_000
"""The most steps of the iteration."""
GAIN = 1e-6
"""Nats per cell: an accelerated step that gains less is the last."""


def likely_table(first: Survey, second: Survey, weights: Array) -> Array:
    """The table p that makes the reports most likely, by ``p <- p * sum_i w_i Q1(y1_i | x) Q2(y2_i | z) / P_i``.

    P_i is the probability of both reports of person i under p, and w the weights, which add up to 1 (Dempster1977).
    Pairs of reports that are alike are taken together. Every two steps are extrapolated (Varadhan2008), unless that
    lowers the likelihood.
    """
    model = _Pairs(first, second, weights)
    p = np.full(model.shape, 1 / (model.shape[0] * model.shape[1]))
    value, reach = -np.inf, 4.0
    for _ in range(MAX_STEPS // 3):
        one, _ = model.step(p)
        two, _ = model.step(one)
        away, bend = one - p, two - 2 * one + p
        short = float(np.linalg.norm(bend))
        wanted = float(np.clip(np.linalg.norm(away) / short, 1.0, reach)) if short > 0 else 1.0
        far = np.maximum(p + 2 * wanted * away + wanted**2 * bend, two * 1e-3)
        found, new = model.step(far / far.sum())
        near, kept = model.step(two)
        if new > kept:
            reach = 4 * reach if wanted == reach else reach
            p = found
        else:
            reach, p, new = wanted / 2 + 1, near, kept
        if (new - value) * first.n < GAIN * p.size:
            break
        value = new
    return p


class _Pairs:
    """Different pairs of reports, with the weight of each and how likely each is under every value."""

    def __init__(self, first: Survey, second: Survey, weights: Array) -> None:
        (one, places), (two, others) = _columns(first), _columns(second)
        together, numbers = np.unique(np.stack([places, others]), axis=1, return_inverse=True)
        self.held = np.bincount(numbers.reshape(-1), weights)
        self.shape = one.shape[1], two.shape[1]
        _check(len(self.held) * sum(self.shape))
        self.one, self.two = one[together[0]], two[together[1]]

    def step(self, p: Array) -> tuple[Array, float]:
        """The next table, and the log-likelihood of this one, a person."""
        chance = np.maximum(np.einsum("ij,ij->i", self.one @ p, self.two), 1e-300)
        found = p * (self.one.T @ (self.two * (self.held / chance)[:, None]))
        return found / found.sum(), float(self.held @ np.log(chance))


def _columns(survey: Survey) -> tuple[Array, NDArray[np.int64]]:
    """How likely every different report is under every value, up to a factor a report, and the number of each's."""
    tables, places, start = [], [], 0
    for wave in survey.waves:
        distinct, found = np.unique(wave.reports, axis=0, return_inverse=True)
        _check(len(distinct) * len(survey.values))
        columns = wave.mechanism.columns(distinct)
        tables.append(columns / columns.max(axis=1, keepdims=True))
        places.append(found.reshape(-1) + start)
        start += len(distinct)
    return np.concatenate(tables), np.concatenate(places)


def _check(numbers: int) -> None:
    if numbers > MAX_TERMS:
        raise InvalidInput(
            f"{numbers} probabilities of reports are beyond the {MAX_TERMS} that can be held for the most likely table"
        )
