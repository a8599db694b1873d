"""One test for all values and groups at once: do they differ at all?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...estimation.tails import chi_square_tail
from ...estimation.tally import Tally
from ..reference_distribution import ReferenceDistribution, denominator_df, hotelling_tail
from .group_moments import DrawnGroups, TalliedGroups, plausible

Array = NDArray[np.float64]

NEGLIGIBLE = 1e-9
"""Eigenvalues of a covariance below this part of the largest are those of what cannot differ."""

MAX_VALUES = 1024
"""The most values that are tested together; for more there is the permutation test."""

MAX_SUMS = 1 << 26
"""The most sums over units, groups and values that are held for a test."""


@dataclass(frozen=True)
class Omnibus:
    """A Wald test of no difference: the statistic, its degrees of freedom and the p-value.

    `rest` are the degrees of freedom of the errors where people were drawn in clusters, and the p-value is of F.
    """

    statistic: float
    df: int
    p: float
    rest: float | None = None


def inverse(covariance: Array) -> tuple[Array, int]:
    """A square root of the pseudo-inverse, and the rank."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > NEGLIGIBLE * max(values[-1], 0.0)
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept])), int(kept.sum())


def of_tallies(groups: TalliedGroups, families: Sequence[Sequence[int]]) -> Omnibus | None:
    """``T = sum_g n_g (m_g - m)' V**+ (m_g - m)`` over the groups of each family, chi-square on (G - 1) rank V.

    V is the covariance of a report's scores, at the shares of the whole family: that of its own reports where they are
    not calibrated. Where groups have different mechanisms, each has its own V and m is the mean that weighs them
    by their precision. None for more values than can be tested together.
    """
    if groups.weights is None or len(groups.weights) > MAX_VALUES:
        return None
    rows, tallies = groups.moments(), list(groups.tallies.values())
    total, df = 0.0, 0
    for family in families:
        found = _family([tallies[g] for g in family], rows.means[list(family)], groups)
        total, df = total + found[0], df + found[1]
    return Omnibus(total, df, chi_square_tail(total, df))


def _family(tallies: Sequence[Sequence[Tally]], means: Array, groups: TalliedGroups) -> tuple[float, int]:
    together = [one for several in tallies for one in several]
    shares = plausible(together)
    covariances = {
        mark: _covariance([one for one in together if one.fingerprint == mark], shares, groups)
        for mark in {one.fingerprint for one in together}
    }
    sizes = np.array([sum(one.n for one in several) for several in tallies], dtype=float)
    if len(covariances) == 1:
        (covariance,) = covariances.values()
        root, rank = inverse(covariance)
        apart = (means - sizes @ means / sizes.sum()) @ root
        return float(sizes @ (apart**2).sum(axis=1)), (len(tallies) - 1) * rank
    precisions, ranks = [], 0
    for several, n in zip(tallies, sizes, strict=True):
        own = np.asarray(sum(covariances[one.fingerprint] * one.n for one in several)) / n**2
        root, rank = inverse(own)
        precisions.append(root @ root.T)
        ranks += rank
    root, rank = inverse(np.asarray(sum(precisions)))
    middle = root @ (root.T @ np.asarray(sum(one @ mean for one, mean in zip(precisions, means, strict=True))))
    total = sum(float((mean - middle) @ one @ (mean - middle)) for one, mean in zip(precisions, means, strict=True))
    return total, ranks - rank


def _covariance(tallies: Sequence[Tally], shares: Array, groups: TalliedGroups) -> Array:
    whole = sum(tallies[1:], tallies[0])
    queries = groups.queries[whole.fingerprint]
    found = queries.covariance(shares) if groups.calibrated else queries.covariance_in(whole, shares)
    return np.asarray(found - groups.fraction * queries.spread(shares)) if groups.fraction else found


def of_design(
    groups: DrawnGroups, families: Sequence[Sequence[int]], reference: ReferenceDistribution
) -> Omnibus | None:
    """``d' C**+ d`` for the differences d to the first group of each family and their linearised covariance C.

    It is chi-square on r degrees of freedom, the rank of C; with clusters it is compared with F (`hotelling_tail`), by
    `reference`, that of these differences. None where there are too few clusters, too many sums to hold, or a finite
    population.
    """
    size, asked, drawn = len(groups.groups), len(groups.weights), groups.drawn
    if asked > MAX_VALUES or drawn.units * size * asked > MAX_SUMS or groups.survey.population is not None:
        return None
    sums, means = np.empty((drawn.units, size, asked)), np.empty((size, asked))
    for number in range(asked):
        means[:, number], terms = groups.terms(groups.scores(number))
        flat = np.bincount(drawn.unit_of * size + groups.codes, terms, minlength=drawn.units * size)
        sums[:, :, number] = flat.reshape(drawn.units, size)
    pairs = firsts(families)
    ones, others = [g for g, _ in pairs], [g for _, g in pairs]
    gaps = (means[ones] - means[others]).reshape(-1)
    apart = (sums[:, ones] - sums[:, others]).reshape(drawn.units, -1)
    root, rank = inverse(drawn.of_units().covariance(apart * np.repeat(reference.factor, asked)))
    total, df = float(((gaps @ root) ** 2).sum()), float(reference.df.mean())
    rest = denominator_df(rank, df, reference.design_df)
    if rank == 0 or rest < 1:
        return None
    if drawn.alone:
        return Omnibus(total, rank, chi_square_tail(total, rank))
    return Omnibus(total, rank, hotelling_tail(total, rank, df, reference.design_df), rest)


def firsts(families: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Every group of a family with the first of it."""
    return [(g, family[0]) for family in families for g in family[1:]]
