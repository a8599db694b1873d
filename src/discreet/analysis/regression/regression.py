"""`regress`: a randomized answer explained by public labels, by moments of scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy.special import expit

from ...core.domain import plain_value
from ...core.errors import InvalidInput, check_type, shown
from ...estimation.results.score_law import ScoreLaw
from ...estimation.results.weights import weights_of
from ..reference_distribution import Array, JointTest
from ..result import CONFIDENCE
from ..survey.survey import Survey
from .coefficients import Coefficients, Fit, Prediction
from .design_matrix import DesignMatrix, design_of
from .firth import check_penalty
from .likelihood_fit import CoefficientTests, LikelihoodFit, fit_likelihood
from .linear_laws import Leverages, LinearLaws, working_variance
from .quasi_likelihood import QuasiLikelihood
from .sandwich import RegressionReference, regression_reference, scale_errors
from .score_fits import fit_linear, quasi_likelihood

LINKS = ("identity", "logit")
KINDS = {"identity": ("HC0", "HC1", "HC2", "HC3"), "logit": ("HC0", "HC1")}
"""The errors of each link, for samples without weights, clusters or strata."""
CORRECTED = "corrected"
"""HC0 times the factor that undoes what leverage takes: the errors of the identity link unless others are chosen."""
USUAL = {"identity": CORRECTED, "logit": "HC0"}
SURVEY = "survey"
"""The errors of surveys with weights, clusters or strata."""
INFORMATION = "information"
"""The errors of a fit with a penalty, by the information that is expected of the reports."""
NO_SOLUTION = (
    "WARNING: some log-odds have no finite estimate, since with some labels the share is estimated as 0 or 1: they "
    'stay where they were left and have no standard errors; intervals hold. penalty="firth" has finite ones'
)
MAX_CARRIED = 0.1
"""The part of a coefficient's variance that one report may make before a warning."""


@dataclass(frozen=True, eq=False, repr=False)
class Regression(Coefficients):
    """The coefficients of labels for a randomized answer, with their covariance.

    With the identity link a coefficient is a difference of shares (or of means), with the logit link one of log-odds.
    `names` are the columns: ``(constant)``, ``label``, ``factor[level]`` and products of these. `references` has
    the reference distribution of any combination of coefficients.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="2"))
    >>> reports = mechanism.randomize_many(["yes", "no", "no", "no"] * 500, dc.random.seeded(1))
    >>> survey = dc.Survey(mechanism, reports, labels={"age": [20, 40, 40, 60] * 500})
    >>> regression = dc.regress(survey, {"yes": 1}, on=["age"])
    >>> regression.names, regression.coefficients.round(3).tolist(), regression.stderr.round(3).tolist()
    (('(constant)', 'age'), [1.283, -0.026], [0.032, 0.001])
    """

    link: str
    errors: str
    references: RegressionReference
    query: Mapping[Any, float]
    notes: tuple[str, ...]
    penalty: str | None = None
    of_mean: bool = False
    """Whether the query is the mean of the values themselves, by its name."""
    linear: LinearLaws | None = None
    """What makes the confidence distributions of coefficients and predictions with the identity link."""

    @cached_property
    def law(self) -> ScoreLaw | None:
        """The confidence distribution of the coefficients with the identity link."""
        if self.linear is None or not self.linear.affordable(len(self.coefficients)):
            return None
        return self.linear.laws(np.eye(len(self.coefficients)), np.diag(self.covariance))

    @property
    def axis(self) -> str:
        return f"difference in the {self._what if self.link == 'identity' else 'log-odds'}"

    def test(self, *names: str) -> JointTest:
        """The test that the coefficients of these names (columns, or all columns of a term) are 0 together.

        It is a score test; of one coefficient with the identity link that by its confidence distribution, and Wald's
        of several with it where `errors` were chosen, or where there are weights, clusters or strata: there by their
        covariance or by that of people who vary alike, whichever has the larger p. It is nan where reports are alike.
        """
        places = self.formula.places(names or self.names[1:])
        if not places:
            raise InvalidInput("names: there is no coefficient to test but the constant")
        if self.law is not None and self.linear is not None and len(places) > 1:
            if not self.linear.told:
                return JointTest(math.nan, len(places), math.nan)
            rows = np.eye(len(self.coefficients))[list(places)]
            if self.errors == CORRECTED:
                return self.linear.jointly(rows)
            if self.errors == SURVEY:
                wald, alike = self.jointly(places), self.linear.alike(rows, self.reference.design_df)
                return (
                    wald if wald.p > alike.p else alike
                )  # also where reports of a group are alike, and Wald's has no p
        return self.jointly(places)

    def predict(self, labels: Any = None) -> Prediction:
        """The share or mean among people with these labels: ``{label: value or column}`` or a table, with errors."""
        values, size = self.formula.encode({} if labels is None else labels)
        rows = self.formula.rows(values, size)
        estimates, reference = rows @ self.coefficients, self.references.reference(rows)
        turned, tests = rows * reference.factor[:, None], None
        if self.link == "logit":
            estimates = expit(estimates)
            turned = turned * (estimates * (1 - estimates))[:, None]
            tests = None if self.tests is None else self.tests.combined(rows)
        covariance = turned @ (self.covariance / np.outer(self.reference.factor, self.reference.factor)) @ turned.T
        error, labels = np.sqrt(np.maximum(np.diag(covariance), 0)), self.formula.decode(values)
        scored = tests if tests is not None and tests.affordable else None
        linear = self.linear if self.linear is not None and self.linear.affordable(len(rows)) else None
        law = None if linear is None else partial(linear.laws, rows, error**2)
        of_share = self.link == "logit"
        return Prediction(labels, estimates, error, reference, of_share, self._what, covariance, scored, law)

    @property
    def _what(self) -> str:
        return "share" if set(self.query.values()) <= {0.0, 1.0} else "mean"

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        some = [f"{weight:g} for {value}" if weight != 1 else str(value) for value, weight in self.query.items()][:4]
        values = ", ".join([*some, "..."] if len(self.query) > 4 else some)
        what = "" if self.of_mean and self._what == "mean" else f" of {values}"
        kind = {SURVEY: "linearisation", CORRECTED: "HC0, corrected for leverage"}.get(self.errors, self.errors)
        return [
            f"{self.axis.replace('difference', 'differences')}{what}; each interval at {confidence:g} confidence",
            f"standard errors by {kind}, which hold whatever the law of the answers"
            if self.errors != INFORMATION
            else "estimates with Firth's penalty, and standard errors by the expected information",
            *self.test_remarks(),
            *self.formula.remarks(),
            *self.notes,
        ]

    @property
    def about(self) -> dict[str, Any]:
        query = [[plain_value(value), weight] for value, weight in self.query.items()]
        return {"link": self.link, "errors": self.errors, "penalty": self.penalty, "n": self.n, "query": query}

    def __repr__(self) -> str:
        return f"<Regression of {len(self.names)} coefficients on {self.n:,} reports, {self.link} link>"


def regress(
    survey: Survey,
    query: Any,
    *,
    on: Sequence[Any],
    link: str = "identity",
    errors: str | None = None,
    factors: Sequence[str] = (),
    penalty: str | None = None,
) -> Regression:
    """Regress a randomized answer on public labels, by moments: unbiased for every mechanism and number of values.

    `query` gives each value its weight, as in `Estimate.query`: ``{"yes": 1}`` for a share, "mean" for values that
    are numbers. `on` lists labels by name, products such as ``"age*age"`` or ``"age*region"``, or pairs (name,
    column). Text and truth values are factors, whose first level is the one compared with; so are the labels named in
    `factors`, though they be numbers.

    With the identity link scores stand for answers in least squares, ``b = (X'WX)^-1 X'W s``; with ``link="logit"``,
    for an event, ``sum w x (d / V)(s - expit(x b)) = 0`` is solved, which for two values is the likelihood equation
    (Blair2015), in general that of a quasi-likelihood (Wedderburn1974). Intervals and p-values of log-odds are by the
    score test (Rao1948), which holds near shares of 0 and 1, where no standard error does, and is cautious where few
    people count for most of the information. With ``penalty="firth"`` estimates of log-odds are finite there too
    (Firth1993, Heinze2002); intervals and p-values are the same.

    `errors` are HC0 to HC3, and HC0 corrected for leverage unless given (for the logit link HC0 or HC1, and HC0 unless
    given); where the survey has weights, clusters or strata they are linearised for these (Binder1983), and compared
    with t; where there are fewer than 50 clusters, without the bias that this gives them (Bell2002, Imbens2016).

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="2"))
    >>> reports = mechanism.randomize_many(["yes", "no", "no", "no"] * 500, dc.random.seeded(1))
    >>> survey = dc.Survey(mechanism, reports, labels={"town": ["lima", "oslo"] * 1000})
    >>> regression = dc.regress(survey, {"yes": 1}, on=["town"])
    >>> dict(zip(regression.names, regression.coefficients.round(2).tolist(), strict=True))
    {'(constant)': 0.51, 'town[oslo]': -0.51}
    """
    check_type("survey", survey, Survey, "a survey")
    check_link(link)
    check_penalty(penalty)
    if penalty is not None and link == "identity":
        raise InvalidInput(f'penalty={shown(penalty)} is for link="logit": with the identity link nothing is infinite')
    w = weights_of(survey.values, query, name="query")
    if np.ptp(w) == 0:
        raise InvalidInput("query: the weights must differ, or there is nothing to explain")
    kind = _kind(survey, link, errors)
    if penalty is not None and errors is not None:
        raise InvalidInput(f"errors={shown(errors)} cannot be chosen with a penalty, whose errors are by information")
    design = design_of(survey, on, factors)
    scores, turn, tests, linear = survey.scores(w), design.unscaling, None, None
    if link == "identity":
        fit = fit_linear(design, scores, "HC0" if kind == CORRECTED else kind)
        linear = LinearLaws.of(design, w, scores, fit.coefficients)
    else:
        found = fit_logit(quasi_likelihood(design, scores, w), kind, penalty)
        notes = (NO_SOLUTION,) if found.infinite.any() or not found.converged else ()
        fit, tests = (
            Fit(found.coefficients, found.covariance, found.carried, notes),
            CoefficientTests(found.tests, turn),
        )
    references = _reference(design, scores, fit, link, kind)
    reference = references.coefficients
    return Regression(
        design.formula,
        design.n,
        turn @ fit.coefficients,
        scale_errors(turn @ fit.covariance @ turn.T, reference),
        reference,
        design.units,
        link,
        SURVEY if kind is None else INFORMATION if penalty else kind,
        references,
        {value: float(weight) for value, weight in zip(survey.values, w, strict=True) if weight},
        fit_notes(survey, design.formula.names, fit, link),
        penalty,
        isinstance(query, str),
        linear,
        tests=tests,
    )


def _reference(design: DesignMatrix, scores: Array, fit: Fit, link: str, kind: str | None) -> RegressionReference:
    """The reference distribution of a regression, whose errors vary as the labels say with the identity link."""
    if kind == CORRECTED:
        return RegressionReference(design.unscaling, math.inf, Leverages(design))
    if kind is not None:
        return regression_reference(design, design.unscaling)
    left, weights = residuals(design, scores, fit.coefficients, link), design.weights
    working = (weights, weights**2 * working_variance(design, left)) if link == "identity" else None
    return regression_reference(design, design.unscaling, left, working=working)


def residuals(design: DesignMatrix, outcomes: Array, coefficients: Any, link: str = "identity") -> Array:
    """What the coefficients of the scaled columns leave of every outcome."""
    left = np.array(outcomes, dtype=float)
    for place, rows in design.chunks():
        fitted = rows @ coefficients
        left[place] -= expit(fitted) if link == "logit" else fitted
    return left


def check_link(link: str) -> None:
    """Refuse what is not the name of a link."""
    if not isinstance(link, str) or link not in LINKS:
        raise InvalidInput(f"link={shown(link)} must be one of {', '.join(LINKS)}")


def _kind(survey: Survey, link: str, errors: str | None) -> str | None:
    """The kind of errors of a plain sample; None for those by the way people were drawn."""
    if survey.design:
        drawn = " and ".join(survey.design)
        if errors is not None:
            raise InvalidInput(f"errors={shown(errors)} cannot be chosen where there are {drawn}, which make them")
        return None
    kind = USUAL[link] if errors is None else errors
    if errors is not None and (not isinstance(kind, str) or kind not in KINDS[link]):
        raise InvalidInput(f"errors={shown(errors)} must be one of {', '.join(KINDS[link])} for the {link} link")
    return kind


def fit_logit(likelihood: QuasiLikelihood, kind: str | None, penalty: str | None = None) -> LikelihoodFit:
    """The solution of ``sum w x (d / V)(s - g) = 0``, with its sandwich."""
    weights = likelihood.cells.weights
    mean = float(np.clip(np.average(likelihood.scores, weights=weights), 0.01, 0.99))
    start = np.zeros(likelihood.size)
    start[0] = np.log(mean / (1 - mean))
    return fit_likelihood(likelihood, start, np.zeros(likelihood.size, dtype=int), kind=kind, penalty=penalty)


def fit_notes(survey: Survey, names: Sequence[str], fit: Fit, link: str = "identity") -> tuple[str, ...]:
    """What to mind about the people and the errors of a regression."""
    notes = survey.remarks(finite=False)
    heavy = [name for name, part in zip(names, fit.carried, strict=True) if part > MAX_CARRIED]
    if heavy:
        doubted = "errors and intervals" if link == "identity" else "standard errors"
        notes.append(
            f"WARNING: one report alone makes more than {MAX_CARRIED:.0%} of the variance of {', '.join(heavy)}: "
            f"{doubted} are not to be trusted there"
        )
    return (*notes, *fit.remarks)
