"""What an analyst gets: shares by label and over days, and tests of the differences between groups.

Everything is made from the counts of whole batches (`batching`), so that nothing here has to hide what is small.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations
from typing import Any

from ..analysis.groups.comparison import differences_of
from ..analysis.groups.omnibus import omnibus_of_tallies
from ..core.domain import plain_value
from ..estimation.results.figures import figures_of
from ..estimation.results.layout import NUMBERS
from ..estimation.results.likelihood import likelihood
from ..estimation.results.projection import project
from ..estimation.results.shares import Shares
from ..estimation.results.shrinking import shrink
from ..estimation.results.unbiased import block_columns, estimate
from ..estimation.tally import Tally
from ..questionnaires.questions import AskedQuestion, asked_question
from .batching import MIXED, label_text
from .instrument import instrument_of
from .store.tallies import Cell, CellCounts

METHODS: dict[str, Callable[[Tally], Shares]] = {
    "unbiased": estimate,
    "project": project,
    "likelihood": likelihood,
    "shrink": shrink,
}

MAX_TESTS = 1_000_000
"""The most tests of one comparison of groups."""


@dataclass(frozen=True)
class Breakdown:
    """How shares are estimated, at what confidence, by which label, in groups of how many days, of which question.

    With `anytime` intervals hold however often one looks while reports come in.
    """

    method: str = "unbiased"
    confidence: float = 0.95
    by: str | None = None
    days: int | None = None
    anytime: bool = False
    question: str = ""
    """The name of a question of a form."""


def counts_of(question: AskedQuestion, counts: CellCounts) -> CellCounts:
    """The counts of the part that a question is in, among those of its collection."""
    cells = instrument_of(question.law).slice_of(question.part)
    own = {cell: numbers[cells] for cell, numbers in counts.counts.items()}
    return CellCounts(question.mechanism, own, counts.position)


def group_tallies(counts: CellCounts, breakdown: Breakdown, first: str = "") -> dict[Cell, Tally]:
    """The tally of the question in every cell of a breakdown; the day of a cell is the first of its group of days.

    Groups of days are counted from `first`. Batches with several texts of the label are in no cell.
    """

    def key(cell: Cell) -> Cell:
        labels, day = cell
        label = () if breakdown.by is None else ((breakdown.by, label_text(labels, breakdown.by)),)
        return label, "" if breakdown.days is None else first_day(day, first, breakdown.days)

    own = counts_of(asked_question(counts.law, breakdown.question), counts)
    groups: dict[Cell, Any] = own.groups(key)
    if not groups and breakdown.by is None and breakdown.days is None:
        groups = {((), ""): own.tally()}
    return {
        cell: tally
        for cell, tally in groups.items()
        if breakdown.by is None or label_text(cell[0], breakdown.by) != MIXED
    }


def only_period(counts: CellCounts, period: str, text: str) -> CellCounts:
    """The counts of the reports with this text of the label that says their period."""
    inside = {cell: numbers for cell, numbers in counts.counts.items() if label_text(cell[0], period) == text}
    return CellCounts(counts.law, inside, counts.position)


def periods_of(counts: CellCounts, period: str | None) -> list[CellCounts]:
    """The counts of every period by itself; all together where people answer once."""
    if period is None:
        return [counts]
    texts = sorted({label_text(labels, period) for labels, _ in counts.counts})
    return [only_period(counts, period, text) for text in texts] or [counts]


def first_day(day: str, first: str, days: int) -> str:
    """The first day of the group of so many days that a day is in."""
    start, here = date.fromisoformat(first), date.fromisoformat(day)
    return (start + timedelta(days=(here - start).days // days * days)).isoformat()


def shares_by_cell(
    counts: CellCounts, breakdown: Breakdown, minimum: int, *, period: str | None = None, texts: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The shares of the question in every cell of a breakdown as plain data; null for `texts` of its label without any.

    With a `period` the same people may be in several of its texts, and a cell of several periods is their mean.
    """
    cells: dict[Cell, list[Tally]] = {}
    if breakdown.by is not None and breakdown.days is None:
        cells = {(((breakdown.by, text),), ""): [] for text in texts}
    first = min((day for _, day in counts.counts), default="")
    question = asked_question(counts.law, breakdown.question)
    for part in periods_of(counts, period):
        for cell, tally in group_tallies(part, breakdown, first).items():
            cells.setdefault(cell, []).append(tally)
    return [_describe(cell, cells[cell], breakdown, question, minimum) for cell in sorted(cells)]


def _describe(
    cell: Cell, tallies: list[Tally], breakdown: Breakdown, question: AskedQuestion, minimum: int
) -> dict[str, Any]:
    labels, day = cell
    parts = [tally for tally in tallies if tally.n]
    about: dict[str, Any] = {"labels": {name: text or None for name, text in labels}, "n": sum(t.n for t in parts)}
    if breakdown.days is not None:
        last = date.fromisoformat(day) + timedelta(days=breakdown.days - 1)
        about["days"] = [day, last.isoformat()]
    if not parts:
        return {**about, "missing": minimum, "result": None}
    if len(parts) > 1:
        about["periods"] = len(parts)
    how: dict[str, Any] = {"confidence": breakdown.confidence, "anytime": breakdown.anytime}
    described = [question.describe(METHODS[breakdown.method](tally), **how) for tally in parts]
    result = mean_of(described, [t.n for t in parts])
    figures = [None if question.is_margin else figures_of(tally, **how) for tally in parts]
    if None not in figures:
        result["numbers"] = mean_figures(figures, [t.n for t in parts])
    result["n"] = about["n"]
    result.pop("covariance", None)  # of one period, and large
    blocks = [None if question.is_margin else block_columns(tally, **how) for tally in parts]
    result["blocks"] = None if blocks[0] is None else mean_of(blocks, [t.n for t in parts])
    return {**about, "missing": 0, "result": result}


def mean_of(results: Sequence[Any], sizes: Sequence[int]) -> dict[str, Any]:
    """The mean of results, weighted by their sizes, with errors that hold whoever is in several of them.

    The standard error of a sum is at most the sum of the standard errors, and reaches it where all move together, as
    they do if the same people sent the same reports each time. So the mean of the errors, and the mean of the ends of
    the intervals, are right for the same people and too long for different ones.
    """
    merged = dict(results[0])
    if len(results) == 1:
        return merged
    for name in NUMBERS:
        columns = [result[name] for result in results]
        if any(column is None for column in columns):
            merged[name] = None
            continue
        held = zip(*columns, strict=True)
        merged[name] = [
            None if None in ends else sum(end * n for end, n in zip(ends, sizes, strict=True)) / sum(sizes)
            for ends in held
        ]
    if "notes" in merged:
        merged["notes"] = {name: note for result in results for name, note in result["notes"].items()}
    return merged


def mean_figures(figures: Sequence[Any], sizes: Sequence[int]) -> dict[str, Any]:
    """The mean of the means and spreads of numbers, as `mean_of` has it; of several no median."""
    merged = dict(figures[0])
    if len(figures) == 1:
        return merged
    given = [one["given"] * n for one, n in zip(figures, sizes, strict=True)]
    merged["given"], merged["median"] = sum(given) / sum(sizes), None
    for name in ("mean", "spread"):
        entries = [one[name] for one in figures]
        if None in entries:
            merged[name] = None
            continue
        weighted = [list(zip((one[key] for one in entries), given, strict=True)) for key in entries[0]]
        merged[name] = {
            key: None if None in [end for end, _ in pairs] else sum(end * n for end, n in pairs) / sum(given)
            for key, pairs in zip(entries[0], weighted, strict=True)
        }
    return merged


def compare_groups(groups: Mapping[str, Tally], question: AskedQuestion | None = None) -> dict[str, Any]:
    """How far shares differ in every two groups, first less second, and a test of all groups at once.

    They are those of the answers to a question of a form, or of the values of the groups' mechanism.
    `adjusted` holds for all tests together: to call everything below 0.05 different is wrong about anything with
    probability of at most 0.05.
    """
    if len(groups) < 2:
        return {"pairs": [], "omnibus": None}
    question = asked_question(next(iter(groups.values())).mechanism) if question is None else question
    tallied = question.groups(groups)
    texts, pairs = list(groups), list(combinations(range(len(groups)), 2))
    rows = zip(pairs, *differences_of(tallied.moments(), pairs), strict=True)
    omnibus = omnibus_of_tallies(tallied, [range(len(groups))])
    return {
        "pairs": [
            {
                "first": texts[a] or None,
                "second": texts[b] or None,
                "values": [plain_value(value) for value in question.values],
                "difference": gap.tolist(),
                "stderr": error.tolist(),
                "p": p.tolist(),
                "adjusted": adjusted.tolist(),
            }
            for (a, b), gap, error, p, adjusted in rows
        ],
        "omnibus": None if omnibus is None else {"statistic": omnibus.statistic, "df": omnibus.df, "p": omnibus.p},
    }
