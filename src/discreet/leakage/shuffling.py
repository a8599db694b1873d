"""What a batch of reports gives away to somebody who sees it, or its tally, without who sent which.

Against the collector, who sees who sent what, E holds and nothing better. Whoever gets reports in random order, or the
tally alone, must also find the person's report among the others', which hide it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

from ..core import tables
from ..core.domain import Value, plain_value
from ..core.errors import InvalidInput, NotServed, check_type
from ..core.exact import Epsilon
from ..mechanisms.mechanism import Mechanism
from .divergence import Divergence
from .other_users import MAX_REPORTS, OtherUsers, other_users_of
from .pairs import PairList, limits_of, list_pairs, pair_of, rows_of, success_of
from .profiles import profile_of
from .profiles.rows import ReportGroup
from .smallest_epsilon import Curve, delta_of, level_of, smallest_epsilon

AGAINST = (
    "Holds against whoever sees the batch or its tally, but not who sent what; against the collector, only E holds."
)
"""Whom the numbers are about."""


@dataclass(frozen=True)
class PairAccount:
    """What n shuffled reports give away of x against z: epsilon at a delta, what is really attained, and a guess.

    `epsilon` is certified, `attained` that of one population, `success` how often somebody is right, at most, who is
    told that a person holds x or z, at even odds, and must say which. `basis` says what epsilon rests on.
    """

    x: Value
    z: Value
    n: int
    claimed: Epsilon
    epsilon: float
    attained: float
    success: float
    basis: str

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data."""
        names = {"x": plain_value(self.x), "z": plain_value(self.z)}
        claimed, epsilon, attained = (
            None if e == math.inf else float(e) for e in (self.claimed, self.epsilon, self.attained)
        )
        rest = {"attained": attained, "success": self.success, "basis": self.basis}
        return names | {"n": self.n, "claimed": claimed, "epsilon": epsilon} | rest


def table(title: str, rows: Sequence[PairAccount], delta: float, *, of: int) -> str:
    """Rows as a table, largest epsilon first, with whom it is about; `of` is the number of pairs that there are."""
    columns: list[tables.Column] = [("x", "s"), ("against z", "s"), ("n", ",d"), ("E", "s")]
    columns += [("epsilon", ".6g"), ("attained", ".6g"), ("success", ".4f")]
    shown = [
        (str(r.x), str(r.z), r.n, f"{float(r.claimed):g}", r.epsilon, r.attained, math.ceil(r.success * 1e4) / 1e4)
        for r in sorted(rows, key=lambda row: -row.epsilon)
    ]
    lines = [title, tables.text(columns, shown)]
    if of > len(rows):
        lines.append(f"The {len(rows)} pairs that seem to stand out most, of {of:,}.")
    lines.append(AGAINST)
    if any(row.basis == "E" for row in rows):
        lines.append("Where the reports are too many to look at, nobody is taken to hide them.")
    if any(delta * row.n > 1 for row in rows):
        lines.append(f"delta={delta:g} is more than one in n: it would allow one report to be shown outright.")
    return "\n".join(lines)


DELTA = 1e-6
"""The delta of tables and of JSON, unless another is asked for."""

SLACK = 1e-4
"""How much larger a delta an attained epsilon is searched at, relative to it: far more than its sum can be off by."""

MAX_SUPPOSED = 4
"""How many values other than x and z the others are supposed to hold, all alike, to find an attained epsilon."""

MAX_SCANNED = 1 << 12
"""How many values are looked at to find some that differ."""

MAX_GROUPS = 256
"""The most groups of reports for which an attained epsilon is searched."""

MAX_LOOKED_AT = 1 << 15
"""How many groups of reports are looked at, over all pairs, to find the worst of very many."""

MAX_SHOWN = 20
"""The most pairs of a table."""


@dataclass(frozen=True)
class Shuffled:
    """What n shuffled reports of a mechanism give away, pair by pair, whatever the others hold.

    >>> import discreet as dc
    >>> batch = dc.shuffled(dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1")), 100)
    >>> round(batch.success("yes", "no"), 3), round(batch.delta("yes", "no", epsilon=0.5), 6)
    (0.525, 2e-06)
    """

    mechanism: Mechanism
    others: OtherUsers

    # -- one pair ------------------------------------------------------------------------------------
    def delta(self, x: Value, z: Value, epsilon: float) -> float:
        """The certified delta of x against z at `epsilon`, whatever the others hold.

        No event is likelier under x than ``e**epsilon`` times as likely as under z, plus delta. It is directed: z
        against x may have another.
        """
        i, j = pair_of(self.mechanism, x, z)
        return min(1.0, self._divergence(i, j).delta(self._count(i), level_of(epsilon)))

    def epsilon(self, x: Value, z: Value, delta: float) -> float:
        """The smallest certified epsilon of x against z at `delta`, rounded up to six digits; never above E[x, z]."""
        return self._epsilon(*pair_of(self.mechanism, x, z), delta_of(delta))

    def attained(self, x: Value, z: Value, delta: float) -> float:
        """An epsilon that x against z really has at `delta` where all others hold one value: the worst that was tried.

        The truth, the worst over everything that others may hold, is between this and `epsilon`. It is searched at a
        delta that is larger by one part in 10**4, to make up for a sum that is certified from above only: that is far
        more than the sum was ever seen to be off by, but no proof. It is 0 where none was tried, as where reports fall
        into more than 256 groups.
        """
        return self._attained(*pair_of(self.mechanism, x, z), delta_of(delta))

    def success(self, x: Value, z: Value) -> float:
        """How often somebody is right, at most, who must say from the batch whether a person holds x or z.

        It is ``(1 + delta(0)) / 2``, the smaller of both directions.
        """
        return self._success(*pair_of(self.mechanism, x, z))

    def curve(self, x: Value, z: Value, epsilons: Iterable[float]) -> list[float]:
        """The certified delta of x against z at each of some epsilons."""
        return [self.delta(x, z, epsilon) for epsilon in epsilons]

    def basis(self, x: Value, z: Value) -> str:
        """What the answers for x against z rest on: "floor", or "E" where the reports are too many to look at."""
        return "E" if self._profile(*pair_of(self.mechanism, x, z)) is None else "floor"

    def account(self, x: Value, z: Value, delta: float) -> PairAccount:
        """All of these for x against z in one row."""
        return self._account(*pair_of(self.mechanism, x, z), delta_of(delta))

    # -- all pairs -----------------------------------------------------------------------------------
    def worst(self, delta: float) -> PairAccount:
        """The pair with the largest epsilon at `delta` of all for which E asks for anything.

        Where very many pairs differ in what tells them apart, those that can have most by E, or by the largest ratio
        that is certified, come first, until no other can have more than was found. If that takes too many, what is
        given is the most that the next one can have, with the basis "E": no pair has more.
        """
        target, worst, most, rows = delta_of(delta), None, -1.0, 0
        listing = self._listing
        for number, (i, j) in enumerate(self._ranked):
            if listing.many and (most >= listing.most[number] or rows > MAX_LOOKED_AT):
                break
            n, divergence = self._count(i), self._divergence(i, j)
            rows += len(divergence.masses)
            if most >= 0 and divergence.delta(n, most, enough=target) <= target:
                continue
            if (epsilon := self._epsilon(i, j, target)) > most:
                worst, most = (i, j), epsilon
        if worst is None:
            raise NotServed(f"{self.mechanism.name}: E asks for nothing between any two values")
        limit = max(listing.beyond, listing.most[number] if listing.many and rows > MAX_LOOKED_AT else 0.0)
        account = self._account(*worst, target)
        if most >= limit:
            return account
        success = max(account.success, min(1.0, 1 / (1 + math.exp(-limit)) * (1 + 1e-12)))
        return replace(account, epsilon=limit, success=success, basis="E")

    def pairs(self, delta: float) -> Iterator[PairAccount]:
        """Every pair that E asks for and that differs from the others in what tells it apart, the clearest first.

        Where there are very many of them, those that can have most by E come first.
        """
        target = delta_of(delta)
        return (self._account(i, j, target) for i, j in self._ranked)

    @property
    def other_users(self) -> str | list[Any]:
        """Whose reports hide the own one: "everybody", "the own block", or the values that were given."""
        values = self.mechanism.context.values
        if self.others.among is not None:
            return [plain_value(values[v]) for v in self.others.among]
        return "everybody" if self.others.total is not None else "the own block"

    def as_dict(self, *, delta: float = DELTA) -> dict[str, Any]:
        """The first pairs at `delta` as plain data."""
        return self.data(list(islice(self.pairs(delta), MAX_SHOWN)), delta)

    def data(self, rows: Sequence[PairAccount], delta: float) -> dict[str, Any]:
        """Some pairs as plain data."""
        about = {"mechanism": self.mechanism.name, "n": self.others.total, "delta": delta, "hiders": self.other_users}
        return about | {"pairs": [row.as_dict() for row in rows]}

    def text(self, delta: float) -> str:
        """The first pairs at `delta` as a table, with what the numbers hold against."""
        return self.table(list(islice(self.pairs(delta), MAX_SHOWN)), delta)

    def table(self, rows: Sequence[PairAccount], delta: float) -> str:
        """Some pairs as a table."""
        hidden = f"{self.other_users}, whatever they hold"
        if not isinstance(self.other_users, str):
            hidden = f"people who are known to hold {' or '.join(map(str, self.other_users[:5]))}"
        title = f"{self.mechanism.name}, shuffled, at delta {delta:g}; hidden by {hidden}"
        return table(title, rows, delta, of=len(self._ranked) if len(rows) == MAX_SHOWN else 0)

    def __str__(self) -> str:
        return self.text(DELTA)

    # -- how -----------------------------------------------------------------------------------------
    def _count(self, i: int) -> int:
        return self.others.count(self.mechanism, i)

    def _profile(self, i: int, j: int) -> Sequence[ReportGroup] | None:
        return profile_of(self.mechanism).pair_profile(i, j, self.others.among)

    @cached_property
    def _divergences(self) -> dict[Any, Divergence]:
        return {}

    def _divergence(self, i: int, j: int) -> Divergence:
        if (i, j) not in self._divergences:
            rows = rows_of(self.mechanism, i, j, self.others.among)
            self._divergences[i, j] = self._divergences.setdefault(tuple(rows), Divergence(rows))
        return self._divergences[i, j]

    def _epsilon(self, i: int, j: int, delta: float) -> float:
        divergence, n = self._divergence(i, j), self._count(i)
        key = id(divergence), n, delta, self._limit(i, j)
        if key not in self._epsilons:
            self._epsilons[key] = smallest_epsilon(_curve(divergence, n), delta, self._limit(i, j))
        return self._epsilons[key]

    @cached_property
    def _limit(self) -> Callable[[int, int], Epsilon]:
        return limits_of(self.mechanism)

    @cached_property
    def _epsilons(self) -> dict[Any, float]:
        return {}

    def _attained(self, i: int, j: int, delta: float) -> float:
        n, best = self._count(i), 0.0
        for v in self._supposed(i, j):
            rows = profile_of(self.mechanism).pair_profile(i, j, (v,))
            if rows is None:
                continue
            divergence = Divergence(rows)
            is_law = abs(float(divergence.total_blanket) - 1) < 1e-9  # the blanket is that of everybody holding v
            if len(divergence.masses) > MAX_GROUPS or not is_law or divergence.delta(n, best, enough=delta) <= delta:
                continue
            epsilon = smallest_epsilon(_curve(divergence, n), delta * (1 + SLACK), self._limit(i, j))
            best = max(best, epsilon * (1 - 1e-6))
        return best

    def _supposed(self, i: int, j: int) -> list[int]:
        """Values that all others may hold: x and z, some others, and some that differ in label."""
        held, labels = self.others.among or profile_of(self.mechanism).other_users(i), self.mechanism.sampler.class_of
        firsts = {labels[v]: v for v in reversed(held[:MAX_SCANNED])}
        near = [v for v in (i, j) if v in held]
        some = [*near, *list(firsts.values())[:MAX_SUPPOSED], held[-1], *held[: MAX_SUPPOSED + 2]]
        return list(dict.fromkeys(some))[: MAX_SUPPOSED + 2]

    def _success(self, i: int, j: int) -> float:
        n = self._count(i)
        return success_of(*(self._divergence(*pair).delta(n, 0.0) for pair in ((i, j), (j, i))))

    @cached_property
    def connected(self) -> dict[tuple[int, int], Any]:
        """The losses that `repeated` has worked out for pairs of values."""
        return {}

    @cached_property
    def _accounts(self) -> dict[tuple[int, int, float], PairAccount]:
        return {}

    def _account(self, i: int, j: int, delta: float) -> PairAccount:
        if (i, j, delta) not in self._accounts:
            values, claimed = self.mechanism.context.values, self.mechanism.context.closure().at(i, j)
            epsilon = self._epsilon(i, j, delta)
            attained = min(epsilon, self._attained(i, j, delta))
            basis = "E" if self._profile(i, j) is None else "floor"
            account = PairAccount(
                values[i], values[j], self._count(i), claimed, epsilon, attained, self._success(i, j), basis
            )
            self._accounts[i, j, delta] = account
        return self._accounts[i, j, delta]

    @cached_property
    def _listing(self) -> PairList:
        return list_pairs(self.mechanism, each=self.others.among is not None)

    @cached_property
    def _ranked(self) -> list[tuple[int, int]]:
        """The pairs that E asks for, one for each profile and number of reports; the clearest, by a guess, first."""
        if self._listing.many:
            return self._listing.pairs
        first: dict[Any, tuple[float, int, int]] = {}
        for i, j in self._listing.pairs:
            divergence, n = self._divergence(i, j), self._count(i)
            first.setdefault((id(divergence), n, self.mechanism.context.at(i, j)), (-divergence.spread / n, i, j))
        return [(i, j) for _, i, j in sorted(first.values())]


def _curve(divergence: Divergence, n: int) -> Curve:
    return lambda epsilon, enough: divergence.delta(n, epsilon, enough=enough)


def shuffled(mechanism: Mechanism, n: Any, *, among: Iterable[Value] | None = None) -> Shuffled:
    """What a batch of n reports gives away to somebody who sees it, or its tally, without who sent which.

    `n` counts honest reports, the own one among them: without those of people who may collude, and without fakes. For a
    mechanism whose reports show their block it is ``{block: count}`` or a tally, since only reports of the same block
    hide each other. `among` are the values that these n people are known to hold, all values unless given; it must be a
    fact, such as a count of reports that show a value, never an estimate.

    For each ordered pair, with m(y) the least probability of report y under any of those values and g <= e**epsilon,
    ``delta <= sum_{m=0} (P - g R)_+ + (1/n) E[(L_1 + ... + L_n)_+]``, L = (P - g R) / m with probability m, and 0
    otherwise. Every rounding goes up; the time does not depend on n.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> dc.shuffled(mechanism, 1000).delta("yes", "no", epsilon=0.15) < 1e-6
    True

    References: Balle2019; Feldman2021; Feldman2023; Su2026.
    """
    check_type("mechanism", mechanism, Mechanism, "a mechanism")
    return Shuffled(mechanism, other_users_of(mechanism, n, among))


def batch_needed(mechanism: Mechanism, epsilon: float, delta: float) -> int:
    """The least number of reports, of each block where they show it, within `epsilon` and `delta` once shuffled.

    It holds for every pair that E asks for. `NotServed` if no batch is large enough, as where some report of z is
    one that no other value hides.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> dc.batch_needed(mechanism, epsilon=0.5, delta=1e-6)
    106
    """
    check_type("mechanism", mechanism, Mechanism, "a mechanism")
    level, target = level_of(epsilon), delta_of(delta)
    one = Shuffled(mechanism, OtherUsers(None, 1, {}))
    divergences = list(dict.fromkeys(one._divergence(i, j) for i, j in one._ranked[: 1 if one._listing.many else None]))

    def enough(n: int) -> bool:
        return all(divergence.delta(n, level, enough=target) <= target for divergence in divergences)

    if not enough(MAX_REPORTS):
        raise NotServed(f"{mechanism.name}: no batch brings every pair within epsilon={level:g} at delta={target:g}")
    if one._listing.many:
        raise InvalidInput(f"{mechanism.name}: too many pairs differ in what tells them apart; try sizes with `worst`")
    high = 1
    while not enough(high):
        high *= 4
    return 1 + bisect_left(range(high), True, lo=high // 4, hi=high - 1, key=lambda below: enough(below + 1))
