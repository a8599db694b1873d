"""Whole files of answers to a form: a column for each question in, columns of reports out.

Of one at random a row has ``report`` and ``question``; where each question is asked it has a column ``report.NAME`` for
each; and all answers together have one ``report``, as any mechanism writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..bulk.encoding import boolean_texts, lookup_of
from ..bulk.jobs import Progress, by_arrow, only_by_arrow
from ..bulk.report_files import arrow_sink, as_list, reports_to_json, text_sink, warn_of_passed_on
from ..core.errors import InvalidInput, UnknownValue
from ..files.columns import REPORT, TextLines
from ..files.formats import PIPE, column_format
from ..files.frames import mark_of
from ..files.json_lines import JsonLines, entry_of
from ..files.sources import FileSource, source_of
from ..files.text_reader import TextWriter, read_columns
from ..wire.form import EACH, ONE, TOGETHER, Form
from .tally import FormReports, randomize_answers

if TYPE_CHECKING:
    from ..core.random import Source as Words

QUESTION = "question"
"""What the column of the questions that were asked is called."""

Write = Callable[[FormReports, Sequence[Any]], None]
"""Writes the next reports of a form, and the columns beside them."""


def columns_of(form: Form) -> tuple[str, ...]:
    """The columns of a file of reports: that of the marks first."""
    if form.strategy == ONE:
        return REPORT, QUESTION
    return tuple(f"{REPORT}.{name}" for name in form.names) if form.strategy == EACH else (REPORT,)


@dataclass(frozen=True)
class FormOrigin:
    """Whose reports those in a file of a form are, by name and fingerprint."""

    name: str
    fingerprint: str


def origin_of(form: Form) -> FormOrigin:
    """The form itself, or the one mechanism of all answers together."""
    if form.strategy in (ONE, EACH):
        return FormOrigin(repr(form), form.fingerprint)
    (mechanism,) = form.mechanisms.values()
    return FormOrigin(mechanism.name, mechanism.fingerprint)


def randomize_form(
    form: Form,
    files: Sequence[str | FileSource],
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
    from ..bulk.words import Keystream

    _check_keep(form, keep)
    sources = [source_of(file) for file in files]
    seen = left_out = 0
    mark = None if unmarked else mark_of(origin_of(form).fingerprint, insecure=isinstance(rng, Keystream))
    with _sink(form, out, sources, tuple(keep), mark) as write:
        for file in sources:
            start = 0
            for indices, beside in _answers(form, file, keep):
                try:
                    reports = randomize_answers(form, indices, rng, unknown, start=start)
                except UnknownValue as problem:
                    raise UnknownValue(f"{file.name}, {problem}") from None
                write(reports, beside)
                rows = reports.n + reports.left_out
                start, seen, left_out = start + rows, seen + rows, left_out + reports.left_out
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


def _answers(form: Form, file: FileSource, keep: Sequence[str]) -> Iterator[tuple[dict[str, NDArray[Any]], list[Any]]]:
    """The positions of the answers in a file, some people at a time, and the columns beside them."""
    domains = {name: spec.context.domain for name, spec in form.questions.items()}
    lookups = {name: lookup_of(domain, written=True) for name, domain in domains.items()}
    first, *others = form.names
    pieces: Iterable[list[Any]]
    if by_arrow(file):
        from ..bulk.arrow.values import column_as_text
        from ..files.arrow import open_column

        opened = open_column(file, first, keep=[*others, *keep])
        pieces = ([piece.load(), *piece.kept()] for piece in opened.pieces())

        def texts(name: str, column: Any) -> Any:
            return column_as_text(column, domains[name])

    else:
        pieces = read_columns(file, first, [*others, *keep])
        booleans = {name: boolean_texts(domain) for name, domain in domains.items()}

        def texts(name: str, column: Any) -> Any:
            entries = map(entry_of, column)
            return [booleans[name][entry] if isinstance(entry, bool) else entry for entry in entries]

    for columns in pieces:
        answers = zip(form.names, columns, strict=False)
        yield {name: lookups[name].indices(texts(name, column)) for name, column in answers}, columns[len(form.names) :]


# -- reports ---------------------------------------------------------------------------------------


@contextmanager
def _sink(
    form: Form, out: str, files: Sequence[FileSource], keep: tuple[str, ...], mark: str | None
) -> Iterator[Write]:
    if only_by_arrow(column_format(out)):
        with _arrow_sink(form, out, files, keep, mark) as write:
            yield write
        return
    if form.strategy == TOGETHER:
        with _joint_sink(text_sink, form, out, keep, mark) as write:
            yield write
        return
    if out != PIPE and type(column_format(out).text) is TextLines:
        raise InvalidInput(f"{out}: the reports of a form have several columns; write .csv, .jsonl or .parquet")
    column, *others = columns_of(form)
    piped = JsonLines() if out == PIPE else None
    with TextWriter(out, mark, keep=[*others, *keep], column=column, piped=piped) as text:

        def write(reports: FormReports, beside: Sequence[Any]) -> None:
            first, *rest = _text_columns(form, reports)
            text.write(first, [*rest, *_of_people(reports, [as_list(column) for column in beside])])

        with warn_of_passed_on(text) if out == PIPE else nullcontext():
            yield write


@contextmanager
def _joint_sink(sink: Any, form: Form, out: str, keep: Sequence[Any], mark: str | None) -> Iterator[Write]:
    """What writes the reports of all answers together, by the sink of their one mechanism."""
    (part,) = form.parts
    with sink(out, form.mechanisms[part], keep=keep, mark=mark) as write:
        yield lambda reports, beside: write(reports.reports[part], _of_people(reports, beside))


def _of_people(reports: FormReports, beside: Sequence[Any]) -> list[Any]:
    """The columns beside the reports, of the people who were not left out."""
    if not reports.left_out:
        return list(beside)
    rows = _people(reports)
    return [[column[row] for row in rows] if isinstance(column, list) else column.take(rows) for column in beside]


def _people(reports: FormReports) -> NDArray[np.int64]:
    """The rows of the people who reported, in order."""
    return np.unique(np.concatenate(list(reports.rows.values())))


def _text_columns(form: Form, reports: FormReports) -> list[list[Any]]:
    """The columns of a file of reports, as text and whole numbers."""
    if form.strategy == EACH:
        return [list(reports_to_json(form.mechanisms[part], reports.reports[part])) for part in form.parts]
    places = {row: place for place, row in enumerate(_people(reports).tolist())}
    texts: list[Any] = [None] * reports.n
    questions: list[Any] = [None] * reports.n
    for part, mechanism in form.mechanisms.items():
        written = reports_to_json(mechanism, reports.reports[part])
        for row, report in zip(reports.rows[part].tolist(), written, strict=True):
            texts[places[row]], questions[places[row]] = report, part
    return [texts, questions]


@contextmanager
def form_sink(form: Form, out: str, keep: Sequence[str]) -> Iterator[Write]:
    """A writer of reports of a form to Parquet or Arrow, with columns of text beside them."""
    with _arrow_sink(form, out, (), tuple(keep), mark_of(origin_of(form).fingerprint, insecure=False)) as write:
        yield write


@contextmanager
def _arrow_sink(
    form: Form, out: str, files: Sequence[FileSource], keep: tuple[str, ...], mark: str | None
) -> Iterator[Write]:
    import pyarrow as pa

    from ..bulk.arrow.reports import FINGERPRINT_KEY, as_field, report_column, report_type, without_dictionary
    from ..files.arrow import arrow_writer, open_column

    if keep and files and by_arrow(files[0]):
        fields: Sequence[Any] = open_column(files[0], form.names[0], keep=keep).keep
    else:
        fields = [pa.field(name, pa.string()) for name in keep]
    if form.strategy == TOGETHER:
        with _joint_sink(arrow_sink, form, out, fields, mark) as write_joint:
            yield write_joint
        return
    about = None if mark is None else {FINGERPRINT_KEY: mark}
    kinds = [pa.string(), pa.string()]
    if form.strategy == EACH:
        kinds = [report_type(mechanism) for mechanism in form.mechanisms.values()]
    own = [
        pa.field(name, kind, nullable=False, metadata=None if name == QUESTION else about)
        for name, kind in zip(columns_of(form), kinds, strict=True)
    ]
    kept_fields = [without_dictionary(field) for field in fields]
    with arrow_writer(out, *own, *kept_fields) as write_columns:

        def write(reports: FormReports, beside: Sequence[Any]) -> None:
            if form.strategy == EACH:
                columns = [report_column(form.mechanisms[part], reports.reports[part]) for part in form.parts]
            else:
                texts, questions = _text_columns(form, reports)
                columns = [pa.array(list(map(str, texts)), pa.string()), pa.array(questions, pa.string())]
            others = zip(kept_fields, _of_people(reports, beside), strict=True)
            write_columns(*columns, *(as_field(out, field, column) for field, column in others))

        yield write
