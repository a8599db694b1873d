"""Two answers of every person as numbers: for each pair of answers one that is unbiased for holding both.

Two questions with a report each are joined by ``phi1_x(y1) phi2_z(y2)``, since their noise is independent; where pairs
were the values of one question, ``phi_(x,z)(y)`` is there already. Both are calibrated, so that the terms of a person
add up to one, and those of a row or column to what that question alone says.

The most likely table of two answers: never below 0, and adding up to 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.domain import Value
from ...core.errors import InvalidInput, shown
from ..groups.moments import mean_reference
from ..reference_distribution import ReferenceDistribution
from ..survey.survey import Survey

Array = NDArray[np.float64]


BY_CHANCE = 60
"""More reports than these are not the same twice by chance."""

MAX_CELLS = 1 << 12
"""The most pairs of answers of a table."""
MAX_TERMS = 1 << 26
"""The most numbers that are held at once for all different reports."""
TERMS = 1 << 20
"""Terms that are made at a time."""


@dataclass(frozen=True, eq=False)
class Told:
    """What each report says: row `places[i]` of the table belongs to person i."""

    table: Array
    places: NDArray[np.int64]

    @classmethod
    def of(cls, survey: Survey, queries: Array) -> Told:
        """The calibrated scores of these queries, a row of weights each, once for every different report."""
        tables, places, start = [], [], 0
        even = np.full(len(survey.values), 1 / len(survey.values))
        for wave in survey.waves:
            distinct, found = np.unique(wave.reports, axis=0, return_inverse=True)
            _check_size(len(distinct) * len(queries))
            if len(distinct):
                scores = [wave.mechanism.score(distinct, query, shares=even) for query in queries]
                tables.append(np.stack(scores, axis=1))
            places.append(found.reshape(-1) + start)
            start += len(distinct)
        return cls(np.concatenate(tables or [np.zeros((0, len(queries)))]), np.concatenate(places))

    @property
    def everyone(self) -> Array:
        """The numbers of every person, a row each."""
        return np.asarray(self.table[self.places])


@dataclass(frozen=True, eq=False)
class PairedAnswers:
    """One row of ``k1 k2`` terms a person, the second answer running faster, and how people were drawn.

    `told` is one table for pairs as one value, or one for each of two questions; `cells` is the number of the pair that
    each value of pairs as one value holds.
    """

    survey: Survey
    values: tuple[tuple[Value, ...], tuple[Value, ...]]
    told: tuple[Told, ...]
    cells: NDArray[np.int64]

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
        given = self.survey.weights
        return np.full(self.n, 1 / self.n) if given is None else given / given.sum()

    @property
    def designed(self) -> bool:
        """True if people were drawn in clusters or strata."""
        return self.survey.clusters is not None or self.survey.strata is not None

    @cached_property
    def reference(self) -> ReferenceDistribution:
        """The reference distribution of means over all people, in one row."""
        return mean_reference(self.survey)

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """The terms of all people, some people at a time."""
        cells = self.shape[0] * self.shape[1]
        step = max(1, TERMS // cells)
        for begin in range(0, self.n, step):
            rows = slice(begin, begin + step)
            if len(self.told) == 1:
                yield rows, self.told[0].table[self.told[0].places[rows]]
            else:
                one, two = (told.table[told.places[rows]] for told in self.told)
                yield rows, (one[:, :, None] * two[:, None, :]).reshape(-1, cells)

    def scores(self, weights: Array) -> Array:
        """For every person the sum of the terms with one weight a pair of answers (k1 x k2)."""
        if len(self.told) == 1:
            return np.asarray((self.told[0].table @ weights.reshape(-1))[self.told[0].places])
        one, two = self.told
        across = one.table @ weights
        step = max(1, TERMS // weights.shape[1])
        found = np.empty(self.n)
        for begin in range(0, self.n, step):
            rows = slice(begin, begin + step)
            found[rows] = np.einsum("ij,ij->i", across[one.places[rows]], two.table[two.places[rows]])
        return found

    def side(self, number: int) -> Told:
        """What each report says of one of the two questions alone."""
        if len(self.told) == 2:
            return self.told[number]
        (told,) = self.told
        return Told(told.table.reshape(-1, *self.shape).sum(axis=2 - number), told.places)

    # -- sums over people --------------------------------------------------------------------------
    def means(self) -> tuple[Array, Array]:
        """The shares of all pairs of answers and their standard errors, k1 x k2 each."""
        w = self.weights
        cells = self.shape[0] * self.shape[1]
        total, plain, squares = np.zeros(cells), np.zeros(cells), np.zeros(cells)
        for rows, terms in self.blocks():
            total += w[rows] @ terms
            plain += w[rows] ** 2 @ terms
            squares += w[rows] ** 2 @ terms**2
        if self.designed:
            variances = self._designed_variances(total)
        else:
            spread = squares - 2 * total * plain + total**2 * (w @ w)
            variances = spread * self.n / (self.n - 1)
        return total.reshape(self.shape), np.sqrt(np.maximum(variances, 0)).reshape(self.shape)

    def margin(self, number: int) -> tuple[Array, Array]:
        """The shares of the answers to one of the two questions, and their standard errors."""
        told, w = self.side(number), self.weights
        shares = np.bincount(told.places, w, minlength=len(told.table)) @ told.table
        if self.designed:
            variances = np.array([self.covariance(terms[:, None])[0, 0] for terms in (told.everyone - shares).T])
        else:
            squares = np.bincount(told.places, w**2, minlength=len(told.table))
            variances = squares @ (told.table - shares) ** 2 * self.n / (self.n - 1)
        return shares, np.sqrt(np.maximum(variances, 0))

    def _designed_variances(self, shares: Array) -> Array:
        """The variances of the cells where people were drawn in clusters or strata, a row of the table at a time."""
        columns = self.shape[1]
        found = np.empty(len(shares))
        for x in range(self.shape[0]):
            cells = slice(x * columns, (x + 1) * columns)
            terms = np.concatenate([block[:, cells] for _, block in self.blocks()])
            found[cells] = np.diag(self.covariance(terms - shares[cells]))
        return found

    def covariance(self, terms: Array) -> Array:
        """The covariance of the weighted mean of terms, a row a person, that have mean 0."""
        weighted = self.weights[:, None] * terms
        if self.designed:
            return self.survey.covariance_of_sum(weighted) * float(self.reference.factor[0]) ** 2
        return np.asarray(weighted.T @ weighted * (self.n / (self.n - 1)))


def of_two(first: Survey, second: Survey) -> PairedAnswers:
    """The answers to two questions, a report each, of the same people row by row."""
    if first.n != second.n:
        raise InvalidInput(
            f"first has {first.n} reports and second {second.n}; they must be of the same people, row by row"
        )
    if first.n > BY_CHANCE and all(
        a.mechanism.fingerprint == b.mechanism.fingerprint and np.array_equal(a.reports, b.reports)
        for a, b in zip(first.waves, second.waves, strict=False)
    ):
        raise InvalidInput("first and second are the same reports: the noise of two questions must be independent")
    for name in ("weights", "clusters", "strata"):
        one, two = getattr(first, name), getattr(second, name)
        if two is not None and (one is None or not np.array_equal(one, two)):
            raise InvalidInput(f"{name} of second must be those of first, or be left out")
    _check(first.n, len(first.values) * len(second.values))
    told = tuple(Told.of(survey, np.eye(len(survey.values))) for survey in (first, second))
    return PairedAnswers(first, (tuple(first.values), tuple(second.values)), told, np.zeros(0, dtype=np.int64))


def of_one(survey: Survey, places: tuple[int, int]) -> PairedAnswers:
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
    return PairedAnswers(survey, (sides[0], sides[1]), (Told.of(survey, queries),), cells)


def _check(n: int, cells: int) -> None:
    if n < 2:
        raise InvalidInput(f"n={n} people are too few to tell how answers spread; there must be 2")
    if cells > MAX_CELLS:
        raise InvalidInput(
            f"a table of {cells} pairs of answers is beyond the {MAX_CELLS} that can be held; join values first"
        )


def _check_size(numbers: int) -> None:
    if numbers > MAX_TERMS:
        raise InvalidInput(
            f"{numbers} numbers for all different reports are beyond the {MAX_TERMS} that can be held at once; "
            "join values, or take fewer people"
        )


MAX_STEPS = 3_000
"""The most steps of the iteration."""
GAIN = 1e-6
"""Nats per cell: an accelerated step that gains less is the last."""


def likely_table(first: Survey, second: Survey, weights: Array) -> Array:
    """The table p that makes the reports most likely, by ``p <- p * sum_i w_i Q1(y1_i | x) Q2(y2_i | z) / P_i``.

    P_i is the probability of both reports of person i under p, and w the weights, which add up to 1 (Dempster1977).
    Pairs of reports that are alike are taken together. Every two steps are extrapolated (Varadhan2008), unless that
    lowers the likelihood.
    """
    model = _Pairs(first, second, weights)
    p = np.full(model.shape, 1 / (model.shape[0] * model.shape[1]))
    value, reach = -np.inf, 4.0
    for _ in range(MAX_STEPS // 3):
        one, _ = model.step(p)
        two, _ = model.step(one)
        away, bend = one - p, two - 2 * one + p
        short = float(np.linalg.norm(bend))
        wanted = float(np.clip(np.linalg.norm(away) / short, 1.0, reach)) if short > 0 else 1.0
        far = np.maximum(p + 2 * wanted * away + wanted**2 * bend, two * 1e-3)
        found, new = model.step(far / far.sum())
        near, kept = model.step(two)
        if new > kept:
            reach = 4 * reach if wanted == reach else reach
            p = found
        else:
            reach, p, new = wanted / 2 + 1, near, kept
        if (new - value) * first.n < GAIN * p.size:
            break
        value = new
    return p


class _Pairs:
    """Different pairs of reports, with the weight of each and how likely each is under every value."""

    def __init__(self, first: Survey, second: Survey, weights: Array) -> None:
        (one, places), (two, others) = _columns(first), _columns(second)
        together, numbers = np.unique(np.stack([places, others]), axis=1, return_inverse=True)
        self.held = np.bincount(numbers.reshape(-1), weights)
        self.shape = one.shape[1], two.shape[1]
        _check_table(len(self.held) * sum(self.shape))
        self.one, self.two = one[together[0]], two[together[1]]

    def step(self, p: Array) -> tuple[Array, float]:
        """The next table, and the log-likelihood of this one, a person."""
        chance = np.maximum(np.einsum("ij,ij->i", self.one @ p, self.two), 1e-300)
        found = p * (self.one.T @ (self.two * (self.held / chance)[:, None]))
        return found / found.sum(), float(self.held @ np.log(chance))


def _columns(survey: Survey) -> tuple[Array, NDArray[np.int64]]:
    """How likely every different report is under every value, up to a factor a report, and the number of each's."""
    tables, places, start = [], [], 0
    for wave in survey.waves:
        distinct, found = np.unique(wave.reports, axis=0, return_inverse=True)
        _check_table(len(distinct) * len(survey.values))
        columns = wave.mechanism.columns(distinct)
        tables.append(columns / columns.max(axis=1, keepdims=True))
        places.append(found.reshape(-1) + start)
        start += len(distinct)
    return np.concatenate(tables), np.concatenate(places)


def _check_table(numbers: int) -> None:
    if numbers > MAX_TERMS:
        raise InvalidInput(
            f"{numbers} probabilities of reports are beyond the {MAX_TERMS} that can be held for the most likely table"
        )
