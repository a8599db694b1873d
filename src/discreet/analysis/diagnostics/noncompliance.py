"""`noncompliance`: what people who do not follow the instructions would change, and what a second arm says of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, overload

import numpy as np

from ...core.domain import Domain, Value
from ...core.errors import InvalidInput, shown
from ...estimation.decoders import decoder_of
from ...estimation.results.intervals import quantile
from ...estimation.results.score_law import ScoreLaw
from ...estimation.results.shares import Shares, tally_of
from ...estimation.results.unbiased import Estimate, estimate
from ...estimation.results.weights import MIN_EXCESS, calibrated_moment, constants, query_law, weights_of
from ...estimation.tally import Tally
from ..reference_distribution import Array
from ..result import CONFIDENCE, Result, number_columns
from ..survey.survey import Survey
from .two_arms import Evaders, TwoArms, two_arms

LIKE_OTHERS, LOWEST, HIGHEST = "like others", "lowest", "highest"

READINGS = {
    LIKE_OTHERS: "those who evade hold what the others hold",
    LOWEST: "all of them hold a value of the least weight",
    HIGHEST: "all of them hold a value of the most weight",
}
"""Who those may be who evade; whoever they are, the query is between the lowest and the highest."""

MAX_SHARE = 0.99
"""The largest share of people who evade that is looked at."""
TABLE_ROWS = 6
"""How many shares of people who evade a table shows unless they are given."""


@dataclass(frozen=True, eq=False, repr=False)
class Noncompliance(Result):
    """A query as a function of the share of people who evade, under three readings of who they are.

    `value` and `stderr` are those of the query as reported. Where a share s of the people follow another law of
    reports, the others contribute ``value - s moved``, with `moved` the score of that law. `largest` is the largest
    share that leaves no share of a value negative. `shares` are those that the table shows. Errors are those of the
    reports, whatever law they follow; where a report is a set, counts do not tell them, and they are those of so many
    people who comply and evade.

    >>> import discreet as dc
    >>> design = dc.by_hand.forced_response(truth="2/3")
    >>> tally = design.tally(design.reports_of(["yes"] * 400 + ["no"] * 600))
    >>> result = dc.noncompliance(tally, report="no", query={"yes": 1}, threshold=0.5)
    >>> round(result.value, 3), [round(number, 2) for number in result.at(0.1)]
    (0.35, [0.42, 0.03])
    >>> [round(number, 2) for number in result.tipping()]
    [0.2, 0.03]
    """

    estimate: Estimate
    weights: Array
    evaders: Evaders
    value: float
    stderr: float
    moved: float
    largest: float
    shares: Array
    threshold: float | None

    def at(self, share: float, reading: str = LIKE_OTHERS) -> tuple[float, float]:
        """The query, and its standard error, if this share of the people evade; by one of `READINGS`.

        With ``q = value - share moved``: "like others" is ``q / (1 - share)``, "lowest" and "highest" add `share` times
        the least and the most weight to q.
        """
        share, left = _share(share), self.value - share * self.moved
        stderr = float(self._law(share).stderr[0])
        if reading == LIKE_OTHERS:
            return left / (1 - share), stderr / (1 - share)
        return left + share * self._end(reading), stderr

    @property
    def covariance_matrix(self) -> Array:
        """The covariance of the query at the shares of the table: all of them are functions of one number."""
        stderr = np.array([self.at(share)[1] for share in self.shares])
        return np.outer(stderr, stderr)

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """The low and the high end of the query as reported, as in `Estimate.query`."""
        return self.estimate.query(self.weights).interval(confidence)

    def _law(self, share: float) -> ScoreLaw:
        """The confidence distribution of the query as reported, if this share of the people evade.

        Where a report is a set, the second moment of its score is that of those who comply, at what is left of the
        shares, and of those who evade: ``(1 - s) M(q) + s sum_r chance_r score_r**2``.
        """
        mechanism = self.estimate.mechanism
        decoder, query = decoder_of(mechanism), (self.weights, constants(decoder_of(mechanism), self.weights))
        law = query_law(self.estimate, self.weights[None, :], query[1][None, :])
        if decoder.disjoint or not self.evaders.reports or not share:
            return law
        left, _ = self._left(share)
        held = left + (1 - left.sum()) / len(left)
        chances, scores = self.evaders.scores(mechanism, self.weights)
        moment = (1 - share) * calibrated_moment(decoder, held, query, query) + share * chances @ scores**2
        return law.rescaled(np.array([max(0.0, float(moment) - self.value**2) / self.estimate.n]))

    def _complying(self, shares: Iterable[float], confidence: float) -> tuple[Array, Array]:
        """The ends of the query among those who comply, for each share of people who evade."""
        evading = np.array(list(shares))
        ends = np.array([self._law(share).ends(quantile(confidence)) for share in evading.tolist()])[:, :, 0]
        low, high = (ends.T - evading * self.moved) / (1 - evading)
        return low, high

    def tipping(self, reading: str = LIKE_OTHERS) -> tuple[float, float] | None:
        """The share of people who evade at which the query is the threshold, and its standard error.

        ``(value - t) / (moved - t)``, or with the least or the most weight in place of t below; None where no share up
        to `largest` reaches it. `InvalidInput` where no threshold was given.
        """
        if self.threshold is None:
            raise InvalidInput("threshold must be given to say what share of people would reach it")
        slope = self.moved - (self.threshold if reading == LIKE_OTHERS else self._end(reading))
        share = (self.value - self.threshold) / slope if slope else math.inf
        if not 0 <= share <= min(self.largest, MAX_SHARE):
            return None
        return share, float(self._law(share).stderr[0]) / abs(slope)

    def compliant(self, share: float) -> tuple[Array, Array]:
        """The shares of all values among those who comply if this share of the people evade, with standard errors."""
        return self._left(_share(share))

    def _left(self, share: float) -> tuple[Array, Array]:
        mechanism, n = self.estimate.mechanism, self.estimate.n
        left = (self.estimate.shares - share * self.evaders.decode(mechanism)) / (1 - share)
        if decoder_of(mechanism).disjoint or not self.evaders.reports:
            return left, self.estimate.stderr / (1 - share)
        chances = np.array([chance for _, chance in self.evaders.reports])
        held = left + (1 - left.sum()) / len(left)
        moments = (1 - share) * decoder_of(mechanism).second_moments(held)
        moments = moments + share * chances @ self.evaders.decoded_reports(mechanism) ** 2
        return left, np.sqrt(np.maximum(moments - self.estimate.shares**2, 0.0) / n) / (1 - share)

    def _end(self, reading: str) -> float:
        if reading not in READINGS:
            raise InvalidInput(f"reading={shown(reading)} must be one of {', '.join(READINGS)}")
        return float(self.weights.min() if reading == LOWEST else self.weights.max())

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        estimate, stderr = np.array([self.at(share) for share in self.shares]).T
        low, high = self._complying(self.shares, confidence)
        return {
            "evading": list(self.shares),
            **number_columns(estimate, stderr, low, high),
            **{end: [self.at(share, end)[0] for share in self.shares] for end in (LOWEST, HIGHEST)},
        }

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        remarks = [
            f"{self.estimate.n:,} reports of {self.estimate.mechanism.name}; evading: the share of people who "
            f"{self.evaders.description}",
            f"estimate: {READINGS[LIKE_OTHERS]}; whoever they are, the query is between lowest and highest",
            f"a share of more than {self.largest:.3g} would leave a share below 0"
            if self.largest > 0
            else "the estimate of a share that evading adds to is not above 0 as it is: there is no sign that anybody "
            "evades; give shares to see what they would change",
        ]
        if self.threshold is not None:
            for reading in READINGS:
                tip = self.tipping(reading)
                reached = f"at {tip[0]:.4f} ± {tip[1]:.4f} evading" if tip else "never reached"
                remarks.append(f"{reading}: {self.threshold:g} is {reached}")
        measured = (
            "a second arm with another law can" if self.evaders.reports else "nor can a second arm: they act as holders"
        )
        return [*remarks, f"one survey cannot say how many people evade; {measured}"]

    @property
    def about(self) -> dict[str, Any]:
        tips = {} if self.threshold is None else {reading: self.tipping(reading) for reading in READINGS}
        return {
            "mechanism": self.estimate.mechanism.name,
            "n": self.estimate.n,
            "evaders": self.evaders.description,
            "value": self.value,
            "value_stderr": self.stderr,
            "moved": self.moved,
            "largest": self.largest,
            "threshold": self.threshold,
            "tipping": {reading: None if tip is None else list(tip) for reading, tip in tips.items()},
        }

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the query against the share of people who evade: the three readings, and the threshold."""
        from ...plots import plot_noncompliance

        places = np.linspace(0, max(self.largest, *self.shares), 41)
        places = places[places < 1]
        lines = {reading: [self.at(s, reading)[0] for s in places] for reading in READINGS}
        low, high = self._complying(places, confidence)
        plot_noncompliance(
            places,
            {f"{reading}: {READINGS[reading]}": heights for reading, heights in lines.items()},
            (low, high),
            path,
            title=title or f"People who {self.evaders.description}",
            threshold=self.threshold,
            largest=self.largest,
        )

    def __repr__(self) -> str:
        return f"<Noncompliance: {self.value:.4g} as reported, {self.evaders.description}>"


@overload
def noncompliance(
    first: Tally | Shares | Survey,
    *,
    to: Value | None = ...,
    report: Any = ...,
    share: float | Iterable[float] | None = ...,
    query: Any = ...,
    threshold: float | None = ...,
) -> Noncompliance: ...


@overload
def noncompliance(
    first: Tally | Shares | Survey, second: Tally | Shares | Survey, *, to: Value | None = ..., report: Any = ...
) -> TwoArms: ...


def noncompliance(
    first: Tally | Shares | Survey,
    second: Tally | Shares | Survey | None = None,
    *,
    to: Value | None = None,
    report: Any = None,
    share: float | Iterable[float] | None = None,
    query: Any = None,
    threshold: float | None = None,
) -> Noncompliance | TwoArms:
    """What changes if some people do not follow the instructions; from one survey, or measured by a second arm.

    Those who evade claim the value `to` whatever they hold, or send `report` whatever comes out: a number, its name
    in the design, or ``{report: share}``. With a share s of them ``E[p] = q + s phi(r)``, q the shares of those who
    comply and ``phi(r)`` the decoded law of the evaders' reports, the unit vector of a claimed value. One survey gives
    the `query` (unless given: everything but `to`) as a function of s, and the s that would bring it to `threshold`.

    Two arms of people drawn alike, asked with different laws, identify s: with ``u = phi_1(r) - phi_2(r)``,
    ``D = p_1 - p_2`` and ``W = (V_1 + V_2)^+``, ``s = u'W D / u'W u``, where V are the covariances if all complied. It
    is a mean of scores in each arm, by whose confidence distributions it has its interval. A claimed value moves both
    arms alike and cannot be measured.

    >>> import discreet as dc
    >>> design = dc.by_hand.forced_response(truth="2/3")
    >>> tally = design.tally(design.reports_of(["yes"] * 400 + ["no"] * 600))
    >>> result = dc.noncompliance(tally, to="no", share=0.1)
    >>> [round(number, 3) for number in (result.value, *result.at(0.1))]
    [0.35, 0.389, 0.026]

    References: Clark1998 (two arms), Heck2018 (RRreg).
    """
    shares = _estimate("first", first)
    evaders = Evaders.of(shares.mechanism, to, report)
    if second is not None:
        if share is not None or query is not None or threshold is not None:
            raise InvalidInput("share, query and threshold must go with one survey: two arms measure the share")
        return two_arms(shares, _estimate("second", second), evaders)
    weights = _weights(shares.values, query, to)
    asked = shares.query(weights)
    law = evaders.decode(shares.mechanism)
    positive = law > MIN_EXCESS
    largest = float(np.clip((shares.shares[positive] / law[positive]).min(), 0.0, 1.0)) if positive.any() else 1.0
    return Noncompliance(
        shares,
        weights,
        evaders,
        asked.value,
        asked.stderr,
        evaders.score(shares.mechanism, weights),
        largest,
        _shares(share, largest),
        None if threshold is None else _number("threshold", threshold),
    )


def _estimate(name: str, given: Tally | Shares | Survey) -> Estimate:
    if isinstance(given, Survey) and given.design:
        raise InvalidInput(
            f"{name} has weights or a design, which noncompliance does not use: give mechanism.tally(reports)"
        )
    shares = estimate(given.tally if isinstance(given, Survey) else tally_of(name, given))
    if not shares.n:
        raise InvalidInput(f"{name} must have reports")
    return shares


def _weights(values: Domain, query: Any, to: Value | None) -> Array:
    if query is not None:
        return weights_of(values, query, name="query")
    if to is None:
        raise InvalidInput("query must be given with report=: what share or mean is at stake")
    weights = np.ones(len(values))
    weights[values.number_of(to)] = 0.0
    return weights


def _share(share: Any) -> float:
    number = _number("share", share, "from 0 to below 1: the part of the people who evade")
    if not 0 <= number < 1:
        raise InvalidInput(f"share={shown(share)} must be from 0 to below 1: the part of the people who evade")
    return number


def _shares(given: Any, largest: float) -> Array:
    if given is None:
        return np.linspace(0, min(largest, MAX_SHARE), TABLE_ROWS) if largest > 0 else np.zeros(1)
    if isinstance(given, Real):
        return np.array([_share(given)])
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise InvalidInput(f"share={shown(given)} must be a number from 0 to below 1, or several")
    shares = np.array([_share(share) for share in given])
    if not len(shares):
        raise InvalidInput("share must not be empty")
    return shares


def _number(name: str, given: Any, rule: str = "a finite number") -> float:
    try:
        number = float(given) if isinstance(given, Real) and not isinstance(given, bool) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidInput(f"{name}={shown(given)} must be {rule}")
    return number
