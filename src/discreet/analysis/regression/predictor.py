"""`regress_on`: a public outcome explained by a randomized answer, and by labels beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bulk.labelled.columns import column_of, missing_in, settled
from ...core.errors import InvalidInput, check_type, shown
from ...estimation.results.weights import weights_of
from ..reference_distribution import ReferenceDistribution
from ..result import CONFIDENCE
from ..survey.survey import Survey
from .coefficients import Coefficients, Test
from .corrected import fit_corrected_linear, fit_corrected_logit
from .correlation import Correlation, correlation_of
from .design_matrix import Design, design_of
from .formula import Formula, finite
from .regression import check_link, notes_of
from .regression_reference import corrected, regression_reference

Array = NDArray[np.float64]

ANSWER = "answer"
"""The name of the coefficient of a single query."""

MAX_FEATURES = 10
"""The largest number of features."""


@dataclass(frozen=True, eq=False, repr=False)
class PredictorRegression(Coefficients):
    """The coefficients of labels and of a randomized answer for a public outcome, with their covariance.

    `correlation` is that of the outcome and the answer that people hold, where there is one query.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="2"))
    >>> reports = mechanism.randomize_many(["yes", "no", "no", "no"] * 500, dc.random.seeded(1))
    >>> survey = dc.Survey(mechanism, reports, labels={"income": [10, 20, 20, 20] * 500})
    >>> regression = dc.regress_on(survey, "income", {"yes": 1})
    >>> regression.n, regression.outcome, regression.coefficients.round(1).tolist()
    (2000, 'income', [20.0, -10.0])
    """

    formula: Formula
    features: tuple[str, ...]
    outcome: str
    link: str
    n: int
    coefficients: Array
    covariance: Array
    reference: ReferenceDistribution
    units: Mapping[str, float]
    correlation: Correlation | None
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coefficients: those of the labels, then of the answer."""
        return (*self.formula.names, *self.features)

    @property
    def rows(self) -> dict[str, Sequence[Any]]:
        return {"name": list(self.names)}

    @property
    def axis(self) -> str:
        return f"difference in {self._what}"

    @property
    def _what(self) -> str:
        return f"the log-odds of {self.outcome}" if self.link == "logit" else self.outcome

    def test(self, *names: str) -> Test:
        """Wald's test that the coefficients of these names are 0 together; those of the answer unless any is named."""
        p = len(self.formula.names)
        asked = names or self.features
        known = [name for name in asked if name not in self.features]
        places = self.formula.places(known) + [p + self.features.index(name) for name in asked if name in self.features]
        return self.jointly(places)

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        found = [
            f"differences in {self._what}; each interval at {confidence:g} confidence",
            "standard errors by a sandwich that allows for the noise of the answer",
            *self.reference.remarks(),
            *self.formula.compared(),
            *self.notes,
        ]
        return found if self.correlation is None else [*found, str(self.correlation)]

    @property
    def about(self) -> dict[str, Any]:
        found = {"outcome": self.outcome, "link": self.link, "n": self.n, "correlation": None}
        if self.correlation is not None:
            found["correlation"] = {"estimate": self.correlation.estimate, "stderr": self.correlation.stderr}
        return found

    def __repr__(self) -> str:
        features = ", ".join(self.features)
        return f"<PredictorRegression of {self.outcome} on {features}, {self.n:,} reports, {self.link} link>"


def regress_on(
    survey: Survey,
    outcome: Any,
    query: Any,
    *,
    on: Sequence[Any] = (),
    link: str = "identity",
    factors: Sequence[str] = (),
) -> PredictorRegression:
    """Regress a public outcome on a randomized answer, and on the labels `on`, allowing for the noise of the answer.

    This is what `rrreg.predictor` of the R package rr and `RRlin` of RRreg do; `regress` explains the answer itself.

    `outcome` is a label of the survey, or a pair (name, column); `query` gives each value its weight, as in
    `Estimate.query`, or several queries by name. `on` and `factors` are as for `regress`.

    Scores are no answers: they are far noisier, and taken for answers they give a slope near 0. So, for labels c and
    features f(x) of the answer, the linear coefficients are ``A^-1 b`` with ``A = sum w [c c', c (F.phi)'; ., (F
    F').phi]`` and ``b = sum w o (c, F.phi)``, where (F F').phi is the score of a product of features, not a product
    of scores (Fuller1987); `Unavailable` where the reports are too few for A to be positive definite. With
    ``link="logit"``, for an outcome of 0 and 1, ``sum w sum_x phi_x(y) u_x (o - expit(u_x b)) = 0`` is solved with
    u_x = (c, f(x)) (Nakamura1990). Errors are those of a sandwich, by the way people were drawn.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="2"))
    >>> reports = mechanism.randomize_many(["yes", "no", "no", "no"] * 500, dc.random.seeded(1))
    >>> survey = dc.Survey(mechanism, reports, labels={"income": [10, 20, 20, 20] * 500})
    >>> regression = dc.regress_on(survey, "income", {"yes": 1})
    >>> dict(zip(regression.names, regression.coefficients.round(1).tolist(), strict=True))
    {'(constant)': 20.0, 'answer': -10.0}
    """
    check_type("survey", survey, Survey, "a survey")
    check_link(link)
    features = _features(survey, query)
    name, outcomes = _outcome(survey, outcome)
    if link == "logit" and not np.isin(outcomes, (0, 1)).all():
        raise InvalidInput(f'link="logit" needs an outcome of 0 and 1; {name!r} has others')
    design = design_of(survey, on, factors)
    both = [label for label in design.formula.names if label in features]
    if both:
        raise InvalidInput(f"query: {both[0]!r} is also a label; give one of them another name")
    if name in design.formula.levels:
        raise InvalidInput(f"on: {name!r} is the outcome")
    weights = np.stack(list(features.values()), axis=1)
    fit, turn = (fit_corrected_linear if link == "identity" else fit_corrected_logit)(design, weights, outcomes)
    coefficients = turn @ fit.coefficients
    left = None if survey.clusters is None else _left(design, weights, outcomes, coefficients, link)
    reference = regression_reference(design, turn, left, answers=len(features)).coefficients
    return PredictorRegression(
        design.formula,
        tuple(features),
        name,
        link,
        design.n,
        coefficients,
        corrected(turn @ fit.covariance @ turn.T, reference),
        reference,
        design.units,
        correlation_of(survey, weights[:, 0], outcomes) if len(features) == 1 else None,
        (*notes_of(survey, (*design.formula.names, *features), fit), *fit.remarks),
    )


def _left(design: Design, weights: Array, outcomes: Array, coefficients: Array, link: str) -> Array:
    """What the regression leaves of every outcome; with log-odds, what the mean leaves."""
    if link == "logit":
        return np.asarray(outcomes - outcomes.mean())
    p = len(design.formula.names)
    left = outcomes - sum(b * design.survey.scores(w) for b, w in zip(coefficients[p:], weights.T, strict=True))
    own = np.linalg.solve(design.unscaling, coefficients[:p])
    for place, rows in design.chunks():
        left[place] -= rows @ own
    return np.asarray(left)


def _features(survey: Survey, query: Any) -> dict[str, Array]:
    """The weights of each feature, by name."""
    several = isinstance(query, Mapping) and query and not any(isinstance(entry, Real) for entry in query.values())
    given = dict(query) if several else {ANSWER: query}
    if len(given) > MAX_FEATURES:
        raise InvalidInput(f"query: {len(given)} queries are too many; at most {MAX_FEATURES}")
    found = {}
    for name, one in given.items():
        if not isinstance(name, str):
            raise InvalidInput(f"query: the name {shown(name)} must be text")
        found[name] = weights_of(survey.values, one, name="query")
        if np.ptp(found[name]) == 0:
            raise InvalidInput("query: the weights must differ, or there is nothing to regress on")
    columns = np.stack([np.ones(len(survey.values)), *found.values()], axis=1)
    if np.linalg.matrix_rank(columns / np.abs(columns).max(axis=0)) < columns.shape[1]:
        raise InvalidInput("query: one of the queries follows from the others; leave it out")
    return found


def _outcome(survey: Survey, outcome: Any) -> tuple[str, Array]:
    if isinstance(outcome, tuple) and len(outcome) == 2 and isinstance(outcome[0], str):
        name, column = outcome[0], column_of("outcome", outcome[1], survey.n)
        if missing_in("outcome", column).any():
            raise InvalidInput("outcome: entries are missing; as a label of the survey it may lack some")
        column = settled(column)
    else:
        name, column = outcome, survey.label(outcome)
    if column.dtype.kind not in "biuf":
        raise InvalidInput(f"outcome={name!r} must be numbers")
    found = finite(name, column)
    if np.ptp(found) == 0:
        raise InvalidInput(f"outcome={name!r} is the same for everyone")
    return name, found
