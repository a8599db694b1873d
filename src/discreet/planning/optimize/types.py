"""The best channel on classes of alike values, found by weighing types and pricing others, and its randomizer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.errors import NotServed
from ...core.exact import within
from ...core.limits import spend
from ...estimation.arrays.numeric import NUMERIC
from ...mechanisms.law import WORD_BITS, Row
from ...mechanisms.tables.types import Types, TypesLaw
from ...mechanisms.uniform.support import Supporting
from .options import Classes, Option, Problem, lowered
from .type_pricing import LISTED, Prices, all_priced, best_found, listings
from .type_weights import GAP, UNUSED, best_weights, fewest, parts

Array = NDArray[np.float64]

ROUNDS = 200
"""The most rounds of weighing and pricing."""

CLOSE = 1e-6
"""The relative gain of the best type at which the search ends."""

SLIGHT = 1e-4
"""A type whose part is smaller than this is left out if nothing is lost by it, and a fresh one begins with it."""

UNEVEN = 1e-9
"""How far the rows may be from one before what they leave over makes up for it."""

NEAR = 1e-3
"""The same where only some of the types are looked at."""

FOLLOW = 0.02
"""There, weights are the best ones up to this part of what the best type gained in the round before."""

PATIENCE = 3
"""Rounds without a better type, from other starts each, after which a search among too many types to list ends."""

STEPS = 4
"""Steps that it takes to compare a type with the others in all rounds."""

SLACKS = range(28, 11, -4)
"""What a row leaves over goes to a type that says nothing: 2**-j of the words, with j the first that certifies."""

FINER = 12
"""Levels are lowered by 2**-FINER of what rows leave over, so that what is left hardly depends on the class."""


@dataclass(frozen=True)
class TypeDesign:
    """Types with their weights; `proved` is a number that n times the error of no channel for E is below.

    It is None where not all types were compared, or fewer than E allows were to choose from.
    """

    classes: Classes
    types: tuple[tuple[Option, ...], ...]
    weights: tuple[float, ...]
    proved: float | None
    rounds: int

    @cached_property
    def error(self) -> float:
        """n times the expected squared error of the randomizer, for values that are even inside each class."""
        classes = self.classes
        even = (classes.masses / classes.sizes)[list(classes.class_of)]
        return float(np.sum(self.randomizer.second_moments(even, NUMERIC)) - np.sum(even**2))

    @cached_property
    def randomizer(self) -> Types:
        """The types in whole units, rounded towards privacy: certified for the classes, or `NotServed`."""
        for slack in SLACKS:
            made = _rounded(self, slack)
            if _certified(made, self.classes):
                return made
        raise NotServed("types: words of 64 bits are too short to certify these types")


def best_types(classes: Classes, *, bits: int | None) -> TypeDesign:
    """The types of least expected error for values that are even inside each class, in reports of at most `bits` bits.

    `NotServed` where nothing fits so many bits, or the levels are too far apart for numbers of this precision.

    Weights are the best for the types at hand (`best_weights`); those that would lower the error most are added
    until none does by more than `CLOSE`. Where all types are compared in the last round the error is proved: no
    channel has less than ``error**2 / (sum(worth) + gain)``.
    """
    count = len(classes.inside)
    several = 2 * count + count * (count + 1) // 2
    problem = Problem(classes, bits=None if bits is None else max(1, bits - several.bit_length()))
    spend(min(listings(problem), LISTED) * STEPS, f"types of {count} classes")
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            return _search(problem)
    except (np.linalg.LinAlgError, FloatingPointError):
        raise NotServed("types: the levels of the classes are too far apart to compare") from None


def _search(problem: Problem) -> TypeDesign:
    classes, every, rng = problem.classes, listings(problem) <= LISTED, np.random.default_rng(0)
    types, weights = problem.start()
    squares = float(np.sum(classes.masses**2 / classes.sizes))
    proved, error, rounds, waited, gap = 0.0, 0.0, 0, 0, 1.0
    enough = CLOSE if every else NEAR
    while rounds < ROUNDS:
        rounds += 1
        columns = problem.columns(types)
        near = GAP if every else min(max(FOLLOW * gap, GAP), FOLLOW)
        weights, worth = best_weights(problem, columns, weights, gap=near)
        error = problem.error(weights, columns)
        form, inside, _ = problem.slopes(weights, columns)
        prices = Prices(form, inside, worth)
        if every:
            fresh, gain = all_priced(problem, prices)
            proved = max(proved, error**2 / (float(worth.sum()) + max(gain, 0.0)))
        else:
            fresh, gain = best_found(problem, prices, types[np.argsort(-weights)[:32]], rng)
        gap = max(gain, 0.0) / error
        waited = waited + 1 if gap < enough else 0
        if waited >= (1 if every else PATIENCE):
            break
        types, weights = _joined(problem, types, weights, fresh)
    types, weights = _essential(problem, types, weights)
    chosen = tuple(tuple(problem.options[c][number] for c, number in enumerate(row)) for row in types.tolist())
    scale = problem.columns(types)[0][:, 0] / np.array([problem.means[0][row[0]] for row in types])
    bound = proved - squares if every and problem.complete else None
    return TypeDesign(classes, chosen, tuple((weights * scale).tolist()), bound, rounds)


def _essential(problem: Problem, types: NDArray[np.int64], weights: Array) -> tuple[NDArray[np.int64], Array]:
    """As few of the types as the least error needs, without those that hardly weigh if it is as small without them."""
    types, weights = fewest(problem, types, weights)
    heavy = parts(problem, problem.columns(types), weights) > SLIGHT
    kept = types[heavy]
    error = problem.error(weights, problem.columns(types))
    try:
        again, _ = best_weights(problem, problem.columns(kept), weights[heavy], gap=CLOSE)
        same = problem.error(again, problem.columns(kept)) < error * (1 + CLOSE)
    except np.linalg.LinAlgError:
        return types, weights
    rows = problem.columns(kept)[0].T @ again
    return (kept, again) if same and np.abs(rows - 1).max() < UNEVEN else (types, weights)


def _joined(
    problem: Problem, types: NDArray[np.int64], weights: Array, fresh: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Array]:
    """The types in use and the fresh ones, each once, the latter with a little weight."""
    used = parts(problem, problem.columns(types), weights) > UNUSED
    start = np.concatenate([weights[used], SLIGHT / problem.columns(fresh)[0].max(axis=1)])
    joined, first = np.unique(np.vstack([types[used], fresh]), axis=0, return_index=True)
    return joined, start[first]


def _rounded(design: TypeDesign, slack: int) -> Types:
    """The types in whole units at levels lowered a little; what rows leave over goes to a type that shows nothing."""
    classes, space = design.classes, 1 << WORD_BITS
    inside = [epsilon * (1 - Fraction(1, 1 << slack + FINER)) for epsilon in lowered(classes.inside)]
    sizes = classes.sizes.tolist()
    inners: list[Supporting] = []
    numbers: dict[tuple[object, int, Fraction], int] = {}
    marks = []
    for row in design.types:
        marks.append([0] * len(row))
        for c, option in enumerate(row):
            key = option.inner, sizes[c], inside[c]
            if option.inner is not None and key not in numbers:
                inners.append(option.randomizer(sizes[c], inside[c]))
                numbers[key] = len(inners)
            marks[-1][c] = numbers.get(key, 0)
    levels = np.array([[option.mean(float(inside[c])) for c, option in enumerate(row)] for row in design.types])
    rows = levels * np.array(design.weights)[:, None]
    rows *= (1 - 2.0**-slack) / rows.sum(axis=0).max()
    units = [[int(Fraction(share) * space) for share in column] for column in rows.T.tolist()]
    filled = tuple((*row, space - sum(row)) for row in units)
    law = TypesLaw(
        Row.of(classes.class_of),
        filled,
        (*map(tuple, marks), (0,) * len(sizes)),
        tuple(inner.law for inner in inners),
        WORD_BITS,
    )
    return Types(law, inners, classes.masses.tolist())


def _certified(made: Types, classes: Classes) -> bool:
    """True if every pair of classes has a certified ratio within what is asked."""

    def asked() -> Iterator[tuple[Fraction, Fraction]]:
        for pair in made.pairs():
            c, d = made.class_of[pair.x], made.class_of[pair.z]
            yield pair.ratio, classes.inside[c] if c == d else classes.across[c]

    found = list(asked())
    count = len(classes.inside)
    needed = count * (count - 1) + int(np.sum(classes.sizes > 1))
    return len(found) == needed and all(within(ratio, epsilon) for ratio, epsilon in found)
