"""The best types for classes of exchangeable values, found by weighing some types and pricing others.

All in floats: nothing here decides about privacy. `planning.classwise` makes a certified sampler of what is found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.errors import NotServed
from ...core.limits import spend
from .type_options import Classes, ClassOption, TypeProblem
from .type_pricing import MAX_LISTED_TYPES, Prices, count_types, price_all_types, search_types
from .type_weights import MIN_GAP, MIN_PART, best_weights, fewest_types, largest_parts

Array = NDArray[np.float64]

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
        prices = Prices(form, inside, worth)
        if every:
            fresh, gain = price_all_types(problem, prices)
            proved = max(proved, error**2 / (float(worth.sum()) + max(gain, 0.0)))
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


def _essential(problem: TypeProblem, types: NDArray[np.int64], weights: Array) -> tuple[NDArray[np.int64], Array]:
    """As few of the types as the least error needs, without those that hardly weigh if it is as small without them."""
    types, weights = fewest_types(problem, types, weights)
    heavy = largest_parts(problem, problem.columns(types), weights) > SMALL_PART
    kept = types[heavy]
    error = problem.error(weights, problem.columns(types))
    try:
        again, _ = best_weights(problem, problem.columns(kept), weights[heavy], gap=MIN_GAIN)
        same = problem.error(again, problem.columns(kept)) < error * (1 + MIN_GAIN)
    except np.linalg.LinAlgError:
        return types, weights
    rows = problem.columns(kept)[0].T @ again
    return (kept, again) if same and np.abs(rows - 1).max() < MAX_ROW_ERROR else (types, weights)


def _join(
    problem: TypeProblem, types: NDArray[np.int64], weights: Array, fresh: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Array]:
    """The types in use and the fresh ones, each once, the latter with a little weight."""
    used = largest_parts(problem, problem.columns(types), weights) > MIN_PART
    start = np.concatenate([weights[used], SMALL_PART / problem.columns(fresh)[0].max(axis=1)])
    joined, first = np.unique(np.vstack([types[used], fresh]), axis=0, return_index=True)
    return joined, start[first]
