"""`compare`: differences between groups of people, or between waves, with errors, tests and corrections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bulk.labelled.columns import names_of
from ...bulk.labelled.tallies import GroupTallies
from ...core.errors import InvalidInput, Unavailable, shown
from ...core.random import Source
from ..reference_distribution import ReferenceDistribution, quantiles, two_sided
from ..result import CONFIDENCE, Result
from ..survey.survey import Survey
from . import omnibus as tests
from .group_moments import DrawnGroups, GroupMoments, GroupName, TalliedGroups, groups_of
from .means import Means, column_names, doubts, group_text
from .moments import queries_of
from .omnibus import Permutation, permuted

Array = NDArray[np.float64]

MAX_TESTS = 1_000_000
"""The most tests of one comparison: values times pairs."""

PAIRS = ("first", "all")
OMNIBUS = ("calibrated", "plain")

EXACT = 1e-12
"""Differences and errors below this are those of rounding."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Differences of groups: each pair's first less its second, a row for each pair and a column for each query.

    `p` is two-sided, of ``difference / stderr``, which is normal, or t where people were drawn by a design, on the
    degrees of freedom of `reference`, a pair each. `adjusted_p` holds for all of them together (Holm1979): to call
    everything below 0.05 different is wrong about anything with probability of at most 0.05.
    `omnibus` is the Wald test of no difference at all, None where it cannot be made, and `permutation` what was asked
    for with `rng`. `groups` has the estimates of the groups themselves; `finite` tells whether people were drawn by a
    design from a finite population, which the Wald test does not take.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="2"))
    >>> reports = mechanism.randomize_many(["yes", "no", "no", "no"] * 500, dc.random.seeded(1))
    >>> survey = dc.Survey(mechanism, reports, labels={"town": ["lima", "oslo"] * 1000})
    >>> comparison = dc.compare(survey, by="town", query={"yes": 1})
    >>> [ends.round(2).tolist() for ends in comparison.interval()], bool(comparison.adjusted_p.max() < 0.001)
    ([[[-0.56]], [[-0.46]]], True)
    """

    labels: tuple[str, ...]
    wave: str | None
    pairs: list[tuple[GroupName, GroupName]]
    names: list[Any]
    difference: Array
    stderr: Array
    p: Array
    adjusted_p: Array
    omnibus: tests.Omnibus | None
    permutation: Permutation | None
    groups: Means
    reference: ReferenceDistribution
    finite: bool

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
        """Low and high ends of the differences, by the quantile of `reference`; each by itself."""
        reach = quantiles(confidence, self.reference.df)[:, None] * self.stderr
        return self.difference - reach, self.difference + reach

    @property
    def about(self) -> dict[str, Any]:
        found: dict[str, Any] = {**self.groups.about, "method": "differences", "wave": self.wave}
        if self.omnibus is not None:
            one = self.omnibus
            found["omnibus"] = {"statistic": one.statistic, "df": one.df, "p": one.p, "rest": one.rest}
        if self.permutation is not None:
            told = self.permutation
            found["permutation"] = {
                "squares_p": told.squares_p,
                "largest_p": told.largest_p,
                "deals": told.permutations,
            }
        return found

    @property
    def words(self) -> Sequence[str]:
        return [*column_names(self.labels), "group", "wave", "against", "value"]

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        low, high = self.interval(confidence)
        several = len(self.names)
        columns: dict[str, Sequence[Any]] = {}
        inside = self.labels if self.wave is not None else ()
        for place, name in enumerate(column_names(inside)):
            columns[name] = [one[place] for one, _ in self.pairs for _ in range(several)]
        for name, side in (("group" if self.wave is None else "wave", 0), ("against", 1)):
            columns[name] = [self._told(pair[side]) for pair in self.pairs for _ in range(several)]
        columns["value" if self.groups.shares else "query"] = self.names * len(self.pairs)
        numbers = {
            "estimate": self.difference,
            "stderr": self.stderr,
            "low": low,
            "high": high,
            "p": self.p,
            "adjusted_p": self.adjusted_p,
        }
        return {**columns, **{name: part.reshape(-1).tolist() for name, part in numbers.items()}}

    def _told(self, group: GroupName) -> Any:
        own = group if self.wave is None else group[-1:]
        return own[0] if len(own) == 1 else group_text(own)

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        found = [
            *self.groups.notes,
            f"differences are group less against, at {confidence:g} confidence",
            *self.reference.remarks(),
        ]
        size = self.p.size // (2 if _mirrored(self.difference) else 1)
        if size > 1:
            found.append(f"adjusted_p holds for all {size:,} tests together (Holm)")
        if self.omnibus is not None:
            one, rest = self.omnibus, ""
            if one.rest is not None:
                rest = f", against F with {one.rest:.4g} more for the errors"
            found.append(
                f"no difference at all: Wald statistic {one.statistic:.4f} on {one.df} degrees of freedom{rest}, "
                f"p {one.p:.4g}"
            )
        elif len(self.names) > 1 or len(self.pairs) > 1:
            why = "it takes no finite population" if self.finite else "too many values, or too few clusters for it"
            found.append(f"no Wald test of all at once: {why}")
        if self.permutation is not None:
            told = self.permutation
            found.append(
                f"labels permuted {told.permutations} times: p {told.squares_p:.4f} by the sum of squares, "
                f"{told.largest_p:.4f} by the largest difference"
            )
        return found + doubts(self.groups.moments, self.groups.shares)

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        from ...plots import plot_estimates

        low, high = self.interval(confidence)
        heads = [self._heading(pair) for pair in self.pairs for _ in self.names]
        several = len(self.names) > 1
        rows: dict[str, Any] = {
            "names": self.names * len(self.pairs) if several else heads,
            "estimate": self.difference.reshape(-1),
            "low": low.reshape(-1),
            "high": high.reshape(-1),
            "groups": heads if several else None,
        }
        what = "difference of shares" if self.groups.shares else "difference"
        plot_estimates(rows, path, title=title, x_label=f"{what}, with {confidence:g} intervals")

    def _heading(self, pair: tuple[GroupName, GroupName]) -> str:
        apart = f"{self._told(pair[0])} \N{MINUS SIGN} {self._told(pair[1])}"
        return apart if self.wave is None or not self.labels else f"{group_text(pair[0][:-1])}: {apart}"

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.pairs)} pairs of groups, {len(self.names)} queries each>"


def compare(
    sample: Survey | GroupTallies,
    *,
    by: str | Sequence[str] | None = None,
    wave: str | None = None,
    query: Any = None,
    pairs: str = "first",
    paired: str | None = None,
    omnibus: str = "calibrated",
    rng: Source | None = None,
) -> Comparison:
    """Differences between groups of people with other labels, or between waves, of every value's share or of one query.

    `by` names the label, or labels, that set groups apart; with `wave`, another label, waves are compared inside
    each of these groups, or among everybody. `query` is as in `Estimate.query`: weights of the values, "mean", or
    nothing for the share of every value. ``pairs="first"`` compares each group with the first, ``"all"`` every two.
    `paired` names the label that tells people apart, where some appear in several groups or waves: their own
    change then counts, and not the difference between people.

    The difference of means of calibrated scores has the variance ``V_1 / n_1 + V_2 / n_2``, or the linearised one of
    the survey's weights, clusters and strata. Groups may have different mechanisms. The omnibus test is of
    calibrated shares, which add up to one; ``omnibus="plain"`` takes the plain ones. `rng`, such as
    ``dc.random.seeded(1)``, adds the exact permutation test.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="2"))
    >>> reports = mechanism.randomize_many(["yes", "no", "no", "no"] * 500, dc.random.seeded(1))
    >>> survey = dc.Survey(mechanism, reports, labels={"town": ["lima", "oslo"] * 1000})
    >>> comparison = dc.compare(survey, by="town", query={"yes": 1})
    >>> comparison.pairs, comparison.difference.round(2).tolist(), comparison.stderr.round(2).tolist()
    ([(('oslo',), ('lima',))], [[-0.51]], [[0.02]])

    References: Holm1979, Binder1983, Korn1990.
    """
    for name, given, known in (("pairs", pairs, PAIRS), ("omnibus", omnibus, OMNIBUS)):
        if not isinstance(given, str) or given not in known:
            raise InvalidInput(f"{name}={shown(given)} must be {' or '.join(map(repr, known))}")
    if not isinstance(sample, (Survey, GroupTallies)):
        raise InvalidInput(f"sample of type {type(sample).__name__} must be a survey, or tallies by label")
    labels = () if by is None else names_of("by", by)
    names = (*labels, *(() if wave is None else names_of("wave", [wave])))
    if not names or len(set(names)) < len(names):
        raise InvalidInput("by or wave must name the labels to compare, none of them twice")
    if paired is not None and isinstance(sample, GroupTallies):
        raise InvalidInput("paired needs the survey: tallies do not tell who is who")
    values = _values(sample)
    asked, weights = queries_of(values, query)
    groups = groups_of(sample, names, weights, paired=paired)
    moments = groups.moments()
    families = _families(moments.groups, wave is not None)
    chosen = _pairs(families, pairs)
    if len(chosen) * len(asked) > MAX_TESTS:
        raise InvalidInput(f"more than {MAX_TESTS} tests: compare with the first group only, or ask one query")
    reference = moments.reference(chosen)
    return Comparison(
        labels,
        wave,
        [(moments.groups[one], moments.groups[other]) for one, other in chosen],
        asked,
        *differences_of(moments, chosen, reference),
        _omnibus(groups if omnibus == "calibrated" else replace(groups, calibrated=False), families, moments),
        _permutation(groups, families, chosen, rng),
        Means(names, asked, moments, tuple(_notes(sample, moments)), query is None),
        reference,
        isinstance(groups, DrawnGroups) and groups.survey.population is not None,
    )


def differences_of(
    moments: GroupMoments, pairs: Sequence[tuple[int, int]], reference: ReferenceDistribution | None = None
) -> tuple[Array, Array, Array, Array]:
    """The differences of pairs of groups, their standard errors, two-sided p-values, and these adjusted for all.

    What is known without any error differs surely, or surely not.
    """
    found = [moments.difference(one, other) for one, other in pairs]
    reference = moments.reference(pairs) if reference is None else reference
    gaps, errors = np.array([gap for gap, _ in found]), np.sqrt(np.array([spread for _, spread in found]))
    errors = errors * reference.factor[:, None]
    surely = np.where(np.abs(gaps) > EXACT, np.inf, 0.0)
    p = np.asarray(two_sided(np.divide(gaps, errors, out=surely, where=errors > EXACT), reference.df[:, None]))
    apart = p[:, :1] if _mirrored(gaps) else p
    return gaps, errors, p, np.broadcast_to(holm(apart.reshape(-1)).reshape(apart.shape), p.shape).copy()


def _mirrored(gaps: Array) -> bool:
    """True for two values whose shares add up to one: what one gains the other loses, and they are one test."""
    return gaps.shape[1] == 2 and bool(np.abs(gaps.sum(axis=1)).max(initial=0.0) < EXACT)


def _values(sample: Survey | GroupTallies) -> Any:
    return sample.values if isinstance(sample, Survey) else sample.mechanism.context.values


def _families(groups: Sequence[GroupName], waves: bool) -> list[list[int]]:
    """The groups that are compared with each other: all of them, or the waves of those with the same other labels."""
    found: dict[GroupName, list[int]] = {}
    for number, group in enumerate(groups):
        found.setdefault(group[:-1] if waves else (), []).append(number)
    families = [family for family in found.values() if len(family) > 1]
    if not families:
        raise InvalidInput("there must be at least two groups to compare; all people have the same label")
    return families


def _pairs(families: Sequence[Sequence[int]], pairs: str) -> list[tuple[int, int]]:
    if pairs == "first":
        return tests.firsts(families)
    size = sum(len(family) * (len(family) - 1) // 2 for family in families)
    if size > MAX_TESTS:
        raise InvalidInput(f"there are {size} pairs, more than {MAX_TESTS}: compare with the first group instead")
    return [(one, other) for family in families for other, one in combinations(family, 2)]


def _omnibus(
    groups: TalliedGroups | DrawnGroups, families: Sequence[Sequence[int]], moments: GroupMoments
) -> tests.Omnibus | None:
    if isinstance(groups, TalliedGroups):
        return tests.of_tallies(groups, families)
    return tests.of_design(groups, families, moments.reference(tests.firsts(families)))


def _permutation(
    groups: TalliedGroups | DrawnGroups,
    families: Sequence[Sequence[int]],
    pairs: Sequence[tuple[int, int]],
    rng: Source | None,
) -> Permutation | None:
    if rng is None:
        return None
    if isinstance(groups, DrawnGroups):
        raise Unavailable("rng: with weights, clusters, strata or pairs people are not alike, and cannot change labels")
    return permuted(groups, families, pairs, rng)


def _notes(sample: Survey | GroupTallies, moments: GroupMoments) -> list[str]:
    if isinstance(sample, Survey):
        return sample.remarks()
    counted = int(moments.sizes.sum())
    found = [f"{counted:,} reports of {sample.mechanism.name}"]
    if counted < sample.n:
        found.append(f"{sample.n - counted:,} people who lack a label are left out")
    return found


def holm(p: Array) -> Array:
    """P-values that hold for all tests at once: the i-th smallest times ``m - i``, never falling (Holm1979)."""
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
