"""Two questions of a form crossed: the shares of every pair of answers, from the reports of whole batches."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ..analysis.survey.survey import Survey
from ..analysis.tables.crosstab import Crosstab, crosstab
from ..bulk.report_files import numbers_from_bytes
from ..core.domain import plain_value
from ..core.errors import Unavailable
from ..estimation.results.layout import finite
from ..questionnaires.packing import unpack_reports
from ..wire.form import ONE, TOGETHER, Form
from ..wire.form_reports import ReportPacking
from .batching import MIXED, label_text
from .store.tallies import Cell

MAX_CROSSED = 20_000_000
"""The most people, times pairs of answers, that are crossed here; `discreet crosstab` takes more from the export."""

Batches = Iterable[tuple[Cell, list[bytes]]]


def check_crossed(form: Form) -> None:
    """`Unavailable` if the reports of a form tell nothing of two answers of one person."""
    if form.strategy == ONE:
        raise Unavailable("everybody was asked one question, so that no report tells how two answers go together")


def reports_by_text(batches: Batches, by: str | None, most_bytes: int) -> dict[str, bytes]:
    """The packed reports of every text of a label, or of everybody under ``""``; `Unavailable` if they are more.

    Batches with several texts of the label are in none.
    """
    parts: dict[str, list[bytes]] = {}
    for (labels, _), reports in batches:
        text = "" if by is None else label_text(labels, by)
        if text != MIXED:
            parts.setdefault(text, []).extend(reports)
            most_bytes -= sum(map(len, reports))
        if most_bytes < 0:
            raise Unavailable(
                f"people times pairs of answers are more than the {MAX_CROSSED} that are crossed here: export the "
                "reports, and use discreet crosstab"
            )
    return {text: b"".join(several) for text, several in parts.items()}


def cross(
    form: Form, names: tuple[str, str], by: str | None, batches: Batches, *, confidence: float, texts: Sequence[str]
) -> list[dict[str, Any]]:
    """The table of two questions for every text of a label, or for everybody; null where there are no reports yet."""
    packing, pairs = ReportPacking(form), math.prod(form.questions[name].context.size for name in names)
    width = -(-packing.bits // 8)
    groups = reports_by_text(batches, by, MAX_CROSSED // pairs * width)
    cells = []
    for text in sorted({*groups, *texts}):
        reports = groups.get(text, b"")
        table = _table(packing, names, reports) if len(reports) >= 2 * width else None
        cells.append(
            {
                "labels": {} if by is None else {by: text or None},
                "n": 0 if table is None else table.n,
                "result": None if table is None else _describe(table, confidence),
            }
        )
    return cells


def _table(packing: ReportPacking, names: tuple[str, str], packed: bytes) -> Crosstab:
    form = packing.form
    reports = unpack_reports(packing, numbers_from_bytes(packed, -(-packing.bits // 8))).reports
    if form.strategy == TOGETHER:
        ((part, mechanism),) = form.mechanisms.items()
        places = form.names.index(names[0]), form.names.index(names[1])
        return crosstab(Survey(mechanism, reports[part]), questions=places)
    first, second = (Survey(form.mechanisms[name], reports[name]) for name in names)
    return crosstab(first, second)


def _describe(table: Crosstab, confidence: float) -> dict[str, Any]:
    """A table as plain data: a row for each answer to the first question, a column for each to the second."""
    low, high = table.interval(confidence)
    columns = {"shares": table.shares, "stderr": table.stderr, "low": low, "high": high}
    about = table.about
    return {
        "n": table.n,
        "method": about["method"],
        "confidence": confidence,
        "values": [[plain_value(value) for value in side] for side in table.values],
        **{name: [finite(row) for row in column] for name, column in columns.items()},
        "independence": about["independence"],
        "correlation": about["correlation"],
    }
