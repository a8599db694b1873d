"""From columns and weights to the rows of a table of few reports."""

from __future__ import annotations

import math
from dataclasses import replace
from time import monotonic

import numpy as np

from ..optimize.generation import ColumnSolution, affordable
from ..optimize.master import ColumnProblem, improve_weights, newton_weights, newton_work, next_weights
from ..optimize.symmetry import Array, PermutationGroup

MIN_REPORTS_LEFT = 0.8
"""What a round of dropping leaves of the reports, at least."""
MAX_COLUMNS = 1500
"""Columns that are looked at, at most: the heaviest ones."""
MIN_IMAGES_PER_VALUE = 8
"""However little time there is, so many images of columns are looked at for each value."""
IMAGE_WORK = 100
"""Multiplications in the time of which an entry of an image of a column is compared with others."""
MAX_NEWTON_WORK = 2e10
"""Multiplications of a step of the interior point, at most."""
MAX_ELIMINATION_WORK = 4e9
"""Multiplications that finding columns to drop at no cost may take, at most."""


def write_table(
    problem: ColumnProblem,
    solution: ColumnSolution,
    smaller: PermutationGroup,
    *,
    most: int,
    until: float = math.inf,
) -> Array:
    """The channel with at most `most` reports, one row for every value.

    `smaller` is a subgroup of the problem's group: with fewer images of each column, fewer reports are needed. First
    columns are dropped at no cost, as long as others with other weights make the same M; then the lightest ones, in
    rounds, after each of which the weights of the rest are improved again; all at once when the clock shows `until`.
    """
    weights, size = solution.state.weights, len(problem.prior)
    quick = int(affordable(MAX_ELIMINATION_WORK, until) / (IMAGE_WORK * problem.group.order * size))
    needed = MIN_IMAGES_PER_VALUE * size // problem.group.order + 2 * len(problem.group.sizes)
    used = np.argsort(-weights, kind="stable")[: min(MAX_COLUMNS, max(quick, needed))]
    used = np.sort(used[weights[used] > 1e-9])
    columns, weights = _split(solution.columns[used], weights[used], problem.group, smaller)
    problem = replace(problem, group=smaller)
    images = np.array([len(smaller.images(column)) for column in columns], dtype=float)
    orbits = int(smaller.of_unordered_pair.max()) + 1
    if elimination_work(len(columns), orbits) <= affordable(MAX_ELIMINATION_WORK, until):
        weights = _recombine(_features(columns, smaller), weights, images)
    while True:
        positive = weights > 1e-10
        columns, weights, images = columns[positive], weights[positive], images[positive]
        weights = _reweigh(problem, columns, weights, until)
        total = images.sum()
        if total <= most:  # every image of every column is a column of the channel
            parts = [smaller.images(column) for column in columns]
            return np.concatenate([part * (w / len(part)) for part, w in zip(parts, weights, strict=True)]).T
        order = np.argsort(-weights, kind="stable")
        left = most if monotonic() >= until else max(most, MIN_REPORTS_LEFT * total)
        weights[order[np.cumsum(images[order]) > left]] = 0.0


def elimination_work(columns: int, orbits: int) -> float:
    """The approximate number of multiplications that dropping columns at no cost takes."""
    return float(columns * orbits * min(columns, 2 * orbits))


def _split(columns: Array, weights: Array, group: PermutationGroup, smaller: PermutationGroup) -> tuple[Array, Array]:
    """Columns and weights of the same channel, where a column stands for its images under a smaller group."""
    if smaller.order == group.order:
        return columns, weights
    representatives, shares = [], []
    for column, weight in zip(columns, weights, strict=True):
        images = group.images(column)
        left = {np.round(image / image.max(), 9).tobytes(): image for image in images}
        while left:
            image = next(iter(left.values()))
            own = [np.round(other / other.max(), 9).tobytes() for other in smaller.images(image)]
            representatives.append(image)
            shares.append(weight * len(own) / len(images))
            left = {key: other for key, other in left.items() if key not in set(own)}
    return np.array(representatives), np.array(shares)


def _features(columns: Array, group: PermutationGroup) -> Array:
    """The orbit sums of r r^T for every column r, which decide the error and, as Mp = 1, the sums of rows."""
    return np.array([np.bincount(group.of_unordered_pair, weights=np.outer(r, r).ravel()) for r in columns]).T


def _recombine(features: Array, weights: Array, cost: Array) -> Array:
    """Weights with the same ``features @ weights``, most of them zero (Caratheodory), some columns at a time."""
    scale = np.abs(features).max(axis=1, keepdims=True)
    features = features / np.where(scale > 0, scale, 1.0)
    weights, positive = weights.copy(), np.zeros(0, dtype=np.int64)
    for begin in range(0, len(weights), len(features)):
        some = np.concatenate([positive, np.arange(begin, min(begin + len(features), len(weights)))])
        weights[some] = _eliminate(features[:, some], weights[some], cost[some])
        positive = some[weights[some] > 0]
    return weights


def _eliminate(features: Array, weights: Array, cost: Array) -> Array:
    """Weights with the same ``features @ weights``, positive for no more columns than these have dimensions.

    Along every vector that the features send to nothing, towards less cost where there is a choice, until one is zero.
    """
    if len(features) > len(weights):  # the same right singular vectors, in less room
        features = np.asarray(np.linalg.qr(features, mode="r"))
    _, singular, right = np.linalg.svd(features, full_matrices=True)
    rank = int((singular > 1e-11 * singular[0]).sum())
    weights, null = weights.copy(), right[rank:].copy()
    while len(null):
        way = null[0] if cost @ null[0] >= 0 else -null[0]
        if not (way > 1e-13).any():
            way = -way
        falling = np.flatnonzero(way > 1e-13)
        first = falling[np.argmin(weights[falling] / way[falling])]
        weights = np.maximum(weights - way * (weights[first] / way[first]), 0.0)
        weights[first] = 0.0
        null = null[1:] - np.outer(null[1:, first] / way[first], way)
        lengths = np.sqrt((null**2).sum(axis=1))
        null = null[lengths > 1e-9] / lengths[lengths > 1e-9, None]
    return weights


def _reweigh(problem: ColumnProblem, columns: Array, weights: Array, until: float) -> Array:
    state = improve_weights(problem, columns, weights, np.ones(len(problem.group.sizes)), rounds=8, until=until)
    if newton_work(len(columns), problem.group) <= affordable(MAX_NEWTON_WORK, until):
        state = newton_weights(problem, columns, state, gap=1e-8, until=until)
    stepped = next_weights(problem, columns @ problem.group.totals.T, state)
    return state.weights if stepped is None else stepped
