"""`margins`: the shares of the answers to every question of a form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.groups.moments import margin_of
from ..analysis.result import CONFIDENCE, Result
from ..core.domain import Value
from ..core.errors import Unavailable, check_type
from ..estimation.results.covariance import block_diagonal, covariance_of_queries, with_errors
from ..estimation.results.figures import figure_lines, figures_of
from ..estimation.results.shares import Query
from ..estimation.results.unbiased import estimate
from ..wire.form import ONE, TOGETHER
from .tally import FormTally

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Margins(Result):
    """The unbiased share of every answer to every question, whatever the strategy of the form.

    ``margins[question]`` gives the values, their shares, and their standard errors.

    >>> import discreet as dc
    >>> form = dc.Form({"smokes": ["no", "yes"], "travels": ["bus", "car"]}, "each", epsilon="4")
    >>> answers = {"smokes": ["no", "yes"] * 1000, "travels": ["bus", "bus", "car", "bus"] * 500}
    >>> margins = dc.margins(form.tally(form.randomize_many(answers, dc.random.seeded(1))))
    >>> values, shares, stderr = margins["travels"]
    >>> values, shares.round(2).tolist(), stderr.round(2).tolist()
    (('bus', 'car'), [0.76, 0.24], [0.01, 0.01])
    """

    tally: FormTally
    questions: dict[str, tuple[tuple[Value, ...], Array, Array]]

    def __getitem__(self, question: str) -> tuple[tuple[Value, ...], Array, Array]:
        return self.questions[question]

    @property
    def n(self) -> int:
        """The number of people."""
        return self.tally.n

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        """A row for each answer of each question."""
        columns: dict[str, list[Any]] = {
            name: [] for name in ("question", "value", "estimate", "stderr", "low", "high")
        }
        for question, (values, shares, errors) in self.questions.items():
            low, high = self._interval(question, confidence)
            for row in zip(values, shares.tolist(), errors.tolist(), low, high, strict=True):
                for name, cell in zip(columns, (question, *row), strict=True):
                    columns[name].append(cell)
        return dict(columns)

    def _interval(self, question: str, confidence: float) -> tuple[list[float], list[float]]:
        if self.tally.form.strategy != TOGETHER:
            low, high = estimate(self.tally[question]).interval(confidence)
            return low.tolist(), high.tolist()
        ends = zip(*(query.interval(confidence) for query in _queries(self.tally, question)), strict=True)
        return list(next(ends)), list(next(ends))

    @property
    def covariance_matrix(self) -> Array:
        """The covariance of all shares, in the order of the rows of the table.

        `Unavailable` where each question has a report of its own from the same people: the tallies do not tell how
        their answers go together. Where each person answers one question, those of different questions are independent.
        """
        stderr = np.concatenate([errors for _, _, errors in self.questions.values()])
        return with_errors(stderr, self._covariance)

    def _covariance(self) -> Array:
        form = self.tally.form
        if form.strategy == TOGETHER:
            (joint,) = self.tally.values()
            queries = [query for name in form.names for query in _queries(self.tally, name)]
            weights, fixed = (np.stack([getattr(query, key) for query in queries]) for key in ("weights", "constants"))
            return covariance_of_queries(estimate(joint), weights, fixed)
        if form.strategy != ONE:
            raise Unavailable("tallies of each question do not tell how the answers of one person go together")
        return block_diagonal([estimate(self.tally[name]).covariance_matrix for name in form.names])

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        """How many people answered what."""
        form = self.tally.form
        remarks = [f"{self.n:,} people, {form.strategy}; each interval at {confidence:g} confidence"]
        if form.strategy == ONE:
            remarks.append("asked: " + ", ".join(f"{name} {tally.n:,}" for name, tally in self.tally.items()))
        for name, figures in self.figures(confidence).items():
            remarks += [f"{name}: {line}" for line in figure_lines(figures, confidence)]
        return [*remarks, "shares are unbiased: some may be below 0, and they need not add up to 1"]

    def figures(self, confidence: float = CONFIDENCE) -> dict[str, dict[str, Any]]:
        """The mean, spread and median of every question that asks for a number, as `figures_of` gives them."""
        asked = {name: self.tally[name] for name in self.tally.form.names if name in self.tally}
        figures = {name: figures_of(tally, confidence=confidence) for name, tally in asked.items()}
        return {name: one for name, one in figures.items() if one is not None}

    @property
    def about(self) -> dict[str, Any]:
        """What is said beside the table."""
        asked = {part: tally.n for part, tally in self.tally.items()}
        about = {"method": "unbiased", "strategy": self.tally.form.strategy, "n": self.n, "asked": asked}
        return about | ({"numbers": figures} if (figures := self.figures()) else {})

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the shares with their intervals, question by question."""
        from ..plots import plot_shares

        rows = self.table(confidence)
        panel = {
            "values": rows["value"],
            "groups": rows["question"],
            "shares": rows["estimate"],
            "low": rows["low"],
            "high": rows["high"],
        }
        plot_shares(panel, path, title=title)


def margins(tally: FormTally) -> Margins:
    """The shares of the answers to every question, from the tally of a form.

    Of answers that are one value together, those of a question are sums over the tuples that hold them.

    >>> import discreet as dc
    >>> form = dc.Form({"smokes": ["no", "yes"], "travels": ["bus", "car"]}, "one at random", epsilon="2")
    >>> answers = {"smokes": ["no", "yes"] * 1000, "travels": ["bus", "bus", "car", "bus"] * 500}
    >>> margins = dc.margins(form.tally(form.randomize_many(answers, dc.random.seeded(1))))
    >>> margins["smokes"][1].round(2).tolist()
    [0.45, 0.55]
    """
    check_type("tally", tally, FormTally, "the tally of a form")
    questions = {}
    for question, spec in tally.form.questions.items():
        values = tuple(spec.context.values)
        if tally.form.strategy == TOGETHER:
            queries = _queries(tally, question)
            shares, stderr = (np.array([getattr(query, key) for query in queries]) for key in ("value", "stderr"))
            questions[question] = values, shares, stderr
        else:
            result = estimate(tally[question])
            questions[question] = values, result.shares, result.stderr
    return Margins(tally, questions)


def _queries(tally: FormTally, question: str) -> list[Query]:
    """The share of each answer to a question, as the sum over the tuples that hold it."""
    (joint,) = tally.values()
    result, place = estimate(joint), tally.form.names.index(question)
    return [result.query(weights) for weights in margin_of(joint.mechanism.context.values, place)[1]]
