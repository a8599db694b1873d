"""What a person gives away who answers more than once: the exact sum of E, what the laws really give away, and a guess.

Against a collector who keeps everything, the entries of E add up, and a ledger decides by that sum alone. What the
reports tell together is often less; these numbers hold for a plan that was fixed beforehand. Whoever picks the next
mechanism after looking at reports has the sum.

A pair of laws that tells as much as a shuffled batch: its certified deltas at some points, connected.

At gamma = e**epsilon the divergence h(gamma) = sup_S P(S) - gamma R(S) is convex, so the lines between certified points
lie above it. A jump of slope at gamma_i is the probability under R of a report whose ratio is gamma_i, and gamma_i
times that the probability under P. Below gamma = 1 the other direction of the pair gives
``h(gamma) = 1 - gamma + gamma h'(1/gamma)``.

References: Doroshenko2022 (connect the dots).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial, reduce
from itertools import islice
from operator import add
from typing import Any, cast

import numpy as np

from ..contexts import Context
from ..core import tables
from ..core.domain import Value, listed_values, plain_value
from ..core.errors import InvalidInput, check_type
from ..core.exact import Epsilon, text_of
from ..mechanisms.mechanism import Mechanism
from .loss_sum import Losses, Release, composed_delta, losses_of
from .other_users import count_of, list_pairs
from .profiles import profile_of
from .profiles.rows import extremal
from .shuffling import DELTA, SHOWN, Shuffled
from .smallest_epsilon import ULP, Reals, above, delta_of, level_of, smallest_epsilon

POINTS = 64
"""Certified points on each side of gamma = 1."""

REACH = 1e-14
"""The points reach as far as where delta is this small."""


def connected(
    forward: Callable[[float], float],
    backward: Callable[[float], float],
    ends: tuple[float, float],
    claimed: float,
) -> Losses:
    """The losses of a pair of laws with at least the divergence of the curves, at every gamma.

    `ends` are the epsilons up to which points are taken in both directions, `claimed` the entry of E for the
    backward one, beyond which no ratio goes. What is left at the last point forward is told outright.
    """
    right, left = (_points(end) for end in ends)
    places = [(math.exp(e), forward(e)) for e in right]
    places += [(math.exp(-e), -math.expm1(-e) + math.exp(-e) * backward(e)) for e in left[1:]]
    start = math.exp(-claimed) if claimed < math.inf else 0.0
    gammas, heights = _hull(sorted([*places, (start, 1 - start)]))
    slopes = np.diff(heights) / np.diff(gammas)
    jumps = np.maximum(np.diff(np.concatenate([[-1.0], slopes, [0.0]])), 0.0)
    own = jumps * gammas
    rounding = 8 * ULP * len(gammas) * (1 + float(np.max(heights[:-1] / np.diff(gammas)) * gammas[-1]))
    told = float(heights[-1]) + rounding + max(0.0, 1 - float(heights[-1]) - float(own.sum()))
    kept = own > 0
    return Losses(own[kept], np.log(gammas[kept]) + 2 * ULP, told)


def _points(end: float) -> list[float]:
    return [float(step) for step in end * np.linspace(0.0, 1.0, POINTS + 1)]


def _hull(places: list[tuple[float, float]]) -> tuple[Reals, Reals]:
    """The greatest convex function below some points, by its corners."""
    kept: list[tuple[Fraction, Fraction]] = []
    for gamma, height in places:
        point = Fraction(gamma), Fraction(height)
        if kept and kept[-1][0] == point[0]:
            if kept[-1][1] <= point[1]:
                continue
            kept.pop()
        while len(kept) > 1 and _turns(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return np.array([float(g) for g, _ in kept]), np.array([float(h) for _, h in kept])


def _turns(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction], c: tuple[Fraction, Fraction]) -> bool:
    """True if b is on or above the line from a to c."""
    return (b[1] - a[1]) * (c[0] - a[0]) >= (c[1] - a[1]) * (b[0] - a[0])


FURTHEST = 50.0
"""The largest epsilon at which a shuffled collection is looked at."""

MATRIX = 64
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
        if first.size <= MATRIX and first.parts is None:
            rows = [[text_of(self._sum(i, j)) for j in range(first.size)] for i in range(first.size)]
            return Context.matrix(first.values, rows)
        return reduce(add, (_times(_mechanism(one).context, times) for one, times in self.releases))

    def delta(self, x: Value, z: Value, epsilon: float) -> float:
        """The certified delta of x against z at `epsilon` after all releases."""
        return composed_delta(self._laws(*self._pair(x, z)), level_of(epsilon))

    def epsilon(self, x: Value, z: Value, delta: float) -> float:
        """The smallest certified epsilon of x against z at `delta`, rounded up to six digits; never above the sum."""
        i, j = self._pair(x, z)
        laws = self._laws(i, j)
        return smallest_epsilon(
            lambda epsilon, enough: composed_delta(laws, epsilon, enough=enough), delta_of(delta), self._sum(i, j)
        )

    def success(self, x: Value, z: Value) -> float:
        """How often somebody is right, at most, who must say from all reports whether the person holds x or z.

        The same number tells how surely n people who all hold x are told from n who all hold z, at n fresh reports.
        """
        i, j = self._pair(x, z)
        both = [composed_delta(self._laws(*pair), 0.0) for pair in ((i, j), (j, i))]
        return (1 + min(both)) / 2 if min(both) == min(both) else 1.0

    def change_shows(self, x: Value, z: Value) -> float:
        """How likely a change of value from x to z shows where a report is kept and sent again while the value stays.

        A report that is sent again costs nothing more; a new one differs with probability ``1 - sum_y Q(y|x) Q(y|z)``.
        """
        i, j = self._pair(x, z)
        same = Fraction(1)
        for one, _ in self.releases:
            same *= profile_of(_mechanism(one)).collision_probability(i, j) or 0
        return float(1 - same)

    def basis(self, x: Value, z: Value) -> str:
        """What the answers for x against z rest on: "reports", or "E" where those of some release are too many."""
        i, j = self._pair(x, z)
        return (
            "E"
            if any(profile_of(_mechanism(one)).pair_profile(i, j) is None for one, _ in self.releases)
            else "reports"
        )

    def as_dict(self, *, delta: float = DELTA) -> dict[str, Any]:
        """The first pairs at `delta` as plain data."""
        releases = [{"mechanism": _name(one), "times": times} for one, times in self.releases]
        return {"releases": releases, "delta": delta, "pairs": list(islice(self._rows(delta), SHOWN))}

    def text(self, delta: float) -> str:
        """The pairs at `delta` as a table, with what the numbers hold for."""
        rows = list(islice(self._rows(delta), SHOWN))
        columns: list[tables.Column] = [("x", "s"), ("against z", "s"), ("sum of E", "s"), ("epsilon", ".6g")]
        columns += [("success", ".4f"), ("change shows", ".4f")]
        shown = [
            (
                *(str(r["x"]), str(r["z"]), f"{r['claimed']:g}", r["epsilon"]),
                *(math.ceil(r[key] * 1e4) / 1e4 for key in ("success", "change_shows")),
            )
            for r in rows
        ]
        told = ", ".join(f"{times:,} x {_name(one)}" for one, times in self.releases)
        lines = [f"{told}, at delta {delta:g}", tables.text(columns, shown)]
        if self._collected:
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
    @property
    def _collected(self) -> bool:
        return any(isinstance(one, Mechanism) for one, _ in self.releases)

    def _rows(self, delta: float) -> Iterator[dict[str, Any]]:
        values = self.mechanism.context.values
        for i, j in list_pairs(self.mechanism).pairs:
            claimed = self._sum(i, j)
            x, z = values[i], values[j]
            row = {
                "x": plain_value(x),
                "z": plain_value(z),
                "claimed": float(claimed),
                "epsilon": self.epsilon(x, z, delta),
            }
            row |= {"success": self.success(x, z), "change_shows": self.change_shows(x, z)}
            yield row | {"basis": self.basis(x, z)}

    def _pair(self, x: Value, z: Value) -> tuple[int, int]:
        domain = self.mechanism.context.domain
        i, j = domain.asked(x), domain.asked(z)
        if i == j:
            raise InvalidInput("x and z must be different values")
        return i, j

    def _sum(self, i: int, j: int) -> Epsilon:
        entries = [(_mechanism(one).context.closure().at(i, j), times) for one, times in self.releases]
        if any(entry == math.inf for entry, _ in entries):
            return math.inf
        return sum((Fraction(entry) * times for entry, times in entries), Fraction(0))

    @cached_property
    def _known(self) -> dict[tuple[int, int], tuple[Release, ...]]:
        return {}

    def _laws(self, i: int, j: int) -> Sequence[Release]:
        if (i, j) not in self._known:
            found = [_dots(one, i, j) if isinstance(one, Shuffled) else _law(one, i, j) for one, _ in self.releases]
            self._known[i, j] = tuple(Release(law, times) for law, (_, times) in zip(found, self.releases, strict=True))
        return self._known[i, j]


def _release(one: object) -> Mechanism | Shuffled:
    check_type("releases", one, (Mechanism, Shuffled), "mechanisms or shuffled collections")
    return cast(Mechanism | Shuffled, one)


def _mechanism(one: Mechanism | Shuffled) -> Mechanism:
    return one.mechanism if isinstance(one, Shuffled) else one


def _name(one: Mechanism | Shuffled) -> str:
    return f"shuffled {one.mechanism.name}" if isinstance(one, Shuffled) else one.name


def _times(context: Context, times: int) -> Context:
    """The sum of a context with itself, by doubling."""
    found, power = None, context
    while times:
        if times & 1:
            found = power if found is None else found + power
        times >>= 1
        power = power + power if times else power
    assert found is not None
    return found


def _law(mechanism: Mechanism, i: int, j: int) -> Losses:
    """The losses of one report; the worst that its ratios allow where the reports are too many to look at."""
    rows = profile_of(mechanism).pair_profile(i, j)
    if rows is None:
        leak = mechanism.sampler.max_ratios()
        rows = extremal(leak(i, j), leak(j, i))
    return losses_of(rows)


def _dots(one: Shuffled, i: int, j: int) -> Losses:
    """The losses of one shuffled batch, by connecting certified points; worked out once."""
    if (i, j) not in one.dots:
        one.dots[i, j] = _connected(one, i, j)
    found: Losses = one.dots[i, j]
    return found


def _connected(one: Shuffled, i: int, j: int) -> Losses:
    values, closure = one.mechanism.context.values, one.mechanism.context.closure()
    x, z = values[i], values[j]
    forward, backward = partial(one.delta, x, z), partial(one.delta, z, x)
    left = [curve(FURTHEST) for curve in (forward, backward)]  # what no epsilon makes smaller
    ends = one.epsilon(x, z, left[0] * (1 + REACH) + REACH), one.epsilon(z, x, left[1] * (1 + REACH) + REACH)
    return connected(forward, backward, (min(ends[0], FURTHEST), min(ends[1], FURTHEST)), above(closure.at(j, i)))


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
    given = [releases] if isinstance(releases, (Mechanism, Shuffled)) else listed_values(releases, "releases")
    listed = [_release(one) for one in given]
    if not listed:
        raise InvalidInput("releases must hold at least one mechanism")
    for one in listed:
        if _mechanism(one).context.domain != _mechanism(listed[0]).context.domain:
            raise InvalidInput("releases must be over the same values in the same order")
    often = count_of(times, "times")
    return Repeated(tuple((one, often) for one in listed))
