"""The likelihood of reports under a multinomial logit of the values, and the information in it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput
from ...mechanisms.mechanism import Mechanism
from ..reference_distribution import Array, Codes
from .cells import Cells
from .design_matrix import DesignMatrix, gram
from .maximum import Point

MAX_REPORTS = 4096
"""The most different reports whose probabilities are worked out exactly."""
MAX_CHANNEL = 256
"""The most reports that an expectation over reports is taken over."""
ROUNDS = 100
"""The rounds of EM for the shares at which reports that were seen stand for all."""
TINY = 1e-300
"""Instead of a zero below the line."""


@dataclass(frozen=True, eq=False)
class Answers:
    """How likely each report is under each value, in an order: a table of different columns, and each report's.

    Columns are scaled to a largest entry of 1; `constant` is what that took from the log-likelihood, and `complete`
    tells whether it is known.
    """

    table: Array
    column_of: Codes
    constant: float
    complete: bool


def answers_of(design: DesignMatrix, order: Codes) -> Answers:
    """The likelihoods of a survey's reports, their columns in this order of values; once for every different report."""
    logs = list[Array | None]()

    def likelihoods(mechanism: Mechanism, reports: NDArray[Any]) -> Array:
        table = np.asarray(mechanism.columns(reports))[:, order]
        logs.append(_log_largest(mechanism, reports, order[table.argmax(axis=1)]))
        return np.asarray(table / table.max(axis=1, keepdims=True))

    table, column_of = design.survey.by_distinct_report(likelihoods)
    known = [log for log in logs if log is not None]
    complete = len(known) == len(logs)
    weights = np.bincount(column_of, design.weights, minlength=len(table))
    constant = float(weights @ np.concatenate(known)) if complete else 0.0
    return Answers(np.ascontiguousarray(table.T), column_of, constant, complete)


def _log_largest(mechanism: Mechanism, reports: NDArray[Any], likeliest: Codes) -> Array | None:
    """The logarithm of the probability of each report under the value that it is likeliest from; None for too many."""
    if len(reports) > MAX_REPORTS:
        return None
    words = reports[:, None] if reports.ndim == 1 else reports
    numbers = [sum(int(word) << 64 * place for place, word in enumerate(row)) for row in words]
    pairs = zip(likeliest.tolist(), numbers, strict=True)
    try:
        chances = [mechanism.sampler.probability(x, y) for x, y in pairs]
        return np.array([math.log(one.numerator) - math.log(one.denominator) for one in chances])
    except InvalidInput:  # sets too large for their probability to be written out
        return None


def channels_of(design: DesignMatrix, answers: Answers, order: Codes) -> list[Array]:
    """The channel of each wave, a row for each value in this order and a column for each report.

    Where there are more reports than `MAX_CHANNEL`, some of those that were seen stand for all: with the most likely
    shares p and the frequency f of y, ``Q(y | x)`` is taken for ``f Q(y | x) / sum_z p_z Q(y | z)``, whose sum over y
    is 1 at the maximum of the likelihood, and is made 1.
    """
    channels, start = [], 0
    for wave in design.survey.waves:
        different, own = wave.distinct
        if wave.mechanism.sampler.outputs <= MAX_CHANNEL:
            reports = np.array(wave.mechanism.reports(), dtype=np.uint64)
            likely = np.asarray(wave.mechanism.columns(reports), dtype=float)[:, order]
            logs = _log_largest(wave.mechanism, reports, order[likely.argmax(axis=1)])
        else:
            logs = None
        if logs is not None:
            channel = (likely / likely.max(axis=1, keepdims=True) * np.exp(logs)[:, None]).T
        else:
            seen = np.bincount(own, minlength=len(different)) / len(own)
            some = np.unique(np.linspace(0, len(different) - 1, MAX_CHANNEL).astype(int))
            likely, seen = answers.table[:, start + some], seen[some] / seen[some].sum()
            shares = np.full(len(order), 1 / len(order))
            for _ in range(ROUNDS):
                shares = shares * (likely @ (seen / np.maximum(shares @ likely, TINY)))
            channel = likely * (seen / np.maximum(shares @ likely, TINY))
        channels.append(channel / channel.sum(axis=1, keepdims=True))
        start += len(different)
    return channels


class MultinomialLikelihood:
    """The likelihood of reports under log-odds ``b`` of the values against the first of an order.

    Coefficients are (k-1) x p, of the scaled columns, in one row. The observed information is in two parts (Louis1982):
    with the shares pi and the chances r of the values given the report, ``sum w (diag pi - pi pi') (x) x x'`` less
    ``sum w (diag r - r r') (x) x x'``. The expected information of a report is ``A (x) x x'`` with
    ``A_ab = pi_a pi_b (sum_y Q(y | a) Q(y | b) / Pr(y) - 1)``.
    """

    exact = True
    """The law of a report is that of the model."""

    def __init__(self, design: DesignMatrix, answers: Answers, order: Codes) -> None:
        self.design, self.answers, self.order = design, answers, order
        self.cells = Cells(design, answers.column_of)
        self.column_of = answers.column_of[self.cells.places]
        self.k, self.p = len(order), len(design.formula.names)
        self.size = (self.k - 1) * self.p

    @cached_property
    def channels(self) -> list[tuple[Array, Array]]:
        """The channel of each wave, k x M, and the products of its rows, M x k^2."""
        pairs = []
        for q in channels_of(self.design, self.answers, self.order):
            pairs.append((q, np.ascontiguousarray((q[:, None] * q).reshape(self.k**2, -1).T)))
        return pairs

    @property
    def work(self) -> float:
        """The multiplications for one fit and the information at its end, roughly."""
        reports = max(wave.mechanism.sampler.outputs for wave in self.design.survey.waves)
        return len(self.cells) * (5.0 * self.size**2 + min(reports, MAX_CHANNEL) * self.k**2)

    def _shares(self, rows: Array, b: Array) -> Array:
        logits = np.zeros((self.k, len(rows)))
        np.matmul(b.reshape(self.k - 1, self.p), rows.T, out=logits[1:])
        logits -= logits.max(axis=0)
        shares = np.exp(logits, out=logits)
        shares /= shares.sum(axis=0)
        return shares

    def _given(self, place: slice, shares: Array) -> tuple[Array, Array]:
        given = shares * self.answers.table[:, self.column_of[place]]
        chance = given.sum(axis=0)
        given /= chance
        return given, chance

    def value(self, b: Array) -> float:
        """The log-likelihood, but for the constant."""
        total = 0.0
        with np.errstate(all="ignore"):
            for _, place, rows in self.cells.chunks(self.size):
                total += float(self.cells.weights[place] @ np.log(self._given(place, self._shares(rows, b))[1]))
        return total if math.isfinite(total) else -math.inf

    def at(self, b: Array) -> Point:
        """The log-likelihood and its derivatives at these coefficients."""
        total, gradient = 0.0, np.zeros((self.k - 1, self.p))
        complete, left = np.zeros((2, self.size, self.size))
        with np.errstate(all="ignore"):
            for _, place, rows in self.cells.chunks(self.size):
                columns, weights = np.ascontiguousarray(rows.T), self.cells.weights[place]
                shares = self._shares(rows, b)
                given, chance = self._given(place, shares)
                total += float(weights @ np.log(chance))
                gradient += ((given - shares)[1:] * weights) @ rows
                for matrix, chances in ((complete, shares), (left, given)):
                    _add_information(matrix, chances[1:], columns, weights)
        return Point(b, total if math.isfinite(total) else -math.inf, gradient.reshape(-1), complete, left)

    def terms(self, b: Array) -> Iterator[tuple[slice, Array]]:
        """The gradient of every cell for a weight of 1, a row each, some at a time."""
        for _, place, rows in self.cells.chunks(self.size):
            shares = self._shares(rows, b)
            away = (self._given(place, shares)[0] - shares)[1:].T
            yield place, (away[:, :, None] * rows[:, None]).reshape(len(rows), -1)

    def evenly(self, place: slice) -> Array:
        """What the terms at this place would be if all were of one size: nothing, which is not asked of values."""
        return np.zeros((1, 0))

    def _expected(self, number: int, shares: Array) -> tuple[Array, Array]:
        """The matrices A of these people, and the probability of every report."""
        q, pairs = self.channels[number]
        chance = np.maximum(shares.T @ q, TINY)
        both = shares.T[:, :, None] * shares.T[:, None]
        return both * (((1 / chance) @ pairs).reshape(both.shape) - 1), chance

    def expected(self, b: Array, weights: Array) -> Array:
        """The expected information where the cells have these weights."""
        k, p = self.k - 1, self.p
        blocks = np.zeros((k * k, p * p))
        for number, place, rows in self.cells.chunks(self.size):
            own = self._expected(number, self._shares(rows, b))[0][:, 1:, 1:].reshape(len(rows), -1)
            squares = (rows[:, :, None] * rows[:, None]).reshape(len(rows), -1)
            blocks += (own * weights[place, None]).T @ squares
        return blocks.reshape(k, k, p, p).transpose(0, 2, 1, 3).reshape(self.size, self.size)

    def expected_along(self, b: Array, direction: Array) -> Iterator[tuple[slice, Array]]:
        """The expected information of every cell for a weight of 1, times this direction, a row each."""
        g = direction.reshape(self.k - 1, self.p)
        for number, place, rows in self.cells.chunks(self.size):
            own = self._expected(number, self._shares(rows, b))[0][:, 1:, 1:]
            away = (own @ (rows @ g.T)[:, :, None])[:, :, 0]
            yield place, (away[:, :, None] * rows[:, None]).reshape(len(rows), -1)

    def expected_slope(self, b: Array, inverse: Array) -> Array:
        """``tr(inverse dI/db)`` for every coefficient, I the expected information.

        With ``G = x' inverse x`` by values it is, along the log-odds of c, ``T_c - pi_c sum T`` with
        ``T_c = 2 sum_b G_cb A_cb - pi_c sum_y Q(y | c) r_y' G r_y``.
        """
        blocks = inverse.reshape(self.k - 1, self.p, self.k - 1, self.p).transpose(0, 2, 1, 3)
        turned, slope = blocks.reshape((self.k - 1) ** 2, -1), np.zeros((self.k - 1, self.p))
        for number, place, rows in self.cells.chunks(self.size):
            q, pairs = self.channels[number]
            shares = self._shares(rows, b)
            own, chance = self._expected(number, shares)
            squares = (rows[:, :, None] * rows[:, None]).reshape(len(rows), -1)
            g = np.zeros_like(own)
            g[:, 1:, 1:] = (squares @ turned.T).reshape(len(rows), self.k - 1, self.k - 1)
            both = (g * shares.T[:, :, None] * shares.T[:, None]).reshape(len(rows), -1)
            away = 2 * (g * own).sum(axis=2) - shares.T * ((both @ pairs.T / chance**2) @ q.T)
            away -= shares.T * away.sum(axis=1, keepdims=True)
            slope += (away[:, 1:] * self.cells.weights[place, None]).T @ rows
        return slope.reshape(-1)


def _add_information(matrix: Array, chances: Array, columns: Array, weights: Array) -> None:
    """Add ``sum w (diag q - q q') (x) x x'`` for the chances q."""
    (k, n), p = chances.shape, len(columns)
    squares = (columns[:, None] * columns).reshape(p * p, n)
    blocks = ((chances * weights) @ squares.T).reshape(k, p, p)
    spread = ((chances * np.sqrt(weights))[:, None] * columns).reshape(k * p, n)
    matrix -= gram(spread.T)
    by_value = matrix.reshape(k, p, k, p)
    for value in range(k):
        by_value[value, :, value, :] += blocks[value]
