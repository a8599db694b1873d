"""Shares by label and over days: every cell with enough reports is estimated, and the others say what they lack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from ..estimation.decoders import decoder_of
from ..estimation.results.block_columns import block_columns
from ..estimation.results.likelihood import likelihood
from ..estimation.results.projection import project
from ..estimation.results.shares import Shares
from ..estimation.results.shrinking import shrink
from ..estimation.results.unbiased import estimate
from ..estimation.tally import Tally
from .tallies import Cell, Counted

METHODS: dict[str, Callable[[Tally], Shares]] = {
    "unbiased": estimate,
    "project": project,
    "likelihood": likelihood,
    "shrink": shrink,
}

ABSENT = ""
"""Stands for a label that a report does not carry; no declared text is empty."""


@dataclass(frozen=True)
class Question:
    """What is asked of a collection: by which label, in groups of how many days, how, and with what confidence."""

    method: str = "unbiased"
    confidence: float = 0.95
    by: str | None = None
    days: int | None = None


def cells(counted: Counted, question: Question) -> dict[Cell, Tally]:
    """The tallies that a question asks for; the day of a cell is the first of its group."""
    first = min((day for _, day in counted.counts), default="")

    def key(cell: Cell) -> Cell:
        labels, day = cell
        shown = () if question.by is None else ((question.by, dict(labels).get(question.by, ABSENT)),)
        return shown, "" if question.days is None else group_of(day, first, question.days)

    found = counted.groups(key)
    if not found and question.by is None and question.days is None:
        return {((), ""): counted.tally()}
    return found


def group_of(day: str, first: str, days: int) -> str:
    """The first day of the group of so many days that a day is in."""
    start, here = date.fromisoformat(first), date.fromisoformat(day)
    return (start + timedelta(days=(here - start).days // days * days)).isoformat()


def breakdown(counted: Counted, question: Question, minimum: int) -> list[dict[str, Any]]:
    """Every cell as plain data: its shares, or how many reports it lacks."""
    return [_described(cell, tally, question, minimum) for cell, tally in cells(counted, question).items()]


def _described(cell: Cell, tally: Tally, question: Question, minimum: int) -> dict[str, Any]:
    labels, day = cell
    found: dict[str, Any] = {"labels": {name: text or None for name, text in labels}, "n": tally.n}
    if question.days is not None:
        last = date.fromisoformat(day) + timedelta(days=question.days - 1)
        found["days"] = [day, last.isoformat()]
    if tally.n < minimum:
        return {**found, "missing": minimum - tally.n, "result": None}
    made = METHODS[question.method](tally)
    result = made.to_dict(confidence=question.confidence)
    result["influence"] = decoder_of(tally.mechanism).influence()
    result["blocks"] = block_columns(tally, confidence=question.confidence)
    return {**found, "missing": 0, "result": result}
