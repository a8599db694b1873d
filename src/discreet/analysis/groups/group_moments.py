"""Estimates of queries in groups of people, with their errors: from tallies, or report by report for a design."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...bulk.labelled.columns import codes_of
from ...bulk.labelled.tallies import GroupTallies
from ...core.errors import InvalidInput, Unavailable
from ...estimation.decoders import decoder_of
from ...estimation.results.covariance import block_diagonal, covariance_of_shares
from ...estimation.results.score_law import ScoreLaw, combine, law_of_terms, powers_of
from ...estimation.results.unbiased import estimate
from ...estimation.tally import Tally
from ...mechanisms.mechanism import Mechanism
from ..reference_distribution import Array, Codes, ReferenceDistribution
from ..survey.sampling import SamplingUnits
from ..survey.survey import Survey
from .moments import GroupClusters, MechanismQueries, least_variance

GroupName: TypeAlias = tuple[Hashable, ...]
"""The label of a group under each name."""

MAX_SCORES = 1 << 28
"""The most scores that are worked out for one result: people times queries."""
MAX_TERMS = 1 << 25
"""The most numbers, people times groups times queries, from which a covariance is worked out."""


@dataclass(frozen=True, eq=False)
class GroupMoments:
    """Estimates of queries in groups, with the covariance of groups where they are not independent.

    `means` and `variances` have a row for each group and a column for each query, and `laws` are the confidence
    distributions of each group. Where people were drawn by a design, `between` is the covariance of all groups under
    each query, and `clusters` the design that made it.
    """

    groups: list[GroupName]
    sizes: NDArray[np.int64]
    means: Array
    variances: Array
    laws: Sequence[ScoreLaw]
    between: Array | None = None
    clusters: GroupClusters | None = None
    source: TalliedGroups | DrawnGroups | None = None
    """The people that the estimates are about, from whom `covariance` is worked out."""

    def covariance(self) -> Array:
        """The covariance of all queries in all groups, group by group; its diagonal may lack small corrections."""
        if self.source is None:
            raise Unavailable("the groups are not at hand, and with them no covariance")
        return self.source.covariance()

    def laws_of(self, combinations: Sequence[Sequence[int]], reference: ReferenceDistribution) -> list[ScoreLaw]:
        """The confidence distribution of each of these: the estimates of one group, or the differences of two.

        Where people were drawn by a design they have its variances, times the squared factor of `reference`.
        """
        signs = (1.0, -1.0)
        laws = [combine([(sign, self.laws[g]) for sign, g in zip(signs, own, strict=False)]) for own in combinations]
        if self.between is None:
            return laws
        spreads = [self.variances[own[0]] if len(own) == 1 else self.difference(*own)[1] for own in combinations]
        return [law.rescaled(v * f**2) for law, v, f in zip(laws, spreads, reference.factor, strict=True)]

    def reference(self, combinations: Sequence[Sequence[int]]) -> ReferenceDistribution:
        """The reference distribution of each of these: the estimates of one group, or the differences of two."""
        if self.clusters is None:
            return ReferenceDistribution.unclustered(len(combinations))
        return self.clusters.reference(combinations)

    def difference(self, one: int, other: int) -> tuple[Array, Array]:
        """The estimates of one group less those of another, and the variances of these differences."""
        gap = self.means[one] - self.means[other]
        spread = self.variances[one] + self.variances[other]
        if self.between is not None:
            spread = spread - 2 * self.between[:, one, other]
        return gap, np.maximum(spread, 0.0)


@dataclass(frozen=True, eq=False)
class TalliedGroups:
    """Groups of independent people, of which counts tell everything: each has a tally for every mechanism.

    The queries are calibrated, or with `shares` the plain shares of all values, as in `Estimate`. `fraction` is the
    part of all people that was drawn. `survey` and `codes` are the reports and the group of each, where they are at
    hand.
    """

    tallies: Mapping[GroupName, Sequence[Tally]]
    weights: Array | None
    shares: bool = False
    fraction: float = 0.0
    survey: Survey | None = None
    codes: Codes | None = None

    @cached_property
    def queries(self) -> dict[str, MechanismQueries]:
        """The queries to the reports of every mechanism, by its fingerprint."""
        mechanisms = {one.fingerprint: one.mechanism for several in self.tallies.values() for one in several}
        return {mark: MechanismQueries(one, self.weights) for mark, one in mechanisms.items()}

    @property
    def insecure(self) -> bool:
        """True if a seed drew some of the reports."""
        of_survey = self.survey is not None and self.survey.insecure
        return of_survey or any(one.insecure for several in self.tallies.values() for one in several)

    @property
    def mechanisms(self) -> list[Mechanism]:
        """The mechanisms of the reports."""
        return [queries.mechanism for queries in self.queries.values()]

    def law(self, tallies: Sequence[Tally]) -> ScoreLaw:
        """The confidence distribution of the queries among the people of these tallies.

        The variance is ``((1 - f) sigma**2 + tau**2) / n``: sigma**2 is that of the weight that people hold, tau**2
        that of randomization, which stays as it is when a part f of all people is drawn.
        """
        n, estimates = sum(one.n for one in tallies), [estimate(one) for one in tallies if one.n]
        parts = [(one, one.law if self.shares else self.queries[one.tally.fingerprint].law(one)) for one in estimates]
        law = combine([(one.n / n, part) for one, part in parts])
        if not self.fraction:
            return law
        held = np.asarray(sum(one.norm_shares * one.n for one in estimates)) / n
        spread = held - held**2 if self.shares else self.queries[tallies[0].fingerprint].spread(held).diagonal()
        drawn = np.clip(spread / n, 0.0, law.variance)
        return law.rescaled(law.variance - self.fraction * drawn)

    @cached_property
    def laws(self) -> list[ScoreLaw]:
        """The confidence distribution of the queries in every group."""
        return [self.law(several) for several in self.tallies.values()]

    def moments(self) -> GroupMoments:
        """The mean score of every group, with its variance and confidence distribution."""
        sizes = np.array([sum(one.n for one in several) for several in self.tallies.values()])
        means, variances = (np.array([getattr(law, name) for law in self.laws]) for name in ("value", "variance"))
        return GroupMoments(list(self.tallies), sizes, means, variances, self.laws, source=self)

    def covariance(self) -> Array:
        """The covariance of the queries in every group, in turn; groups are independent."""
        return block_diagonal([self._covariance_of_group(several) for several in self.tallies.values()])

    def _covariance_of_group(self, tallies: Sequence[Tally]) -> Array:
        n, estimates = sum(one.n for one in tallies), [estimate(one) for one in tallies if one.n]
        parts = [
            covariance_of_shares(decoder_of(one.mechanism), one.n, one.shares, one.norm_shares)
            if self.shares
            else self.queries[one.tally.fingerprint].covariance(one.tally) / one.n
            for one in estimates
        ]
        whole = np.asarray(sum((one.n / n) ** 2 * part for one, part in zip(estimates, parts, strict=True)))
        if not self.fraction:
            return whole
        held = np.asarray(sum(one.norm_shares * one.n for one in estimates)) / n
        spread = np.diag(held) - np.outer(held, held)
        if not self.shares:
            spread = self.queries[tallies[0].fingerprint].spread(held)
        return np.asarray(whole - self.fraction * spread / n)


@dataclass(frozen=True, eq=False)
class DrawnGroups:
    """Groups in a survey with weights or a design, whose errors are those of sums over the units that were drawn."""

    survey: Survey
    groups: list[GroupName]
    codes: Codes
    weights: Array
    units: SamplingUnits
    calibrated: bool = True

    @property
    def insecure(self) -> bool:
        """True if a seed drew some of the reports."""
        return self.survey.insecure

    @property
    def mechanisms(self) -> list[Mechanism]:
        """The mechanisms of the reports."""
        return list({wave.mechanism.fingerprint: wave.mechanism for wave in self.survey.waves}.values())

    @cached_property
    def shares_of_weight(self) -> Array:
        """The weight of every person over the total weight of the group."""
        w = self.survey.relative_weights
        return np.asarray(w / np.bincount(self.codes, w, minlength=len(self.groups))[self.codes])

    def scores(self, query: int) -> Array:
        """The score of every report under a query."""
        return self.survey.scores(self.weights[query], calibrated=self.calibrated)

    def terms(self, scores: Array) -> tuple[Array, Array]:
        """The mean of the scores in every group, and every person's part in its error."""
        part = self.shares_of_weight
        means = np.asarray(np.bincount(self.codes, part * scores, minlength=len(self.groups)), dtype=float)
        return means, part * (scores - means[self.codes])

    def moments(self) -> GroupMoments:
        """The weighted mean score of every group, with the linearised covariance of `SamplingUnits`.

        Where people were drawn from a finite population, a part f_h of each stratum h, the covariance is the sum of
        ``(1 - f_h) (C_h - R_h) + R_h`` over the parts C_h of strata in it, with the part R_h of randomization, the
        sum of ``(w / sum w)**2 (s**2 - score of w**2)``: that does not shrink.
        """
        size, queries = len(self.groups), len(self.weights)
        if self.survey.n * queries > MAX_SCORES or queries * size * size > MAX_SCORES // 4:
            raise InvalidInput("there are too many people, groups and values for a design: ask one query")
        self._check_units(size)
        means, between = np.empty((size, queries)), np.empty((queries, size, size))
        sizes = np.bincount(self.codes, minlength=size)
        spreads, least, within = np.zeros(size), 0.0, 0.0
        sides = np.empty((2, 2, size, queries))
        for number in range(queries):
            scores = self.scores(number)
            means[:, number], terms = self.terms(scores)
            sides[..., number] = self._sides(terms)
            errors = scores - means[self.codes, number]
            spreads += np.bincount(self.codes, errors**2, minlength=size) / sizes / queries
            least += least_variance(errors) / queries
            if not self.units.unclustered:
                within += self.units.correlation(errors) / queries
            between[number] = self.units.covariance_of_groups(terms, self.codes, size)
            if self.survey.population is not None:
                between[number] = self._finite(between[number], terms, scores, number)
        variances = np.maximum(np.diagonal(between, axis1=1, axis2=2).T, 0.0)
        clusters = GroupClusters.of(self.units, self.codes, self.shares_of_weight, np.maximum(spreads, least), within)
        return GroupMoments(self.groups, sizes, means, variances, self._laws(means, sides), between, clusters, self)

    def _sides(self, terms: Array) -> Array:
        """The sums of squares and of cubes of the terms of units above and below 0, a column for each group."""
        size = len(self.groups)
        if self.units.unclustered:
            up, down, codes = np.maximum(terms, 0.0), np.maximum(-terms, 0.0), self.codes
            return np.array([[np.bincount(codes, s**r, minlength=size) for r in (2, 3)] for s in (up, down)])
        return np.array(powers_of(self.units.sums_of_groups(terms, self.codes, size)))

    def _laws(self, means: Array, sides: Array) -> list[ScoreLaw]:
        """The confidence distribution of the queries in every group, from the sums of `_sides`.

        A pseudo-report at an extreme score has the weight of one of as many people as the group is worth.
        """
        asked = [MechanismQueries(one, self.weights, self.calibrated).extremes() for one in self.mechanisms]
        least, most = np.minimum.reduce([ends[0] for ends in asked]), np.maximum.reduce([ends[1] for ends in asked])
        weights = np.bincount(self.codes, self.shares_of_weight**2, minlength=len(self.groups))
        return [
            law_of_terms(float(weight), means[g], [*sides[0, :, g]], [*sides[1, :, g]], least, most)
            for g, weight in enumerate(weights)
        ]

    def covariance(self) -> Array:
        """The covariance of all queries in all groups, group by group, as `moments` has it for one query at a time."""
        size, queries = len(self.groups), len(self.weights)
        if self.survey.n * size * queries > MAX_TERMS:
            raise Unavailable("the covariance of so many people, groups and values is not worked out: ask one query")
        terms, everyone = np.zeros((self.survey.n, size * queries)), np.arange(self.survey.n)
        scores = np.stack([self.scores(number) for number in range(queries)], axis=1)
        for number in range(queries):
            terms[everyone, self.codes * queries + number] = self.terms(scores[:, number])[1]
        if self.survey.population is None:
            return self.units.covariance(terms)
        covariance = self.units.of_a_finite_population().covariance(terms)
        fractions = self.units.fractions[self.units.stratum_of[self.units.unit_of]]
        weight = fractions * self.shares_of_weight**2
        for one in range(queries):
            for other in range(queries):
                product = self.survey.scores(self.weights[one] * self.weights[other], calibrated=self.calibrated)
                noise = weight * (scores[:, one] * scores[:, other] - product)
                places = np.arange(size) * queries
                covariance[places + one, places + other] += np.bincount(self.codes, noise, minlength=size)
        return covariance

    def _check_units(self, size: int) -> None:
        """Refuse a group of one person or cluster, whose error would come out as 0."""
        units = np.bincount(np.unique(self.units.unit_of * size + self.codes) % size, minlength=size)
        if (units < 2).any():
            alone = self.groups[int(units.argmin())]
            raise InvalidInput(
                f"the people of {', '.join(map(str, alone))} are of one cluster, or one person, which tells nothing of "
                "their spread: join them to another group, or leave the design out"
            )

    def _finite(self, covariance: Array, terms: Array, scores: Array, number: int) -> Array:
        """The covariance for a finite population, between that of drawing alone and the one without it."""
        size, fractions = len(self.groups), self.units.fractions[self.units.stratum_of[self.units.unit_of]]
        drawing = self.units.of_a_finite_population().covariance_of_groups(terms, self.codes, size)
        squares = self.survey.scores(self.weights[number] ** 2, calibrated=self.calibrated)
        noise = fractions * self.shares_of_weight**2 * (scores**2 - squares)
        own = np.bincount(self.codes, noise, minlength=size)
        return np.asarray(drawing + np.diag(np.clip(own, 0.0, np.maximum(np.diag(covariance - drawing), 0.0))))


def groups_of(
    sample: Survey | GroupTallies, by: Sequence[str], weights: Array | None, *, shares: bool, paired: str | None = None
) -> TalliedGroups | DrawnGroups:
    """The people of a sample grouped by their labels, as tallies where these are enough.

    With `shares` the queries are the plain shares of all values, as in `Estimate`; others are calibrated.
    """
    if isinstance(sample, GroupTallies):
        merged = sample.by(*by).keys_by_label
        known: dict[GroupName, list[Tally]] = {key: [one] for key, one in merged.items() if None not in key and one.n}
        return TalliedGroups(known, weights, shares)
    levels, codes = _groups_by_label(sample, by)
    if not sample.design and paired is None:
        fraction = sample.n / sample.population if isinstance(sample.population, int) else 0.0
        return TalliedGroups(
            _count_groups(sample, levels, codes), weights, shares, fraction=fraction, survey=sample, codes=codes
        )
    if weights is None:
        raise InvalidInput(f"there are too many values, {len(sample.values)}, for a design: ask one query")
    units = sample.units if paired is None else _people(sample, paired)
    return DrawnGroups(sample, levels, codes, weights, units, calibrated=not shares)


def _groups_by_label(survey: Survey, by: Sequence[str]) -> tuple[list[GroupName], Codes]:
    """The combinations of labels that occur, in order, and which of them each person has."""
    columns = [codes_of(survey.label(name)) for name in by]
    joint = np.zeros(survey.n, dtype=np.int64)
    for levels, codes in columns:
        joint = joint * len(levels) + codes
    _, first, numbers = np.unique(joint, return_index=True, return_inverse=True)
    groups = [tuple(levels[codes[place]] for levels, codes in columns) for place in first]
    return groups, numbers.astype(np.int64).reshape(-1)


def _people(survey: Survey, paired: str) -> SamplingUnits:
    """The sampling units where people appear several times: people, or the clusters that they belong to."""
    people = codes_of(survey.label(paired))[1]
    if survey.clusters is None:
        if survey.part_of is not None:
            whole, chosen = survey.part_of
            return _people(whole, paired).domain(chosen)
        return survey.units_of(people)
    clusters = codes_of(survey.clusters)[1]
    if len(np.unique(np.stack([people, clusters]), axis=1).T) > len(np.unique(people)):
        raise InvalidInput(f"paired={paired!r}: a person must be in one cluster only")
    return survey.units


def _count_groups(survey: Survey, groups: list[GroupName], codes: Codes) -> dict[GroupName, list[Tally]]:
    """For every group one tally of each mechanism."""
    tallies: dict[GroupName, dict[str, Tally]] = {group: {} for group in groups}
    for wave, own in survey.by_wave(codes):
        mark = wave.mechanism.fingerprint
        for code in np.unique(own):
            counted, known = wave.mechanism.tally(wave.reports[own == code]), tallies[groups[code]]
            known[mark] = known[mark] + counted if mark in known else counted
    return {group: list(by_mechanism.values()) for group, by_mechanism in tallies.items()}
