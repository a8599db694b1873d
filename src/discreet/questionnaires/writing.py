"""Whole files of answers to a form: a column for each question in, columns of reports out.

Of one at random a row has ``report`` and ``question``; where each question is asked it has a column ``report.NAME`` for
each; and all answers together have one ``report``, as any mechanism writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..bulk.encoding import DomainLookup, boolean_texts
from ..bulk.jobs import Progress, by_arrow, only_by_arrow
from ..bulk.report_files import arrow_sink, listed, passed_on, reports_to_json, text_sink
from ..core.errors import InvalidInput, UnknownValue
from ..files.columns import REPORT, TextLines
from ..files.formats import PIPE, column_format
from ..files.json_lines import JsonLines, entry_of
from ..files.sources import Source, source_of
from ..files.text_reader import TextWriter, read_columns
from .form import EACH, ONE, Form
from .tally import FormReports, randomize_found

if TYPE_CHECKING:
    from ..core.random import Source as Words

QUESTION = "question"
"""What the column of the questions that were asked is called."""

Write = Callable[[FormReports, Sequence[Any]], None]
"""Writes the next reports of a form, and the columns kept beside them."""


def columns_of(form: Form) -> tuple[str, ...]:
    """The columns of a file of reports: that of the marks first."""
    if form.strategy == ONE:
        return REPORT, QUESTION
    return tuple(f"{REPORT}.{name}" for name in form.names) if form.strategy == EACH else (REPORT,)


@dataclass(frozen=True)
class Writer:
    """Whose reports those in a file of a form are, by name and fingerprint."""

    name: str
    fingerprint: str


def writer_of(form: Form) -> Writer:
    """The form itself, or the one mechanism of all answers together."""
    if form.strategy in (ONE, EACH):
        return Writer(repr(form), form.fingerprint)
    (mechanism,) = form.mechanisms.values()
    return Writer(mechanism.name, mechanism.fingerprint)


def randomize_form(
    form: Form,
    files: Sequence[str | Source],
    out: str,
    rng: Words,
    *,
    keep: Sequence[str] = (),
    unknown: str = "error",
    unmarked: bool = False,
    progress: Progress = lambda rows: None,
) -> tuple[int, int]:
    """Write the reports of the people in `files`, in order, to `out`, which appears once it is complete.

    A file has a column for each question, by its name, and those to `keep` beside the reports. Returns how many people
    were read, and how many of them were left out.
    """
    _check_keep(form, keep)
    sources = [source_of(file) for file in files]
    seen = left_out = 0
    with _sink(form, out, sources, tuple(keep), unmarked) as write:
        for file in sources:
            start = 0
            for indices, kept in (_arrow_answers if by_arrow(file) else _text_answers)(form, file, keep):
                try:
                    made = randomize_found(form, indices, rng, unknown, start=start)
                except UnknownValue as problem:
                    raise UnknownValue(f"{file.name}, {problem}") from None
                write(made, kept)
                rows = made.n + made.left_out
                start, seen, left_out = start + rows, seen + rows, left_out + made.left_out
                progress(rows)
    return seen, left_out


def _check_keep(form: Form, keep: Sequence[str]) -> None:
    for place, name in enumerate(keep):
        if name in form.questions or any(question.startswith(f"{name}.") for question in form.names):
            raise InvalidInput(f"keep={name!r} holds what is to be protected: the answers to a question")
        if name in columns_of(form) or name == REPORT:
            raise InvalidInput(f"keep={name!r} must not be what a column of the reports is called")
        if name in keep[:place]:
            raise InvalidInput(f"keep={name!r} is given twice")


# -- answers ---------------------------------------------------------------------------------------


def _text_answers(
    form: Form, file: Source, keep: Sequence[str]
) -> Iterator[tuple[dict[str, NDArray[Any]], list[list[Any]]]]:
    """The numbers of the answers in a text file, some people at a time, and the columns kept beside them."""
    domains = {name: spec.context.domain for name, spec in form.questions.items()}
    lookups = {name: DomainLookup(domain, written=True) for name, domain in domains.items()}
    booleans = {name: boolean_texts(domain) for name, domain in domains.items()}
    first, *others = form.names
    for columns in read_columns(file, first, [*others, *keep]):
        found = {}
        for name, column in zip(form.names, columns, strict=False):
            entries = (entry_of(entry) for entry in column)
            texts = [booleans[name][entry] if isinstance(entry, bool) else entry for entry in entries]
            found[name] = lookups[name].indices(texts)
        yield found, columns[len(form.names) :]


def _arrow_answers(
    form: Form, file: Source, keep: Sequence[str]
) -> Iterator[tuple[dict[str, NDArray[Any]], list[Any]]]:
    from ..bulk.arrow.values import column_as_text
    from ..files.arrow import open_column

    first, *others = form.names
    opened = open_column(file, first, keep=[*others, *keep])
    domains = {name: spec.context.domain for name, spec in form.questions.items()}
    lookups = {name: DomainLookup(domain, written=True) for name, domain in domains.items()}
    for piece in opened.pieces():
        columns = [piece.load(), *piece.kept()]
        found = {
            name: lookups[name].indices(column_as_text(column, domains[name]))
            for name, column in zip(form.names, columns, strict=False)
        }
        yield found, columns[len(form.names) :]


# -- reports ---------------------------------------------------------------------------------------


@contextmanager
def _sink(form: Form, out: str, files: Sequence[Source], keep: tuple[str, ...], unmarked: bool) -> Iterator[Write]:
    if only_by_arrow(column_format(out)):
        with _arrow_sink(form, out, files, keep, unmarked) as write:
            yield write
        return
    if form.strategy not in (ONE, EACH):
        (mechanism,) = form.mechanisms.values()
        with text_sink(out, mechanism, keep=keep, unmarked=unmarked) as write_reports:
            yield lambda made, kept: write_reports(*_only(made, kept))
        return
    if out != PIPE and type(column_format(out).text) is TextLines:
        raise InvalidInput(f"{out}: the reports of a form have several columns; write .csv, .jsonl or .parquet")
    column, *others = columns_of(form)
    fingerprint = None if unmarked else form.fingerprint
    piped = JsonLines() if out == PIPE else None
    with TextWriter(out, fingerprint, keep=[*others, *keep], column=column, piped=piped) as text:

        def write(made: FormReports, kept: Sequence[Any]) -> None:
            first, *rest = _text_columns(form, made)
            text.write(first, [*rest, *_of_people(made, [listed(column) for column in kept])])

        with passed_on(text) if out == PIPE else nullcontext():
            yield write


def _only(made: FormReports, kept: Sequence[Any]) -> tuple[NDArray[Any], list[Any]]:
    """The reports of the only part, and the kept columns of the people who sent them."""
    (reports,) = made.reports.values()
    return reports, _of_people(made, kept)


def _of_people(made: FormReports, kept: Sequence[Any]) -> list[Any]:
    """The kept columns of the people who were not left out."""
    if not made.left_out:
        return list(kept)
    rows = _people(made)
    return [[column[row] for row in rows] if isinstance(column, list) else column.take(rows) for column in kept]


def _people(made: FormReports) -> NDArray[np.int64]:
    """The rows of the people who reported, in order."""
    return np.unique(np.concatenate(list(made.rows.values())))


def _text_columns(form: Form, made: FormReports) -> list[list[Any]]:
    """The columns of a file of reports, as text and whole numbers."""
    if form.strategy == EACH:
        return [list(reports_to_json(form.mechanisms[part], made.reports[part])) for part in form.parts]
    places = {row: place for place, row in enumerate(_people(made).tolist())}
    reports: list[Any] = [None] * made.n
    questions: list[Any] = [None] * made.n
    for part, mechanism in form.mechanisms.items():
        written = reports_to_json(mechanism, made.reports[part])
        for row, report in zip(made.rows[part].tolist(), written, strict=True):
            reports[places[row]], questions[places[row]] = report, part
    return [reports, questions]


@contextmanager
def _arrow_sink(
    form: Form, out: str, files: Sequence[Source], keep: tuple[str, ...], unmarked: bool
) -> Iterator[Write]:
    import pyarrow as pa

    from ..bulk.arrow.reports import FINGERPRINT_KEY, as_field, decoded, report_column, report_type
    from ..files.arrow import arrow_writer, open_column

    if keep and files and by_arrow(files[0]):
        fields: Sequence[Any] = open_column(files[0], form.names[0], keep=keep).keep
    else:
        fields = [pa.field(name, pa.string()) for name in keep]
    if form.strategy not in (ONE, EACH):
        (mechanism,) = form.mechanisms.values()
        with arrow_sink(out, mechanism, keep=fields, unmarked=unmarked) as write_reports:
            yield lambda made, kept: write_reports(*_only(made, kept))
        return
    mark = None if unmarked else {FINGERPRINT_KEY: form.fingerprint}
    kinds = [pa.string(), pa.string()]
    if form.strategy == EACH:
        kinds = [report_type(mechanism) for mechanism in form.mechanisms.values()]
    own = [
        pa.field(name, kind, nullable=False, metadata=None if name == QUESTION else mark)
        for name, kind in zip(columns_of(form), kinds, strict=True)
    ]
    kept_fields = [decoded(field) for field in fields]
    with arrow_writer(out, *own, *kept_fields) as write_columns:

        def write(made: FormReports, kept: Sequence[Any]) -> None:
            if form.strategy == EACH:
                columns = [report_column(form.mechanisms[part], made.reports[part]) for part in form.parts]
            else:
                texts, questions = _text_columns(form, made)
                columns = [pa.array(list(map(str, texts)), pa.string()), pa.array(questions, pa.string())]
            others = zip(kept_fields, _of_people(made, kept), strict=True)
            write_columns(*columns, *(as_field(out, field, column) for field, column in others))

        yield write
