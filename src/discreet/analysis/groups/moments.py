"""Means and covariances of queries from tallies alone, and what means of groups drawn in clusters are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.domain import Domain
from ...core.errors import InvalidInput, shown
from ...estimation.decoders import Decoder, decoder_of
from ...estimation.results.covariance import covariance_of_queries
from ...estimation.results.score_law import ScoreLaw
from ...estimation.results.unbiased import Estimate, estimate
from ...estimation.results.weights import Queries as Rows
from ...estimation.results.weights import calibrated_weights, constants, query_law, score_extremes, weights_of
from ...estimation.tally import Tally
from ...mechanisms.mechanism import Mechanism
from ..reference_distribution import Array, Codes, ReferenceDistribution
from ..survey.degrees_of_freedom import MANY_DF, Clusters, UnitSums, reference_of
from ..survey.sampling import MAX_SUMS, SamplingUnits
from ..survey.survey import Survey

MAX_CALIBRATED = 1024
"""The most queries that are calibrated and held together; where there are more values, their shares are taken plain,
for what calibration saves is then little."""
MIN_SPREAD = 0.01
"""The part of the mean of squared errors below which the variance of nobody's error is taken to be."""
MAX_NAMED = 3
"""The most values by which an event is named."""
POWERS = 6
"""The powers of a person's weight that the law of a mean depends on."""
SIGNS = (1.0, -1.0)
"""How the means of groups are combined: one, or the difference of two."""


def least_variance(errors: Array) -> float:
    """The least variance that anybody's error is taken to have."""
    return MIN_SPREAD * float((errors**2).mean()) + np.finfo(float).tiny


def queries_of(values: Domain, query: Any) -> tuple[list[Any], Array | None]:
    """The names and weights (a row each) of the query, or of the shares of all values where it is None.

    For very many values there are no weights: their shares are the queries.
    """
    if query is None:
        return list(values), np.eye(len(values)) if len(values) <= MAX_CALIBRATED else None
    weights = weights_of(values, query, name="query")
    if not np.ptp(weights):
        raise InvalidInput("query must weigh some values differently from others: else nothing is asked")
    if isinstance(query, str):
        return [query], weights[None, :]
    chosen = np.nonzero(weights)[0]
    event = set(weights[chosen].tolist()) == {1.0} and len(chosen) <= MAX_NAMED
    return [" or ".join(str(values[int(x)]) for x in chosen) if event else "query"], weights[None, :]


def margin_of(values: Domain, question: Any) -> tuple[list[Any], Array]:
    """The answers to one of several questions whose answers are one value, by its place, and weights, a row each."""
    held: list[Any] = list(values)
    length = min(len(value) if isinstance(value, tuple) else 0 for value in held)
    if type(question) is not int or not 0 <= question < length:
        raise InvalidInput(f"question={shown(question)} must be the place of an answer in values that are tuples")
    answers = {value[question]: None for value in held}
    numbers = {answer: number for number, answer in enumerate(answers)}
    weights = np.zeros((len(answers), len(held)))
    weights[[numbers[value[question]] for value in held], np.arange(len(held))] = 1.0
    return list(answers), weights


@dataclass(frozen=True, eq=False)
class MechanismQueries:
    """Queries to the reports of one mechanism, a row of weights each, calibrated at even shares or not at all.

    A report's score is ``(w - c_b) . phi(y) + c_b``, b its block; see `estimation.results.weights`. Without weights
    the queries are the plain shares of all values.
    """

    mechanism: Mechanism
    weights: Array | None
    calibrated: bool = True

    @cached_property
    def _decoder(self) -> Decoder[Any]:
        return decoder_of(self.mechanism)

    @cached_property
    def _rows(self) -> Rows:
        """The weights, and the constants that calibrate them."""
        assert self.weights is not None
        fixed = constants(self._decoder, self.weights) if self.calibrated else np.zeros_like(self.weights)
        return self.weights, fixed

    @cached_property
    def _scores(self) -> Array:
        """A weight per cell, a row for each query, whose sum over the cells of a report is its score."""
        return calibrated_weights(self._decoder, *self._rows)

    @property
    def is_counted(self) -> bool:
        """True if a report adds to one cell only, so that counts tell how scores vary together."""
        return self._decoder.disjoint

    def law(self, estimate: Estimate) -> ScoreLaw:
        """The confidence distribution of the queries in a tally."""
        return query_law(estimate, *self._rows)

    def extremes(self) -> tuple[Array, Array]:
        """The least and the largest score of a report under each query."""
        weights, fixed = self._rows
        return score_extremes(self._decoder, weights, fixed)

    def sums(self, counts: NDArray[Any]) -> Array:
        """The sum of the scores of reports with these counts, for each query; over the last axis."""
        if self.weights is None:
            return np.asarray(self._decoder.decode(counts))
        return np.asarray(counts @ self._scores.T)

    def means(self, tally: Tally) -> Array:
        """The mean score of each query."""
        return np.asarray(self.sums(tally.counts) / tally.n)

    def covariance(self, tally: Tally) -> Array:
        """The covariance of one report's scores, query by query: that of the reports, or unbiased where counts overlap.

        Where a report adds to several cells, counts do not tell it; the exact formula then takes the unbiased shares.
        """
        return covariance_of_queries(estimate(tally), *self._rows, self._scores)

    def spread(self, shares: Array) -> Array:
        """The covariance of the queries among people, without any randomization."""
        assert self.weights is not None
        mean = self.weights @ shares
        return np.asarray((self.weights * shares) @ self.weights.T - np.outer(mean, mean))


@dataclass(frozen=True, eq=False)
class GroupClusters:
    """The weight that groups have in the units that were drawn, which tells how far their errors can be trusted.

    Of clusters, `parts` are the sums of ``w / sum w`` and of its square by cluster and group; where people are units,
    the sums of its first six powers by stratum and group. `spread` is the variance of a score in each group, and
    `within` the correlation inside clusters.
    """

    units: SamplingUnits
    parts: Array
    spread: Array
    within: float

    @classmethod
    def of(cls, units: SamplingUnits, codes: Codes, part: Array, spread: Array, within: float) -> GroupClusters:
        """The units of people, from the group of each and their part of its weight."""
        size, strata = len(spread), len(units.sizes)
        if not units.unclustered:
            sums = [units.sums_of_groups(part**power, codes, size) for power in (1, 2)]
            return cls(units, np.stack(sums), spread, within)
        if POWERS * strata * size > MAX_SUMS:
            raise InvalidInput(f"{strata} strata and {size} groups are more than can be held together")
        cells, power, sums = units.stratum_of * size + codes, np.ones(len(part)), []
        for _ in range(POWERS):
            power = power * part
            counted = np.asarray(np.bincount(cells, power, minlength=strata * size), dtype=float)
            sums.append(counted.reshape(strata, size))
        return cls(units, np.stack(sums), spread, 0.0)

    def reference(self, combinations: Sequence[Sequence[int]]) -> ReferenceDistribution:
        """The reference distribution of the mean of each group, given as one number, or of the difference of two."""
        law = self._law_of_people if self.units.unclustered else self._law_of_clusters
        return reference_of(self.units, [law(list(groups)) for groups in combinations])

    def _law_of_clusters(self, groups: list[int]) -> tuple[float, float]:
        """The law of one combination: group means are coefficients of a regression on groups."""
        parts, squares, unit = self.parts[0][:, groups], self.parts[1][:, groups], np.eye(len(groups))
        scale = np.sqrt(self.spread[groups])
        products, squares = parts[:, :, None] * unit, squares[:, :, None] * unit * scale**2
        clusters = Clusters(self.units, products, squares, parts * scale, self.within)
        return clusters.laws(np.array([SIGNS[: len(groups)]]))[0]

    def _law_of_people(self, groups: list[int]) -> tuple[float, float]:
        """The same of people, each of one group and with the part a: ``own = a**2 s`` and ``L = [+-a, +-a**2 s]``."""
        spread, p, sums = self.spread[groups], len(groups), self.parts[:, :, groups]
        total = np.einsum("khg->kg", sums)
        variances, squares = spread * total[1], spread**2 * total[3]
        df = min(float(variances.sum() ** 2 / squares.sum()), max(1.0, self.units.df))
        if df >= MANY_DF:
            return 1.0, df
        form, f, signs = UnitSums(self.units, 2 * p), self.units.factors, np.array(SIGNS[:p])
        form.own, form.squares = sums[1] @ spread, sums[3] @ spread**2
        form.thin = np.concatenate([sums[0] * signs, sums[1] * spread * signs], axis=1)
        form.own_thin = np.concatenate([sums[2] * spread * signs, sums[3] * spread**2 * signs], axis=1)
        for matrix, scale, first in ((form.gram, f, 1), (form.own_gram, f * f, 3)):
            ones, across, twos = (np.diag((scale @ sums[first + k]) * spread ** (first // 2 + k)) for k in range(3))
            matrix[:] = np.block([[ones, across], [across, twos]])
        return form.law(np.diag(variances), float(variances.sum()))


def mean_reference(survey: Survey) -> ReferenceDistribution:
    """The reference distribution of a mean over all people of a survey, in one row.

    How far answers go together in clusters is not asked: of none and all, it is the one with less df.
    """
    if not survey.design:
        return ReferenceDistribution.unclustered(1)
    everyone, weights = np.zeros(survey.n, dtype=np.int64), survey.relative_weights
    references = [
        GroupClusters.of(survey.units, everyone, weights, np.ones(1), r).reference([(0,)]) for r in (0.0, 1.0)
    ]
    return min(references, key=lambda reference: float(reference.df[0]))
