"""The permutation test: labels are public, so they are permuted, and every order is as likely as the real one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput, Unavailable
from ...core.random import Source
from ...estimation.decoders import decoder_of
from ...estimation.tally import Tally
from ..survey.survey import Survey
from .group_moments import TalliedGroups, plausible
from .moments import Queries

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

PERMUTATIONS = 999
"""How many times labels are permuted: p-values are at least 0.001."""

MAX_REPORTS = 10**9
"""From this many reports on, counts are not permuted."""

TIE = 1e-10
"""Statistics that differ by less than this part are equal but for rounding."""


@dataclass(frozen=True)
class Permutation:
    """P-values of no difference: by the sum of squares, for many small differences, and by the largest, for a few.

    Each is ``(1 + permutations at least as extreme) / (1 + permutations)``, exact whatever the mechanism and the number
    of values.
    """

    squares_p: float
    largest_p: float
    permutations: int


def generator(rng: Source) -> np.random.Generator:
    """A generator of NumPy that goes on from a source of words."""
    if not hasattr(rng, "reserve"):
        raise InvalidInput(f"rng of type {type(rng).__name__} must be a source of words, such as dc.random.seeded(1)")
    return np.random.default_rng(rng.take(4))


def permuted(
    groups: TalliedGroups,
    families: Sequence[Sequence[int]],
    pairs: Sequence[tuple[int, int]],
    rng: Source,
) -> Permutation:
    """Permute the labels of each family's people, mechanism by mechanism, and compare.

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
        (family, _permuted_sums(groups, family, mark, numbers))
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
    return Permutation(squares, largest, PERMUTATIONS)


def _scale(groups: TalliedGroups, families: Sequence[Sequence[int]], sizes: NDArray[np.int64]) -> Array:
    """The variance of every group's means if all of its family are alike."""
    tallies = list(groups.tallies.values())
    found: list[Any] = [None] * len(tallies)
    for family in families:
        shares = plausible([one for g in family for one in tallies[g]])
        own = {mark: queries.variances(shares) for mark, queries in groups.queries.items()}
        for g in family:
            found[g] = sum(own[one.fingerprint] * one.n for one in tallies[g]) / sizes[g] ** 2
    return np.array(found)


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


def _permuted_sums(
    groups: TalliedGroups, family: Sequence[int], mark: str, rng: np.random.Generator
) -> Iterator[Array]:
    """Endlessly the sums of scores of every group of a family, the labels of one mechanism's reports permuted."""
    queries, tallies = groups.queries[mark], list(groups.tallies.values())
    own = [next((one for one in tallies[g] if one.fingerprint == mark), None) for g in family]
    if decoder_of(queries.mechanism).disjoint:
        nothing = np.zeros(decoder_of(queries.mechanism).cells, dtype=np.int64)
        orders = _permuted_counts(np.array([nothing if one is None else one.counts for one in own]), rng)
    elif groups.survey is None or groups.codes is None:
        raise Unavailable(
            f"the counts of {queries.mechanism.name} do not tell which were of one report: "
            "for a permutation test give the survey itself"
        )
    else:
        orders = _permuted_reports(queries, groups.survey, groups.codes, family, own, rng)
    return map(queries.sums, orders)


def _permuted_counts(counts: Counts, rng: np.random.Generator) -> Iterator[Counts]:
    sizes, total = counts.sum(axis=1), counts.sum(axis=0)
    if total.sum() >= MAX_REPORTS:
        raise Unavailable(f"a permutation test takes at most {MAX_REPORTS} reports")
    while True:
        left, found = total.copy(), np.empty_like(counts)
        for g, n in enumerate(sizes[:-1]):
            found[g] = rng.multivariate_hypergeometric(left, n, method="marginals")
            left -= found[g]
        found[-1] = left
        yield found


def _permuted_reports(
    queries: Queries,
    survey: Survey,
    codes: NDArray[np.int64],
    family: Sequence[int],
    own: Sequence[Tally | None],
    rng: np.random.Generator,
) -> Iterator[Counts]:
    starts = np.cumsum([0, *(len(wave.reports) for wave in survey.waves)])
    parts = [
        wave.reports[np.isin(codes[start : start + len(wave.reports)], family)]
        for start, wave in zip(starts, survey.waves, strict=False)
        if wave.mechanism.fingerprint == queries.mechanism.fingerprint
    ]
    reports, decoder = np.concatenate(parts), decoder_of(queries.mechanism)
    ends = np.cumsum([0 if one is None else one.n for one in own])
    total = np.sum([one.counts for one in own if one is not None], axis=0)
    while True:
        order = rng.permutation(len(reports))
        counts = np.zeros((len(family), decoder.cells), dtype=np.int64)
        for g, rows in enumerate(np.split(order, ends[:-1])[:-1]):
            decoder.count(counts[g], reports[rows], 0)
        counts[-1] = total - counts.sum(axis=0)
        yield counts
