"""`regress_on`: a public outcome explained by a randomized answer, and by labels beside it.

The moments and equations of the regression allow for the noise of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import expit

from ...core.errors import InvalidInput, Unavailable, check_type, shown
from ...estimation.results.weights import products_of, weights_of
from ..inversion import ScoreMeans
from ..reference_distribution import Array, JointTest, ReferenceDistribution
from ..result import CONFIDENCE
from ..survey.survey import Survey
from ..tables.paired_answers import PairedAnswers, scores_of
from .coefficients import Coefficients, Correlation, Fit, correlation_of
from .design_matrix import DesignMatrix, complete_column, design_of
from .formula import finite
from .inverted_moments import MAX_TERMS, InvertedMoments
from .regression import check_link, fit_notes, residuals
from .sandwich import covariance_of_pieces, regression_reference, sandwich, scale_errors

ANSWER = "answer"
"""The name of the coefficient of a single query."""
MAX_FEATURES = 10
"""The largest number of features."""
MAX_STEPS = 100
MAX_STEP = 2.0
"""The longest step of a scaled coefficient."""
LAST_STEP = 1e-9
"""The equations are solved where the next step is shorter."""
MAX_SCALED = 10.0
"""A coefficient of a scaled column beyond this is taken for one that has no finite value."""
FLAT = 1e-10
"""Equations whose least slope is a smaller part of the largest have no solution."""
MAX_ANSWERS = 64
"""The most different answers whose log-odds are summed."""
MIN_RATIO = 3.0
"""How many of its own errors the least spread of the predictors must be above 0 to pass without a warning."""

NO_SOLUTION = (
    "WARNING: the equations did not settle on a solution: the reports are too few, or log-odds are infinite. There are "
    'no standard errors; link="identity" has them'
)

INVERTED = "intervals and p-values by inverting the test of a mean score; an end may be infinite"

UNSTABLE = (
    "WARNING: how far the answer varies, given the labels, is itself hardly known: coefficients and errors are "
    "unsteady, and more people or fewer predictors are needed"
)


def _scale_features(design: DesignMatrix, features: Array) -> tuple[Array, Array]:
    """Features with mean 0 and deviation 1 at plug-in shares, and the matrix that turns all coefficients back."""
    shares = design.survey.plug_in
    centre = shares @ features
    scale = np.sqrt(shares @ (features - centre) ** 2)
    scale = np.where(scale > 1e-6 * np.ptp(features, axis=0), scale, np.ptp(features, axis=0))
    p, m = len(design.formula.names), len(scale)
    turn = np.zeros((p + m, p + m))
    turn[:p, :p] = design.unscaling
    turn[p:, p:] = np.diag(1 / scale)
    turn[0, p:] = -centre / scale
    return (features - centre) / scale, turn


def _products(survey: Survey, features: Array) -> Array:
    """The weights of the product of every two features, a row each."""
    pairs = zip(*np.triu_indices(features.shape[1]), strict=True)
    return np.stack([products_of(survey.values, features[:, a], features[:, b]) for a, b in pairs])


def fit_corrected_linear(design: DesignMatrix, features: Array, outcome: Array) -> tuple[Fit, Array]:
    """The solution of ``A b = sum w o u`` and the matrix that turns it into coefficients of the columns as given.

    The terms of the sandwich are ``w (o u - A_i b)``, u the scaled labels and the scores of the features.
    """
    _ = design.triangle
    features, turn = _scale_features(design, features)
    p, m = len(design.formula.names), features.shape[1]
    first, second = np.triu_indices(m)
    scores = [design.survey.scores(features[:, a]) for a in range(m)]
    products = [design.survey.scores(square) for square in _products(design.survey, features)]
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
        square = along**2 + 2 * along * (own @ f) + squares[:, place_of] @ f @ f
        return np.asarray(design.weights[place] * square)[:, None]

    pieces = ((place, least(place, rows)) for place, rows in design.chunks())
    variance = covariance_of_pieces(design.survey.units, pieces, 1)[0, 0]
    remarks = () if sizes[0] > MIN_RATIO * np.sqrt(max(0.0, variance)) else (UNSTABLE,)
    return Fit(b, *sandwich(design, np.linalg.inv(matrix), terms, None), remarks), turn


def inverted_moments(
    design: DesignMatrix, features: Array, outcome: Array, fit: Fit, turn: Array, reference: ReferenceDistribution
) -> InvertedMoments | None:
    """What inverts the tests of the linear coefficients; None where people are too many.

    With ``a = A^-1 l`` the terms at the estimate are ``a . (o u - A_i b)``, and change by ``a . A_i a / l . a`` for
    each unit that ``l . b`` is lower.
    """
    survey, (p, m), n = design.survey, (len(design.formula.names), features.shape[1]), design.n
    if n * len(turn) > MAX_TERMS:
        return None
    features, _ = _scale_features(design, features)
    first, second = np.triu_indices(m)
    table, numbers = scores_of(survey, np.concatenate([features.T, _products(survey, features)]))
    place_of = np.zeros((m, m), dtype=np.int64)
    place_of[first, second] = place_of[second, first] = np.arange(m, m + len(first))
    labels, own = np.concatenate([rows for _, rows in design.chunks()]), table[numbers]
    weighted = labels * survey.relative_weights[:, None]
    across = weighted.T @ own[:, :m]
    matrix = np.block([[weighted.T @ labels, across], [across.T, (survey.relative_weights @ own)[place_of]]])
    directions = np.linalg.solve(matrix, turn.T).T
    b = fit.coefficients
    left = outcome - labels @ b[:p]

    def product(one: int, other: int) -> Array:
        """``a . A_i a`` of every person, for two coefficients."""
        (a, held), (b, seen) = (
            (labels @ directions[place][:p], own[:, :m] @ directions[place][p:]) for place in (one, other)
        )
        return np.asarray(a * b + a * seen + b * held + own[:, place_of] @ directions[one][p:] @ directions[other][p:])

    def terms(scores: Array) -> tuple[Array, Array]:
        """Those of people with reports of these scores, by coefficient and person."""
        still, moving = np.empty((2, len(turn), n))
        fitted, squares = scores[:, :m] @ b[p:], scores[:, place_of]
        for place, (a, held) in enumerate(zip(directions, turn, strict=True)):
            along, answer = labels @ a[:p], scores[:, :m] @ a[p:]
            still[place] = along * (left - fitted) + answer * left - squares @ b[p:] @ a[p:]
            moving[place] = (along**2 + 2 * along * answer + squares @ a[p:] @ a[p:]) / (held @ a)
        return still, moving

    extremes = None
    if n * len(table) * len(turn) <= MAX_TERMS:
        still, moving = zip(*(terms(np.broadcast_to(row, (n, len(row)))) for row in table), strict=True)
        extremes = np.concatenate(still, axis=1), np.concatenate(moving, axis=1)
    stderr = np.sqrt(np.maximum(np.diag(turn @ fit.covariance @ turn.T), 0.0)) * reference.factor
    return InvertedMoments(survey, turn @ b, stderr, reference, *terms(own), extremes, turn @ directions.T, product)


def fit_corrected_logit(design: DesignMatrix, features: Array, outcome: Array) -> tuple[Fit, Array]:
    """The solution of ``sum w sum_x phi_x(y) u_x (o - expit(u_x b)) = 0``, over the different features of the values.

    Newton's steps, at most 2 each: phi may be negative, so the equations need not settle, which is said.
    """
    _ = design.triangle
    features, turn = _scale_features(design, features)
    different, kind_of = np.unique(features, axis=0, return_inverse=True)
    if len(different) > MAX_ANSWERS:
        raise InvalidInput(
            f'query: {len(different):,} different weights are too many for link="logit"; at most {MAX_ANSWERS}'
        )
    scores = np.stack([design.survey.scores(kind_of.reshape(-1) == kind) for kind in range(len(different))], axis=1)
    p = len(design.formula.names)
    size = p + features.shape[1]

    def equations(place: slice, rows: Array, b: Array) -> tuple[Array, Array]:
        """The terms of some people, and the derivative of their sum."""
        terms, slope = np.zeros((len(rows), size)), np.zeros((size, size))
        labels = rows @ b[:p]
        for kind, own in enumerate(different):
            g = expit(labels + own @ b[p:])
            phi = design.weights[place] * scores[place, kind]
            u = np.concatenate([rows, np.broadcast_to(own, (len(rows), size - p))], axis=1)
            terms += u * (phi * (outcome[place] - g))[:, None]
            slope += u.T @ (u * (phi * g * (1 - g))[:, None])
        return terms, slope

    b, solved, slope = np.zeros(size), False, np.eye(size)
    for _ in range(MAX_STEPS):
        value, slope = np.zeros(size), np.zeros((size, size))
        for place, rows in design.chunks():
            terms, own = equations(place, rows, b)
            value, slope = value + terms.sum(axis=0), slope + own
        step = np.linalg.lstsq(slope, value, rcond=None)[0]
        b = b + step * min(1.0, MAX_STEP / max(float(np.abs(step).max()), 1e-300))
        solved = bool(np.abs(step).max() < LAST_STEP)
        if solved or np.abs(b).max() > MAX_SCALED:
            break
    sizes = np.linalg.eigvalsh(slope)
    if not solved or np.abs(b).max() > MAX_SCALED or sizes[0] <= FLAT * sizes[-1]:
        return Fit.without_errors(b, NO_SOLUTION), turn
    bread = np.linalg.inv(slope)
    return Fit(b, *sandwich(design, bread, lambda place, rows: equations(place, rows, b)[0], None)), turn


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

    features: tuple[str, ...]
    outcome: str
    link: str
    correlation: Correlation | None
    notes: tuple[str, ...]
    moments: InvertedMoments | None = None
    """What makes the intervals and p-values with the identity link."""

    @cached_property
    def p(self) -> Array:
        """The p-value of each coefficient being 0, two-sided."""
        return super().p if self.moments is None else self.moments.p

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
        """The low and the high end for each coefficient by itself; an end that reports do not know is infinite."""
        return super().interval(confidence) if self.moments is None else self.moments.interval(confidence)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coefficients: those of the labels, then of the answer."""
        return (*self.formula.names, *self.features)

    @property
    def axis(self) -> str:
        return f"difference in {self._what}"

    @property
    def _what(self) -> str:
        return f"the log-odds of {self.outcome}" if self.link == "logit" else self.outcome

    def test(self, *names: str) -> JointTest:
        """The test that the coefficients of these names are 0 together; those of the answer unless any is named.

        With the identity link it is a score test, of one coefficient that of its interval; else Wald's.
        """
        chosen = names or self.features
        labels = self.formula.places(name for name in chosen if name not in self.features)
        places = labels + [self.names.index(name) for name in chosen if name in self.features]
        return self.jointly(places) if self.moments is None else self.moments.jointly(places)

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        remarks = [
            f"differences in {self._what}; each interval at {confidence:g} confidence",
            "standard errors by a sandwich that allows for the noise of the answer",
            *([] if self.moments is None else [INVERTED]),
            *self.reference.remarks(),
            *self.formula.remarks(),
            *self.notes,
        ]
        return remarks if self.correlation is None else [*remarks, str(self.correlation)]

    @property
    def about(self) -> dict[str, Any]:
        r = self.correlation
        correlation = None if r is None else {"estimate": r.estimate, "stderr": r.stderr}
        return {"outcome": self.outcome, "link": self.link, "n": self.n, "correlation": correlation}

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
    u_x = (c, f(x)) (Nakamura1990). Errors are those of a sandwich, by the way people were drawn; intervals and p-values
    of linear coefficients are found by inverting the test of a mean score (Fieller1954), which holds for rare answers.

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
    left = None if survey.clusters is None else _residuals(design, weights, outcomes, coefficients, link)
    reference = regression_reference(design, turn, left, answers=len(features)).coefficients
    return PredictorRegression(
        design.formula,
        design.n,
        coefficients,
        scale_errors(turn @ fit.covariance @ turn.T, reference),
        reference,
        design.units,
        tuple(features),
        name,
        link,
        _correlation(survey, weights[:, 0], outcomes) if len(features) == 1 else None,
        fit_notes(survey, (*design.formula.names, *features), fit),
        inverted_moments(design, weights, outcomes, fit, turn, reference) if link == "identity" else None,
    )


def _residuals(design: DesignMatrix, weights: Array, outcomes: Array, coefficients: Array, link: str) -> Array:
    """What the regression leaves of every outcome; with log-odds, what the mean leaves."""
    if link == "logit":
        return np.asarray(outcomes - outcomes.mean())
    p = len(design.formula.names)
    left = outcomes - sum(b * design.survey.scores(w) for b, w in zip(coefficients[p:], weights.T, strict=True))
    return residuals(design, left, np.linalg.solve(design.unscaling, coefficients[:p]))


def _correlation(survey: Survey, weights: Array, outcome: Array) -> Correlation:
    """The correlation of the outcome and of the weights that people hold."""
    weights, outcome = weights - weights.mean(), outcome - survey.relative_weights @ outcome
    weights, outcome = weights / np.ptp(weights), outcome / outcome.std()
    scores = survey.scores(weights)
    squares = products_of(survey.values, weights, weights)
    found = correlation_of(survey, (scores, survey.scores(squares)), (outcome, outcome**2), scores * outcome)
    different, own = np.unique(outcome, return_inverse=True)
    powers = np.stack([np.ones(len(different)), different, different**2], axis=1)
    answers = scores_of(survey, np.stack([np.ones(len(weights)), weights, squares]))
    pairs = PairedAnswers(survey, ((), ()), (answers, (powers, own.reshape(-1))), np.zeros(0, dtype=np.int64))
    one, held, square = np.eye(3)
    queries = [(held, one), (one, held), (square, one), (one, square), (held, held), (one, one)]
    return replace(found, moments=ScoreMeans.of(pairs, queries))


def _features(survey: Survey, query: Any) -> dict[str, Array]:
    """The weights of each feature, by name."""
    several = isinstance(query, Mapping) and query and not any(isinstance(entry, Real) for entry in query.values())
    given = dict(query) if several else {ANSWER: query}
    if len(given) > MAX_FEATURES:
        raise InvalidInput(f"query: {len(given)} queries are too many; at most {MAX_FEATURES}")
    features = {}
    for name, one in given.items():
        if not isinstance(name, str):
            raise InvalidInput(f"query: the name {shown(name)} must be text")
        features[name] = weights_of(survey.values, one, name="query")
        if np.ptp(features[name]) == 0:
            raise InvalidInput("query: the weights must differ, or there is nothing to regress on")
    columns = np.stack([np.ones(len(survey.values)), *features.values()], axis=1)
    if np.linalg.matrix_rank(columns / np.abs(columns).max(axis=0)) < columns.shape[1]:
        raise InvalidInput("query: one of the queries follows from the others; leave it out")
    return features


def _outcome(survey: Survey, outcome: Any) -> tuple[str, Array]:
    """The name of the outcome, and that of every person."""
    if isinstance(outcome, tuple) and len(outcome) == 2 and isinstance(outcome[0], str):
        name, column = outcome[0], complete_column("outcome", outcome[1], survey)
    else:
        name, column = outcome, survey.label(outcome)
    if column.dtype.kind not in "biuf":
        raise InvalidInput(f"outcome={name!r} must be numbers")
    if np.ptp(outcomes := finite(name, column)) == 0:
        raise InvalidInput(f"outcome={name!r} is the same for everyone")
    return name, outcomes
