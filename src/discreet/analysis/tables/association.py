"""Do two answers go together: tests of independence, and the correlation of numbers.

Shares of one answer among the people who gave another: a ratio of two cells of a joint table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.domain import Value
from ...core.errors import InvalidInput, Unavailable, shown
from ...core.random import Source, check_source
from ...estimation.tails import chi_square_tail
from ..groups.omnibus import generator
from ..reference_distribution import ReferenceDistribution, denominator_df, hotelling_tail, quantiles
from ..regression.correlation import Correlation
from ..result import CONFIDENCE, Result
from .paired_answers import PairedAnswers

Array = NDArray[np.float64]


RANK = 1e-9
"""Directions in which answers vary by less than this part of the most are none."""
MAX_CONTRASTS = 400
"""The most degrees of freedom for which the covariance of a whole table is written out."""
WORK = 1 << 36
"""The most multiplications that a permutation test may take."""


@dataclass(frozen=True)
class Independence:
    """A test that two answers have nothing to do with each other.

    `statistic` is chi-square on `df` degrees of freedom if they do not, so that `p` is small where they do. Where
    people were drawn in clusters it is compared with F, with `rest` degrees of freedom for the errors.
    `permuted_p` is that of the exact test, over `permutations` random orders; None unless one was asked for.
    """

    statistic: float
    df: int
    p: float
    permuted_p: float | None = None
    permutations: int = 0
    rest: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """The test as plain data."""
        return dict(vars(self))


def independence_of(pairs: PairedAnswers, shares: Array) -> Independence | None:
    """The test of independence; None where the table is too large for the covariance that it takes.

    For a report a question ``T = n tr(V1^+ C V2^+ C')``, with C the covariance between the two decoded answers and V
    that of each, on ``rank(V1) rank(V2)`` degrees of freedom. With weights or clusters, and for pairs as one value,
    Wald's statistic of ``p_xz - p_x p_z``, whose covariance is that of its linear terms.
    """
    if len(pairs.told) == 2 and not pairs.designed and pairs.survey.weights is None:
        one, two = whitened(pairs)
        statistic = float(((one.T @ two) ** 2).sum() / pairs.n)
        return _test(statistic, one.shape[1] * two.shape[1])
    contrasts = (pairs.shape[0] - 1) * (pairs.shape[1] - 1)
    if contrasts > MAX_CONTRASTS or contrasts * pairs.n > 1 << 28:
        return None
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    terms = np.empty((pairs.n, contrasts))
    for people, block in pairs.blocks():
        t = block.reshape(-1, *pairs.shape)
        linear = t - rows[:, None] * t.sum(axis=1)[:, None, :] - t.sum(axis=2)[:, :, None] * columns
        terms[people] = linear[:, :-1, :-1].reshape(len(t), -1)
    found = (shares - rows[:, None] * columns)[:-1, :-1].reshape(-1)
    spread, directions = _directions(pairs.covariance(terms - pairs.weights @ terms))
    statistic, rank = float(((found @ directions) ** 2 / spread).sum()), len(spread)
    if pairs.survey.clusters is None:
        return _test(statistic, rank)
    df, design = float(pairs.reference.df[0]), pairs.reference.design_df
    if (rest := denominator_df(rank, df, design)) < 1:
        return None
    return Independence(statistic, rank, hotelling_tail(statistic, rank, df, design), rest=rest)


def permuted(pairs: PairedAnswers, test: Independence, rng: Source, permutations: int) -> Independence:
    """The same test with its exact p-value: the second answers in random orders, the observed one among them."""
    check_source(rng)
    numbers = generator(rng)
    if isinstance(permutations, bool) or not isinstance(permutations, int) or permutations < 1:
        raise InvalidInput(f"permutations={permutations!r} must be a positive whole number")
    if len(pairs.told) == 1:
        raise InvalidInput("rng must be left out for pairs as one value: no second answers are there to be permuted")
    if pairs.designed or pairs.survey.weights is not None:
        raise InvalidInput("rng must be left out with weights, clusters or strata: people are not alike then")
    one, two = whitened(pairs)
    if permutations * one.shape[1] * two.shape[1] * pairs.n > WORK:
        raise InvalidInput(f"permutations={permutations} of {pairs.n} people take too long; fewer must do")
    above = sum(
        float(((one.T @ two[numbers.permutation(pairs.n)]) ** 2).sum() / pairs.n) >= test.statistic * (1 - 1e-12)
        for _ in range(permutations)
    )
    return Independence(test.statistic, test.df, test.p, (1 + above) / (1 + permutations), permutations)


def whitened(pairs: PairedAnswers) -> tuple[Array, Array]:
    """The decoded answers to each of two questions, in the directions in which they vary, all with variance 1."""
    sides = []
    for told in pairs.told:
        phi = told.everyone - told.everyone.mean(axis=0)
        spread, directions = _directions(phi.T @ phi / pairs.n)
        sides.append(phi @ (directions / np.sqrt(spread)))
    return sides[0], sides[1]


def joint_correlation(pairs: PairedAnswers, first: Array, second: Array) -> Correlation:
    """The correlation of two numbers: ``cov(s1, s2)`` over the true deviations; nan where one is not above 0.

    The true variance is ``mean(score of the squares) - mean**2``, which is smaller than that of the scores. The
    standard error is that of the linear terms.
    """
    ones = np.ones(len(first)), np.ones(len(second))
    w = pairs.weights
    one, two = pairs.scores(np.outer(first, ones[1])), pairs.scores(np.outer(ones[0], second))
    squares = pairs.scores(np.outer(first**2, ones[1])), pairs.scores(np.outer(ones[0], second**2))
    both = pairs.scores(np.outer(first, second))
    a, b = w @ one, w @ two
    variances = w @ squares[0] - a**2, w @ squares[1] - b**2
    if min(variances) <= 0:
        return Correlation(math.nan, math.nan)
    scale = np.sqrt(variances[0] * variances[1])
    r = (w @ both - a * b) / scale
    terms = (both - a * two - b * one) / scale
    terms -= r / 2 * ((squares[0] - 2 * a * one) / variances[0] + (squares[1] - 2 * b * two) / variances[1])
    variance = pairs.covariance((terms - w @ terms)[:, None])[0, 0]
    return Correlation(float(r), float(np.sqrt(variance)), float(pairs.reference.df[0]))


def _directions(covariance: Array) -> tuple[Array, Array]:
    """The variances above nothing, and their directions as columns."""
    spread, directions = np.linalg.eigh(covariance)
    kept = spread > RANK * max(spread[-1], 0.0) if len(spread) else np.zeros(0, dtype=bool)
    return spread[kept], directions[:, kept]


def _test(statistic: float, df: int) -> Independence:
    return Independence(statistic, df, chi_square_tail(statistic, df))


SURE = 3.0
"""A share that is so many standard errors above 0 may be divided by."""


@dataclass(frozen=True, eq=False, repr=False)
class ConditionalShares(Result):
    """The shares of one question's answers among the people who gave `answer` to the other, and standard errors.

    `among` is the share of these people and its standard error.
    """

    name: str
    values: tuple[Value, ...]
    shares: Array
    stderr: Array
    other: str
    answer: Value
    among: tuple[float, float]
    n: int
    reference: ReferenceDistribution

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        """A row for each answer."""
        half = quantiles(confidence, self.reference.df) * self.stderr
        low, high = self.shares - half, self.shares + half
        numbers = {"estimate": self.shares, "stderr": self.stderr, "low": low, "high": high}
        return {self.name: list(self.values)} | {name: column.tolist() for name, column in numbers.items()}

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        """Among whom the shares are, and how well that is known."""
        share, error = self.among
        said = [
            f"among the people whose {self.other} is {self.answer}: a share of {share:.4f} (stderr {error:.4f}) "
            f"of {self.n:,}; each interval at {confidence:g} confidence",
            *self.reference.remarks(),
        ]
        if share < SURE * error:
            said.append("WARNING: hardly anybody may have given that answer, so these ratios can be far off")
        return said

    @property
    def about(self) -> dict[str, Any]:
        """What is said beside the table."""
        return {
            "method": "ratio of cells",
            "n": self.n,
            "given": {self.other: self.answer},
            "among": {"estimate": self.among[0], "stderr": self.among[1]},
        }

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the shares with their intervals."""
        from ...plots import plot_shares

        found = self.table(confidence)
        panel = {"values": found[self.name], "shares": found["estimate"], "low": found["low"], "high": found["high"]}
        plot_shares(panel, path, title=title or f"{self.name}, given {self.other} = {self.answer}")


def given_answer(pairs: PairedAnswers, names: tuple[str, str], side: int, place: int) -> ConditionalShares:
    """The shares of the other question's answers given the one numbered `place` of question `side`.

    ``r_z = p_xz / p_x``, with the standard error of the linear terms ``(t_xz - r_z t_x) / p_x``.
    """
    other = 1 - side
    count = pairs.shape[other]
    terms = np.empty((pairs.n, count))
    for rows, block in pairs.blocks():
        held = block.reshape(-1, *pairs.shape)
        terms[rows] = held[:, place, :] if side == 0 else held[:, :, place]
    cells, all_terms = pairs.weights @ terms, terms.sum(axis=1)
    total = float(cells.sum())
    answer = pairs.values[side][place]
    if total <= 0:
        raise Unavailable(f"{names[side]}={shown(answer)}: the estimated share of people who gave it is not above 0")
    shares = cells / total
    linear = (terms - shares * all_terms[:, None]) / total
    stderr = np.sqrt([pairs.covariance(column[:, None])[0, 0] for column in linear.T])
    among = total, float(np.sqrt(pairs.covariance((all_terms - total)[:, None])[0, 0]))
    return ConditionalShares(
        names[other], pairs.values[other], shares, stderr, names[side], answer, among, pairs.n, pairs.reference
    )
