"""One column of text lines, CSV or JSON lines, from a file or a pipe, plain or compressed, a chunk at a time.

A stream of reports written as text lines, CSV or JSON lines, to a file or a pipe, plain or compressed.
"""

from __future__ import annotations

import csv
import io
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from ..core.documents import replacing
from ..core.errors import InvalidInput
from . import json_lines, text_lines
from .columns import REPORT, Entry
from .compressed import Sink, writing
from .csv_records import CsvLines
from .formats import PIPE, TextForm, column_format
from .frames import frame_header, frame_trailer
from .sources import Source, source_of

CHUNK = 1 << 16
"""Entries returned at a time."""

Read = TypeVar("Read")


def read_values(path: str | Path | Source, column: str | None = None) -> Iterator[list[Entry]]:
    """The entries of one column, in order, a chunk at a time; `InvalidInput` says where it is malformed.

    Text without a suffix, one entry per line, is CSV if a delimiter or a column is given, or JSON lines if it
    begins with a brace.
    """
    return _chunks(path, column, lambda form, lines, name: form.entries(lines, column, name))


def read_rows(path: str | Path | Source, column: str | None, keep: Sequence[str]) -> Iterator[list[list[Any]]]:
    """The same entries, each in a list with those of the columns to keep."""
    return _chunks(path, column, lambda form, lines, name: form.rows(lines, column, keep, name))


def read_reports(path: str | Path | Source, column: str | None = None) -> Iterator[list[str]]:
    """The entries of a column of reports, marks included, in the same way.

    The column is the only one, or the one called ``report``, unless it is named. Text without a suffix is CSV or
    JSON lines if it begins as these do.
    """
    return _chunks(path, column, lambda form, lines, name: form.reports(lines, column, name), _form_of_reports)


def read_labelled(path: str | Path | Source, column: str | None, keep: Sequence[str]) -> Iterator[list[list[Any]]]:
    """The same reports and marks, each in a list with the entries of the columns to keep; None where one is empty."""
    return _chunks(path, column, lambda form, lines, name: form.labelled(lines, column, keep, name), _form_of_reports)


def _chunks(
    path: str | Path | Source,
    column: str | None,
    read: Callable[[TextForm, Iterator[str], str], Iterator[Read]],
    find: Callable[[Source, str | None, _Peekable], TextForm] | None = None,
) -> Iterator[list[Read]]:
    source = source_of(path)
    with reading_lines(source) as lines:
        entries = read((find or _form)(source, column, lines), lines, source.name)
        while chunk := list(islice(entries, CHUNK)):
            yield chunk


class _Peekable(Iterator[str]):
    """Lines of which the first can be inspected before it is taken."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def first(self) -> str:
        line = next(self._lines, "")
        self._lines = chain([line], self._lines) if line else self._lines
        return line

    def __next__(self) -> str:
        return next(self._lines)


@contextmanager
def reading_lines(source: Source) -> Iterator[_Peekable]:
    """The lines of a source, with line breaks kept and a byte-order mark dropped; `InvalidInput` if it is not UTF-8."""
    try:
        with source.content() as content, io.TextIOWrapper(content, encoding="utf-8-sig", newline="") as text:
            lines = _Peekable(text)
            if "\0" in lines.first():
                raise InvalidInput(f"{source.name}: must be UTF-8 text; it has zero bytes, as UTF-16 does")
            yield lines
    except UnicodeDecodeError as problem:
        wide = problem.object.startswith((BOM_UTF16_BE, BOM_UTF16_LE))
        raise InvalidInput(f"{source.name}: must be UTF-8 text{', not UTF-16' if wide else ''}") from None


def _form(source: Source, column: str | None, lines: _Peekable) -> TextForm:
    form = source.text_form
    if form is text_lines and column is not None:
        return json_lines if lines.first().lstrip().startswith("{") else CsvLines(",")
    return form


def _form_of_reports(source: Source, column: str | None, lines: _Peekable) -> TextForm:
    """The same; text that begins with a brace, or with a line of names of which one is ``report``, is not text."""
    form, begins = _form(source, column, lines), lines.first().strip()
    if form is not text_lines:
        return form
    if begins.startswith("{"):
        return json_lines
    tables = (delimiter for delimiter in ",\t;" if REPORT in next(csv.reader([begins], delimiter=delimiter), []))
    return next((CsvLines(delimiter) for delimiter in tables), form)


class TextWriter:
    """Writes one frame of reports to a file or to standard output, in the format that the name means.

    Used in a ``with`` statement: a file appears when the block ends, and not at all when it fails. On
    standard output each `write` is passed on at once, and a block that fails leaves the frame without its end.
    `fingerprint` is that of the mechanism; None writes no marks. `keep` names columns beside the reports, whose own is
    called `column`. What is written to standard output is text, or in the form `piped`.
    """

    def __init__(
        self,
        path: str | Path,
        fingerprint: str | None,
        *,
        keep: Sequence[str] = (),
        column: str = REPORT,
        piped: TextForm | None = None,
    ) -> None:
        self._path, self._fingerprint, self._columns = path, fingerprint, (column, *keep)
        self._form: TextForm = column_format(path).text or text_lines
        if piped is not None and str(path) == PIPE:
            self._form = piped
        if keep and self._form is text_lines:
            raise InvalidInput(f"{path}: text has one report per line; to keep columns write .csv, .jsonl or .parquet")
        self._file: Sink | None = None
        self._begun = False
        self.count = 0
        """The number of reports written so far."""

    def __enter__(self) -> TextWriter:
        with ExitStack() as stack:
            if str(self._path) != PIPE:
                file = stack.enter_context(replacing(self._path))
                self._file = stack.enter_context(writing(file, self._path))
            self._stack = stack.pop_all()
        return self

    def write(self, reports: Sequence[int | str], kept: Sequence[Sequence[Any]] = ()) -> None:
        """Write the next reports, whole numbers or text, and the columns kept beside them."""
        lines = self._form.written(dict(zip(self._columns, (reports, *kept), strict=True)))
        self._put(self._beginning() + lines)
        self.count += len(reports)

    def _beginning(self) -> str:
        """What stands before the first report; nothing later on."""
        if self._begun:
            return ""
        self._begun = True
        marked = "" if self._fingerprint is None else self._form.mark(frame_header(self._fingerprint), self._columns)
        return self._form.header(self._columns) + marked

    def _put(self, written: str) -> None:
        if self._file is None:
            sys.stdout.write(written)
            sys.stdout.flush()
        else:
            self._file.write(written.encode())

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._stack.__exit__(kind, problem, trace)
            return
        with self._stack:
            end = "" if self._fingerprint is None else self._form.mark(frame_trailer(self.count), self._columns)
            self._put(self._beginning() + end)
