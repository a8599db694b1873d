"""Do two answers go together: tests of independence, the correlation of numbers, and shares of one given the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.domain import Value
from ...core.errors import InvalidInput, Unavailable, shown
from ...core.random import Source, check_source
from ...estimation.results.intervals import check_confidence
from ..groups.omnibus import generator, inverse_root
from ..inversion import ScoreMeans, invert
from ..reference_distribution import Array, JointTest, ReferenceDistribution, chi_square_test, hotelling_test
from ..regression.coefficients import Correlation, correlation_of
from ..result import CONFIDENCE, Estimates, shares_panel
from .paired_answers import PairedAnswers

MAX_CONTRASTS = 400
"""The most degrees of freedom for which the covariance of a whole table is written out."""
MAX_WORK = 1 << 36
"""The most multiplications that a permutation test may take."""


def independence_of(pairs: PairedAnswers, shares: Array) -> JointTest | None:
    """The test that two answers have nothing to do with each other; None where the table is too large for it.

    For a report a question ``T = n tr(V1^+ C V2^+ C')``, with C the covariance between the two decoded answers and V
    that of each, on ``rank(V1) rank(V2)`` degrees of freedom. With weights or clusters, and for pairs as one value,
    Wald's statistic of ``p_xz - p_x p_z``, whose covariance is that of its linear terms.
    """
    if len(pairs.tables) == 2 and not pairs.survey.design:
        one, two = whiten(pairs)
        statistic = float(((one.T @ two) ** 2).sum() / pairs.n)
        return chi_square_test(statistic, one.shape[1] * two.shape[1])
    contrasts = (pairs.shape[0] - 1) * (pairs.shape[1] - 1)
    if contrasts > MAX_CONTRASTS or contrasts * pairs.n > 1 << 28:
        return None
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    terms = np.empty((pairs.n, contrasts))
    for people, block in pairs.blocks():
        t = block.reshape(-1, *pairs.shape)
        linear = t - rows[:, None] * t.sum(axis=1)[:, None, :] - t.sum(axis=2)[:, :, None] * columns
        terms[people] = linear[:, :-1, :-1].reshape(len(t), -1)
    gaps = (shares - rows[:, None] * columns)[:-1, :-1].reshape(-1)
    root, rank = inverse_root(pairs.covariance(terms - pairs.weights @ terms))
    statistic, reference = float(((gaps @ root) ** 2).sum()), pairs.reference
    if pairs.survey.clusters is None:
        return chi_square_test(statistic, rank)
    return hotelling_test(statistic, rank, float(reference.df[0]), reference.design_df)


def permutation_test(pairs: PairedAnswers, test: JointTest, rng: Source, permutations: int) -> JointTest:
    """The test of independence with its exact p-value too, from random orders of the second answers."""
    check_source(rng)
    numbers = generator(rng)
    if isinstance(permutations, bool) or not isinstance(permutations, int) or permutations < 1:
        raise InvalidInput(f"permutations={permutations!r} must be a positive whole number")
    if len(pairs.tables) == 1:
        raise InvalidInput("rng must be left out for pairs as one value: no second answers are there to be permuted")
    if pairs.survey.design:
        raise InvalidInput("rng must be left out with weights, clusters or strata: people are not alike then")
    one, two = whiten(pairs)
    if permutations * one.shape[1] * two.shape[1] * pairs.n > MAX_WORK:
        raise InvalidInput(f"permutations={permutations} of {pairs.n} people take too long; fewer must do")
    above = sum(
        float(((one.T @ two[numbers.permutation(pairs.n)]) ** 2).sum() / pairs.n) >= test.statistic * (1 - 1e-12)
        for _ in range(permutations)
    )
    return replace(test, permuted_p=(1 + above) / (1 + permutations), permutations=permutations)


def whiten(pairs: PairedAnswers) -> tuple[Array, Array]:
    """The decoded answers to each of two questions, in the directions in which they vary, all with variance 1."""
    sides = []
    for table, numbers in pairs.tables:
        phi = table[numbers]
        phi -= phi.mean(axis=0)
        sides.append(phi @ inverse_root(phi.T @ phi / pairs.n)[0])
    return sides[0], sides[1]


def joint_correlation(pairs: PairedAnswers, first: Array, second: Array) -> Correlation:
    """The correlation of the numbers that the two answers stand for."""
    ones = np.ones(len(first)), np.ones(len(second))
    one = pairs.scores(np.outer(first, ones[1])), pairs.scores(np.outer(first**2, ones[1]))
    two = pairs.scores(np.outer(ones[0], second)), pairs.scores(np.outer(ones[0], second**2))
    found = correlation_of(pairs.survey, one, two, pairs.scores(np.outer(first, second)))
    queries = [(first, ones[1]), (ones[0], second), (first**2, ones[1]), (ones[0], second**2), (first, second), ones]
    return replace(found, moments=ScoreMeans.of(pairs, queries))


MIN_RATIO = 3.0
"""A share that is so many standard errors above 0 may be divided by."""


@dataclass(frozen=True, eq=False, repr=False)
class ConditionalShares(Estimates):
    """The shares of one question's answers among the people who gave `answer` to the other, and standard errors.

    `among` is the share of these people and its standard error, and `ratios` has the mean scores of both sides of each
    ratio.
    """

    ESTIMATE = "shares"

    name: str
    values: tuple[Value, ...]
    shares: Array
    stderr: Array
    other: str
    answer: Value
    among: tuple[float, float]
    n: int
    reference: ReferenceDistribution
    covariance: Array
    ratios: tuple[ScoreMeans, ...]

    @property
    def covariance_matrix(self) -> Array:
        """The covariance of the shares, by their linear terms."""
        return self.covariance

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
        """The low and the high end of each share: all r at which the mean of ``t_xz - r t_x`` may be 0.

        They are within 0 to 1, which is what is known of a share among people of whom there may be none; an estimate
        outside is held too.

        References: Fieller1954.
        """
        check_confidence(confidence)

        def ends_of(ratio: ScoreMeans, share: float) -> tuple[float, float]:
            return invert(lambda r: ratio.ends(np.stack([np.ones(len(r)), -r], axis=1), confidence), share, (0.0, 1.0))

        ends = [ends_of(ratio, share) for ratio, share in zip(self.ratios, self.shares.tolist(), strict=True)]
        low, high = np.array(ends).T
        return low, high

    @property
    def rows(self) -> dict[str, Sequence[Any]]:
        return {self.name: list(self.values)}

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        """Which people the shares are about, and how well their number is known."""
        share, error = self.among
        remarks = [
            f"among the people whose {self.other} is {self.answer}: a share of {share:.4f} (stderr {error:.4f}) "
            f"of {self.n:,}; each interval at {confidence:g} confidence",
            *self.reference.remarks(),
        ]
        if share < MIN_RATIO * error:
            remarks.append("WARNING: hardly anybody may have given that answer, so these ratios can be far off")
        return remarks

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

        panel = shares_panel(self.table(confidence), self.name)
        plot_shares(panel, path, title=title or f"{self.name}, given {self.other} = {self.answer}")


def conditional_shares(pairs: PairedAnswers, names: tuple[str, str], side: int, place: int) -> ConditionalShares:
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
    covariance = pairs.covariance(linear)
    stderr = np.sqrt(np.diag(covariance))
    among = total, float(np.sqrt(pairs.variance(all_terms - total)))
    of = names[other], pairs.values[other], shares, stderr, names[side], answer, among, pairs.n, pairs.reference
    return ConditionalShares(*of, covariance, tuple(_ratio(pairs, side, place, z) for z in range(count)))


def _ratio(pairs: PairedAnswers, side: int, place: int, other: int) -> ScoreMeans:
    """The mean scores of one pair of answers, and of the answer that is given."""
    given, asked = np.eye(pairs.shape[side])[place], np.eye(pairs.shape[1 - side])[other]
    queries = [(given, asked), (given, np.ones(len(asked)))]
    return ScoreMeans.of(pairs, [query if side == 0 else query[::-1] for query in queries])
