"""`multinomial`: the log-odds of all values explained by public labels, by the likelihood of the reports."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from ...core.domain import plain_value
from ...core.errors import InvalidInput, check_type
from ..reference_distribution import Array, JointTest
from ..result import CONFIDENCE
from ..survey.survey import Survey
from .coefficients import Coefficients, Prediction
from .design_matrix import DesignMatrix, design_of
from .firth import check_penalty
from .likelihood_fit import CoefficientTests, LikelihoodFit, fit_likelihood
from .multinomial_likelihood import Answers, MultinomialLikelihood, answers_of
from .predicted_shares import Event, ShareTests
from .sandwich import RegressionReference, regression_reference, scale_errors

MAX_COEFFICIENTS = 1000
"""The largest number of coefficients."""
MIN_SHARE = 1e-3
"""The smallest share that the search begins with."""


@dataclass(frozen=True, eq=False, repr=False)
class Multinomial(Coefficients):
    """A multinomial logit of the values, fitted to reports: for each value but one, log-odds against that one.

    `values` are the values, the one that the others are compared with first; `coefficients` follow the others in order,
    all those of one value after the other. `by_share` tells whether that one was chosen for its share.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="3"))
    >>> reports = mechanism.randomize_many(
    ...     ["bus", "bus", "car", "car", "bike", "bike", "bus", "bike"] * 300, dc.random.seeded(1)
    ... )
    >>> fit = dc.multinomial(dc.Survey(mechanism, reports, labels={"town": ["lima", "oslo"] * 1200}), on=["town"])
    >>> fit.n, fit.names, fit.matrix.shape
    (2400, ('(constant)', 'town[oslo]'), (2, 2))
    """

    design: DesignMatrix
    answers: Answers
    values: tuple[Hashable, ...]
    order: tuple[int, ...]
    fit: LikelihoodFit
    penalty: str | None
    by_share: bool
    _events: dict[int, Event] = field(default_factory=dict, kw_only=True)

    @property
    def matrix(self) -> Array:
        """The coefficients as a table: a row for each value but the first, a column for each name."""
        return self.coefficients.reshape(len(self.values) - 1, -1)

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood at the maximum; but for a constant where there are thousands of different reports."""
        return self.fit.log_likelihood + self.answers.constant

    @property
    def infinite(self) -> NDArray[np.bool_]:
        """Which of the values but the first have coefficients without a finite maximum."""
        return np.asarray(np.isnan(np.diag(self.covariance)).reshape(self.matrix.shape).any(axis=1))

    @property
    def axis(self) -> str:
        return f"log-odds against {self.values[0]}"

    @property
    def rows(self) -> dict[str, Sequence[Any]]:
        return {
            "value": [value for value in self.values[1:] for _ in self.names],
            "name": [name for _ in self.values[1:] for name in self.names],
        }

    @property
    def words(self) -> Sequence[str]:
        return ["value"]

    def without(self, *terms: str) -> Multinomial:
        """The model without these terms, fitted to the same people."""
        if not terms:
            raise InvalidInput("terms: at least one must be named")
        return _fit(self.design.without(*terms), self.answers, self.values, self.order, self.penalty, self.by_share)

    def test(self, *names: str) -> JointTest:
        """The test that these terms or columns tell nothing about any value, by the score; all where none is named."""
        chosen = names or tuple(self.formula.terms)
        if not chosen:
            raise InvalidInput("names: there is no term to test")
        starts = range(0, self.coefficients.size, len(self.names))
        return self.jointly([start + place for start in starts for place in self.formula.places(chosen)])

    def predict(self, labels: Any = None) -> Prediction:
        """The share of every value among people with these labels, ``{label: value or column}`` or a table."""
        values, size = self.formula.encode({} if labels is None else labels)
        rows, k = self.formula.rows(values, size), len(self.values)
        shares = softmax(np.concatenate([np.zeros((size, 1)), rows @ self.matrix.T], axis=1), axis=1)
        slopes = shares[:, :, None] * (np.eye(k) - shares[:, None, :])
        turned = (slopes[:, :, 1:, None] * rows[:, None, None, :]).reshape(size, k, -1)
        plain = self.covariance / np.outer(self.reference.factor, self.reference.factor)
        known, reference = np.where(np.isnan(plain), 0.0, plain), _reference(self.design).reference(rows)
        turned = (turned * reference.factor[:, None, None]).reshape(size * k, -1)
        covariance = turned @ known @ turned.T
        unknown = np.tile(np.concatenate([[False], self.infinite]), size)
        covariance[unknown], covariance[:, unknown] = np.nan, np.nan
        error = np.sqrt(np.maximum(np.diag(covariance), 0))
        repeated = replace(reference, factor=np.repeat(reference.factor, k), df=np.repeat(reference.df, k))
        columns = {
            name: [cell for cell in column for _ in range(k)] for name, column in self.formula.decode(values).items()
        }
        columns["value"] = [*self.values] * size
        tests = ShareTests(self, rows)
        scored = tests if tests.affordable else None
        return Prediction(columns, shares.reshape(-1), error, repeated, True, "share", covariance, scored)

    def event_of(self, number: int) -> Event:
        """One of the values against all others, whose log-odds among each other are taken as they were fitted."""
        if number not in self._events:
            self._events[number] = Event.of(self, number)
        return self._events[number]

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        information = "the observed information" if self.penalty is None else "the expected information"
        errors = f"a sandwich of {information}" if self.design.survey.design else information
        constant = "" if self.answers.complete else ", but for a constant"
        chosen = ", which has the largest share" if self.by_share else ""
        penalty = "" if self.penalty is None else ", with Firth's penalty"
        remarks = [
            f"log-odds against {self.values[0]}{chosen}, by the likelihood ({self.log_likelihood:.4f} as "
            f"logarithm{constant}){penalty}; each interval at {confidence:g} confidence",
            f"standard errors by {errors}",
            *self.test_remarks(),
            *self.formula.remarks(),
            *self.design.survey.remarks(finite=False),
        ]
        if not self.fit.converged:
            remarks.append("WARNING: the search for the maximum did not settle: there are no standard errors")
        elif self.infinite.any():
            names = [str(value) for value, gone in zip(self.values[1:], self.infinite, strict=True) if gone]
            remarks.append(
                f"WARNING: the coefficients of {', '.join(names)} have no finite maximum, since with some labels the "
                "share is estimated as 0 or 1: they stay where they were left and have no standard errors; intervals "
                'hold. penalty="firth" has finite ones'
            )
        return remarks

    @property
    def about(self) -> dict[str, Any]:
        return {
            "against": plain_value(self.values[0]),
            "log_likelihood": self.log_likelihood,
            "errors": "survey" if self.design.survey.design else "information",
            "penalty": self.penalty,
            "n": self.n,
        }

    def __repr__(self) -> str:
        return f"<Multinomial of {len(self.values)} values, {len(self.names)} coefficients each, on {self.n:,} reports>"


def multinomial(
    survey: Survey,
    *,
    on: Sequence[Any],
    against: Hashable = None,
    factors: Sequence[str] = (),
    penalty: str | None = None,
) -> Multinomial:
    """Multinomial logistic regression of the values on public labels, by the likelihood of the reports.

    With ``Pr(x | c) = softmax(B c)`` a report y has probability ``sum_x Pr(x | c) Q(y | x)`` given the labels c, and
    B is where the product over all reports is largest. `on` and `factors` are as for `regress`. Log-odds are `against`
    the value with the largest estimated share unless another is named: against a rare one all would be uncertain.

    Standard errors are those of the observed information (Louis1982), with weights, clusters or strata those of a
    sandwich (Binder1983). Intervals and p-values are by the score test (Rao1948), which holds where they do not, near
    shares of 0 and 1; see `discreet.analysis.regression.score_tests`. With ``penalty="firth"`` the likelihood is
    multiplied by the root of the determinant of its information (Firth1993, Heinze2002, Kosmidis2009), and every
    estimate is finite; intervals and p-values are the same, and an estimate may be outside of its interval where the
    reports tell little. For up to about 50 values: there are at most 1,000 coefficients; `regress` takes any number.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="3"))
    >>> reports = mechanism.randomize_many(
    ...     ["bus", "bus", "car", "car", "bike", "bike", "bus", "bike"] * 300, dc.random.seeded(1)
    ... )
    >>> survey = dc.Survey(mechanism, reports, labels={"town": ["lima", "oslo"] * 1200})
    >>> fit = dc.multinomial(survey, on=["town"], against="bus")
    >>> fit.values, fit.coefficients.round(1).tolist()
    (('bus', 'car', 'bike'), [-0.6, 0.6, -0.7, 1.4])
    """
    check_type("survey", survey, Survey, "a survey")
    check_penalty(penalty)
    design = design_of(survey, on, factors)
    k = len(survey.values)
    size = (k - 1) * len(design.formula.names)
    if size > MAX_COEFFICIENTS:
        raise InvalidInput(
            f"on: {k:,} values with {len(design.formula.names):,} coefficients each are too many for a "
            f"likelihood, {size:,} in all where {MAX_COEFFICIENTS:,} are the most; `regress` explains one query at a "
            "time"
        )
    largest = int(np.argmax(survey.plug_in if survey.weights is None else survey.shares().estimate))
    first = largest if against is None else survey.values.number_of(against)
    values = [survey.values[x] for x in (first, *(x for x in range(k) if x != first))]
    order = (largest, *(x for x in range(k) if x != largest))
    return _fit(design, answers_of(design, np.array(order)), tuple(values), order, penalty, against is None)


def _fit(
    design: DesignMatrix,
    answers: Answers,
    values: tuple[Hashable, ...],
    order: tuple[int, ...],
    penalty: str | None,
    by_share: bool,
) -> Multinomial:
    """The model, fitted against the largest value, whatever the others are compared with: that one is never rare."""
    survey = design.survey
    _ = design.triangle  # which refuses columns that combine to nothing
    k, p = len(order) - 1, len(design.formula.names)
    shares = np.maximum(survey.plug_in[list(order)], MIN_SHARE)
    start = np.zeros((k, p))
    start[:, 0] = np.log(shares[1:] / shares[0])
    likelihood = MultinomialLikelihood(design, answers, np.array(order))
    fit = fit_likelihood(likelihood, start.reshape(-1), np.repeat(np.arange(k), p), penalty=penalty)
    numbers = [order.index(survey.values.number_of(value)) for value in values]
    rows = np.eye(k + 1)[:, 1:]
    turn = np.kron(rows[numbers[1:]] - rows[numbers[0]], design.unscaling)
    own = _reference(design).coefficients
    reference = replace(own, factor=np.tile(own.factor, k), df=np.tile(own.df, k))
    return Multinomial(
        design.formula,
        design.n,
        turn @ fit.coefficients,
        scale_errors(turned(turn, fit.covariance), reference),
        reference,
        design.units,
        design,
        answers,
        values,
        order,
        fit,
        penalty,
        by_share,
        tests=CoefficientTests(fit.tests, turn),
    )


def turned(turn: Array, covariance: Array) -> Array:
    """``turn C turn'``, which is not known where a coefficient without an error has a part."""
    unknown = np.abs(turn) @ np.isnan(np.diag(covariance)) > 0
    found = np.asarray(turn @ np.nan_to_num(covariance) @ turn.T)
    found[unknown], found[:, unknown] = np.nan, np.nan
    return found


def _reference(design: DesignMatrix) -> RegressionReference:
    """The reference distribution of the coefficients of each value, which is the same: so are labels and clusters."""
    return regression_reference(design, design.unscaling)
