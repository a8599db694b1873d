"""Two answers of every person as numbers: for each pair of answers one that is unbiased for holding both.

Two questions with a report each are joined by ``phi1_x(y1) phi2_z(y2)``, since their noise is independent; where pairs
were the values of one question, ``phi_(x,z)(y)`` is there already. Both are calibrated, so that the terms of a person
add up to one, and those of a row or column to what that question alone says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bulk.words import seeded
from ...core.domain import Value
from ...core.errors import InvalidInput, shown
from ...estimation.results.score_law import ScoreLaw, law_of_cells, law_of_sums, law_of_terms, powers_of
from ...mechanisms.mechanism import Mechanism
from ..groups.moments import mean_reference
from ..reference_distribution import Array, Codes, ReferenceDistribution
from ..survey.survey import Survey

MAX_EQUAL = 60
"""More reports than these are not the same twice by chance."""
MAX_CELLS = 1 << 12
"""The most pairs of answers of a table."""
MAX_TERMS = 1 << 26
"""The most numbers that are held at once for all different reports."""
TERMS = 1 << 20
"""Terms that are computed at a time."""
MAX_POSSIBLE, DRAWS = 1 << 10, 4
"""The most possible reports that are all scored, and how many of every value are drawn where there are more."""
MAX_STEPS = 3_000
"""The most steps to the most likely table."""
MIN_GAIN = 1e-6
"""Nats per cell: an accelerated step that gains less is the last."""

Scores = tuple[Array, Codes]
"""A row of scores for every different report, and the row of each person."""


def scores_of(survey: Survey, queries: Array) -> Scores:
    """The calibrated scores of these queries, a row of weights each, once for every different report.

    Rows that nobody has follow: reports that could have been sent.
    """
    even = np.full(len(survey.values), 1 / len(survey.values))

    def scores(mechanism: Mechanism, reports: NDArray[Any]) -> Array:
        _check_size(len(reports) * len(queries), "numbers for all different reports")
        if not len(reports):
            return np.zeros((0, len(queries)))
        return np.stack([mechanism.score(reports, query, shares=even) for query in queries], axis=1)

    table, numbers = survey.by_distinct_report(scores)
    laws = {wave.mechanism.fingerprint: wave.mechanism for wave in survey.waves}.values()
    return np.concatenate([table, *(scores(law, possible_reports(law)) for law in laws)]), numbers


def possible_reports(mechanism: Mechanism) -> NDArray[Any]:
    """Reports that people could send, by which the extremes of scores are known where nobody did.

    They are all that there are, or, of more than `MAX_POSSIBLE`, a few of every value.
    """
    if mechanism.sampler.outputs <= MAX_POSSIBLE:
        return np.array(mechanism.reports())
    values = np.repeat(np.arange(mechanism.context.size), DRAWS)
    return np.unique(mechanism.randomize_indices(values, seeded(1)), axis=0)


@dataclass(frozen=True, eq=False)
class PairedAnswers:
    """Unbiased terms for every pair of answers, a row of ``k1 k2`` a person, and how people were drawn.

    `tables` has the scores of pairs as one value, or those of each of two questions; `cells` is the number of the pair
    that each value of pairs as one value holds.
    """

    survey: Survey
    values: tuple[tuple[Value, ...], tuple[Value, ...]]
    tables: tuple[Scores, ...]
    cells: Codes

    @property
    def n(self) -> int:
        """The number of people."""
        return self.survey.n

    @property
    def shape(self) -> tuple[int, int]:
        """How many answers each question has."""
        return len(self.values[0]), len(self.values[1])

    @property
    def weights(self) -> Array:
        """The part of the whole that each person stands for; they add up to 1."""
        return self.survey.relative_weights

    @property
    def has_units(self) -> bool:
        """True if people were drawn in clusters or strata."""
        return self.survey.clusters is not None or self.survey.strata is not None

    @cached_property
    def reference(self) -> ReferenceDistribution:
        """The reference distribution of means over all people, in one row."""
        return mean_reference(self.survey)

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """The terms of all people, some people at a time."""
        cells = self.shape[0] * self.shape[1]
        for rows in self._slices(cells):
            one, *others = (table[numbers[rows]] for table, numbers in self.tables)
            yield rows, (one[:, :, None] * others[0][:, None, :]).reshape(-1, cells) if others else one

    def _slices(self, width: int) -> Iterator[slice]:
        step = max(1, TERMS // width)
        return (slice(begin, begin + step) for begin in range(0, self.n, step))

    def scores(self, weights: Array) -> Array:
        """For every person the sum of the terms with one weight a pair of answers (k1 x k2)."""
        table, numbers = self.tables[0]
        if len(self.tables) == 1:
            return np.asarray((table @ weights.reshape(-1))[numbers])
        across, (other, others) = table @ weights, self.tables[1]
        scores = np.empty(self.n)
        for rows in self._slices(weights.shape[1]):
            scores[rows] = np.einsum("ij,ij->i", across[numbers[rows]], other[others[rows]])
        return scores

    def side(self, number: int) -> Scores:
        """The scores of the answers to one of the two questions alone."""
        if len(self.tables) == 2:
            return self.tables[number]
        ((table, numbers),) = self.tables
        return table.reshape(-1, *self.shape).sum(axis=2 - number), numbers

    # -- sums over people --------------------------------------------------------------------------
    def means(self) -> tuple[Array, Array]:
        """The shares of all pairs of answers and their standard errors, k1 x k2 each."""
        w = self.weights
        total, plain, squares = np.zeros((3, self.shape[0] * self.shape[1]))
        for rows, terms in self.blocks():
            total += w[rows] @ terms
            plain += w[rows] ** 2 @ terms
            squares += w[rows] ** 2 @ terms**2
        variances = (squares - 2 * total * plain + total**2 * (w @ w)) * self.n / (self.n - 1)
        if self.has_units:  # a row of the table at a time
            for cells in np.split(np.arange(len(total)), self.shape[0]):
                terms = np.concatenate([block[:, cells] for _, block in self.blocks()])
                variances[cells] = np.diag(self.covariance(terms - total[cells]))
        return total.reshape(self.shape), np.sqrt(np.maximum(variances, 0)).reshape(self.shape)

    def cell_covariance(self) -> Array:
        """The covariance of the shares of all pairs of answers, one row of the table after the other."""
        shares = self.means()[0].reshape(-1)
        if self.has_units:
            return self.covariance(np.concatenate([terms for _, terms in self.blocks()]) - shares)
        total = np.zeros((len(shares), len(shares)))
        for rows, terms in self.blocks():
            weighted = self.weights[rows, None] * (terms - shares)
            total += weighted.T @ weighted
        return total * (self.n / (self.n - 1))

    def law(self) -> ScoreLaw:
        """The confidence distribution of the shares of all pairs, one after the other.

        The extremes of a term are products of those of both questions' scores.
        """
        shares, stderr = self.means()
        value, above, below = shares.reshape(-1), *np.zeros((2, 2, shares.size))
        if self.survey.design:
            for cells in np.split(np.arange(len(value)), self.shape[0]):  # a row of the table at a time
                terms = np.concatenate([block[:, cells] for _, block in self.blocks()]) - value[cells]
                above[:, cells], below[:, cells] = self._powers(terms)
        for _, terms in () if self.survey.design else self.blocks():
            for sums, side in ((above, np.maximum(terms - value, 0.0)), (below, np.maximum(value - terms, 0.0))):
                sums += np.stack([(side**power).sum(axis=0) for power in (2, 3)])
        ends = [(table.min(axis=0), table.max(axis=0)) for table, _ in self.tables]
        if len(ends) == 2:
            corners = np.stack([(one[:, None] * two).reshape(-1) for one in ends[0] for two in ends[1]])
            ends = [(corners.min(axis=0), corners.max(axis=0))]
        if not self.survey.design:
            return law_of_sums(self.n, value, list(above), list(below), *ends[0])
        return self._of_design(value, above, below, ends[0], stderr)

    def margin_law(self, number: int) -> ScoreLaw:
        """The confidence distribution of the shares of the answers to one of the two questions."""
        table, numbers = self.side(number)
        if not self.survey.design:
            return law_of_cells(self.n, np.bincount(numbers, minlength=len(table)).astype(float), table.T)
        shares, stderr = self.margin(number)
        above, below = self._powers(table[numbers] - shares)
        return self._of_design(shares, above, below, (table.min(axis=0), table.max(axis=0)), stderr)

    def _powers(self, terms: Array) -> tuple[Array, Array]:
        """The sums of squares and of cubes of the weighted terms of units above and below 0."""
        return powers_of(self.survey.units.sums(self.weights[:, None] * terms))

    def _of_design(
        self, value: Array, above: Array, below: Array, ends: tuple[Array, Array], stderr: Array
    ) -> ScoreLaw:
        """The confidence distribution of weighted means, with the errors of the design."""
        law = law_of_terms(float(self.weights @ self.weights), value, list(above), list(below), *ends)
        return law.rescaled(stderr.reshape(-1) ** 2)

    def margin(self, number: int) -> tuple[Array, Array]:
        """The shares of the answers to one of the two questions, and their standard errors."""
        (table, numbers), w = self.side(number), self.weights
        shares = np.bincount(numbers, w, minlength=len(table)) @ table
        if self.has_units:
            variances = np.array([self.variance(terms) for terms in (table[numbers] - shares).T])
        else:
            squares = np.bincount(numbers, w**2, minlength=len(table))
            variances = squares @ (table - shares) ** 2 * self.n / (self.n - 1)
        return shares, np.sqrt(np.maximum(variances, 0))

    def covariance(self, terms: Array) -> Array:
        """The covariance of the weighted mean of terms, a row a person, that have mean 0."""
        weighted = self.weights[:, None] * terms
        if self.has_units:
            return self.survey.covariance_of_sum(weighted) * float(self.reference.factor[0]) ** 2
        return np.asarray(weighted.T @ weighted * (self.n / (self.n - 1)))

    def variance(self, terms: Array) -> float:
        """The variance of the weighted mean of one term a person, of mean 0."""
        return float(self.covariance(terms[:, None])[0, 0])


def pair_surveys(first: Survey, second: Survey) -> PairedAnswers:
    """The answers to two questions, a report each, of the same people row by row."""
    if first.n != second.n:
        raise InvalidInput(
            f"first has {first.n} reports and second {second.n}; they must be of the same people, row by row"
        )
    if first.n > MAX_EQUAL and all(
        a.mechanism.fingerprint == b.mechanism.fingerprint and np.array_equal(a.reports, b.reports)
        for a, b in zip(first.waves, second.waves, strict=False)
    ):
        raise InvalidInput("first and second are the same reports: the noise of two questions must be independent")
    for name in ("weights", "clusters", "strata"):
        one, two = getattr(first, name), getattr(second, name)
        if two is not None and (one is None or not np.array_equal(one, two)):
            raise InvalidInput(f"{name} of second must be those of first, or be left out")
    _check(first.n, len(first.values) * len(second.values))
    tables = tuple(scores_of(survey, np.eye(len(survey.values))) for survey in (first, second))
    return PairedAnswers(first, (tuple(first.values), tuple(second.values)), tables, np.zeros(0, dtype=np.int64))


def split_pairs(survey: Survey, places: tuple[int, int]) -> PairedAnswers:
    """Two answers of people whose reports are of tuples; `places` are those of the two in the tuple."""
    held: list[Any] = list(survey.values)
    lengths = {len(value) if isinstance(value, tuple) else 0 for value in held}
    if len(lengths) != 1 or min(lengths) < 2:
        raise InvalidInput(
            "a survey that is crossed alone must be over tuples of answers, such as those of first * second"
        )
    (length,) = lengths
    whole = isinstance(places, (tuple, list)) and all(type(place) is int and 0 <= place < length for place in places)
    if not whole or len(places) != 2 or places[0] == places[1]:
        raise InvalidInput(f"questions={shown(places)} must be two different whole numbers from 0 to {length - 1}")
    sides = tuple(tuple(dict.fromkeys(value[place] for value in held)) for place in places)
    one, two = ({answer: number for number, answer in enumerate(side)} for side in sides)
    _check(survey.n, len(one) * len(two))
    cells = np.array([one[value[places[0]]] * len(two) + two[value[places[1]]] for value in held])
    queries = np.zeros((len(one) * len(two), len(held)))
    queries[cells, np.arange(len(held))] = 1.0
    return PairedAnswers(survey, (sides[0], sides[1]), (scores_of(survey, queries),), cells)


def _check(n: int, cells: int) -> None:
    if n < 2:
        raise InvalidInput(f"n={n} people are too few to tell how answers spread; there must be 2")
    if cells > MAX_CELLS:
        raise InvalidInput(
            f"a table of {cells} pairs of answers is beyond the {MAX_CELLS} that can be held; join values first"
        )


def _check_size(numbers: int, what: str) -> None:
    if numbers > MAX_TERMS:
        raise InvalidInput(
            f"{numbers} {what} are beyond the {MAX_TERMS} that can be held at once; join values, or take fewer people"
        )


def likely_table(first: Survey, second: Survey, weights: Array) -> Array:
    """The table p that makes the reports most likely, by ``p <- p * sum_i w_i Q1(y1_i | x) Q2(y2_i | z) / P_i``.

    P_i is the probability of both reports of person i under p, and w the weights, which add up to 1 (Dempster1977).
    Pairs of reports that are alike are taken together. Every two steps are extrapolated (Varadhan2008), unless that
    lowers the likelihood.
    """
    step = em_step(first, second, weights)
    shape = len(first.values), len(second.values)
    p, value, reach = np.full(shape, 1 / (shape[0] * shape[1])), -np.inf, 4.0
    for _ in range(MAX_STEPS // 3):
        one, _ = step(p)
        two, _ = step(one)
        away, bend = one - p, two - 2 * one + p
        short = float(np.linalg.norm(bend))
        length = float(np.clip(np.linalg.norm(away) / short, 1.0, reach)) if short > 0 else 1.0
        far = np.maximum(p + 2 * length * away + length**2 * bend, two * 1e-3)
        (further, new), (nearer, old) = step(far / far.sum()), step(two)
        if new > old:
            reach = 4 * reach if length == reach else reach
            p = further
        else:
            reach, p, new = length / 2 + 1, nearer, old
        if (new - value) * first.n < MIN_GAIN * p.size:
            break
        value = new
    return p


def em_step(first: Survey, second: Survey, weights: Array) -> Callable[[Array], tuple[Array, float]]:
    """A function that makes one step of EM: the next table, and the log-likelihood a person of the table given."""

    def likelihoods(mechanism: Mechanism, reports: NDArray[Any]) -> Array:
        _check_size(len(reports) * len(mechanism.context.values), "probabilities of reports")
        columns = mechanism.columns(reports)
        return np.asarray(columns / columns.max(axis=1, keepdims=True))

    (one, numbers), (two, others) = (survey.by_distinct_report(likelihoods) for survey in (first, second))
    together, pair_of = np.unique(np.stack([numbers, others]), axis=1, return_inverse=True)
    counts = np.bincount(pair_of.reshape(-1), weights)
    _check_size(len(counts) * (one.shape[1] + two.shape[1]), "probabilities of reports")
    one, two = one[together[0]], two[together[1]]

    def step(p: Array) -> tuple[Array, float]:
        chance = np.maximum(np.einsum("ij,ij->i", one @ p, two), 1e-300)
        following = p * (one.T @ (two * (counts / chance)[:, None]))
        return following / following.sum(), float(counts @ np.log(chance))

    return step
