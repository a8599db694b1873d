"""From columns and weights to the rows of a table: few enough reports, each image of a column written out."""

from __future__ import annotations

import numpy as np

from .cone import Array
from .generation import Found
from .interior import newton_work, polished
from .master import Problem, State, settled
from .symmetry import Group

LEFT = 0.7
"""What a round of dropping leaves of the reports, at least."""

WORK = 2e10
"""Multiplications that exact weights may take."""


def written_out(problem: Problem, found: Found, *, most: int) -> Array:
    """The channel, a row for every value, with at most `most` reports: the lightest columns are dropped, in rounds.

    After every round the weights of the others are settled anew.
    """
    columns, state, group = found.columns, found.state, problem.group
    used = state.weights > 1e-9
    columns, weights = columns[used], state.weights[used]
    images = np.array([len(group.images(column)) for column in columns])
    multipliers = state.multipliers
    while True:
        total = int(images.sum())
        if total > most:
            order = np.argsort(-weights / images, kind="stable")
            fits = np.cumsum(images[order]) <= max(most, LEFT * total)
            kept = np.sort(order[fits])
            columns, weights, images = columns[kept], weights[kept], images[kept]
        state = _settled(problem, columns, weights, multipliers)
        weights, multipliers = state.weights, state.multipliers
        if total <= most:
            return _expanded(columns, weights, group)


def _settled(problem: Problem, columns: Array, weights: Array, multipliers: Array) -> State:
    state = settled(problem, columns, weights, multipliers, rounds=8)
    if newton_work(len(columns), problem.group) > WORK:
        return state
    state = polished(problem, columns, state, gap=1e-8)
    return settled(problem, columns, state.weights * state.rates, state.multipliers, rounds=0)


def _expanded(columns: Array, weights: Array, group: Group) -> Array:
    """Every image of every column as a column of the channel."""
    parts = []
    for column, weight in zip(columns, weights, strict=True):
        images = group.images(column)
        parts.append(images * (weight / len(images)))
    return np.concatenate(parts).T
