"""Estimates by group: the shares of all values, or one query, with errors that allow for the design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...bulk.labelled.tallies import GroupTallies
from ...core.errors import InvalidInput
from ...estimation.results.covariance import with_errors
from ...estimation.results.score_law import ScoreLaw, remark_on_few
from ..reference_distribution import Array, ReferenceDistribution, quantiles
from ..result import CONFIDENCE, Estimates, label_text
from ..survey.survey import INSECURE_REMARK, Survey
from .group_moments import GroupMoments, GroupName, groups_of
from .moments import margin_of, queries_of

MIN_PEOPLE = 30
"""Groups of fewer people are remarked on: their intervals may cover less often than they say."""
MAX_STDERR = 0.5
"""Shares with a larger standard error are remarked on: they say next to nothing."""


@dataclass(frozen=True, eq=False, repr=False)
class Means(Estimates):
    """Estimates of queries by group; ``means[group]`` are those of one group, in the order of `names`.

    `labels` names what the groups differ in, and is empty for everybody together; `notes` is what is said of the
    sample.
    """

    labels: tuple[str, ...]
    names: list[Any]
    moments: GroupMoments
    notes: tuple[str, ...]
    shares: bool

    @property
    def groups(self) -> list[GroupName]:
        """The labels of every group."""
        return self.moments.groups

    @property
    def estimate(self) -> Array:
        """The estimates, a row for each group and a column for each query."""
        return self.moments.means

    @cached_property
    def stderr(self) -> Array:  # type: ignore[override]
        """Their standard errors."""
        return np.sqrt(self.moments.variances) * self.reference.factor[:, None]

    @cached_property
    def reference(self) -> ReferenceDistribution:  # type: ignore[override]
        """The reference distribution of the estimates of each group."""
        return self.moments.reference([(group,) for group in range(len(self.groups))])

    @cached_property
    def laws(self) -> list[ScoreLaw]:
        """The confidence distribution of the estimates of each group."""
        return self.moments.laws_of([(group,) for group in range(len(self.groups))], self.reference)

    @cached_property
    def covariance_matrix(self) -> Array:
        """The covariance of all estimates, in the order of the rows of the table."""
        return with_errors(self.stderr.reshape(-1), self.moments.covariance)

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
        """The low and the high end for each estimate by itself, skewed where few reports tell; with a design, by t."""
        return ends_of(self.laws, self.reference, confidence)

    def __getitem__(self, group: Any) -> Any:
        key = group if isinstance(group, tuple) else (group,)
        return self.estimate[self.groups.index(key)]

    @property
    def about(self) -> dict[str, Any]:
        return {"method": "unbiased", "n": int(self.moments.sizes.sum()), "labels": list(self.labels)}

    @property
    def words(self) -> Sequence[str]:
        return [*column_names(self.labels), "value"]

    @property
    def rows(self) -> dict[str, Sequence[Any]]:
        several = len(self.names)
        columns: dict[str, Sequence[Any]] = {
            name: [group[place] for group in self.groups for _ in range(several)]
            for place, name in enumerate(column_names(self.labels))
        }
        columns["value" if self.shares or several > 1 else "query"] = self.names * len(self.groups)
        return columns | {"n": np.repeat(self.moments.sizes, several).tolist()}

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        remarks = [*self.notes, f"intervals at {confidence:g} confidence", *self.reference.remarks()]
        if self.shares:
            remarks.append("shares are unbiased: some may be below 0, and they need not add up to 1")
        few = remark_on_few(self.laws, "estimates")
        return remarks + few + doubts(self.moments, self.shares)

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        from ...plots import plot_estimates

        heads = [group_text(group) or "all" for group in self.groups]
        rows = rows_by_group(self.names, heads, self.interval(confidence), self.estimate)
        if not self.labels:
            rows["groups"] = None
        plot_estimates(rows, path, title=title, x_label="share" if self.shares else "estimate")

    def __repr__(self) -> str:
        return f"<Means of {len(self.names)} queries in {len(self.groups)} groups>"


def ends_of(laws: Sequence[ScoreLaw], reference: ReferenceDistribution, confidence: float) -> tuple[Array, Array]:
    """The ends of the intervals of rows of estimates, at the quantile of each row's reference distribution."""
    z = quantiles(confidence, reference.df)
    low, high = zip(*(law.ends(one) for law, one in zip(laws, z, strict=True)), strict=True)
    return np.array(low), np.array(high)


def means_of(
    sample: Survey | GroupTallies, labels: Sequence[str], query: Any = None, question: int | None = None
) -> Means:
    """The share of every value, or what is asked, among the people of each combination of labels, or among all people.

    `query` and `question` are as for `compare`.
    """
    names, weights, shares = asked_of(sample, query, question)
    moments = groups_of(sample, labels, weights, shares=shares).moments()
    return Means(tuple(labels), names, moments, tuple(notes_of(sample, moments)), shares)


def asked_of(sample: Survey | GroupTallies, query: Any, question: int | None) -> tuple[list[Any], Array | None, bool]:
    """The names and weights of what is asked of a sample, and whether that is the plain share of every value."""
    if query is not None and question is not None:
        raise InvalidInput("query and question must not both be given")
    values = sample.values if isinstance(sample, Survey) else sample.mechanism.context.values
    if question is not None:
        return *margin_of(values, question), False
    return *queries_of(values, query), query is None


def notes_of(sample: Survey | GroupTallies, moments: GroupMoments) -> list[str]:
    """What there is to say of a sample beside every result."""
    if isinstance(sample, Survey):
        return sample.remarks()
    counted = int(moments.sizes.sum())
    left_out = [f"{sample.n - counted:,} people who lack a label are left out"] if counted < sample.n else []
    insecure = [INSECURE_REMARK] if any(tally.insecure for tally in sample.values()) else []
    return [f"{counted:,} reports of {sample.mechanism.name}", *insecure, *left_out]


def column_names(labels: Sequence[str]) -> list[str]:
    """The names of the columns of labels: their own, marked where a column of numbers has that name."""
    taken = {"value", "query", "n", "estimate", "stderr", "low", "high", "p", "adjusted_p", "group", "against"}
    return [f"{name} (label)" if name in taken else name for name in labels]


def rows_by_group(names: list[Any], heads: list[str], ends: tuple[Array, Array], estimate: Array) -> dict[str, Any]:
    """The rows that `plot_estimates` draws: all names below the heading of each group, or the groups for one name."""
    rows: dict[str, Any] = {"names": heads, "groups": None}
    if len(names) > 1:
        rows = {"names": names * len(heads), "groups": [head for head in heads for _ in names]}
    return rows | {"estimate": estimate.reshape(-1), "low": ends[0].reshape(-1), "high": ends[1].reshape(-1)}


def group_text(group: Sequence[Any]) -> str:
    """The labels of a group as one text."""
    return ", ".join(map(label_text, group))


def doubts(moments: GroupMoments, shares: bool) -> list[str]:
    """Remarks on groups too small, or too uncertain, to say much."""
    remarks = []
    few = [group_text(g) for g, n in zip(moments.groups, moments.sizes, strict=True) if n < MIN_PEOPLE]
    if few:
        remarks.append(f"fewer than {MIN_PEOPLE} people in {_some(few)}: intervals are rough")
    largest = moments.variances.max(axis=1, initial=0.0)
    wide = [group_text(g) for g, v in zip(moments.groups, largest, strict=True) if v > MAX_STDERR**2]
    if shares and wide:
        remarks.append(f"standard errors above {MAX_STDERR} in {_some(wide)}: these say next to nothing")
    return remarks


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(name or "the sample" for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
