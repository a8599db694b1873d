"""What a person gives away who answers more than once: the exact sum of E, what the laws really give away, and a guess.

Against a collector who keeps everything, the entries of E add up, and a ledger decides by that sum alone. What the
reports tell together is often less; these numbers hold for a plan that was fixed beforehand. Whoever picks the next
mechanism after looking at reports has the sum.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial, reduce
from itertools import islice
from operator import add
from typing import Any

from ..contexts import Context
from ..core import tables
from ..core.domain import Value, listed_values, plain_value
from ..core.errors import InvalidInput, check_type
from ..core.exact import Epsilon, text_of
from ..mechanisms.mechanism import Mechanism
from .divergence import Losses, composed_delta, connect_points, losses_of
from .other_users import count_of
from .pairs import list_pairs, pair_of, rows_of, success_of
from .profiles import profile_of
from .shuffling import DELTA, MAX_SHOWN, Shuffled
from .smallest_epsilon import above, delta_of, level_of, smallest_epsilon

REACH = 1e-14
"""Points of a shuffled batch reach as far as where delta is this small."""

MAX_SHUFFLED_EPSILON = 50.0
"""The largest epsilon at which a shuffled collection is looked at."""

MAX_MATRIX_SIZE = 64
"""Up to so many values the sum of contexts that have no structure is written out."""


@dataclass(frozen=True)
class Repeated:
    """What fresh reports of some releases about one value give away together, pair by pair.

    A release is a mechanism, whose reports the collector sees with who sent them, or a shuffled collection, of which
    somebody sees every batch without that.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1/2"))
    >>> week = dc.repeated(mechanism, times=7)
    >>> str(week.context.epsilon("yes", "no")), round(week.delta("yes", "no", epsilon=2.0), 4)
    ('7/2', 0.0886)
    """

    releases: tuple[tuple[Mechanism | Shuffled, int], ...]

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of the first release; all are over its values."""
        return _mechanism(self.releases[0][0])

    @cached_property
    def context(self) -> Context:
        """What all releases together ask for, exactly: the sum of their contexts, each as often as it is repeated."""
        first = self.mechanism.context
        if first.size <= MAX_MATRIX_SIZE and first.parts is None:
            rows = [[text_of(self._sum(i, j)) for j in range(first.size)] for i in range(first.size)]
            return Context.matrix(first.values, rows)
        return reduce(add, (_times(_mechanism(one).context, times) for one, times in self.releases))

    def delta(self, x: Value, z: Value, epsilon: float) -> float:
        """The certified delta of x against z at `epsilon` after all releases."""
        return composed_delta(self._losses(*pair_of(self.mechanism, x, z)), level_of(epsilon))

    def epsilon(self, x: Value, z: Value, delta: float) -> float:
        """The smallest certified epsilon of x against z at `delta`, rounded up to six digits; never above the sum."""
        i, j = pair_of(self.mechanism, x, z)
        losses = self._losses(i, j)
        return smallest_epsilon(
            lambda epsilon, enough: composed_delta(losses, epsilon, enough=enough), delta_of(delta), self._sum(i, j)
        )

    def success(self, x: Value, z: Value) -> float:
        """How often somebody is right, at most, who must say from all reports whether the person holds x or z.

        The same number tells how surely n people who all hold x are told from n who all hold z, at n fresh reports.
        """
        i, j = pair_of(self.mechanism, x, z)
        return success_of(*(composed_delta(self._losses(*pair), 0.0) for pair in ((i, j), (j, i))))

    def change_shows(self, x: Value, z: Value) -> float:
        """How likely a change of value from x to z shows where a report is kept and sent again while the value stays.

        A report that is sent again costs nothing more; a new one differs with probability ``1 - sum_y Q(y|x) Q(y|z)``.
        """
        i, j = pair_of(self.mechanism, x, z)
        same = Fraction(1)
        for one, _ in self.releases:
            same *= profile_of(_mechanism(one)).collision_probability(i, j) or 0
        return float(1 - same)

    def basis(self, x: Value, z: Value) -> str:
        """What the answers for x against z rest on: "reports", or "E" where those of some release are too many."""
        i, j = pair_of(self.mechanism, x, z)
        profiles = (profile_of(_mechanism(one)) for one, _ in self.releases)
        return "E" if any(profile.pair_profile(i, j) is None for profile in profiles) else "reports"

    def as_dict(self, *, delta: float = DELTA) -> dict[str, Any]:
        """The first pairs at `delta` as plain data."""
        releases = [{"mechanism": _name(one), "times": times} for one, times in self.releases]
        return {"releases": releases, "delta": delta, "pairs": list(islice(self._rows(delta), MAX_SHOWN))}

    def text(self, delta: float) -> str:
        """The pairs at `delta` as a table, with what the numbers hold for."""
        rows = list(islice(self._rows(delta), MAX_SHOWN))
        columns: list[tables.Column] = [("x", "s"), ("against z", "s"), ("sum of E", "s"), ("epsilon", ".6g")]
        columns += [("success", ".4f"), ("change shows", ".4f")]
        shown = [
            (
                *(str(r["x"]), str(r["z"]), f"{r['claimed']:g}", r["epsilon"]),
                *(math.ceil(r[key] * 1e4) / 1e4 for key in ("success", "change_shows")),
            )
            for r in rows
        ]
        releases = ", ".join(f"{times:,} x {_name(one)}" for one, times in self.releases)
        lines = [f"{releases}, at delta {delta:g}", tables.text(columns, shown)]
        if any(isinstance(one, Mechanism) for one, _ in self.releases):
            lines.append("Holds against a collector who keeps every report, for a plan that was fixed beforehand.")
        else:
            lines.append(
                "Holds against whoever sees the batches, but not who sent what; against the collector, the sum."
            )
        lines.append(
            "A report that is kept and sent again costs once; a change of value then shows as the last column says."
        )
        if any(row["basis"] == "E" for row in rows):
            lines.append("Where the reports are too many to look at, the worst that E allows is taken.")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text(DELTA)

    # -- how -----------------------------------------------------------------------------------------
    def _rows(self, delta: float) -> Iterator[dict[str, Any]]:
        values = self.mechanism.context.values
        for i, j in list_pairs(self.mechanism).pairs:
            x, z = values[i], values[j]
            yield {
                "x": plain_value(x),
                "z": plain_value(z),
                "claimed": float(self._sum(i, j)),
                "epsilon": self.epsilon(x, z, delta),
                "success": self.success(x, z),
                "change_shows": self.change_shows(x, z),
                "basis": self.basis(x, z),
            }

    def _sum(self, i: int, j: int) -> Epsilon:
        entries = [(_mechanism(one).context.closure().at(i, j), times) for one, times in self.releases]
        if any(entry == math.inf for entry, _ in entries):
            return math.inf
        return sum((Fraction(entry) * times for entry, times in entries), Fraction(0))

    @cached_property
    def _known_losses(self) -> dict[tuple[int, int], list[tuple[Losses, int]]]:
        return {}

    def _losses(self, i: int, j: int) -> Sequence[tuple[Losses, int]]:
        if (i, j) not in self._known_losses:
            self._known_losses[i, j] = [(_losses_of(one, i, j), times) for one, times in self.releases]
        return self._known_losses[i, j]


def _mechanism(one: Mechanism | Shuffled) -> Mechanism:
    return one.mechanism if isinstance(one, Shuffled) else one


def _name(one: Mechanism | Shuffled) -> str:
    return f"shuffled {one.mechanism.name}" if isinstance(one, Shuffled) else one.name


def _times(context: Context, times: int) -> Context:
    """The sum of a context with itself, by doubling."""
    if times == 1:
        return context
    half = _times(context, times // 2)
    return half + half + context if times % 2 else half + half


def _losses_of(one: Mechanism | Shuffled, i: int, j: int) -> Losses:
    """The losses of one report, the worst that its ratios allow where reports are too many; or of a shuffled batch."""
    if isinstance(one, Mechanism):
        return losses_of(rows_of(one, i, j))
    if (i, j) not in one.connected:
        x, z = one.mechanism.context.values[i], one.mechanism.context.values[j]
        curves = partial(one.delta, x, z), partial(one.delta, z, x)
        left = [curve(MAX_SHUFFLED_EPSILON) * (1 + REACH) + REACH for curve in curves]  # what no epsilon makes smaller
        ends = one.epsilon(x, z, left[0]), one.epsilon(z, x, left[1])
        forward, backward = (min(end, MAX_SHUFFLED_EPSILON) for end in ends)
        claimed = above(one.mechanism.context.closure().at(j, i))
        one.connected[i, j] = connect_points(*curves, (forward, backward), claimed)
    losses: Losses = one.connected[i, j]
    return losses


def repeated(releases: Mechanism | Shuffled | Iterable[Mechanism | Shuffled], times: int) -> Repeated:
    """What a person gives away by `times` fresh reports of each of these mechanisms, or shuffled collections of them.

    `context` is the exact sum of their contexts. `delta`, `epsilon` and `success` are those of the exact laws of all
    reports together, with every rounding up, and never above the sum.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1/2"))
    >>> week = dc.repeated(mechanism, times=7)
    >>> round(week.success("yes", "no"), 3), round(week.epsilon("yes", "no", delta=1e-6), 3)
    (0.752, 3.5)

    References: Kairouz2015; Alghamdi2022; Doroshenko2022 (for shuffled collections).
    """
    given: list[Any] = (
        [releases] if isinstance(releases, (Mechanism, Shuffled)) else listed_values(releases, "releases")
    )
    for one in given:
        check_type("releases", one, (Mechanism, Shuffled), "mechanisms or shuffled collections")
    if not given:
        raise InvalidInput("releases must hold at least one mechanism")
    if any(_mechanism(one).context.domain != _mechanism(given[0]).context.domain for one in given):
        raise InvalidInput("releases must be over the same values in the same order")
    times = count_of(times, "times")
    return Repeated(tuple((one, times) for one in given))
