"""`regress_on`: a public outcome explained by a randomized answer, and by labels beside it.

Regressions with a randomized answer among the predictors: moments and equations that allow for its noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bulk.labelled.columns import column_of, missing_in, settled
from ...core.errors import InvalidInput, Unavailable, check_type, shown
from ...estimation.results.weights import weights_of
from ..reference_distribution import ReferenceDistribution
from ..result import CONFIDENCE
from ..survey.survey import Survey
from .coefficients import Coefficients, Fit, Test
from .correlation import Correlation, correlation_of
from .design_matrix import Design, design_of
from .formula import Formula, finite
from .regression import check_link, notes_of
from .sandwich import Spread, Terms, corrected, inverse, regression_reference, sandwich

Array = NDArray[np.float64]


MAX_STEPS = 100
LONGEST = 2.0
"""The longest step of a scaled coefficient."""
SETTLED = 1e-9
"""The last step is so small a part of the coefficients."""
FAR = 10.0
"""A coefficient of a scaled column beyond this is taken for one that has no finite value."""
MAX_ANSWERS = 64
"""The most different answers whose log-odds are summed."""
UNSURE = 3.0
"""How many of its own errors the least spread of the predictors must be above 0 to pass without a warning."""

UNSETTLED = (
    "WARNING: the equations did not settle on a solution: the reports are too few, or log-odds are infinite. There are "
    'no standard errors; link="identity" has them'
)

UNSTEADY = (
    "WARNING: how far the answer varies, given the labels, is itself hardly known: coefficients and errors are "
    "unsteady, and more people or fewer predictors are needed"
)


def _scaled(design: Design, features: Array) -> tuple[Array, Array]:
    """Features with mean 0 and deviation 1 at plausible shares, and what turns all coefficients back."""
    shares = design.survey.plausible
    centre = shares @ features
    scale = np.sqrt(shares @ (features - centre) ** 2)
    scale = np.where(scale > 1e-6 * np.ptp(features, axis=0), scale, np.ptp(features, axis=0))
    p, m = len(design.formula.names), len(scale)
    turn = np.zeros((p + m, p + m))
    turn[:p, :p] = design.unscaling
    turn[p:, p:] = np.diag(1 / scale)
    turn[0, p:] = -centre / scale
    return (features - centre) / scale, turn


def fit_corrected_linear(design: Design, features: Array, outcome: Array) -> tuple[Fit, Array]:
    """The solution of ``A b = sum w o u`` and the matrix that turns it into coefficients of the columns as given.

    The terms of the sandwich are ``w (o u - A_i b)``, u the scaled labels and the scores of the features.
    """
    _ = design.triangle
    features, turn = _scaled(design, features)
    p, m = len(design.formula.names), features.shape[1]
    first, second = np.triu_indices(m)
    scores = [design.survey.scores(features[:, a]) for a in range(m)]
    products = [design.survey.scores(features[:, a] * features[:, b]) for a, b in zip(first, second, strict=True)]
    place_of = np.zeros((m, m), dtype=np.int64)
    place_of[first, second] = place_of[second, first] = np.arange(len(first))

    def parts(place: slice) -> tuple[Array, Array]:
        """The scores of the features and those of their products, for some people."""
        return np.stack([s[place] for s in scores], axis=1), np.stack([s[place] for s in products], axis=1)

    matrix, right = np.zeros((p + m, p + m)), np.zeros(p + m)
    for place, rows in design.chunks():
        w, (own, squares) = design.weights[place], parts(place)
        weighted = rows * w[:, None]
        matrix[:p, :p] += weighted.T @ rows
        matrix[:p, p:] += weighted.T @ own
        matrix[p:, p:] += (w @ squares)[place_of]
        right += np.concatenate([weighted.T @ outcome[place], own.T @ (w * outcome[place])])
    matrix[p:, :p] = matrix[:p, p:].T
    sizes, vectors = np.linalg.eigh(matrix)
    if sizes[0] <= 0:
        raise Unavailable(
            "the reports are too few to show how far the answer varies, given the labels: more people, a larger "
            "epsilon or fewer predictors are needed"
        )
    b = np.linalg.solve(matrix, right)

    def terms(place: slice, rows: Array) -> Array:
        own, squares = parts(place)
        left = outcome[place] - rows @ b[:p]
        labels = rows * (left - own @ b[p:])[:, None]
        answers = own * left[:, None] - squares[:, place_of] @ b[p:]
        return np.concatenate([labels, answers], axis=1) * design.weights[place, None]

    def least(place: slice, rows: Array) -> Array:
        own, squares = parts(place)
        c, f = vectors[:p, 0], vectors[p:, 0]
        along = rows @ c
        found = along**2 + 2 * along * (own @ f) + squares[:, place_of] @ f @ f
        return np.asarray(design.weights[place] * found)[:, None]

    error = _error_of_sum(design, least)
    remarks = () if sizes[0] > UNSURE * error else (UNSTEADY,)
    return Fit(b, *sandwich(design, inverse(matrix), terms, None), remarks), turn


def _error_of_sum(design: Design, terms: Terms) -> float:
    spread = Spread(design.survey, 1)
    for place, rows in design.chunks():
        spread.add(place, terms(place, rows))
    return float(np.sqrt(max(0.0, spread.covariance()[0, 0])))


def fit_corrected_logit(design: Design, features: Array, outcome: Array) -> tuple[Fit, Array]:
    """The solution of ``sum w sum_x phi_x(y) u_x (o - expit(u_x b)) = 0``, over the different features of the values.

    Newton's steps, at most 2 each: phi may be negative, so the equations need not settle, which is said.
    """
    _ = design.triangle
    features, turn = _scaled(design, features)
    different, kind_of = np.unique(features, axis=0, return_inverse=True)
    if len(different) > MAX_ANSWERS:
        raise InvalidInput(
            f'query: {len(different):,} different weights are too many for link="logit"; at most {MAX_ANSWERS}'
        )
    scores = np.stack([design.survey.scores(kind_of.reshape(-1) == kind) for kind in range(len(different))], axis=1)
    p = len(design.formula.names)
    size = p + features.shape[1]

    def summed(place: slice, rows: Array, b: Array) -> tuple[Array, Array]:
        """The terms of some people, and the derivative of their sum."""
        found, slope = np.zeros((len(rows), size)), np.zeros((size, size))
        labels = rows @ b[:p]
        for kind, own in enumerate(different):
            g = 0.5 * (1 + np.tanh((labels + own @ b[p:]) / 2))
            phi = design.weights[place] * scores[place, kind]
            u = np.concatenate([rows, np.broadcast_to(own, (len(rows), size - p))], axis=1)
            found += u * (phi * (outcome[place] - g))[:, None]
            slope += u.T @ (u * (phi * g * (1 - g))[:, None])
        return found, slope

    b, settled = np.zeros(size), False
    slope = np.eye(size)
    for _ in range(MAX_STEPS):
        value, slope = np.zeros(size), np.zeros((size, size))
        for place, rows in design.chunks():
            terms, own = summed(place, rows, b)
            value, slope = value + terms.sum(axis=0), slope + own
        step = np.linalg.lstsq(slope, value, rcond=None)[0]
        b = b + step * min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))
        settled = bool(np.abs(step).max() < SETTLED)
        if settled or np.abs(b).max() > FAR:
            break
    if not settled or np.abs(b).max() > FAR or np.linalg.eigvalsh(slope)[0] <= 0:
        return Fit(b, np.full((size, size), np.nan), np.zeros(size), (UNSETTLED,)), turn
    return Fit(b, *sandwich(design, inverse(slope), lambda place, rows: summed(place, rows, b)[0], None)), turn


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
