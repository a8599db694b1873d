"""One test for all values and groups at once: by Wald's statistic, or by permuting the labels, which are public."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.errors import InvalidInput, Unavailable
from ...core.random import Source
from ...estimation.decoders import Decoder, decoder_of
from ...estimation.results.unbiased import estimate
from ...estimation.tally import Tally
from ..reference_distribution import (
    Array,
    Codes,
    JointTest,
    ReferenceDistribution,
    chi_square_test,
    f_test,
    hotelling_test,
)
from .group_moments import DrawnGroups, TalliedGroups
from .moments import MechanismQueries

NEGLIGIBLE = 1e-9
"""Eigenvalues of a covariance below this part of the largest are those of what cannot differ."""
MAX_VALUES = 1024
"""The most values that are tested together; for more there is the permutation test."""
MAX_SUMS = 1 << 26
"""The most sums over units, groups and values that are held for a test."""
PERMUTATIONS = 999
"""How many times labels are permuted: p-values are at least 0.001."""
MAX_REPORTS = 10**9
"""From this many reports on, counts are not permuted."""
TELLING_REPORTS = 5
"""Where counts do not tell the covariance, what fewer reports tell of is left out of a test: it is noise."""
TIE = 1e-10
"""Statistics that differ by less than this part are equal but for rounding."""


def inverse_root(covariance: Array, least: float = 0.0) -> tuple[Array, int]:
    """A square root of the pseudo-inverse, and the rank; variances of at most `least` are taken to be none."""
    values, vectors = np.linalg.eigh(covariance)
    large = values > max(NEGLIGIBLE * values.max(initial=0.0), least)
    return np.asarray(vectors[:, large] / np.sqrt(values[large])), int(large.sum())


def told_root(covariance: Array, queries: Sequence[MechanismQueries], n: float) -> tuple[Array, int]:
    """A square root of the pseudo-inverse of the covariance of one of n reports, and the rank of what they tell.

    Where a report adds to several cells the covariance is unbiased and no more: of what hardly any report tells it is
    noise around 0, of either sign. In units of the largest score that one report can have, a variance of c/n is that of
    c telling reports; what fewer than `TELLING_REPORTS` tell of is not tested.
    """
    if all(one.is_counted for one in queries):
        return inverse_root(covariance)
    scale = np.max([np.abs(one.extremes()).max(axis=0) for one in queries], axis=0)
    scale[scale == 0] = 1.0
    root, rank = inverse_root(covariance / np.outer(scale, scale), TELLING_REPORTS / n)
    return root / scale[:, None], rank


def omnibus_of_tallies(
    groups: TalliedGroups, families: Sequence[Sequence[int]], *, calibrated: bool = True
) -> JointTest | None:
    """Wald's test by ``T = sum_g n_g (m_g - m)' V**+ (m_g - m)`` in each family, chi-square on (G - 1) rank V.

    V is the covariance of the scores of the whole family's reports, as if there were no difference. Where groups have
    different mechanisms, each has its own V and m is the mean that weighs them by their precision. None for more
    values than can be tested together, and where the reports tell of none.
    """
    if groups.weights is None or len(groups.weights) > MAX_VALUES:
        return None
    queries = groups.queries
    if not calibrated:
        queries = {mark: replace(one, calibrated=False) for mark, one in queries.items()}
    tallies = list(groups.tallies.values())
    parts = [_family([tallies[g] for g in family], queries, groups.fraction) for family in families]
    df = sum(df for _, df in parts)
    return chi_square_test(sum(statistic for statistic, _ in parts), df) if df else None


def _family(
    tallies: Sequence[Sequence[Tally]], queries: Mapping[str, MechanismQueries], fraction: float
) -> tuple[float, int]:
    """The statistic of one family, and its degrees of freedom."""
    together = [one for several in tallies for one in several if one.n]
    covariances = {
        mark: _covariance([one for one in together if one.fingerprint == mark], queries[mark], fraction)
        for mark in {one.fingerprint for one in together}
    }
    sizes = np.array([sum(one.n for one in several) for several in tallies], dtype=float)
    parts = [[queries[one.fingerprint].sums(one.counts) for one in several if one.n] for several in tallies]
    means = np.array([np.sum(sums, axis=0) for sums in parts]) / sizes[:, None]
    if len(covariances) == 1:
        ((mark, covariance),) = covariances.items()
        root, rank = told_root(covariance, [queries[mark]], sizes.sum())
        apart = (means - sizes @ means / sizes.sum()) @ root
        return float(sizes @ (apart**2).sum(axis=1)), (len(tallies) - 1) * rank
    precisions, ranks = [], 0
    for several, n in zip(tallies, sizes, strict=True):
        own = np.asarray(sum(covariances[one.fingerprint] * one.n for one in several)) / n
        root, rank = told_root(own, [queries[one.fingerprint] for one in several if one.n], n)
        precisions.append(n * root @ root.T)
        ranks += rank
    root, rank = inverse_root(np.asarray(sum(precisions)))
    middle = root @ (root.T @ np.asarray(sum(one @ mean for one, mean in zip(precisions, means, strict=True))))
    total = sum(float((mean - middle) @ one @ (mean - middle)) for one, mean in zip(precisions, means, strict=True))
    return total, ranks - rank


def _covariance(tallies: Sequence[Tally], queries: MechanismQueries, fraction: float) -> Array:
    whole = sum(tallies[1:], tallies[0])
    covariance = queries.covariance(whole)
    return np.asarray(covariance - fraction * queries.spread(estimate(whole).norm_shares)) if fraction else covariance


def omnibus_of_design(
    groups: DrawnGroups, families: Sequence[Sequence[int]], reference: ReferenceDistribution
) -> JointTest | None:
    """Wald's test by ``d' C**+ d`` for the differences d to the first group of each family and their covariance C.

    With r degrees of freedom, the rank of C, it is compared with F (`hotelling_test`), by `reference`, that of these
    differences. C is that of the sums over units, or that of people who all vary alike as if there were no difference,
    whichever has the larger p: in small groups the first goes with the means, and rejects too often by itself. None
    where there are too few clusters, too many sums to hold, or a finite population.
    """
    size, queries, units = len(groups.groups), len(groups.weights), groups.units
    if queries > MAX_VALUES or len(units) * size * queries > MAX_SUMS or groups.survey.population is not None:
        return None
    sums, means = np.empty((len(units), size, queries)), np.empty((size, queries))
    held = np.empty((groups.survey.n, queries if groups.survey.n * queries <= MAX_SUMS else 0))
    for number in range(queries):
        scores = groups.scores(number)
        means[:, number], terms = groups.terms(scores)
        sums[:, :, number] = units.sums_of_groups(terms, groups.codes, size)
        held[:, number : number + 1] = scores[:, None]
    ones, others = (list(side) for side in zip(*pairs_with_first(families), strict=True))
    gaps = (means[ones] - means[others]).reshape(-1)
    apart = (sums[:, ones] - sums[:, others]).reshape(len(units), -1)
    root, rank = inverse_root(units.as_people().covariance(apart * np.repeat(reference.factor, queries)))
    total = float(((gaps @ root) ** 2).sum())
    test = hotelling_test(total, rank, float(reference.df.mean()), reference.design_df)
    if test is None or not held.size:
        return test
    own = errors_of_families(held, families, groups.codes, groups.survey.relative_weights)
    among, spread = units.alike(own, np.eye(size)[groups.codes] * groups.shares_of_weight[:, None])
    rows = np.eye(size)[ones] - np.eye(size)[others]
    root, rank = inverse_root(np.asarray(np.kron(rows @ among @ rows.T, spread), dtype=float))
    total = float(((gaps @ root) ** 2).sum())
    return max(test, f_test(total, rank, reference.design_df), key=lambda one: one.p)


def errors_of_families(scores: Array, families: Sequence[Sequence[int]], codes: Codes, weights: Array) -> Array:
    """How far the scores of people, a column each, are from the weighted mean of all groups that are compared."""
    family_of = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    for number, family in enumerate(families):
        family_of[list(family)] = number
    own = family_of[codes]
    totals = np.bincount(own, weights)
    means = np.stack([np.bincount(own, weights * column) / totals for column in scores.T], axis=1)
    return np.asarray(scores - means[own])


def pairs_with_first(families: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Every group of a family with the first of it."""
    return [(g, family[0]) for family in families for g in family[1:]]


@dataclass(frozen=True)
class PermutationTest:
    """P-values of no difference: by the sum of squares, for many small differences, and by the largest, for a few.

    Each is ``(1 + permutations at least as extreme) / (1 + permutations)``, exact whatever the mechanism and the number
    of values.
    """

    squares_p: float
    largest_p: float
    permutations: int


def generator(rng: Source) -> np.random.Generator:
    """A generator of NumPy that is seeded from a source of words."""
    if not hasattr(rng, "reserve"):
        raise InvalidInput(f"rng of type {type(rng).__name__} must be a source of words, such as dc.random.seeded(1)")
    return np.random.default_rng(rng.take(4))


def permutation_test(
    groups: TalliedGroups, families: Sequence[Sequence[int]], pairs: Sequence[tuple[int, int]], rng: Source
) -> PermutationTest:
    """The permutation test: labels of each family's people are permuted, mechanism by mechanism.

    Counts with a cell for each report are permuted as such (multivariate hypergeometric); others report by report.
    """
    numbers = generator(rng)
    moments, names = groups.moments(), list(groups.tallies)
    for family in families:
        held = Counter(mark for g in family for mark in {one.fingerprint for one in groups.tallies[names[g]]})
        if min(held.values()) < 2:
            raise Unavailable("rng: a group has a mechanism that no other group has, so that labels cannot be permuted")
    scale = _scale(groups, families, moments.sizes)
    real = _statistics(moments.means, moments.sizes, scale, families, pairs)
    sources = [
        (family, _permute_sums(groups, family, mark, numbers))
        for family in families
        for mark in {one.fingerprint: None for g in family for one in groups.tallies[names[g]]}
    ]
    extreme = np.zeros(2, dtype=np.int64)
    for _ in range(PERMUTATIONS):
        sums = np.zeros_like(moments.means)
        for family, source in sources:
            sums[list(family)] += next(source)
        statistics = _statistics(sums / moments.sizes[:, None], moments.sizes, scale, families, pairs)
        extreme += statistics >= real * (1 - TIE)
    squares, largest = ((1 + extreme) / (1 + PERMUTATIONS)).tolist()
    return PermutationTest(squares, largest, PERMUTATIONS)


def _scale(groups: TalliedGroups, families: Sequence[Sequence[int]], sizes: Codes) -> Array:
    """The variance of every group's means if all of its family are alike."""
    tallies = list(groups.tallies.values())
    variances: list[Any] = [None] * len(tallies)
    for family in families:
        together = [one for g in family for one in tallies[g] if one.n]
        own = {}
        for mark in {one.fingerprint for one in together}:
            alike = [one for one in together if one.fingerprint == mark]
            own[mark] = groups.law(alike).variance * sum(one.n for one in alike)
        for g in family:
            variances[g] = sum(own[one.fingerprint] * one.n for one in tallies[g] if one.n) / sizes[g] ** 2
    return np.array(variances)


def _statistics(
    means: Array, sizes: Any, scale: Array, families: Sequence[Sequence[int]], pairs: Sequence[tuple[int, int]]
) -> Array:
    """The sum of squares between groups, and the largest difference in its errors."""
    squares = 0.0
    for family in families:
        own, n = means[list(family)], sizes[list(family)]
        squares += float(n @ ((own - n @ own / n.sum()) ** 2).sum(axis=1))
    ones, others = (list(side) for side in zip(*pairs, strict=True))
    errors = np.sqrt(scale[ones] + scale[others])
    gaps = np.abs(means[ones] - means[others])
    z = np.divide(gaps, errors, out=np.zeros_like(gaps), where=errors > 0)
    return np.array([squares, z.max(initial=0.0)])


def _permute_sums(groups: TalliedGroups, family: Sequence[int], mark: str, rng: np.random.Generator) -> Iterator[Array]:
    """Iterate over permutations of one mechanism's labels: the sums of scores of every group of a family."""
    queries, tallies = groups.queries[mark], list(groups.tallies.values())
    if groups.shares:
        queries = replace(queries, calibrated=False)
    nothing, decoder = queries.mechanism.tally(), decoder_of(queries.mechanism)
    own = [next((one for one in tallies[g] if one.fingerprint == mark), nothing) for g in family]
    counts, sizes = np.array([one.counts for one in own]), np.array([one.n for one in own])
    if decoder.disjoint:
        return map(queries.sums, _permute_counts(counts, sizes, rng))
    if groups.survey is None or groups.codes is None:
        raise Unavailable(
            f"the counts of {queries.mechanism.name} do not tell which were of one report: "
            "for a permutation test give the survey itself"
        )
    waves = groups.survey.by_wave(np.isin(groups.codes, family))
    reports = np.concatenate([wave.reports[own] for wave, own in waves if wave.mechanism.fingerprint == mark])
    return map(queries.sums, _permute_reports(decoder, reports, counts, sizes, rng))


def _permute_counts(counts: Codes, sizes: Codes, rng: np.random.Generator) -> Iterator[Codes]:
    total = counts.sum(axis=0)
    if total.sum() >= MAX_REPORTS:
        raise Unavailable(f"a permutation test takes at most {MAX_REPORTS} reports")
    while True:
        left, order = total.copy(), np.empty_like(counts)
        for g, n in enumerate(sizes[:-1]):
            order[g] = rng.multivariate_hypergeometric(left, n, method="marginals")
            left -= order[g]
        order[-1] = left
        yield order


def _permute_reports(
    decoder: Decoder[Any], reports: Codes, counts: Codes, sizes: Codes, rng: np.random.Generator
) -> Iterator[Codes]:
    while True:
        order, permuted = rng.permutation(len(reports)), np.zeros_like(counts)
        for g, rows in enumerate(np.split(order, np.cumsum(sizes[:-1]))[:-1]):
            decoder.count(permuted[g], reports[rows], 0)
        permuted[-1] = counts.sum(axis=0) - permuted.sum(axis=0)
        yield permuted
