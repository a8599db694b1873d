"""What all results of the analysis share: a table that can be read, printed, and taken further."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ..core import tables
from ..estimation.results.covariance import affordable
from ..estimation.results.frames import Columns, plain_data
from ..estimation.results.table import CONFIDENCE, Printed, Tabular, middle_out
from .reference_distribution import Array, ReferenceDistribution, quantiles

__all__ = ["CONFIDENCE", "Estimates", "Result", "label_text", "number_columns", "shares_panel"]


class Result(Tabular):
    """A frozen result: a table of estimates with their errors, and remarks on how to read it."""

    @abstractmethod
    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        """The columns of the table by name, words first, all of one length."""

    @abstractmethod
    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        """How the numbers were computed and what to mind, a sentence each."""

    @property
    def words(self) -> Sequence[str]:
        """The names of the columns that are printed as they were given, although they may hold numbers."""
        return ()

    @property
    @abstractmethod
    def about(self) -> dict[str, Any]:
        """What holds for the whole table, as plain data: the method, n, and tests of all estimates at once."""

    def to_dict(self, *, confidence: float = CONFIDENCE) -> dict[str, Any]:
        """The result as plain data that JSON can hold; numbers that it cannot express are None.

        Results with a `covariance_matrix` have it as `covariance`, a row for each row of the table; None where it is
        not known, and for more than 300 rows.
        """
        rows = {name: plain_data(list(column)) for name, column in self.table(confidence).items()}
        own: Any = self
        if hasattr(type(self), "covariance_matrix"):
            rows["covariance"] = plain_data(affordable(len(self), lambda: own.covariance_matrix))
        return {**plain_data(self.about), "confidence": float(confidence), **rows, "notes": self.remarks(confidence)}

    def _frame(self, confidence: float) -> tuple[Columns, dict[str, Any]]:
        about = {**self.about, "confidence": float(confidence), "notes": self.remarks(confidence)}
        return self.table(confidence), about

    def _printed(self, confidence: float) -> Printed:
        table = self.table(confidence)
        shown, left_out = middle_out(len(next(iter(table.values()))))
        columns = [
            (name, ".15g" if name in self.words and _has_floats(column) else _format(name, column, table))
            for name, column in table.items()
        ]
        rows = [
            [
                _text(cell, name, spec) if cell is not None else cell
                for cell, (name, spec) in zip(row, columns, strict=True)
            ]
            for row in ([column[i] for column in table.values()] for i in shown)
        ]
        return Printed(columns, rows, left_out, self.remarks(confidence))


class Estimates(Result):
    """A result of estimates and their standard errors, which gets its intervals and its table from its fields.

    `ESTIMATE` names the field with the estimates, `FURTHER` those with more columns of numbers.
    """

    ESTIMATE: ClassVar[str] = "estimate"
    FURTHER: ClassVar[tuple[str, ...]] = ()

    stderr: Array
    reference: ReferenceDistribution
    """The reference distribution of each row: t where people were drawn by a design, else normal."""

    @property
    @abstractmethod
    def rows(self) -> dict[str, Sequence[Any]]:
        """The columns of the table that say what each row is about."""

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
        """The low and the high end for each estimate by itself, by the quantile of `reference`."""
        t = quantiles(confidence, self.reference.df)
        reach = t.reshape(-1, *[1] * (self.stderr.ndim - 1)) * self.stderr
        estimate = getattr(self, self.ESTIMATE)
        return estimate - reach, estimate + reach

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        ends = self.interval(confidence)
        further = {name: getattr(self, name) for name in self.FURTHER}
        return {**self.rows, **number_columns(getattr(self, self.ESTIMATE), self.stderr, *ends, **further)}


def number_columns(estimate: Array, stderr: Array, low: Array, high: Array, **further: Array) -> dict[str, list[float]]:
    """The columns of estimates with their errors and intervals, and of further numbers, as lists."""
    columns = {"estimate": estimate, "stderr": stderr, "low": low, "high": high, **further}
    return {name: column.reshape(-1).tolist() for name, column in columns.items()}


def shares_panel(table: Mapping[str, Sequence[Any]], values: str) -> dict[str, Sequence[Any]]:
    """A table of shares as `plot_shares` draws it, with the names of the values from one of its columns."""
    return {"values": table[values], "shares": table["estimate"], "low": table["low"], "high": table["high"]}


def _format(name: str, column: Sequence[Any], table: Mapping[str, Sequence[Any]]) -> str:
    """Words as they are, counts without decimals, p-values to four, and estimates by the smallest error."""
    if not all(_is_number(cell) or cell is None for cell in column):
        return "s"
    if all(cell is None or isinstance(cell, (int, np.integer)) for cell in column):
        return ",d" if name == "n" else "d"
    if _is_p_value(name):
        return ".4f"
    errors = [float(cell) for cell in table.get("stderr", ()) if cell is not None and 0 < cell < math.inf]
    return f".{tables.digits(min(errors, default=None))}f"


def _text(cell: Any, name: str, spec: str) -> Any:
    """A word as text, a p-value as `tables.p_value` shows it, and any other number as it is."""
    if spec == "s":
        return str(cell)
    return tables.p_value(cell) if _is_p_value(name) and cell == cell else cell


def _is_p_value(name: str) -> bool:
    return name == "p" or name.endswith("_p")


def _has_floats(column: Sequence[Any]) -> bool:
    return all(_is_number(cell) for cell in column) and any(isinstance(cell, float) for cell in column)


def label_text(cell: Any) -> str:
    """A label as text: a number as it was given, 1 and not 1.0."""
    return f"{cell:.15g}" if isinstance(cell, float) else str(cell)


def _is_number(cell: Any) -> bool:
    return isinstance(cell, (int, float, np.number)) and not isinstance(cell, bool)
