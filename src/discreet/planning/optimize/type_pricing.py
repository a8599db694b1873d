"""Types that would lower the error: the best of all where they can be listed, else the best found from many starts."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .type_options import TypeProblem

Array = NDArray[np.float64]
Types = NDArray[np.int64]

MAX_LISTED_TYPES = 1 << 21
"""The most types that are all compared."""

STARTS = 64
"""How many types a search among too many begins with."""

MAX_SWEEPS = 8
"""The most rounds over all classes in such a search."""

MIN_NEW_TYPES = 20
"""The fewest types that are taken up at a time, where so many would lower the error."""


class Prices(NamedTuple):
    """What a type with means m and informations i gains: m^T form m + i . inside - worth . m, at P . m = 1."""

    form: Array
    inside: Array
    worth: Array


def count_types(problem: TypeProblem) -> int:
    """How many types there are."""
    return math.prod(len(means) for means in problem.means)


def price_all_types(problem: TypeProblem, prices: Prices) -> tuple[Types, float]:
    """The types that gain most, and the largest gain of all types that fit the bits."""
    count = len(problem.means)

    def along(c: int, numbers: Array) -> Array:
        return numbers.reshape([-1 if axis == c else 1 for axis in range(count)])

    means = [along(c, of) for c, of in enumerate(problem.means)]
    mass = sum(problem.masses[c] * means[c] for c in range(count))
    gain = sum(
        along(c, prices.inside[c] * problem.known[c] + prices.form[c, c] * problem.means[c] ** 2) for c in range(count)
    )
    for c in range(count):
        beside = sum((2 * prices.form[c, d] * means[d] for d in range(c + 1, count)), np.zeros(1))
        gain = gain + means[c] * beside
    gain = gain / mass**2 - sum(prices.worth[c] * means[c] for c in range(count)) / mass
    if problem.bits is not None:
        gain[sum(along(c, of) for c, of in enumerate(problem.costs)) > problem.bits] = -np.inf
    flat = gain.ravel()
    most = max(MIN_NEW_TYPES, 2 * count)
    best = np.argpartition(-flat, min(most, len(flat) - 1))[:most]
    found = np.stack(np.unravel_index(best[flat[best] > 0], gain.shape), axis=1)
    return found, float(flat.max())


def search_types(problem: TypeProblem, prices: Prices, used: Types, rng: np.random.Generator) -> tuple[Types, float]:
    """Types that gain, by choosing the best option of one class after the other, from all starts at once."""
    types = _starts(problem, used, rng)
    count, every = types.shape[1], np.arange(len(types))
    means = np.stack([problem.means[c][types[:, c]] for c in range(count)], axis=1)
    known = np.stack([problem.known[c][types[:, c]] for c in range(count)], axis=1)
    costs = np.stack([problem.costs[c][types[:, c]] for c in range(count)], axis=1)
    for _ in range(MAX_SWEEPS):
        before = types.copy()
        pulled = means @ prices.form
        for c in rng.permutation(count):
            rise = problem.means[c] - means[:, c, None]
            square = (pulled * means).sum(axis=1)[:, None] + rise * (2 * pulled[:, c, None] + rise * prices.form[c, c])
            square += (known @ prices.inside)[:, None] + prices.inside[c] * (problem.known[c] - known[:, c, None])
            mass = (means @ problem.masses)[:, None] + rise * problem.masses[c]
            gain = square / mass**2 - ((means @ prices.worth)[:, None] + rise * prices.worth[c]) / mass
            if problem.bits is not None:
                others = (costs.sum(axis=1) - costs[:, c])[:, None]
                gain = np.where(others + problem.costs[c] <= problem.bits, gain, -np.inf)
            best = gain.argmax(axis=1)
            pulled += rise[every, best][:, None] * prices.form[c]
            types[:, c], means[:, c] = best, problem.means[c][best]
            known[:, c], costs[:, c] = problem.known[c][best], problem.costs[c][best]
        if (types == before).all():
            break
    scaled, informed = problem.columns(types)
    gain = ((scaled @ prices.form) * scaled).sum(axis=1) + informed @ prices.inside - scaled @ prices.worth
    order = np.argsort(-gain)
    return types[order[gain[order] > 0]], float(gain.max())


def _starts(problem: TypeProblem, used: Types, rng: np.random.Generator) -> Types:
    """Half the used types with one to three classes changed, half random ones; what does not fit is shown less."""
    changed = used[rng.integers(0, len(used), STARTS // 2)].copy()
    count = changed.shape[1]
    for row in changed:
        for c in rng.integers(0, count, size=rng.integers(1, 4)):
            row[c] = rng.integers(0, len(problem.means[c]))
    fresh = np.stack([rng.integers(0, len(of), STARTS // 2) for of in problem.means], axis=1)
    found = np.vstack([changed, fresh])
    if problem.bits is not None:
        for row in found:
            for c in rng.permutation(count):
                if sum(problem.costs[d][row[d]] for d in range(count)) > problem.bits:
                    row[c] = 0
    return found
