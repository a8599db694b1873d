"""Who evades, as a law of reports; and how many they are, measured by two arms with different laws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ...core import tables
from ...core.domain import Value
from ...core.errors import InvalidInput, NotIdentifiable, shown
from ...estimation.results.intervals import quantile
from ...estimation.results.unbiased import Estimate, estimate
from ...mechanisms.mechanism import Mechanism
from ..groups.moments import MechanismQueries
from ..reference_distribution import Array, two_sided
from ..result import CONFIDENCE, Result, number_columns, shares_panel

MAX_VALUES = 2000
"""The most values whose covariance is written out."""
SAME = 1e-9
"""Laws whose decoded reports differ by less than this cannot be told apart."""


@dataclass(frozen=True)
class Evaders:
    """The law of the reports of those who evade: those of a value that they claim, or fixed ones with their shares."""

    to: Value | None
    reports: tuple[tuple[Any, float], ...]

    @classmethod
    def of(cls, mechanism: Mechanism, to: Value | None, report: Any) -> Evaders:
        """The evaders that one of `to` and `report` describes."""
        if (to is None) == (report is None):
            raise InvalidInput("one of to= (a value that people claim) and report= (one that they send) must be given")
        if to is not None:
            mechanism.context.values.number_of(to)
            return cls(to, ())
        law = report.items() if isinstance(report, Mapping) else [(report, 1.0)]
        shares = [share for _, share in law]
        if not all(isinstance(s, Real) and 0 <= s <= 1 for s in shares) or abs(sum(shares) - 1) > 1e-9:  # type: ignore[operator]
            raise InvalidInput("report must be one report, or {report: share} with shares that add up to 1")
        numbers = [number_of(mechanism, y) for y, _ in law]
        names = [mechanism.report_names[y] if mechanism.report_names else y for y in numbers]
        return cls(None, tuple(zip(names, map(float, shares), strict=True)))

    @property
    def description(self) -> str:
        """What they do, in words."""
        if not self.reports:
            return f"claim {self.to!r}, whatever they hold"
        if len(self.reports) == 1:
            return f"send the report {self.reports[0][0]!r}, whatever they hold"
        return f"send one of {len(self.reports)} reports, whatever they hold"

    def decode(self, mechanism: Mechanism) -> Array:
        """What the reports of those who evade add to the shares of the values, ``phi(r)``."""
        if not self.reports:
            values = mechanism.context.values
            return np.asarray(np.eye(1, len(values), values.number_of(self.to))[0])
        parts = [estimate(mechanism.tally([number_of(mechanism, y)])).shares for y, _ in self.reports]
        return np.asarray(np.average(parts, axis=0, weights=[share for _, share in self.reports]))

    def score(self, mechanism: Mechanism, weights: Array) -> float:
        """The mean score of their reports, calibrated at even shares as in `Estimate.query`."""
        if not self.reports:
            return float(weights[mechanism.context.values.number_of(self.to)])
        even = np.full(len(weights), 1 / len(weights))
        scores = mechanism.score([number_of(mechanism, y) for y, _ in self.reports], weights, shares=even)
        return float(np.average(scores, weights=[share for _, share in self.reports]))


def number_of(mechanism: Mechanism, report: Any) -> int:
    """The number of a report that may be given by its name."""
    if isinstance(report, str):
        if report not in mechanism.report_names:
            there = ", ".join(map(repr, mechanism.report_names)) or "numbers only"
            raise InvalidInput(f"report={shown(report)} must be a report of {mechanism.name}: {there}")
        return list(mechanism.report_names).index(report)
    return mechanism.sampler.check_report(int(report) if isinstance(report, np.integer) else report)


@dataclass(frozen=True, eq=False, repr=False)
class TwoArms(Result):
    """The share of people who evade, measured by two arms, and the shares of the values among all who comply.

    `compliant` adds up to about ``1 - share``: divided by that it is the distribution of those who follow the
    instructions, with `share` added to what those who evade hold it is that of all.
    """

    first: Estimate
    second: Estimate
    evaders: Evaders
    share: float
    stderr: float
    compliant: Array
    compliant_stderr: Array

    @property
    def p(self) -> float:
        """The two-sided p-value of nobody evading."""
        return float(two_sided(self.share / self.stderr))

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """A low and a high end of the share of people who evade."""
        reach = quantile(confidence) * self.stderr
        return self.share - reach, self.share + reach

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        estimates = np.concatenate([[self.share], self.compliant])
        errors = np.concatenate([[self.stderr], self.compliant_stderr])
        reach = quantile(confidence) * errors
        names = ["(evading)", *map(str, self.first.values)]
        return {"of": names, **number_columns(estimates, errors, estimates - reach, estimates + reach)}

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        arms = " and ".join(f"{arm.n:,} reports of {arm.mechanism.name}" for arm in (self.first, self.second))
        return [
            f"{arms}; each interval at {confidence:g} confidence",
            f"(evading): the share of people who {self.evaders.description}; "
            f"the test that nobody does has p {tables.p_value(self.p)}",
            "the others are shares of all people who comply and hold the value; they add up to 1 less those who evade",
            "this rests on arms of people drawn alike, who evade in equal numbers and in this way and no other",
        ]

    @property
    def about(self) -> dict[str, Any]:
        arms = (self.first, self.second)
        return {
            "mechanisms": [arm.mechanism.name for arm in arms],
            "n": [arm.n for arm in arms],
            "evaders": self.evaders.description,
            "share": self.share,
            "share_stderr": self.stderr,
            "p": self.p,
        }

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the share of people who evade and the shares of those who comply, with intervals."""
        from ...plots import plot_shares

        plot_shares(
            shares_panel(self.table(confidence), "of"), path, title=title or f"People who {self.evaders.description}"
        )

    def __repr__(self) -> str:
        return f"<TwoArms: {self.share:.4f} ± {self.stderr:.4f} evade, {self.evaders.description}>"


def two_arms(first: Estimate, second: Estimate, evaders: Evaders) -> TwoArms:
    """The share that evades by least squares over both arms, and what is left for those who comply."""
    if list(first.values) != list(second.values):
        raise InvalidInput("first and second must be over the same values, in the same order")
    if len(first.values) > MAX_VALUES:
        raise InvalidInput(f"two arms of {len(first.values)} values must have at most {MAX_VALUES}")
    laws = [evaders.decode(arm.mechanism) for arm in (first, second)]
    u, D = laws[0] - laws[1], first.shares - second.shares
    if np.abs(u).max() < SAME:
        raise NotIdentifiable(
            "what those who evade send comes to the same in both arms, so that nothing tells how many they are: "
            "the arms need different laws, and people who claim a value cannot be told from those who hold it"
        )
    V1, V2 = _covariance(first), _covariance(second)
    W = np.linalg.pinv(V1 + V2, rcond=SAME, hermitian=True)
    information = float(u @ W @ u)
    share = float(u @ W @ D) / information
    own = V1 @ W  # how much of the difference between the arms is the first's
    slope = -(laws[0] - own @ u)
    compliant = first.shares - own @ D + slope * share
    A2 = own - np.outer(slope, W @ u / information)
    A1 = np.eye(len(u)) - A2
    variances = np.einsum("xi,ij,xj->x", A1, V1, A1) + np.einsum("xi,ij,xj->x", A2, V2, A2)
    error = math.sqrt(1 / information)
    return TwoArms(first, second, evaders, share, error, compliant, np.sqrt(np.maximum(variances, 0.0)))


def _covariance(arm: Estimate) -> Array:
    """The covariance of the shares of one arm: that of its reports, which holds whatever law those who evade follow.

    Where a report adds to several cells counts do not tell it, and it is that of people who comply.
    """
    plain = MechanismQueries(arm.mechanism, np.eye(len(arm.values)), calibrated=False)
    return np.asarray(plain.covariance(arm.tally) / arm.n)
