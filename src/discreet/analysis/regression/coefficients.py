"""What all regressions share: coefficients with errors and tests, predictions for given labels, and correlations."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from scipy.special import expit

from ...estimation.results.intervals import check_confidence
from ...estimation.results.score_law import ScoreLaw, remark_on_few
from ..groups.moments import mean_reference
from ..inversion import ScoreMeans, invert
from ..reference_distribution import (
    Array,
    JointTest,
    ReferenceDistribution,
    joint_test,
    quantiles,
    two_sided,
)
from ..result import CONFIDENCE, Estimates, label_text
from ..survey.survey import Survey
from .formula import CONSTANT, Formula
from .likelihood_fit import CoefficientTests

LINEAR = "intervals and p-values by the confidence distribution of the coefficients, skewed where few reports tell"
SCORED = "intervals and p-values by the score test, which needs no standard error; an end may be infinite"
NOT_SCORED = (
    "intervals and p-values by standard errors (Wald), as score tests of so many coefficients and people take too long:"
    " not to be trusted where shares near 0 or 1 are fitted"
)


@dataclass(frozen=True)
class Fit:
    """Coefficients of the scaled columns and their covariance, as a solver computed them.

    `carried` is the largest part of each coefficient's variance that one person makes; `remarks` say what to mind.
    """

    coefficients: Array
    covariance: Array
    carried: Array
    remarks: tuple[str, ...] = ()

    @classmethod
    def without_errors(cls, coefficients: Array, remark: str) -> Fit:
        """Coefficients where the equations have no solution, so that there are no errors."""
        p = len(coefficients)
        return cls(coefficients, np.full((p, p), np.nan), np.zeros(p), (remark,))


@dataclass(frozen=True, eq=False, repr=False)
class Coefficients(Estimates):
    """Coefficients with a covariance, in the order of the rows of the table.

    `units` has the standard deviation of every column that is a number. `tests` are the score tests of a fit by
    likelihood, which make its intervals and p-values.
    """

    ESTIMATE = "coefficients"
    FURTHER = ("p",)

    formula: Formula
    n: int
    coefficients: Array
    covariance: Array
    reference: ReferenceDistribution
    units: Mapping[str, float]
    tests: CoefficientTests | None = field(default=None, kw_only=True)

    @property
    @abstractmethod
    def axis(self) -> str:
        """What the coefficients are, in a few words."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coefficients."""
        return self.formula.names

    @property
    def rows(self) -> dict[str, Sequence[Any]]:
        return {"name": list(self.names)}

    @cached_property
    def stderr(self) -> Array:  # type: ignore[override]
        """The standard errors."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0)))

    @property
    def covariance_matrix(self) -> Array:
        """Their covariance, a row for each."""
        return self.covariance

    @cached_property
    def z(self) -> Array:
        """The coefficients over their standard errors."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.coefficients / self.stderr)

    @property
    def scored(self) -> CoefficientTests | None:
        """The score tests that make intervals and p-values; None where `stderr` and `reference` do."""
        return self.tests if self.tests is not None and self.tests.affordable else None

    @cached_property
    def law(self) -> ScoreLaw | None:
        """The confidence distribution of the coefficients where they are linear in the scores; None elsewhere."""
        return None

    @cached_property
    def p(self) -> Array:
        """The p-value of each coefficient being 0, two-sided: 0 is outside of every interval of less confidence."""
        if self.scored is not None:
            return np.asarray(self.scored.both[0])
        return np.asarray(two_sided(self.z if self.law is None else self.law.z_scores(), self.reference.df))

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
        """The low and the high end for each coefficient by itself: values that a test does not reject.

        Ends of log-odds are stretched to hold the estimate, which may have a penalty, or stay where it was left.
        """
        if self.law is not None:
            return self.law.ends(quantiles(confidence, self.reference.df))
        if self.scored is None:
            return super().interval(confidence)
        check_confidence(confidence)
        low, high = self.scored.interval(confidence)
        return np.fmin(low, self.coefficients), np.fmax(high, self.coefficients)

    def test_remarks(self) -> list[str]:
        """What is said of how intervals and p-values were made."""
        if self.law is not None:
            return [LINEAR, *self.reference.remarks(), *remark_on_few([self.law], "coefficients")]
        if self.tests is None:
            return self.reference.remarks()
        if self.scored is None:
            return [*self.reference.remarks(), NOT_SCORED]
        return [SCORED, *replace(self.reference, df=self.scored.both[1]).remarks()]

    def jointly(self, places: Sequence[int]) -> JointTest:
        """The test that the coefficients in these places are 0 together, by the score or else by Wald's statistic."""
        rows = list(places)
        if self.scored is not None:
            return self.scored.jointly(rows)
        df = self.reference.df[rows]
        if self.law is not None and len(rows) == 1:
            z, rest = float(self.law[rows].z_scores()[0]), None if math.isinf(df[0]) else float(df[0])
            return JointTest(z**2, 1, float(self.p[rows[0]]), rest, "confidence distribution")
        return joint_test(self.coefficients[rows], self.covariance[np.ix_(rows, rows)], df, self.reference.design_df)

    def plot(self, path: str | Path, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw every coefficient but the constant with its interval, and save the picture.

        That of a label which is a number is drawn for a difference of one standard deviation, which its name gives.
        """
        from ...plots.shares import plot_estimates

        table = self.table(confidence)
        names = table["name"]
        rows = [row for row, name in enumerate(names) if name != CONSTANT] or [*range(len(names))]
        units = [self.units.get(names[row], 1.0) for row in rows]
        chosen: dict[str, Sequence[Any]] = {
            key: [table[key][row] * unit for row, unit in zip(rows, units, strict=True)]
            for key in ("estimate", "low", "high")
        }
        chosen["names"] = [
            names[row] if unit == 1 else f"{names[row]} (per {unit:.3g})" for row, unit in zip(rows, units, strict=True)
        ]
        if "value" in table:
            chosen["groups"] = [table["value"][row] for row in rows]
        plot_estimates(chosen, path, title=title, x_label=self.axis, note="; ".join(self.remarks(confidence)))


class IntervalTests(Protocol):
    """Tests whose intervals are those of log-odds."""

    @property
    def affordable(self) -> bool:
        """Whether all intervals take a reasonable time."""

    def interval(self, confidence: float) -> tuple[Array, Array]:
        """The ends of the interval of each."""


@dataclass(frozen=True, eq=False, repr=False)
class Prediction(Estimates):
    """Estimates for people with given labels, a row each, with the errors of the coefficients.

    `reference` is the reference distribution of each, which is normal where people were not drawn by a design. What is
    linear in the scores has the confidence distribution `law`. The intervals of shares by log-odds are those of the
    log-odds, so that they stay between 0 and 1: by the score `tests` where there are some, which hold near these too,
    else by standard errors.
    """

    ESTIMATE = "estimates"

    labels: Mapping[str, Sequence[Any]]
    estimates: Array
    stderr: Array
    reference: ReferenceDistribution
    log_odds: bool
    what: str
    covariance: Array
    tests: IntervalTests | None = None
    distribution: Callable[[], ScoreLaw] | None = None

    @cached_property
    def law(self) -> ScoreLaw | None:
        """The confidence distribution of the estimates where they are linear in the scores; None elsewhere."""
        return None if self.distribution is None else self.distribution()

    @property
    def covariance_matrix(self) -> Array:
        """The covariance of the estimates; linearised where they are shares by log-odds."""
        return self.covariance

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
        """The ends of each estimate's interval."""
        if self.law is not None:
            return self.law.ends(quantiles(confidence, self.reference.df))
        if not self.log_odds:
            return super().interval(confidence)
        if self.tests is not None:
            check_confidence(confidence)
            low, high = map(expit, self.tests.interval(confidence))
            return np.minimum(low, self.estimates), np.maximum(high, self.estimates)
        with np.errstate(divide="ignore", invalid="ignore"):
            centre, slope = np.log(self.estimates / (1 - self.estimates)), self.estimates * (1 - self.estimates)
            reach = quantiles(confidence, self.reference.df) * self.stderr / slope
        return expit(centre - reach), expit(centre + reach)

    @property
    def words(self) -> Sequence[str]:
        return list(self.labels)

    @property
    def rows(self) -> dict[str, Sequence[Any]]:
        return dict(self.labels)

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        what = f"{self.what} for people with these labels; each interval at {confidence:g} confidence"
        few = [] if self.law is None else remark_on_few([self.law], "estimates")
        return [what, *self.reference.remarks(), *few]

    @property
    def about(self) -> dict[str, Any]:
        return {"of": self.what}

    def plot(self, path: str | Path, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the estimates with their intervals, and save the picture."""
        from ...plots.shares import plot_estimates

        table = self.table(confidence)
        labels = [name for name in self.labels if name != "value"]
        cells = zip(*(table[name] for name in labels), strict=True) if labels else [()] * len(self.estimates)
        people = [
            ", ".join(f"{name} {label_text(cell)}" for name, cell in zip(labels, row, strict=True)) for row in cells
        ]
        rows = {"names": people} if "value" not in table else {"names": table["value"], "groups": people}
        rows |= {key: table[key] for key in ("estimate", "low", "high")}
        plot_estimates(rows, path, title=title, x_label=self.what, note="; ".join(self.remarks(confidence)))


@dataclass(frozen=True)
class Correlation:
    """A correlation with its standard error; the estimate may pass 1, and is nan where no spread of answers is seen.

    `df` are the degrees of freedom of the error, infinite where people were not drawn by a design. `moments` are the
    means of both numbers, of their squares and of their product, and of 1.
    """

    estimate: float
    stderr: float
    df: float = math.inf
    moments: ScoreMeans | None = None

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """The ends of its interval, from -1 to 1 where no spread is seen.

        It is the set of all r at which ``(X - a)(Z - b) - r/2 (c (X - a)**2 + (Z - b)**2 / c)`` may have mean 0, with
        the means a and b and the ratio c of the two standard deviations as estimated. At the truth the mean is 0, and
        small errors of a, b and c do not change it.

        References: Fieller1954, Neyman1959.
        """
        check_confidence(confidence)
        if math.isnan(self.estimate) or self.moments is None:
            return -1.0, 1.0
        a, b, squared, other_squared, _, _ = self.moments.means
        c = math.sqrt((other_squared - b**2) / (squared - a**2))
        product = np.array([-b, -a, 0, 0, 1, a * b])
        spread = np.array([-2 * a * c, -2 * b / c, c, 1 / c, 0, c * a**2 + b**2 / c]) / 2
        moments = self.moments
        return invert(lambda r: moments.ends(product - r[:, None] * spread, confidence), self.estimate, (-1.0, 1.0))

    def __str__(self) -> str:
        if math.isnan(self.estimate):
            return "no correlation: the reports are too few to show that answers differ at all"
        return f"correlation of outcome and answer: {self.estimate:.4f}, stderr {self.stderr:.4f}"


def correlation_of(
    survey: Survey, first: tuple[Array, Array], second: tuple[Array, Array], product: Array
) -> Correlation:
    """The correlation of two numbers that people hold, ``cov(s1, s2) / sqrt(v1 v2)``; nan unless both v are above 0.

    Each number is given by the scores s of it and of its square, and the two by the scores of their product. The
    variance v is the mean score of the squares less the squared mean: the scores themselves vary far more. The
    standard error is that of the linearised estimate.
    """
    w, (one, one_squared), (two, two_squared) = survey.relative_weights, first, second
    a, b = w @ one, w @ two
    variances = w @ one_squared - a**2, w @ two_squared - b**2
    if min(variances) <= 0:
        return Correlation(math.nan, math.nan)
    scale = np.sqrt(variances[0] * variances[1])
    r = (w @ product - a * b) / scale
    terms = (product - a * two - b * one) / scale
    terms -= r / 2 * ((one_squared - 2 * a * one) / variances[0] + (two_squared - 2 * b * two) / variances[1])
    reference = mean_reference(survey)
    error = np.sqrt(survey.covariance_of_sum((w * (terms - w @ terms))[:, None])[0, 0]) * reference.factor[0]
    return Correlation(float(r), float(error), float(reference.df[0]))
