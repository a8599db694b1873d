"""What all regressions share: coefficients with their errors, tests, and a table of them.

What a regression says of people with given labels.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import Unavailable
from ...estimation.tails import chi_square_tail
from ..reference_distribution import ReferenceDistribution, denominator_df, hotelling_tail, quantiles, two_sided
from ..result import CONFIDENCE, Result, label_text
from .formula import CONSTANT

Array = NDArray[np.float64]


DRAWN = ("estimate", "low", "high")


@dataclass(frozen=True)
class Fit:
    """Coefficients of the scaled columns and their covariance, as a solver found them.

    `carried` is the largest part of each coefficient's variance that one person makes; `remarks` say what to mind.
    """

    coefficients: Array
    covariance: Array
    carried: Array
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Test:
    """A test that several coefficients are 0: its statistic, degrees of freedom and p-value.

    `rest` are the degrees of freedom of the errors where people were drawn by a design, and the p-value is of F.
    """

    __test__ = False  # pytest would take it for one of its own

    method: str
    statistic: float
    df: int
    p: float
    rest: float | None = None

    def __str__(self) -> str:
        rest = "" if self.rest is None else f", against F with {self.rest:.4g} more for the errors"
        return f"{self.method}: {self.statistic:.4f} on {self.df} degrees of freedom{rest}, p = {self.p:.4g}"


def chi_square_test(method: str, statistic: float, df: int) -> Test:
    """The test by a statistic that is chi-square where the coefficients are 0."""
    return Test(method, float(statistic), df, chi_square_tail(float(statistic), df))


def wald(coefficients: Array, covariance: Array, df: Array, design_df: float) -> Test:
    """Wald's test that all of these are 0: ``b' V^-1 b``, chi-square on as many degrees of freedom as there are.

    Where the errors of each coefficient have a finite `df`, it is compared with F on their mean, out of `design_df`.
    """
    size, mean = len(coefficients), float(df.mean())
    if not np.isfinite(covariance).all():
        return Test("Wald", math.nan, size, math.nan)
    if math.isfinite(mean) and denominator_df(size, mean, design_df) < 1:
        raise Unavailable(
            f"{size} coefficients are too many to test at once: their errors have {mean:.3g} degrees of freedom"
        )
    root = np.sqrt(np.diag(covariance))
    scaled = np.linalg.lstsq(covariance / np.outer(root, root), coefficients / root, rcond=None)[0]
    statistic = float(scaled @ (coefficients / root))
    if math.isinf(mean):
        return chi_square_test("Wald", statistic, size)
    return Test(
        "Wald", statistic, size, hotelling_tail(statistic, size, mean, design_df), denominator_df(size, mean, design_df)
    )


class Coefficients(Result):
    """Coefficients with a covariance, in the order of `rows`."""

    coefficients: Array
    covariance: Array
    reference: ReferenceDistribution
    """The reference distribution of each coefficient: t where people were drawn by a design, else normal."""
    units: Mapping[str, float]
    """The standard deviation of every column that is a number."""

    @property
    @abstractmethod
    def axis(self) -> str:
        """What the coefficients are, in a few words."""

    @property
    @abstractmethod
    def rows(self) -> dict[str, Sequence[Any]]:
        """The words of each row of the table."""

    @cached_property
    def stderr(self) -> Array:
        """The standard errors."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0)))

    @cached_property
    def z(self) -> Array:
        """The coefficients over their standard errors."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.coefficients / self.stderr)

    @cached_property
    def p(self) -> Array:
        """The p-value of each coefficient being 0, two-sided, by `reference`."""
        return np.asarray(two_sided(self.z, self.reference.df))

    def jointly(self, places: Sequence[int]) -> Test:
        """Wald's test that the coefficients in these places are 0 together, by `reference`."""
        of = list(places)
        df = self.reference.df[of]
        return wald(self.coefficients[of], self.covariance[np.ix_(of, of)], df, self.reference.design_df)

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
        """The ends of each coefficient's interval, by `reference`."""
        reach = quantiles(confidence, self.reference.df) * self.stderr
        return self.coefficients - reach, self.coefficients + reach

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        low, high = self.interval(confidence)
        numbers = {"estimate": self.coefficients, "stderr": self.stderr, "low": low, "high": high, "p": self.p}
        return {**self.rows, **{name: column.tolist() for name, column in numbers.items()}}

    def plot(self, path: str | Path, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw every coefficient but the constant with its interval, and save the picture.

        That of a label which is a number is drawn for a difference of one standard deviation, which its name gives.
        """
        from ...plots.shares import plot_estimates

        table = self.table(confidence)
        rows = [row for row, name in enumerate(table["name"]) if name != CONSTANT] or [*range(len(self.coefficients))]
        units = [self.units.get(table["name"][row], 1.0) for row in rows]
        chosen: dict[str, Sequence[Any]] = {
            key: [table[key][row] * unit for row, unit in zip(rows, units, strict=True)] for key in DRAWN
        }
        chosen["names"] = [
            table["name"][row] if unit == 1 else f"{table['name'][row]} (per {unit:.3g})"
            for row, unit in zip(rows, units, strict=True)
        ]
        if "value" in table:
            chosen["groups"] = [table["value"][row] for row in rows]
        plot_estimates(chosen, path, title=title, x_label=self.axis, note="; ".join(self.remarks(confidence)))


def expit(logits: Array) -> Array:
    """The probability with these log-odds."""
    return np.asarray(0.5 * (1 + np.tanh(logits / 2)))


@dataclass(frozen=True, eq=False, repr=False)
class Prediction(Result):
    """Estimates for people with given labels, a row each, with the errors of the coefficients.

    `reference` is the reference distribution of each, which is normal where people were not drawn by a design. The
    intervals of shares by log-odds are those of the log-odds, so that they stay between 0 and 1.
    """

    labels: Mapping[str, Sequence[Any]]
    estimates: Array
    stderr: Array
    reference: ReferenceDistribution
    log_odds: bool
    what: str

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
        """The ends of each estimate's interval."""
        z = quantiles(confidence, self.reference.df)
        if not self.log_odds:
            return self.estimates - z * self.stderr, self.estimates + z * self.stderr
        slope = self.estimates * (1 - self.estimates)
        with np.errstate(divide="ignore", invalid="ignore"):
            centre, reach = np.log(self.estimates / (1 - self.estimates)), z * self.stderr / slope
        return expit(centre - reach), expit(centre + reach)

    @property
    def words(self) -> Sequence[str]:
        return list(self.labels)

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        low, high = self.interval(confidence)
        numbers = {"estimate": self.estimates, "stderr": self.stderr, "low": low, "high": high}
        return {**self.labels, **{name: column.tolist() for name, column in numbers.items()}}

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        told = f"{self.what} for people with these labels; each interval at {confidence:g} confidence"
        return [told, *self.reference.remarks()]

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
        rows = {key: table[key] for key in ("estimate", "low", "high")}
        if "value" in self.labels:
            rows |= {"names": self.labels["value"], "groups": people}
        else:
            rows["names"] = people
        plot_estimates(rows, path, title=title, x_label=self.what, note="; ".join(self.remarks(confidence)))
