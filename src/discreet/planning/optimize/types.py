"""The best types for classes of exchangeable values, found by weighing some types and pricing others.

Weights are the best for the types at hand, by a barrier method. Types that would lower the error are the best of all
where they can be listed, else the best reached from many starts. All in floats: nothing here decides about privacy;
`planning.classwise` makes a certified sampler of the result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.errors import NotServed
from ...core.limits import spend
from .master import dual_value
from .type_options import Array, Classes, ClassOption, TypeProblem

Types = NDArray[np.int64]
"""The number of the option of every class, a row for each type."""
Columns = tuple[Array, Array]
"""The scaled means and informations of types."""
Prices = tuple[Array, Array, Array]
"""K, k and l: a type with means m and informations i gains m^T K m + i . k - l . m, at P . m = 1."""

MAX_LISTED_TYPES = 1 << 21
"""The most types that are all compared."""
MAX_STARTS = 64
"""How many types a search among too many begins with."""
MAX_SWEEPS = 8
"""The most rounds over all classes in such a search."""
MIN_NEW_TYPES = 20
"""The fewest types that are taken up at a time, where so many would lower the error."""
MAX_NEWTON_STEPS = 100
"""The most Newton steps."""
MIN_GAP = 1e-8
"""The least relative distance to the best weights at which a search ends."""
MAX_HALVINGS = 30
"""How often a step is halved before it is taken as it is."""
FIRST_GAP_FACTOR = 40
"""How many times as far from the best weights a search begins."""
MIN_CHANGE = 1e-11
"""Changes below this, relative to the largest, are none."""
MIN_PART = 1e-7
"""A type whose part is smaller than this is dropped."""
MAX_ROUNDS = 200
"""The most rounds of weighing and pricing."""
MIN_GAIN = 1e-6
"""The relative gain of the best type at which the search ends."""
SMALL_PART = 1e-4
"""A type whose part is smaller than this is left out if nothing is lost by it, and a fresh one begins with it."""
MAX_ROW_ERROR = 1e-9
"""How far the rows may be from one before what they leave over makes up for it."""
MIN_SAMPLED_GAIN = 1e-3
"""The same where only some of the types are looked at."""
GAP_SHARE = 0.02
"""There, weights are the best ones up to this part of what the best type gained in the round before."""
MAX_IDLE_ROUNDS = 3
"""Rounds without a better type, from other starts each, after which a search among too many types to list ends."""
STEPS_PER_TYPE = 4
"""Steps that it takes to compare a type with the others in all rounds."""


def count_types(problem: TypeProblem) -> int:
    """How many types there are."""
    return math.prod(len(means) for means in problem.means)


def price_all_types(problem: TypeProblem, prices: Prices) -> tuple[Types, float]:
    """The types with the largest gains, and the largest gain of all types that fit the bits."""
    count, (form, inside, worth) = len(problem.means), prices

    def along(c: int, numbers: Array) -> Array:
        return numbers.reshape([-1 if axis == c else 1 for axis in range(count)])

    means = [along(c, of) for c, of in enumerate(problem.means)]
    mass = sum(problem.masses[c] * means[c] for c in range(count))
    gain = sum(along(c, inside[c] * problem.known[c] + form[c, c] * problem.means[c] ** 2) for c in range(count))
    for c in range(count):
        gain = gain + means[c] * sum((2 * form[c, d] * means[d] for d in range(c + 1, count)), np.zeros(1))
    gain = gain / mass**2 - sum(worth[c] * means[c] for c in range(count)) / mass
    if problem.bits is not None:
        gain[sum(along(c, of) for c, of in enumerate(problem.costs)) > problem.bits] = -np.inf
    flat = gain.ravel()
    most = max(MIN_NEW_TYPES, 2 * count)
    best = np.argpartition(-flat, min(most, len(flat) - 1))[:most]
    return np.stack(np.unravel_index(best[flat[best] > 0], gain.shape), axis=1), float(flat.max())


def search_types(problem: TypeProblem, prices: Prices, used: Types, rng: np.random.Generator) -> tuple[Types, float]:
    """Types with a gain, found by choosing the best option of one class after the other, from many starts."""
    types, (form, inside, worth) = _starts(problem, used, rng), prices
    count, every = types.shape[1], np.arange(len(types))
    means = np.stack([problem.means[c][types[:, c]] for c in range(count)], axis=1)
    known = np.stack([problem.known[c][types[:, c]] for c in range(count)], axis=1)
    costs = np.stack([problem.costs[c][types[:, c]] for c in range(count)], axis=1)
    for _ in range(MAX_SWEEPS):
        before = types.copy()
        pulled = means @ form
        for c in rng.permutation(count):
            rise = problem.means[c] - means[:, c, None]
            square = (pulled * means).sum(axis=1)[:, None] + rise * (2 * pulled[:, c, None] + rise * form[c, c])
            square += (known @ inside)[:, None] + inside[c] * (problem.known[c] - known[:, c, None])
            mass = (means @ problem.masses)[:, None] + rise * problem.masses[c]
            gain = square / mass**2 - ((means @ worth)[:, None] + rise * worth[c]) / mass
            if problem.bits is not None:
                others = (costs.sum(axis=1) - costs[:, c])[:, None]
                gain = np.where(others + problem.costs[c] <= problem.bits, gain, -np.inf)
            best = gain.argmax(axis=1)
            pulled += rise[every, best][:, None] * form[c]
            types[:, c], means[:, c] = best, problem.means[c][best]
            known[:, c], costs[:, c] = problem.known[c][best], problem.costs[c][best]
        if (types == before).all():
            break
    scaled, informed = problem.columns(types)
    gain = ((scaled @ form) * scaled).sum(axis=1) + informed @ inside - scaled @ worth
    order = np.argsort(-gain)
    return types[order[gain[order] > 0]], float(gain.max())


def _starts(problem: TypeProblem, used: Types, rng: np.random.Generator) -> Types:
    """The starts of a search: used types with one to three classes changed, and as many random types, made to fit."""
    changed = used[rng.integers(0, len(used), MAX_STARTS // 2)].copy()
    count = changed.shape[1]
    for row in changed:
        for c in rng.integers(0, count, size=rng.integers(1, 4)):
            row[c] = rng.integers(0, len(problem.means[c]))
    fresh = np.stack([rng.integers(0, len(of), MAX_STARTS // 2) for of in problem.means], axis=1)
    types = np.vstack([changed, fresh])
    if problem.bits is not None:
        for row in types:
            for c in rng.permutation(count):
                if sum(problem.costs[d][row[d]] for d in range(count)) > problem.bits:
                    row[c] = 0
    return types


def best_weights(
    problem: TypeProblem, columns: Columns, weights: Array, *, gap: float = MIN_GAP
) -> tuple[Array, Array]:
    """The weights of least error with rows that add up to one, and the multipliers of the rows.

    Minimises ``error - t sum_y log w_y`` for falling t by Newton's method in log w, in which it stays well scaled.
    The multipliers lambda of the rows satisfy ``lambda . m_y = slope_y + t / w_y``.
    """
    means, known = columns
    count, sizes = len(weights), problem.sizes
    barrier = 0.0
    worth = np.zeros(means.shape[1])
    for step in range(MAX_NEWTON_STEPS):
        form, inside, inverse = problem.slopes(weights, columns)
        pulled = means @ form
        slopes = (pulled * means).sum(axis=1) + known @ inside
        bend = 2 * np.sqrt(inside**3 / np.maximum(sizes, 1.0))
        curvature = 2 * (pulled @ means.T) * (means @ inverse @ means.T) + (known * bend) @ known.T
        if step == 0:
            barrier = min(0.1, FIRST_GAP_FACTOR * gap) * float(slopes @ weights) / count
        rows = means * weights[:, None]
        scaled = curvature * weights[:, None] * weights + barrier * np.eye(count)
        solved = np.linalg.solve(scaled, np.column_stack([weights * slopes + barrier, rows]))
        missing = 1 - means.T @ weights
        worth = np.asarray(np.linalg.solve(rows.T @ solved[:, 1:], rows.T @ solved[:, 0] - missing))
        move = solved[:, 0] - solved[:, 1:] @ worth
        weights = _take_step(problem, columns, weights, move, barrier, 2 * float(np.abs(worth).max()))
        if np.abs(move).max() < 1:
            if barrier * count < gap * float(slopes @ weights) and np.abs(missing).max() < 1e-10:
                break
            barrier *= 0.15
    return weights, worth


def largest_parts(problem: TypeProblem, columns: Columns, weights: Array) -> Array:
    """The largest part of each type in any row, or in the information about any class."""
    means, known = columns
    whole = np.where(problem.several, weights @ known, 1.0)
    return np.asarray((weights[:, None] * np.maximum(means, known / whole)).max(axis=1))


def _take_step(
    problem: TypeProblem, columns: Columns, weights: Array, move: Array, barrier: float, price: float
) -> Array:
    """The weights after the longest step, halved as needed, that lowers the error with its barrier and penalty."""

    def cost(tried: Array) -> float:
        missing = float(np.abs(1 - columns[0].T @ tried).sum())
        return problem.error(tried, columns) - barrier * float(np.log(tried).sum()) + price * missing

    before = cost(weights)
    step = min(1.0, 0.9 / max(-float(move.min()), 1e-300))
    for _ in range(MAX_HALVINGS):
        tried = weights * (1 + step * move)
        if cost(tried) <= before + 1e-12 * abs(before):
            return tried
        step /= 2
    return weights * (1 + step * move)


def fewest_types(problem: TypeProblem, types: Types, weights: Array) -> tuple[Types, Array]:
    """A few of the types, with weights that change neither the rows nor the error.

    A combination of types that changes neither means, informations nor N is moved along until a weight is zero.
    """
    used = largest_parts(problem, problem.columns(types), weights) > MIN_PART
    types, weights = types[used], weights[used]
    means, known = problem.columns(types)
    first, second = np.triu_indices(means.shape[1])
    features = np.column_stack([means, known, means[:, first] * means[:, second]])
    features /= np.maximum(np.abs(features).max(axis=0), 1e-300)
    _, levels, axes = np.linalg.svd(features.T)
    free = axes[int(np.sum(levels > MIN_CHANGE * levels[0])) :]
    while len(free):
        direction = free[0] if free[0].min() < 0 else -free[0]
        reach = np.full(len(weights), np.inf)
        np.divide(weights, -direction, out=reach, where=direction < 0)
        ended = int(reach.argmin())
        weights = np.maximum(weights + reach[ended] * direction, 0.0)
        weights[ended] = 0.0
        pivot = int(np.abs(free[:, ended]).argmax())
        free = np.delete(free - np.outer(free[:, ended] / free[pivot, ended], free[pivot]), pivot, axis=0)
        free[:, weights == 0] = 0.0
        free = free[np.abs(free).max(axis=1, initial=0.0) > MIN_CHANGE]
    return types[weights > 0], weights[weights > 0]


@dataclass(frozen=True)
class TypeDesign:
    """Types with their weights; `bound` is a proved lower bound on n times the error of every channel for E.

    It is None where not all types were compared, or fewer than E allows were to choose from.
    """

    classes: Classes
    types: tuple[tuple[ClassOption, ...], ...]
    weights: tuple[float, ...]
    bound: float | None
    rounds: int


def best_types(classes: Classes, *, bits: int | None) -> TypeDesign:
    """The types of least expected error for values that are even inside each class, in reports of at most `bits` bits.

    `NotServed` where nothing fits so many bits, or the levels are too far apart for numbers of this precision.

    Weights are the best for the types at hand (`best_weights`); those that would lower the error most are added
    until none does by more than `MIN_GAIN`. Where all types are compared in the last round the error is proved: no
    channel has less than ``error**2 / (sum(worth) + gain)``.
    """
    count = len(classes.inside)
    several = 2 * count + count * (count + 1) // 2
    problem = TypeProblem(classes, bits=None if bits is None else max(1, bits - several.bit_length()))
    spend(min(count_types(problem), MAX_LISTED_TYPES) * STEPS_PER_TYPE, f"types of {count} classes")
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            return _search(problem)
    except (np.linalg.LinAlgError, FloatingPointError):
        raise NotServed("types: the levels of the classes are too far apart to compare") from None


def _search(problem: TypeProblem) -> TypeDesign:
    classes, every, rng = problem.classes, count_types(problem) <= MAX_LISTED_TYPES, np.random.default_rng(0)
    types, weights = problem.start()
    squares = float(np.sum(classes.masses**2 / classes.sizes))
    proved, error, rounds, waited, gap = 0.0, 0.0, 0, 0, 1.0
    enough = MIN_GAIN if every else MIN_SAMPLED_GAIN
    while rounds < MAX_ROUNDS:
        rounds += 1
        columns = problem.columns(types)
        near = MIN_GAP if every else min(max(GAP_SHARE * gap, MIN_GAP), GAP_SHARE)
        weights, worth = best_weights(problem, columns, weights, gap=near)
        error = problem.error(weights, columns)
        form, inside, _ = problem.slopes(weights, columns)
        prices = form, inside, worth
        if every:
            fresh, gain = price_all_types(problem, prices)
            proved = max(proved, bound_of_prices(problem, prices, gain))
        else:
            fresh, gain = search_types(problem, prices, types[np.argsort(-weights)[:32]], rng)
        gap = max(gain, 0.0) / error
        waited = waited + 1 if gap < enough else 0
        if waited >= (1 if every else MAX_IDLE_ROUNDS):
            break
        types, weights = _join(problem, types, weights, fresh)
    types, weights = _essential(problem, types, weights)
    chosen = tuple(tuple(problem.options[c][number] for c, number in enumerate(row)) for row in types.tolist())
    scale = problem.columns(types)[0][:, 0] / np.array([problem.means[0][row[0]] for row in types])
    bound = proved - squares if every and problem.complete else None
    return TypeDesign(classes, chosen, tuple((weights * scale).tolist()), bound, rounds)


def bound_of_prices(problem: TypeProblem, prices: Prices, gain: float) -> float:
    """The lower bound that prices prove, `gain` being the largest gain of all types, whatever the prices are."""
    (form, inside, worth), several = prices, problem.several
    levels = len(form)
    W = np.diag(np.concatenate([1 / problem.sizes, problem.sizes[several]]))
    S = np.zeros_like(W)
    S[:levels, :levels], S[levels:, levels:] = (form + form.T) / 2, np.diag(inside[several])
    return dual_value(W, S, float(worth.sum()) + max(gain, 0.0))


def _essential(problem: TypeProblem, types: Types, weights: Array) -> tuple[Types, Array]:
    """The fewest types for the least error, without those of little weight where the error is as small without them."""
    types, weights = fewest_types(problem, types, weights)
    heavy = largest_parts(problem, problem.columns(types), weights) > SMALL_PART
    columns = problem.columns(types[heavy])
    error = problem.error(weights, problem.columns(types))
    try:
        again, _ = best_weights(problem, columns, weights[heavy], gap=MIN_GAIN)
        same = problem.error(again, columns) < error * (1 + MIN_GAIN)
    except np.linalg.LinAlgError:
        return types, weights
    enough = same and np.abs(columns[0].T @ again - 1).max() < MAX_ROW_ERROR
    return (types[heavy], again) if enough else (types, weights)


def _join(problem: TypeProblem, types: Types, weights: Array, fresh: Types) -> tuple[Types, Array]:
    """The types in use and the fresh ones, each once, the latter with a little weight."""
    used = largest_parts(problem, problem.columns(types), weights) > MIN_PART
    start = np.concatenate([weights[used], SMALL_PART / problem.columns(fresh)[0].max(axis=1)])
    joined, first = np.unique(np.vstack([types[used], fresh]), axis=0, return_index=True)
    return joined, start[first]
