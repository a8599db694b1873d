"""The pairs of values that an account of a mechanism is about, and what is known of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import islice, permutations
from typing import NamedTuple

from ..core.domain import Value
from ..core.errors import InvalidInput
from ..core.exact import Epsilon, log_of
from ..mechanisms.mechanism import Mechanism
from .profiles import profile_of
from .profiles.rows import ReportGroup, extremal
from .smallest_epsilon import above

LARGE_EPSILON = 32
"""Up to this entry of E no ratio is looked at: words of 64 bits allow as much."""

FEW_PAIRS = 16
"""So many pairs are compared with each other whatever that costs."""

MAX_PAIRS = 1 << 13
"""The most pairs that are compared with each other."""

MAX_LISTED_PAIRS = 1 << 20
"""The most pairs whose entries of E are looked at."""

MAX_ROWS = 1 << 14
"""The most groups of reports, over all pairs, that are compared with each other."""


def pair_of(mechanism: Mechanism, x: Value, z: Value) -> tuple[int, int]:
    """The numbers of two values; `InvalidInput` unless they are different."""
    i, j = (mechanism.context.domain.number_of(value) for value in (x, z))
    if i == j:
        raise InvalidInput("x and z must be different values")
    return i, j


def rows_of(mechanism: Mechanism, i: int, j: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup]:
    """The pair profile; the worst that the ratios of the pair allow where the reports are too many to look at."""
    rows = profile_of(mechanism).pair_profile(i, j, among)
    if rows is not None:
        return rows
    ratio = mechanism.sampler.max_ratios()
    return extremal(ratio(i, j), ratio(j, i))


def success_of(*deltas: float) -> float:
    """The Bayes success between two values at even odds, by the delta at epsilon 0 of both directions, or of one."""
    return min(1.0, (1 + min(deltas)) / 2) if all(delta == delta for delta in deltas) else 1.0


class PairList(NamedTuple):
    """Pairs of values, one for every pair profile, that E limits.

    Where they are `many`, they come in the order of the most that they can have, which `most` says of each: the entry
    of E, or the logarithm of the largest ratio that is certified. `beyond` is at least that of all that are left out.
    """

    pairs: list[tuple[int, int]]
    most: list[float]
    beyond: float

    @property
    def many(self) -> bool:
        """True for more than are compared with each other."""
        return bool(self.most)


def list_pairs(mechanism: Mechanism, *, each: bool = False) -> PairList:
    """For every pair profile a pair of values that has it and that E limits; none for a profile without one.

    A mechanism may treat values alike that the context does not: then there is a pair for every two labels instead.
    `each` gives every pair: where other users hold only some values, values that are alike otherwise are not.
    """
    closure, labels = mechanism.context.closure(), mechanism.sampler.class_of
    if each:
        every = permutations(range(mechanism.context.size), 2)
        pairs = list(islice((pair for pair in every if closure.at(*pair) < math.inf), MAX_LISTED_PAIRS + 1))
    else:
        pairs = list(islice(profile_of(mechanism).representative_pairs(), MAX_LISTED_PAIRS + 1))
        if any(closure.at(i, j) == math.inf for i, j in pairs[:MAX_LISTED_PAIRS]):
            some = islice(closure.pairs_among(labels), MAX_LISTED_PAIRS + 1)
            pairs = list({(labels[i], labels[j]): (i, j) for i, j, _ in some}.values())
    if len(pairs) <= FEW_PAIRS or (len(pairs) <= MAX_PAIRS and len(pairs) * _groups(mechanism, *pairs[0]) <= MAX_ROWS):
        return PairList(pairs, [], 0.0)
    limit = limits_of(mechanism)
    ranked = sorted(((above(limit(i, j)), i, j) for i, j in pairs[:MAX_LISTED_PAIRS]), key=lambda pair: -pair[0])
    beyond = above(closure.largest) if len(pairs) > MAX_LISTED_PAIRS else 0.0
    return PairList([(i, j) for _, i, j in ranked], [at for at, _, _ in ranked], beyond)


def limits_of(mechanism: Mechanism) -> Callable[[int, int], Epsilon]:
    """From a pair to what none of its epsilons exceeds: the entry of E, or the logarithm of the largest ratio there is.

    The second is looked at where E allows more than words of 64 bits may.
    """
    closure, max_ratio = mechanism.context.closure(), mechanism.sampler.max_ratios()

    @cache
    def log_above(ratio: Fraction) -> Fraction:
        return Fraction(log_of(ratio)) * (1 + Fraction(1, 1 << 50))

    def limit(i: int, j: int) -> Epsilon:
        claimed = closure.at(i, j)
        if claimed <= LARGE_EPSILON or (ratio := max_ratio(i, j)) is None:
            return claimed
        return min(claimed, log_above(ratio))

    return limit


def _groups(mechanism: Mechanism, i: int, j: int) -> int:
    return len(profile_of(mechanism).pair_profile(i, j) or ())
