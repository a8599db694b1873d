"""From columns and weights to the rows of a table: few reports, each image of a column written out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .cone import Array
from .generation import ColumnSolution
from .interior import newton_weights, newton_work
from .master import ColumnProblem, improve_weights
from .symmetry import PermutationGroup

MIN_REPORTS_LEFT = 0.8
"""What a round of dropping leaves of the reports, at least."""

MAX_COLUMNS = 1500
"""Columns that are looked at, at most: the heaviest ones."""

MAX_NEWTON_WORK = 2e10
"""Multiplications that exact weights may take."""


def write_table(problem: ColumnProblem, solution: ColumnSolution, smaller: PermutationGroup, *, most: int) -> Array:
    """The channel with at most `most` reports, one row for every value.

    `smaller` is a subgroup of the problem's group: with fewer images of each column, fewer reports are needed. First
    columns are dropped at no cost, as long as others with other weights make the same M; then the lightest ones, in
    rounds, after each of which the weights of the rest are improved again.
    """
    weights = solution.state.weights
    used = np.argsort(-weights, kind="stable")[:MAX_COLUMNS]
    used = np.sort(used[weights[used] > 1e-9])
    columns, weights = _split(solution.columns[used], weights[used], problem.group, smaller)
    problem = replace(problem, group=smaller)
    images = np.array([len(smaller.images(column)) for column in columns], dtype=float)
    weights = _recombine(_features(columns, smaller), weights, images)
    while True:
        kept = weights > 1e-10
        columns, weights, images = columns[kept], weights[kept], images[kept]
        weights = _reweigh(problem, columns, weights)
        total = images.sum()
        if total <= most:
            return _expand(columns, weights, smaller)
        order = np.argsort(-weights, kind="stable")
        weights[order[np.cumsum(images[order]) > max(most, MIN_REPORTS_LEFT * total)]] = 0.0


def _split(columns: Array, weights: Array, group: PermutationGroup, smaller: PermutationGroup) -> tuple[Array, Array]:
    """The same channel as columns that stand for their images under a smaller group."""
    if smaller.order == group.order:
        return columns, weights
    representatives, shares = [], []
    for column, weight in zip(columns, weights, strict=True):
        images = group.images(column)
        left = {np.round(image / image.max(), 9).tobytes(): image for image in images}
        while left:
            _, image = next(iter(left.items()))
            own = [np.round(other / other.max(), 9).tobytes() for other in smaller.images(image)]
            representatives.append(image)
            shares.append(weight * len(own) / len(images))
            left = {key: other for key, other in left.items() if key not in set(own)}
    return np.array(representatives), np.array(shares)


def _features(columns: Array, group: PermutationGroup) -> Array:
    """What the channel depends on, for each column: the orbit means of r r^T; the sums of rows follow, as Mp = 1."""
    size = columns.shape[1]
    label = group.of_pair.reshape(size, size)
    both = np.unique(np.minimum(label, label.T), return_inverse=True)[1].reshape(-1)
    return np.array([np.bincount(both, weights=np.outer(r, r).ravel()) for r in columns]).T


def _recombine(features: Array, weights: Array, cost: Array) -> Array:
    """Weights with the same ``features @ weights``, most of them zero (Caratheodory), some columns at a time."""
    scale = np.abs(features).max(axis=1, keepdims=True)
    features = features / np.where(scale > 0, scale, 1.0)
    weights, kept = weights.copy(), np.zeros(0, dtype=np.int64)
    for begin in range(0, len(weights), len(features)):
        some = np.concatenate([kept, np.arange(begin, min(begin + len(features), len(weights)))])
        weights[some] = _eliminate(features[:, some], weights[some], cost[some])
        kept = some[weights[some] > 0]
    return weights


def _eliminate(features: Array, weights: Array, cost: Array) -> Array:
    """Weights with the same ``features @ weights``, positive for no more columns than these have dimensions.

    Along every vector that the features send to nothing, towards less cost where there is a choice, until one is zero.
    """
    _, singular, right = np.linalg.svd(features, full_matrices=True)
    rank = int((singular > 1e-11 * singular[0]).sum())
    weights, null = weights.copy(), right[rank:].copy()
    while len(null):
        way = null[0] if cost @ null[0] >= 0 else -null[0]
        if not (way > 1e-13).any():
            way = -way
        falling = np.flatnonzero(way > 1e-13)
        first = falling[np.argmin(weights[falling] / way[falling])]
        weights -= way * (weights[first] / way[first])
        weights = np.maximum(weights, 0.0)
        weights[first] = 0.0
        null = null[1:] - np.outer(null[1:, first] / way[first], way)
        lengths = np.sqrt((null**2).sum(axis=1, keepdims=True))
        null = null[lengths[:, 0] > 1e-9] / lengths[lengths[:, 0] > 1e-9]
    return weights


def _reweigh(problem: ColumnProblem, columns: Array, weights: Array) -> Array:
    state = improve_weights(problem, columns, weights, np.ones(len(problem.group.sizes)), rounds=8)
    if newton_work(len(columns), problem.group) <= MAX_NEWTON_WORK:
        state = newton_weights(problem, columns, state, gap=1e-8)
    return state.weights * state.rates


def _expand(columns: Array, weights: Array, group: PermutationGroup) -> Array:
    """Every image of every column as a column of the channel."""
    parts = []
    for column, weight in zip(columns, weights, strict=True):
        images = group.images(column)
        parts.append(images * (weight / len(images)))
    return np.concatenate(parts).T
