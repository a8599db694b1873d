"""Who hides a report among those that are shuffled with it: which values, and how many people hold them for certain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.domain import listed_values
from ..core.errors import InvalidInput, MechanismMismatch, shown
from ..estimation.decoders import decoder_of
from ..estimation.tally import Tally
from ..mechanisms.mechanism import Mechanism
from .profiles import profile_of

MOST = 1 << 62
"""The largest number of reports in a batch."""


@dataclass(frozen=True)
class Crowd:
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


def crowd_of(mechanism: Mechanism, n: Any, among: Any) -> Crowd:
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
        return Crowd(None, None, _of_names(mechanism, n))
    total = count_of(n, "n")
    if chosen is None and len(profile_of(mechanism).other_users(0)) < mechanism.context.size:
        raise InvalidInput(
            f"n={total} must be the number of reports of every block, {{block: count}} or a tally: "
            "reports show their block, and only those of the same block hide each other"
        )
    return Crowd(chosen, total, {})


def count_of(n: object, name: str) -> int:
    """A number of reports, at least the own one."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 1 <= n <= MOST:
        raise InvalidInput(f"{name}={shown(n)} must be a whole number from 1 to 2**62")
    return int(n)


def _of_tally(mechanism: Mechanism, tally: Tally, among: tuple[int, ...] | None) -> Crowd:
    if among is not None or len(profile_of(mechanism).other_users(0)) == mechanism.context.size:
        return Crowd(among, max(1, tally.n), {})
    found: dict[int, int] = {}
    for group in decoder_of(mechanism).groups():
        totals = np.asarray(group.decoder.total(tally.counts[group.cells])).reshape(-1)
        found |= {int(of[0]): int(count) for of, count in zip(group.values, totals, strict=True)}
    return Crowd(None, None, found)


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
