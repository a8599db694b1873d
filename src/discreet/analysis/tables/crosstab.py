"""`crosstab`: the joint table of two randomized answers, with errors, a test of independence and the correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...bulk.labelled.columns import check_aligned
from ...core.domain import Domain, Value
from ...core.errors import InvalidInput, Unavailable, check_type
from ...core.random import Source
from ...core.tables import p_value
from ...estimation.results.likelihood import likelihood
from ...estimation.results.score_law import ScoreLaw, remark_on_few
from ...estimation.results.weights import weights_of
from ...mechanisms.mechanism import Mechanism
from ..reference_distribution import Array, JointTest, ReferenceDistribution, quantiles
from ..regression.coefficients import Correlation
from ..result import CONFIDENCE, Estimates, number_columns
from ..survey.survey import Survey
from .association import (
    ConditionalShares,
    conditional_shares,
    independence_of,
    joint_correlation,
    permutation_test,
)
from .paired_answers import PairedAnswers, likely_table, pair_surveys, split_pairs

ALL = "(all)"
"""What stands for every answer in the rows of the margins."""

PERMUTATIONS = 999
"""Random orders of a permutation test."""


@dataclass(frozen=True, eq=False, repr=False)
class Crosstab(Estimates):
    """The share of people who hold each pair of answers: `shares` and `stderr`, k1 x k2.

    `values` are the answers to the two questions, `names` what these are called. `independence` is the test that the
    two have nothing to do with each other, and `correlation` that of the numbers that people hold; None where the table
    is too large, or the answers are not numbers.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="3"))
    >>> rng = dc.random.seeded(1)
    >>> smokes = dc.Survey(mechanism, mechanism.randomize_many(["yes", "no", "no", "no"] * 500, rng))
    >>> drinks = dc.Survey(mechanism, mechanism.randomize_many(["yes", "yes", "no", "no"] * 500, rng))
    >>> dc.crosstab(smokes, drinks, permutations=0).stderr.round(2).tolist()
    [[0.01, 0.01], [0.0, 0.01]]
    """

    ESTIMATE = "shares"

    names: tuple[str, str]
    values: tuple[tuple[Value, ...], tuple[Value, ...]]
    shares: Array
    stderr: Array
    independence: JointTest | None
    correlation: Correlation | None
    pairs: PairedAnswers
    surveys: tuple[Survey, ...]

    @property
    def n(self) -> int:
        """The number of people."""
        return self.pairs.n

    @cached_property
    def margins(self) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """For each question the shares of its answers and their standard errors."""
        return self.pairs.margin(0), self.pairs.margin(1)

    @property
    def reference(self) -> ReferenceDistribution:  # type: ignore[override]
        """The reference distribution of all shares, in one row: normal, with a design t."""
        return self.pairs.reference

    @cached_property
    def laws(self) -> tuple[ScoreLaw, ScoreLaw, ScoreLaw]:
        """The confidence distributions of the cells and of both margins."""
        return self.pairs.law(), self.pairs.margin_law(0), self.pairs.margin_law(1)

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
        """The low and the high end for each pair of answers: skewed where few people tell, with a design by t."""
        low, high = self.laws[0].ends(self._quantile(confidence))
        return low.reshape(self.shares.shape), high.reshape(self.shares.shape)

    def _quantile(self, confidence: float) -> float:
        return float(quantiles(confidence, self.reference.df)[0])

    def given(self, **answer: Value) -> ConditionalShares:
        """The shares of one question's answers among the people who gave an answer to the other.

        ``given(first=x)`` is about the people whose first answer is x, ``given(second=z)`` about those whose second is.
        """
        if len(answer) != 1 or not answer.keys() <= {"first", "second"}:
            raise InvalidInput("given takes one of first=ANSWER and second=ANSWER")
        ((name, value),) = answer.items()
        side = ("first", "second").index(name)
        place = Domain(self.values[side]).number_of(value)
        return conditional_shares(self.pairs, self.names, side, place)

    def likely(self) -> Array:
        """The most likely table, k1 x k2: never below 0 and adding up to 1, with less error and some bias."""
        if len(self.surveys) == 2:
            return likely_table(self.surveys[0], self.surveys[1], self.pairs.weights)
        if self.surveys[0].weights is not None:
            raise Unavailable("the most likely table of pairs as one value takes no weights")
        shares = likelihood(self.surveys[0].tally).shares
        sums = np.bincount(self.pairs.cells, shares, minlength=self.shares.size)
        return np.asarray(sums, dtype=float).reshape(self.shares.shape)

    # -- the result ----------------------------------------------------------------------------------
    @property
    def rows(self) -> dict[str, Sequence[Any]]:
        one, two = self.values
        pairs = [(x, z) for x in one for z in two] + [(x, ALL) for x in one] + [(ALL, z) for z in two]
        return {name: [pair[i] for pair in pairs] for i, name in enumerate(self.names)}

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        """A row for each pair of answers; then those of each question alone, with (all) for the other."""
        shares = np.concatenate([self.shares.reshape(-1), *(shares for shares, _ in self.margins)])
        errors = np.concatenate([self.stderr.reshape(-1), *(errors for _, errors in self.margins)])
        ends = [law.ends(self._quantile(confidence)) for law in self.laws]
        low, high = (np.concatenate([end[side] for end in ends]) for side in (0, 1))
        return {**self.rows, **number_columns(shares, errors, low, high)}

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        """How the table was computed, and what the tests say."""
        how = "two reports of each" if len(self.surveys) == 2 else "pairs as one value"
        remarks = [
            f"{self.n:,} people, {how}; each interval at {confidence:g} confidence",
            "shares are unbiased: some may be below 0; do not pick the largest without allowing for it",
            *self.pairs.reference.remarks(),
        ]
        remarks += remark_on_few(self.laws[:1], "pairs")
        if (test := self.independence) is not None:
            deals = f"; by {test.permutations} permutations p "
            exact = "" if test.permuted_p is None else deals + p_value(test.permuted_p)
            reference = (
                "chi-square" if test.rest is None else f"with {test.rest:.4g} degrees of freedom for the errors, Wald"
            )
            remarks.append(f"independence: {reference} {test.statistic:.4g} on {test.df}, p {p_value(test.p)}{exact}")
        else:
            remarks.append("no test of independence: the table is too large for it, or clusters are too few")
        if (r := self.correlation) is not None and math.isnan(r.estimate):
            remarks.append("no correlation: the reports are too few to show that answers differ at all")
        elif r is not None:
            low, high = r.interval(confidence)
            ends = f"from {low:.4f} to {high:.4f}"
            remarks.append(f"correlation of what people hold: {r.estimate:.4f} (stderr {r.stderr:.4f}), {ends}")
        if self.surveys[0].population is not None:
            remarks.append("the size of the population is not used: errors are those of people drawn from very many")
        return remarks

    @property
    def about(self) -> dict[str, Any]:
        """What is said beside the table."""
        r = self.correlation
        return {
            "method": "two reports" if len(self.surveys) == 2 else "pairs as one value",
            "n": self.n,
            "names": list(self.names),
            "independence": None if self.independence is None else self.independence.as_dict(),
            "correlation": None if r is None else {"estimate": r.estimate, "stderr": r.stderr, "freedom": r.df},
        }

    def to_dict(self, *, confidence: float = CONFIDENCE) -> dict[str, Any]:
        """The result as plain data that JSON can hold, with the ends of the correlation's interval."""
        found = super().to_dict(confidence=confidence)
        if self.correlation is not None:
            found["correlation"] |= dict(zip(("low", "high"), self.correlation.interval(confidence), strict=True))
        return found

    @property
    def covariance_matrix(self) -> Array:
        """The covariance of the shares of all pairs of answers, one row of the table after the other."""
        return self.pairs.cell_covariance()

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the table as shades with the numbers in them, and the half-width of each interval below."""
        from ...plots import plot_table

        low, high = self.interval(confidence)
        plot_table(
            self.shares.tolist(),
            ((high - low) / 2).tolist(),
            path,
            row_names=self.values[0],
            column_names=self.values[1],
            labels=self.names,
            title=title,
            note="; ".join([self.remarks(confidence)[0], *self.remarks(confidence)[2:]]),
        )


def crosstab(
    first: Any,
    second: Any = None,
    *,
    names: tuple[str, str] = ("first", "second"),
    questions: tuple[int, int] = (0, 1),
    scores: tuple[Any, Any] | None = None,
    permutations: int = PERMUTATIONS,
    rng: Source | None = None,
) -> Crosstab:
    """The joint table of two answers of the same people: ``p_xz = mean phi1_x(y1) phi2_z(y2)``.

    `first` and `second` are surveys, or a mechanism and reports each, of the same people row by row, whose noise is
    independent. Or `first` alone is a survey over tuples of answers, such as those of ``first * second``, of which
    `questions` are the two that are crossed, counted from 0. Weights, clusters and strata are those of `first`.

    `scores` gives the numbers that the answers stand for, for the correlation: a query for each question, as in
    `Estimate.query`; without it, answers that are numbers stand for themselves. `rng`, such as ``dc.random.seeded(1)``,
    adds the exact test of independence, over so many `permutations` of the second answers.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="3"))
    >>> rng = dc.random.seeded(1)
    >>> smokes = dc.Survey(mechanism, mechanism.randomize_many(["yes", "no", "no", "no"] * 500, rng))
    >>> drinks = dc.Survey(mechanism, mechanism.randomize_many(["yes", "yes", "no", "no"] * 500, rng))
    >>> dc.crosstab(smokes, drinks, names=("smokes", "drinks"), permutations=0).shares.round(2).tolist()
    [[0.49, 0.25], [0.0, 0.25]]
    """
    given = {name: one for name, one in (("first", first), ("second", second)) if one is not None}
    check_aligned({name: one[1] if isinstance(one, tuple) and len(one) == 2 else one for name, one in given.items()})
    surveys = tuple(_survey(name, one) for name, one in given.items())
    pairs = pair_surveys(*surveys) if len(surveys) == 2 else split_pairs(surveys[0], questions)
    shares, stderr = pairs.means()
    test = independence_of(pairs, shares)
    if rng is not None and test is not None:
        test = permutation_test(pairs, test, rng, permutations)
    numbers = _numbers(pairs, scores)
    correlation = None if numbers is None else joint_correlation(pairs, *numbers)
    return Crosstab(_names(names), pairs.values, shares, stderr, test, correlation, pairs, surveys)


def _survey(name: str, given: Any) -> Survey:
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], Mechanism):
        return Survey(*given)
    check_type(name, given, Survey, "a survey, or a mechanism and its reports")
    return given  # type: ignore[no-any-return]


def _names(names: Any) -> tuple[str, str]:
    one, two = names if isinstance(names, (tuple, list)) and len(names) == 2 else (None, None)
    taken = {"estimate", "stderr", "low", "high"}
    if not isinstance(one, str) or not isinstance(two, str) or one == two or {one, two} & taken:
        raise InvalidInput(f"names={names!r} must be two different names of questions, other than {sorted(taken)}")
    return one, two


def _numbers(pairs: PairedAnswers, scores: tuple[Any, Any] | None) -> tuple[Array, Array] | None:
    """The numbers that the answers to each question stand for; None if they are not given and answers are words."""
    domains = [Domain(side) for side in pairs.values]
    if scores is not None:
        if not isinstance(scores, (tuple, list)) or len(scores) != 2:
            raise InvalidInput("scores must be two queries, one for each question")
        one, two = (weights_of(domain, query, name="scores") for domain, query in zip(domains, scores, strict=True))
        return one, two
    try:
        return weights_of(domains[0], "mean"), weights_of(domains[1], "mean")
    except InvalidInput:
        return None
