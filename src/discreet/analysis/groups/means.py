"""Estimates by group: the shares of all values, or one query, with errors that allow for the design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..reference_distribution import ReferenceDistribution, quantiles
from ..result import CONFIDENCE, Result, label_text
from .group_moments import GroupMoments, GroupName

SMALL = 30
"""Groups of fewer people are remarked on: their intervals may cover less often than they say."""

WIDE = 0.5
"""Shares with a larger standard error are remarked on: they say next to nothing."""


@dataclass(frozen=True, eq=False, repr=False)
class Means(Result):
    """Estimates of queries by group: ``means[group]`` is a group's, in the order of `names`.

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
    def estimate(self) -> Any:
        """The estimates, a row for each group and a column for each query."""
        return self.moments.means

    @property
    def stderr(self) -> Any:
        """Their standard errors."""
        return np.sqrt(self.moments.variances) * self.reference.factor[:, None]

    @cached_property
    def reference(self) -> ReferenceDistribution:
        """The reference distribution of the estimates of each group."""
        return self.moments.reference([(group,) for group in range(len(self.groups))])

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Any, Any]:
        """Low and high ends, by the normal quantile; by that of t where people were drawn by a design."""
        reach = quantiles(confidence, self.reference.df)[:, None] * self.stderr
        return self.estimate - reach, self.estimate + reach

    def __getitem__(self, group: Any) -> Any:
        key = group if isinstance(group, tuple) else (group,)
        return self.estimate[self.groups.index(key)]

    @property
    def about(self) -> dict[str, Any]:
        return {"method": "unbiased", "n": int(self.moments.sizes.sum()), "labels": list(self.labels)}

    @property
    def words(self) -> Sequence[str]:
        return [*column_names(self.labels), "value"]

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        low, high = self.interval(confidence)
        several = len(self.names)
        columns: dict[str, Sequence[Any]] = {
            name: [group[place] for group in self.groups for _ in range(several)]
            for place, name in enumerate(column_names(self.labels))
        }
        if self.shares or several > 1:
            columns["value"] = self.names * len(self.groups)
        else:
            columns["query"] = self.names * len(self.groups)
        sizes = np.repeat(self.moments.sizes, several).tolist()
        numbers = {"estimate": self.estimate, "stderr": self.stderr, "low": low, "high": high}
        return {**columns, "n": sizes, **{name: part.reshape(-1).tolist() for name, part in numbers.items()}}

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        found = [*self.notes, f"intervals at {confidence:g} confidence", *self.reference.remarks()]
        if self.shares:
            found.append("shares are unbiased: some may be below 0, and they need not add up to 1")
        return found + doubts(self.moments, self.shares)

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        from ...plots import plot_estimates

        low, high = self.interval(confidence)
        several = len(self.names) > 1
        heads = [group_text(group) or "all" for group in self.groups for _ in self.names]
        rows: dict[str, Any] = {
            "names": self.names * len(self.groups) if several else heads,
            "estimate": self.estimate.reshape(-1),
            "low": low.reshape(-1),
            "high": high.reshape(-1),
            "groups": heads if several and self.labels else None,
        }
        plot_estimates(rows, path, title=title, x_label="share" if self.shares else "estimate")

    def __repr__(self) -> str:
        return f"<Means of {len(self.names)} queries in {len(self.groups)} groups>"


def column_names(labels: Sequence[str]) -> list[str]:
    """The names of the columns with labels: their own, unless a number is called so."""
    taken = {"value", "query", "n", "estimate", "stderr", "low", "high", "p", "adjusted_p", "group", "against"}
    return [f"{name} (label)" if name in taken else name for name in labels]


def group_text(group: Sequence[Any]) -> str:
    """The labels of a group as one text."""
    return ", ".join(map(label_text, group))


def doubts(moments: GroupMoments, shares: bool) -> list[str]:
    """Remarks on groups too small, or too uncertain, to say much."""
    found = []
    few = [group_text(g) for g, n in zip(moments.groups, moments.sizes, strict=True) if n < SMALL]
    if few:
        found.append(f"fewer than {SMALL} people in {_some(few)}: intervals are rough")
    if shares:
        wide = [group_text(g) for g, v in zip(moments.groups, moments.variances, strict=True) if v.max() > WIDE**2]
        if wide:
            found.append(f"standard errors above {WIDE} in {_some(wide)}: these say next to nothing")
    return found


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(name or "the sample" for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
