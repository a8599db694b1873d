"""What an analyst gets: shares by label and over days, and tests of the differences between groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations
from typing import Any

from ..analysis.groups.comparison import differences_of
from ..analysis.groups.group_moments import TalliedGroups
from ..analysis.groups.moments import queries_of
from ..analysis.groups.omnibus import omnibus_of_tallies
from ..core.domain import plain_value
from ..estimation.decoders import decoder_of
from ..estimation.results.likelihood import likelihood
from ..estimation.results.projection import project
from ..estimation.results.shares import Shares
from ..estimation.results.shrinking import shrink
from ..estimation.results.unbiased import block_columns, estimate
from ..estimation.tally import Tally
from .store.tallies import Cell, CellCounts

METHODS: dict[str, Callable[[Tally], Shares]] = {
    "unbiased": estimate,
    "project": project,
    "likelihood": likelihood,
    "shrink": shrink,
}

NO_LABEL = ""
"""Stands for a label that a report does not have; no declared text is empty."""

MAX_TESTS = 1_000_000
"""The most tests of one comparison of groups."""


@dataclass(frozen=True)
class Breakdown:
    """How shares are estimated, at what confidence, by which label, and in groups of how many days.

    With `anytime` intervals hold however often one looks while reports come in.
    """

    method: str = "unbiased"
    confidence: float = 0.95
    by: str | None = None
    days: int | None = None
    anytime: bool = False


def group_tallies(counts: CellCounts, breakdown: Breakdown) -> dict[Cell, Tally]:
    """The tally of every cell of a breakdown; the day of a cell is the first of its group of days."""
    first = min((day for _, day in counts.counts), default="")

    def key(cell: Cell) -> Cell:
        labels, day = cell
        label = () if breakdown.by is None else ((breakdown.by, dict(labels).get(breakdown.by, NO_LABEL)),)
        return label, "" if breakdown.days is None else first_day(day, first, breakdown.days)

    tallies = counts.groups(key)
    if not tallies and breakdown.by is None and breakdown.days is None:
        return {((), ""): counts.tally()}
    return tallies


def first_day(day: str, first: str, days: int) -> str:
    """The first day of the group of so many days that a day is in."""
    start, here = date.fromisoformat(first), date.fromisoformat(day)
    return (start + timedelta(days=(here - start).days // days * days)).isoformat()


def shares_by_cell(counts: CellCounts, breakdown: Breakdown, minimum: int) -> list[dict[str, Any]]:
    """The shares of every cell of a breakdown as plain data, or how many reports it lacks."""
    return [_describe(cell, tally, breakdown, minimum) for cell, tally in group_tallies(counts, breakdown).items()]


def _describe(cell: Cell, tally: Tally, breakdown: Breakdown, minimum: int) -> dict[str, Any]:
    labels, day = cell
    about: dict[str, Any] = {"labels": {name: text or None for name, text in labels}, "n": tally.n}
    if breakdown.days is not None:
        last = date.fromisoformat(day) + timedelta(days=breakdown.days - 1)
        about["days"] = [day, last.isoformat()]
    if tally.n < minimum:
        return {**about, "missing": minimum - tally.n, "result": None}
    how: dict[str, Any] = {"confidence": breakdown.confidence, "anytime": breakdown.anytime}
    result = METHODS[breakdown.method](tally).to_dict(**how)
    result["influence"] = decoder_of(tally.mechanism).influence()
    result["blocks"] = block_columns(tally, **how)
    return {**about, "missing": 0, "result": result}


def compare_groups(groups: Mapping[str, Tally]) -> dict[str, Any]:
    """How far the shares of every two groups differ, first less second, and a test of all groups at once.

    `adjusted` holds for all tests together: to call everything below 0.05 different is wrong about anything with
    probability of at most 0.05.
    """
    if len(groups) < 2:
        return {"pairs": [], "omnibus": None}
    values = next(iter(groups.values())).mechanism.context.values
    names, weights = queries_of(values, None)
    tallied = TalliedGroups({(text,): [tally] for text, tally in groups.items()}, weights, shares=True)
    texts, pairs = list(groups), list(combinations(range(len(groups)), 2))
    rows = zip(pairs, *differences_of(tallied.moments(), pairs), strict=True)
    omnibus = omnibus_of_tallies(tallied, [range(len(groups))])
    return {
        "pairs": [
            {
                "first": texts[a] or None,
                "second": texts[b] or None,
                "values": [plain_value(value) for value in names],
                "difference": gap.tolist(),
                "stderr": error.tolist(),
                "p": p.tolist(),
                "adjusted": adjusted.tolist(),
            }
            for (a, b), gap, error, p, adjusted in rows
        ],
        "omnibus": None if omnibus is None else {"statistic": omnibus.statistic, "df": omnibus.df, "p": omnibus.p},
    }
