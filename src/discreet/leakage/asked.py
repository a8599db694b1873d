"""The pairs of values that an account of a mechanism is about."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import islice, permutations
from typing import NamedTuple

from ..core.exact import Epsilon, log_of
from ..mechanisms.mechanism import Mechanism
from .profiles import profile_of
from .solving import above

LARGE = 32
"""Up to this entry of E no ratio is looked at: words of 64 bits allow as much."""

FEW = 16
"""So many pairs are compared with each other whatever that costs."""

PAIRS = 1 << 13
"""The most pairs that are compared with each other."""

LISTED = 1 << 20
"""The most pairs whose entries of E are looked at."""


ROWS = 1 << 14
"""The most groups of reports, over all pairs, that are compared with each other."""


class Asked(NamedTuple):
    """Pairs of values, one for every contrast, that E asks for anything.

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


def asked_pairs(mechanism: Mechanism, *, each: bool = False) -> Asked:
    """For every contrast a pair of values that has it and that E asks for anything; none for a contrast without one.

    A mechanism may treat values alike that the context does not: then there is a pair for every two labels instead.
    `each` gives every pair: where only some people hide, values that are alike otherwise are not.
    """
    closure, sampler = mechanism.context.closure(), mechanism.sampler
    if each:
        every = permutations(range(mechanism.context.size), 2)
        found = list(islice((pair for pair in every if closure.at(*pair) < math.inf), LISTED + 1))
    else:
        found, labels = list(islice(profile_of(mechanism).representative_pairs(), LISTED + 1)), sampler.labels
        if any(closure.at(i, j) == math.inf for i, j in found[:LISTED]):
            some = islice(closure.pairs_among(labels), LISTED + 1)
            found = list({(labels[i], labels[j]): (i, j) for i, j, _ in some}.values())
    if len(found) <= FEW or (len(found) <= PAIRS and len(found) * _groups(mechanism, *found[0]) <= ROWS):
        return Asked(found, [], 0.0)
    most = limits_of(mechanism)
    ranked = sorted(((above(most(i, j)), i, j) for i, j in found[:LISTED]), key=lambda pair: -pair[0])
    beyond = above(closure.largest) if len(found) > LISTED else 0.0
    return Asked([(i, j) for _, i, j in ranked], [at for at, _, _ in ranked], beyond)


def limits_of(mechanism: Mechanism) -> Callable[[int, int], Epsilon]:
    """From a pair to what none of its epsilons exceeds: the entry of E, or the logarithm of the largest ratio there is.

    The second is looked at where E allows more than words of 64 bits may.
    """
    closure, leak = mechanism.context.closure(), mechanism.sampler.max_ratios()

    @cache
    def log_above(ratio: Fraction) -> Fraction:
        return Fraction(log_of(ratio)) * (1 + Fraction(1, 1 << 50))

    def limit(i: int, j: int) -> Epsilon:
        claimed = closure.at(i, j)
        if claimed <= LARGE or (ratio := leak(i, j)) is None:
            return claimed
        return min(claimed, log_above(ratio))

    return limit


def _groups(mechanism: Mechanism, i: int, j: int) -> int:
    return len(profile_of(mechanism).pair_profile(i, j) or ())
