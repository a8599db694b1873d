"""The other users whose reports are shuffled with one: which values they may hold, and how many they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.domain import listed_values
from ..core.errors import InvalidInput, MechanismMismatch, shown
from ..estimation.decoders import decoder_of
from ..estimation.tally import Tally
from ..mechanisms.mechanism import Mechanism
from .profiles import profile_of

MAX_REPORTS = 1 << 62
"""The largest number of reports in a batch."""


@dataclass(frozen=True)
class OtherUsers:
    """The values that other users may hold, `among` all, and how many reports there are, the own one among them.

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
    """The other users that `n` and `among` say; `InvalidInput` where they do not say who hides whom."""
    chosen = None
    if among is not None:
        values = listed_values(among, "among")
        if not values:
            raise InvalidInput("among must hold at least one value")
        chosen = tuple(dict.fromkeys(mechanism.context.domain.number_of(value) for value in values))
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
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 1 <= n <= MAX_REPORTS:
        raise InvalidInput(f"{name}={shown(n)} must be a whole number from 1 to 2**62")
    return int(n)


def _of_tally(mechanism: Mechanism, tally: Tally, among: tuple[int, ...] | None) -> OtherUsers:
    if among is not None or len(profile_of(mechanism).other_users(0)) == mechanism.context.size:
        return OtherUsers(among, max(1, tally.n), {})
    counts: dict[int, int] = {}
    for group in decoder_of(mechanism).groups():
        totals = np.asarray(group.decoder.total(tally.counts[group.cells])).reshape(-1)
        counts |= {int(of[0]): int(count) for of, count in zip(group.values, totals, strict=True)}
    return OtherUsers(None, None, counts)


def _of_names(mechanism: Mechanism, counts: Mapping[Any, Any]) -> dict[int, int]:
    firsts: dict[Any, int] = {}
    for part in mechanism.served.parts or ():
        if list(profile_of(mechanism).other_users(part.members[0])) == list(part.members):
            firsts[part.name] = part.members[0]
    if set(counts) != set(firsts):
        known = ", ".join(map(repr, list(firsts)[:5])) or "none"
        raise InvalidInput(f"n must give the number of reports of every block that reports show, and no other: {known}")
    return {firsts[name]: count_of(count, f"n[{name!r}]") for name, count in counts.items()}
