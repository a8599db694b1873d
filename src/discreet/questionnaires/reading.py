"""Tallies and surveys from files and pipes of reports of a form; frames are checked as for one question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.survey.reading import survey_of_frame
from ..analysis.survey.survey import Population, Survey
from ..bulk.jobs import Progress, are_insecure, only_by_arrow
from ..bulk.labelled.columns import Labels, concatenate, parse_numbers
from ..bulk.report_files import reports_from_texts
from ..core.errors import InvalidInput, InvalidReport, shown
from ..estimation.tally import Tally, as_batch
from ..files.columns import REPORT
from ..files.frames import INSECURE, FrameReader, marks_in
from ..files.sources import FileSource, source_of
from ..files.text_reader import read_columns
from ..wire.form import ONE, Form
from ..wire.spec import located
from .tally import FormReports, FormTally
from .writing import columns_of, origin_of


def form_reports(
    form: Form,
    files: Sequence[str | FileSource],
    keep: Sequence[str] = (),
    *,
    unmarked: bool = False,
    progress: Progress = lambda rows: None,
) -> Iterator[FormReports]:
    """The reports of a form in `files`, some people at a time, in order; an error names the file.

    Reports of another form, files that are not whole and, unless `unmarked`, reports without marks are refused; only
    after the last of them it is known that all is well.
    """
    for file in map(source_of, files):
        read = _arrow_rows if only_by_arrow(file.format) else _text_rows
        for reports in read(form, file, keep, unmarked):
            yield reports
            progress(reports.n)


def tally_form(
    form: Form, files: Sequence[str | FileSource], *, unmarked: bool = False, progress: Progress = lambda rows: None
) -> FormTally:
    """The tallies of the reports of a form in `files`."""
    total, sources = form.tally(), [source_of(file) for file in files]
    for reports in form_reports(form, sources, unmarked=unmarked, progress=progress):
        total += form.tally(reports)
    if are_insecure(sources):
        return FormTally(form, {part: replace(tally, insecure=True) for part, tally in total.items()})
    return total


def read_form_surveys(
    form: Form,
    files: Sequence[str | FileSource],
    *,
    labels: Sequence[str] = (),
    weights: str | None = None,
    clusters: str | None = None,
    strata: str | None = None,
    population: Population | None = None,
    unmarked: bool = False,
    missing: str = "error",
    progress: Progress = lambda rows: None,
) -> dict[str, Survey]:
    """The survey of every part of a form in files of its reports; the arguments are those of `Survey.read`.

    Where each question is asked, the rows of all surveys are the same people. Of one at random each survey has those
    who were asked its question.
    """
    given = [*labels, *(name for name in (weights, clusters, strata) if name is not None)]
    names = list(dict.fromkeys(given))
    reports: dict[str, list[NDArray[Any]]] = {
        part: [as_batch([], mechanism.bits)] for part, mechanism in form.mechanisms.items()
    }
    rows: dict[str, list[NDArray[np.int64]]] = {part: [np.zeros(0, dtype=np.int64)] for part in form.parts}
    columns: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
    seen = 0
    sources = [source_of(file) for file in files]
    for some in form_reports(form, sources, names, unmarked=unmarked, progress=progress):
        for part in form.parts:
            reports[part].append(some.reports[part])
            rows[part].append(some.rows[part] + seen)
        for name, column in zip(names, some.labels, strict=True):
            columns[name].append(column.column())
        seen += some.n
    if not seen:
        raise InvalidInput("there are no reports")
    beside = {name: parse_numbers(concatenate(pieces)) for name, pieces in columns.items()}
    roles: dict[str, Any] = {"labels": labels, "weights": weights, "clusters": clusters, "strata": strata}
    roles |= {"population": population, "missing": missing, "column": REPORT}
    surveys = {}
    for part, mechanism in form.mechanisms.items():
        own = np.concatenate(rows[part])
        frame = {REPORT: np.concatenate(reports[part])} | {name: column[own] for name, column in beside.items()}
        surveys[part] = survey_of_frame(mechanism, frame, **roles)
        surveys[part].insecure = are_insecure(sources)
    return surveys


def _text_rows(form: Form, file: FileSource, keep: Sequence[str], unmarked: bool) -> Iterator[FormReports]:
    first, *others = columns_of(form)
    frames = FrameReader(origin_of(form), file.name, unmarked=unmarked, header=first)
    seen = 0
    for columns in read_columns(file, first, [*others, *keep], reports=True):
        texts = columns[0]
        for start, run in frames.runs(texts, marks_in(texts)):
            place = start - 1 - seen
            part = [column[place : place + len(run)] for column in columns]
            with located(f"{file.name}, entries from {start}"):
                yield _of_texts(form, part[: 1 + len(others)], part[1 + len(others) :])
        seen += len(texts)
    frames.close()
    if frames.insecure:
        file.remarks.add(INSECURE)


def _of_texts(form: Form, columns: Sequence[Sequence[Any]], kept: Sequence[Sequence[Any]]) -> FormReports:
    n = len(columns[0])
    everyone = np.arange(n)
    if form.strategy == ONE:
        rows = _rows_by_question(form, list(columns[1]))
        texts = {part: [str(columns[0][row]) for row in asked] for part, asked in rows.items()}
    else:
        rows = dict.fromkeys(form.parts, everyone)
        texts = {part: list(map(_text, column)) for part, column in zip(form.parts, columns, strict=True)}
    reports = {part: reports_from_texts(form.mechanisms[part], texts[part]) for part in form.parts}
    return FormReports(_check(form, reports), rows, n, labels=[Labels.of(column) for column in kept])


def _text(entry: Any) -> str:
    if isinstance(entry, bool) or not isinstance(entry, (str, int)):
        raise InvalidReport("a report must be text or a whole number, and none may be missing")
    return str(entry)


def _rows_by_question(form: Form, questions: Sequence[Any]) -> dict[str, NDArray[np.int64]]:
    """The rows of each question; `InvalidReport` for a question that the form does not have."""
    numbers = {name: number for number, name in enumerate(form.names)}
    strange = next((name for name in questions if name not in numbers), None)
    if strange is not None or None in questions:
        raise InvalidReport(f"question={shown(strange)} must be one of {', '.join(form.names)}")
    codes = np.array([numbers[name] for name in questions], dtype=np.int64)
    return {name: np.flatnonzero(codes == number) for name, number in numbers.items()}


def _check(form: Form, reports: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The reports as batches; `InvalidReport` for one that cannot occur."""
    for part, mechanism in form.mechanisms.items():
        with located(part):
            Tally.of(mechanism, reports[part], threads=1)
    return {part: as_batch(batch, form.mechanisms[part].bits) for part, batch in reports.items()}


def _arrow_rows(form: Form, file: FileSource, keep: Sequence[str], unmarked: bool) -> Iterator[FormReports]:
    from ..bulk.arrow.reports import check_field, reports_of
    from ..bulk.labelled.arrow_labels import labels_in
    from ..files.arrow import open_column

    first, *others = columns_of(form)
    opened = open_column(file, first, keep=[*others, *keep])
    if check_field(origin_of(form), opened.field, f"{file.name}: column {first!r}", unmarked=unmarked):
        file.remarks.add(INSECURE)
    for piece in opened.pieces():
        columns = [piece.load(), *(piece.kept() if opened.keep else [])]
        beside = zip(keep, columns[1 + len(others) :], strict=True)
        labels = [labels_in(column, f"column {name!r}") for name, column in beside]
        with located(file.name):
            if form.strategy == ONE:
                texts = [column.to_pylist() for column in columns[:2]]
                reports = _of_texts(form, [list(map(_text, texts[0])), texts[1]], [])
            else:
                reports = _of_columns(form, columns[: 1 + len(others)], reports_of)
        yield replace(reports, labels=labels)


def _of_columns(form: Form, columns: Sequence[Any], reports_of: Any) -> FormReports:
    """The reports in Arrow columns, one for each part."""
    reports = {}
    for (part, mechanism), column in zip(form.mechanisms.items(), columns, strict=True):
        with located(part):
            pieces = list(reports_of(mechanism, column))
        reports[part] = np.concatenate(pieces) if pieces else as_batch([], mechanism.bits)
    n = len(columns[0])
    return FormReports(_check(form, reports), dict.fromkeys(form.parts, np.arange(n)), n)
