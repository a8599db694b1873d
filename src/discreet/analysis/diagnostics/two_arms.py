"""Who evades, as a law of reports; and how many they are, measured by two arms with different laws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ...core import tables
from ...core.domain import Value
from ...core.errors import InvalidInput, NotIdentifiable, shown
from ...estimation.decoders import decoder_of
from ...estimation.results.covariance import moment_matrix
from ...estimation.results.intervals import quantile
from ...estimation.results.score_law import ScoreLaw, combine, remark_on_few
from ...estimation.results.unbiased import Estimate, estimate
from ...estimation.results.weights import query_law
from ...mechanisms.mechanism import Mechanism
from ..groups.moments import MechanismQueries
from ..reference_distribution import Array
from ..result import CONFIDENCE, Result, number_columns, shares_panel

MAX_VALUES = 2000
"""The most values whose covariance is written out."""
PSEUDO = 0.5
"""How many people are added to every value where directions are weighed."""
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
        return np.asarray([share for _, share in self.reports] @ self.decoded_reports(mechanism))

    def decoded_reports(self, mechanism: Mechanism) -> Array:
        """The decoded shares of each of their reports alone, a row each."""
        return np.stack([estimate(mechanism.tally([number_of(mechanism, y)])).shares for y, _ in self.reports])

    def score(self, mechanism: Mechanism, weights: Array) -> float:
        """The mean score of their reports, calibrated at even shares as in `Estimate.query`."""
        if not self.reports:
            return float(weights[mechanism.context.values.number_of(self.to)])
        chances, scores = self.scores(mechanism, weights)
        return float(chances @ scores)

    def scores(self, mechanism: Mechanism, weights: Array) -> tuple[Array, Array]:
        """The probability of each of their reports, and its score, calibrated at even shares."""
        even = np.full(len(weights), 1 / len(weights))
        scores = mechanism.score([number_of(mechanism, y) for y, _ in self.reports], weights, shares=even)
        return np.array([chance for _, chance in self.reports]), np.asarray(scores)


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
    law: ScoreLaw
    """The confidence distributions of `share` and `compliant`, in this order."""
    covariance: Array
    """The covariance of `share` and `compliant`, in this order."""

    @property
    def share(self) -> float:
        """The share of people who evade; unbiased, so that it may be below 0."""
        return float(self.law.value[0])

    @property
    def stderr(self) -> float:
        """Its standard error."""
        return float(self.law.stderr[0])

    @property
    def compliant(self) -> Array:
        """For each value the share of all people who comply and hold it."""
        return self.law.value[1:]

    @property
    def compliant_stderr(self) -> Array:
        """The standard errors of `compliant`."""
        return self.law.stderr[1:]

    @property
    def p(self) -> float:
        """The two-sided p-value of nobody evading: below 0.05 where the 95 % interval leaves 0 out."""
        return float(self.law[:1].p_values()[0])

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """A low and a high end of the share of people who evade: skewed where few reports tell."""
        low, high = self.law[:1].ends(quantile(confidence))
        return float(low[0]), float(high[0])

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        names = ["(evading)", *map(str, self.first.values)]
        ends = self.law.ends(quantile(confidence))
        return {"of": names, **number_columns(self.law.value, self.law.stderr, *ends)}

    @property
    def covariance_matrix(self) -> Array:
        """The covariance of all rows."""
        return self.covariance

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        arms = " and ".join(f"{arm.n:,} reports of {arm.mechanism.name}" for arm in (self.first, self.second))
        return [
            f"{arms}; each interval at {confidence:g} confidence",
            *remark_on_few([self.law], "rows"),
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
    """The share that evades by weighted least squares over both arms, and what is left for those who comply."""
    if list(first.values) != list(second.values):
        raise InvalidInput("first and second must be over the same values, in the same order")
    if len(first.values) > MAX_VALUES:
        raise InvalidInput(f"two arms of {len(first.values)} values must have at most {MAX_VALUES}")
    arms = first, second
    laws = [evaders.decode(arm.mechanism) for arm in arms]
    u = laws[0] - laws[1]
    if np.abs(u).max() < SAME:
        raise NotIdentifiable(
            "what those who evade send comes to the same in both arms, so that nothing tells how many they are: "
            "the arms need different laws, and people who claim a value cannot be told from those who hold it"
        )
    V1, V2 = (_weighting(arm) for arm in arms)
    W = np.linalg.pinv(V1 + V2, rcond=SAME, hermitian=True)
    share_row = W @ u / (u @ W @ u)
    own = V1 @ W  # how much of the difference between the arms is the first's
    A2 = own + np.outer(laws[0] - own @ u, share_row)
    rows = np.vstack([share_row, np.eye(len(u)) - A2]), np.vstack([-share_row, A2])
    estimates = rows[0] @ first.shares + rows[1] @ second.shares
    covariance = [_covariance(arm, evaders, float(estimates[0]), estimates[1:]) for arm in arms]
    parts = [_law(arm, weights, V) for arm, weights, V in zip(arms, rows, covariance, strict=True)]
    law = combine([(1.0, part) for part in parts])
    joint = sum(weights @ V @ weights.T for weights, V in zip(rows, covariance, strict=True))
    return TwoArms(first, second, evaders, law, np.asarray(joint))


def _weighting(arm: Estimate) -> Array:
    """The covariance of the shares of one arm if people comply, at the nearest distribution and half a person a value.

    It only weighs directions against each other, for which that of the reports would be too rough: where it is small by
    chance, it would be trusted most.
    """
    k = len(arm.values)
    p = (arm.n * arm.plug_in + PSEUDO) / (arm.n + PSEUDO * k)
    return (moment_matrix(decoder_of(arm.mechanism), p) - np.outer(p, p)) / arm.n


def _covariance(arm: Estimate, evaders: Evaders, share: float, compliant: Array) -> Array:
    """The covariance of the shares of one arm: that of its reports, which holds whatever law those who evade follow.

    Where a report adds to several cells counts do not tell it. There it is the exact one of the two kinds of people, at
    the estimated share of those who evade and the unbiased shares of the others.
    """
    decoder = decoder_of(arm.mechanism)
    if decoder.disjoint:
        plain = MechanismQueries(arm.mechanism, np.eye(len(arm.values)), calibrated=False)
        return np.asarray(plain.covariance(arm.tally) / arm.n)
    sent, chances = evaders.decoded_reports(arm.mechanism), np.array([chance for _, chance in evaders.reports])
    evading = float(np.clip(share, 0.0, 1.0))
    held = compliant + (1 - compliant.sum()) / len(compliant)
    moments = (1 - evading) * moment_matrix(decoder, held) + evading * (sent.T * chances) @ sent
    mean = (1 - evading) * held + evading * chances @ sent
    return np.asarray((moments - np.outer(mean, mean)) / arm.n)


def _law(arm: Estimate, rows: Array, covariance: Array) -> ScoreLaw:
    """The confidence distribution of queries to one arm, with this covariance of its shares."""
    law = query_law(arm, rows, np.zeros_like(rows))
    variances = np.einsum("xi,ij,xj->x", rows, covariance, rows)
    return law if decoder_of(arm.mechanism).disjoint else law.rescaled(np.maximum(variances, 0.0))
