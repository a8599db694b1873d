"""Who hides a report among those that are shuffled with it: which values, and how many people hold them for certain.

The pairs of values that an account of a mechanism is about.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import islice, permutations
from typing import Any, NamedTuple

import numpy as np

from ..core.domain import listed_values
from ..core.errors import InvalidInput, MechanismMismatch, shown
from ..core.exact import Epsilon, log_of
from ..estimation.decoders import decoder_of
from ..estimation.tally import Tally
from ..mechanisms.mechanism import Mechanism
from .profiles import profile_of
from .smallest_epsilon import above

MOST = 1 << 62
"""The largest number of reports in a batch."""


@dataclass(frozen=True)
class OtherUsers:
    """The values whose holders hide a report, and how many reports there are.

    That is `total`, or by block, under the first value of each, where reports show their block.
    """

    among: tuple[int, ...] | None
    total: int | None
    of_block: Mapping[int, int]

    def count(self, mechanism: Mechanism, x: int) -> int:
        """How many reports, the own one among them, hide one of value x."""
        if self.total is not None:
            return self.total
        return max(1, self.of_block.get(profile_of(mechanism).other_users(x)[0], 0))


def other_users_of(mechanism: Mechanism, n: Any, among: Any) -> OtherUsers:
    """The crowd that `n` and `among` say; `InvalidInput` where they do not say who hides whom."""
    chosen = None
    if among is not None:
        values = listed_values(among, "among")
        if not values:
            raise InvalidInput("among must hold at least one value")
        chosen = tuple(dict.fromkeys(mechanism.context.domain.asked(value) for value in values))
    if isinstance(n, Tally):
        if n.fingerprint != mechanism.fingerprint:
            raise MechanismMismatch(
                f"n: a tally of {n.mechanism.name} does not say how many hide one of this mechanism"
            )
        return _of_tally(mechanism, n, chosen)
    if isinstance(n, Mapping):
        if chosen is not None:
            raise InvalidInput("n must be one number where `among` says who hides")
        return OtherUsers(None, None, _of_names(mechanism, n))
    total = count_of(n, "n")
    if chosen is None and len(profile_of(mechanism).other_users(0)) < mechanism.context.size:
        raise InvalidInput(
            f"n={total} must be the number of reports of every block, {{block: count}} or a tally: "
            "reports show their block, and only those of the same block hide each other"
        )
    return OtherUsers(chosen, total, {})


def count_of(n: object, name: str) -> int:
    """A number of reports, at least the own one."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 1 <= n <= MOST:
        raise InvalidInput(f"{name}={shown(n)} must be a whole number from 1 to 2**62")
    return int(n)


def _of_tally(mechanism: Mechanism, tally: Tally, among: tuple[int, ...] | None) -> OtherUsers:
    if among is not None or len(profile_of(mechanism).other_users(0)) == mechanism.context.size:
        return OtherUsers(among, max(1, tally.n), {})
    found: dict[int, int] = {}
    for group in decoder_of(mechanism).groups():
        totals = np.asarray(group.decoder.total(tally.counts[group.cells])).reshape(-1)
        found |= {int(of[0]): int(count) for of, count in zip(group.values, totals, strict=True)}
    return OtherUsers(None, None, found)


def _of_names(mechanism: Mechanism, counts: Mapping[Any, Any]) -> dict[int, int]:
    firsts: dict[Any, int] = {}
    for part in mechanism.served.parts or ():
        hiders: Sequence[int] = profile_of(mechanism).other_users(part.members[0])
        if list(hiders) == list(part.members):
            firsts[part.name] = hiders[0]
    if set(counts) != set(firsts):
        known = ", ".join(map(repr, list(firsts)[:5])) or "none"
        raise InvalidInput(f"n must give the number of reports of every block that reports show, and no other: {known}")
    return {firsts[name]: count_of(count, f"n[{name!r}]") for name, count in counts.items()}


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


class PairList(NamedTuple):
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


def list_pairs(mechanism: Mechanism, *, each: bool = False) -> PairList:
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
        return PairList(found, [], 0.0)
    most = limits_of(mechanism)
    ranked = sorted(((above(most(i, j)), i, j) for i, j in found[:LISTED]), key=lambda pair: -pair[0])
    beyond = above(closure.largest) if len(found) > LISTED else 0.0
    return PairList([(i, j) for _, i, j in ranked], [at for at, _, _ in ranked], beyond)


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
