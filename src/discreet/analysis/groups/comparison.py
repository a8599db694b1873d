"""`compare`: differences between groups of people, or between waves, with errors, tests and corrections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from ...bulk.labelled.columns import names_of
from ...bulk.labelled.tallies import GroupTallies
from ...core.errors import InvalidInput, Unavailable, shown
from ...core.random import Source
from ...core.tables import p_value
from ...estimation.results.covariance import with_errors
from ...estimation.results.score_law import ScoreLaw, remark_on_few
from ..reference_distribution import Array, JointTest, ReferenceDistribution, degrees, two_sided
from ..result import CONFIDENCE, Estimates
from ..survey.survey import Survey
from .group_moments import DrawnGroups, GroupMoments, GroupName, TalliedGroups, groups_of
from .means import Means, asked_of, column_names, doubts, ends_of, group_text, notes_of, rows_by_group
from .omnibus import PermutationTest, omnibus_of_design, omnibus_of_tallies, pairs_with_first, permutation_test

MAX_TESTS = 1_000_000
"""The most tests of one comparison: values times pairs."""

PAIRS = ("first", "all")
MAX_KNOWN = 8
"""The most labels that a message lists."""
OMNIBUS = ("calibrated", "plain")
EXACT = 1e-12
"""Differences and errors below this are those of rounding."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Estimates):
    """Differences of groups: each pair's first less its second, a row for each pair and a column for each query.

    Differences have the confidence distributions `laws`, a pair each: `p` is two-sided, and below 0.05 where the
    interval at 0.95 leaves 0 out. Where people were drawn by a design, their quantiles are those of t on the degrees of
    freedom of `reference`. `adjusted_p` holds for all of them together
    (Holm1979): to call everything below 0.05 different is wrong about anything with probability of at most 0.05.
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

    ESTIMATE = "difference"
    FURTHER = ("p", "adjusted_p")

    labels: tuple[str, ...]
    wave: str | None
    pairs: list[tuple[GroupName, GroupName]]
    names: list[Any]
    difference: Array
    stderr: Array
    p: Array
    adjusted_p: Array
    omnibus: JointTest | None
    permutation: PermutationTest | None
    groups: Means
    reference: ReferenceDistribution
    finite: bool
    laws: list[ScoreLaw]

    @cached_property
    def covariance_matrix(self) -> Array:
        """The covariance of all differences, in the order of the rows of the table."""
        return with_errors(self.stderr.reshape(-1), self._covariance)

    def _covariance(self) -> Array:
        moments = self.groups.moments
        size, queries = moments.means.shape
        covariance = moments.covariance().reshape(size, queries, size, queries)
        places = {group: number for number, group in enumerate(moments.groups)}
        one, other = (np.array([places[pair[side]] for pair in self.pairs]) for side in (0, 1))
        rows = covariance[one] - covariance[other]
        return np.asarray((rows[:, :, one] - rows[:, :, other]).reshape(self.difference.size, -1))

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
        """The low and the high end for each difference by itself: skewed where few reports tell, by t with a design."""
        return ends_of(self.laws, self.reference, confidence)

    @property
    def about(self) -> dict[str, Any]:
        about: dict[str, Any] = {**self.groups.about, "method": "differences", "wave": self.wave}
        if (test := self.omnibus) is not None:
            about["omnibus"] = {"statistic": test.statistic, "df": test.df, "p": test.p, "rest": test.rest}
        if (order := self.permutation) is not None:
            about["permutation"] = {
                "squares_p": order.squares_p,
                "largest_p": order.largest_p,
                "deals": order.permutations,
            }
        return about

    @property
    def words(self) -> Sequence[str]:
        return [*column_names(self.labels), "group", "wave", "against", "value"]

    @property
    def rows(self) -> dict[str, Sequence[Any]]:
        several = range(len(self.names))
        inside = self.labels if self.wave is not None else ()
        columns: dict[str, Sequence[Any]] = {
            name: [one[place] for one, _ in self.pairs for _ in several]
            for place, name in enumerate(column_names(inside))
        }
        for name, side in (("group" if self.wave is None else "wave", 0), ("against", 1)):
            columns[name] = [self._label(pair[side]) for pair in self.pairs for _ in several]
        columns["value" if self.groups.shares or len(self.names) > 1 else "query"] = self.names * len(self.pairs)
        return columns

    def _label(self, group: GroupName) -> Any:
        """The label that sets a group apart from those it is compared with."""
        own = group if self.wave is None else group[-1:]
        return own[0] if len(own) == 1 else group_text(own)

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        remarks = [
            *self.groups.notes,
            f"differences are group less against, at {confidence:g} confidence",
            *self.reference.remarks(),
        ]
        size = self.p.size // (2 if _are_complements(self.difference) else 1)
        if size > 1:
            remarks.append(f"adjusted_p holds for all {size:,} tests together (Holm)")
        if (test := self.omnibus) is not None:
            rest = "" if test.rest is None else f", against F with {test.rest:.4g} more for the errors"
            law = f"Wald statistic {test.statistic:.4f} on {degrees(test.df)}{rest}"
            remarks.append(f"no difference at all: {law}, p {p_value(test.p)}")
        elif len(self.names) > 1 or len(self.pairs) > 1:
            why = "it takes no finite population" if self.finite else "too many values, or too few clusters for it"
            remarks.append(f"no Wald test of all at once: {why}")
        if (order := self.permutation) is not None:
            remarks.append(
                f"labels permuted {order.permutations} times: p {p_value(order.squares_p)} by the sum of squares, "
                f"{p_value(order.largest_p)} by the largest difference"
            )
        few = remark_on_few(self.laws, "differences")
        return remarks + few + doubts(self.groups.moments, self.groups.shares)

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        from ...plots import plot_estimates

        heads = [self.heading(pair) for pair in self.pairs]
        rows = rows_by_group(self.names, heads, self.interval(confidence), self.difference)
        label = f"{'difference of shares' if self.groups.shares else 'difference'}, with {confidence:g} intervals"
        plot_estimates(rows, path, title=title, x_label=label)

    def heading(self, pair: tuple[GroupName, GroupName]) -> str:
        """What a difference is of: one group less another."""
        apart = f"{self._label(pair[0])} \N{MINUS SIGN} {self._label(pair[1])}"
        return apart if self.wave is None or not self.labels else f"{group_text(pair[0][:-1])}: {apart}"

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.pairs)} pairs of groups, {len(self.names)} queries each>"


def compare(
    sample: Survey | GroupTallies,
    *,
    by: str | Sequence[str] | None = None,
    wave: str | None = None,
    query: Any = None,
    question: int | None = None,
    pairs: str = "first",
    reference: Any = None,
    paired: str | None = None,
    omnibus: str = "calibrated",
    rng: Source | None = None,
) -> Comparison:
    """Compare groups of people, or waves: differences of every value's share, or of one query, with errors and tests.

    `by` names the label, or labels, that set groups apart; with `wave`, another label, waves are compared inside
    each of these groups, or among everybody. `query` is as in `Estimate.query`: weights of the values, "mean", or
    nothing for the share of every value. ``pairs="first"`` compares each group with the first, or with the one
    that `reference` names by its label (or labels, or wave); ``"all"`` compares every two. Where values are the
    answers to several questions together, `question` is the place of the one whose answers are compared.
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
    queries, weights, shares = asked_of(sample, query, question)
    groups = groups_of(sample, names, weights, shares=shares, paired=paired)
    moments = groups.moments()
    families = _families(moments.groups, wave is not None)
    if reference is not None:
        families = [_begin_with(family, moments.groups, reference, wave is not None) for family in families]
    chosen = _pairs(families, pairs)
    if len(chosen) * len(queries) > MAX_TESTS:
        raise InvalidInput(f"more than {MAX_TESTS} tests: compare with the first group only, or ask one query")
    against = moments.reference(chosen)
    if rng is not None and isinstance(groups, DrawnGroups):
        raise Unavailable("rng: with weights, clusters, strata or pairs people are not alike, and cannot change labels")
    calibrated = omnibus == "calibrated"
    return Comparison(
        labels,
        wave,
        [(moments.groups[one], moments.groups[other]) for one, other in chosen],
        queries,
        *differences_of(moments, chosen, against),
        omnibus_of_tallies(groups, families, calibrated=calibrated)
        if isinstance(groups, TalliedGroups)
        else omnibus_of_design(
            replace(groups, calibrated=calibrated), families, moments.reference(pairs_with_first(families))
        ),
        permutation_test(groups, families, chosen, rng)
        if rng is not None and isinstance(groups, TalliedGroups)
        else None,
        Means(names, queries, moments, tuple(notes_of(sample, moments)), shares),
        against,
        isinstance(groups, DrawnGroups) and groups.survey.population is not None,
        moments.laws_of(chosen, against),
    )


def differences_of(
    moments: GroupMoments, pairs: Sequence[tuple[int, int]], reference: ReferenceDistribution | None = None
) -> tuple[Array, Array, Array, Array]:
    """The differences of pairs of groups, their standard errors, two-sided p-values, and adjusted p-values.

    P-values are those of `ScoreLaw`, by the quantiles of t where people were drawn by a design.
    """
    reference = moments.reference(pairs) if reference is None else reference
    gaps, variances = (np.array(side) for side in zip(*(moments.difference(*pair) for pair in pairs), strict=True))
    errors = np.sqrt(variances) * reference.factor[:, None]
    z = np.array([law.z_scores() for law in moments.laws_of(pairs, reference)])
    p = np.asarray(two_sided(z, reference.df[:, None]))
    apart = p[:, :1] if _are_complements(gaps) else p
    return gaps, errors, p, np.broadcast_to(holm(apart.reshape(-1)).reshape(apart.shape), p.shape).copy()


def _are_complements(gaps: Array) -> bool:
    """True for two values whose shares add up to one: what one gains the other loses, and they are one test."""
    return gaps.shape[1] == 2 and bool(np.abs(gaps.sum(axis=1)).max(initial=0.0) < EXACT)


def _families(groups: Sequence[GroupName], waves: bool) -> list[list[int]]:
    """The groups that are compared with each other: all of them, or the waves of those with the same other labels."""
    families: dict[GroupName, list[int]] = {}
    for number, group in enumerate(groups):
        families.setdefault(group[:-1] if waves else (), []).append(number)
    several = [family for family in families.values() if len(family) > 1]
    if not several:
        raise InvalidInput("there must be at least two groups to compare; all people have the same label")
    return several


def _begin_with(family: list[int], groups: Sequence[GroupName], reference: Any, waves: bool) -> list[int]:
    """The groups of a family with that of the reference first; a label may be named by its text."""
    wanted = reference if isinstance(reference, (tuple, list)) else (reference,)
    labels = {number: groups[number][-1:] if waves else groups[number] for number in family}
    for same in (lambda own: own == tuple(wanted), lambda own: [*map(str, own)] == [*map(str, wanted)]):
        if chosen := [number for number in family if same(labels[number])]:
            return [*chosen, *(number for number in family if number not in chosen)]
    known = ", ".join(group_text(own) for own in list(labels.values())[:MAX_KNOWN])
    raise InvalidInput(f"reference={shown(reference)} must be the label of a group: {known}")


def _pairs(families: Sequence[Sequence[int]], pairs: str) -> list[tuple[int, int]]:
    if pairs == "first":
        return pairs_with_first(families)
    size = sum(len(family) * (len(family) - 1) // 2 for family in families)
    if size > MAX_TESTS:
        raise InvalidInput(f"there are {size} pairs, more than {MAX_TESTS}: compare with the first group instead")
    return [(one, other) for family in families for other, one in combinations(family, 2)]


def holm(p: Array) -> Array:
    """P-values that hold for all tests at once: the i-th smallest times ``m - i``, never falling (Holm1979)."""
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
