"""Columns of text lines, CSV or JSON lines, read from files and pipes a chunk at a time, and frames of reports written.

Files and pipes may be plain or compressed.
"""

from __future__ import annotations

import csv
import io
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import Any

from ..core.documents import replacing
from ..core.errors import InvalidInput
from .columns import REPORT, Entry, TextLines
from .compressed import Content, Sink, writing
from .csv_records import CsvLines
from .formats import PIPE, column_format
from .frames import frame_header, frame_trailer
from .json_lines import JsonLines
from .sources import FileSource, source_of

CHUNK = 1 << 16
"""Entries returned at a time."""

MAX_LINE_BYTES = 1 << 22
"""The most bytes of a line, which is held as a whole."""


def read_values(path: str | Path | FileSource, column: str | None = None) -> Iterator[list[Entry]]:
    """The entries of one column, in order, a chunk at a time; `InvalidInput` says where it is malformed."""
    return (entries for (entries,) in read_columns(path, column))


def read_columns(
    path: str | Path | FileSource, column: str | None = None, keep: Sequence[str] = (), *, reports: bool = False
) -> Iterator[list[list[Any]]]:
    """The entries of a column and of those to keep beside it, a chunk of each at a time.

    Text without a suffix, one entry per line, is CSV if a column is given, or JSON lines if it begins with a brace.
    In a column of `reports` marks are entries too; it is the only one, or the one called ``report``, unless it is
    named, text without a suffix is CSV if it begins with that name, and an empty entry beside a report is None.
    """
    source = source_of(path)
    with reading_lines(source) as (first, lines):
        form = _form(source, column, first, reports)
        rows = (form.reports if reports else form.rows)(lines, column, keep, source.name)
        while chunk := list(islice(rows, CHUNK)):
            entries, *kept = map(list, zip(*chunk, strict=True)) if keep else [chunk]
            if reports:
                kept = [[None if entry == "" else entry for entry in others] for others in kept]
            yield [entries, *kept]


class _BoundedLines(io.BufferedIOBase):
    """The same bytes; `InvalidInput` as soon as a line is longer than `MAX_LINE_BYTES`, before it is put together."""

    def __init__(self, content: Content, name: str) -> None:
        self._content, self._name, self._since = content, name, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Some of the bytes, as many as there are at once."""
        return self.read1(-1 if size is None else size)

    def read1(self, size: int = -1, /) -> bytes:
        """Some of the bytes, as many as there are at once."""
        data = self._content.read1(size) if hasattr(self._content, "read1") else self._content.read(size)
        end = max(data.rfind(b"\n"), data.rfind(b"\r"))
        self._since = len(data) - 1 - end if end >= 0 else self._since + len(data)
        if self._since > MAX_LINE_BYTES:
            raise InvalidInput(f"{self._name}: a line must have at most {MAX_LINE_BYTES} bytes")
        return data

    def close(self) -> None:
        self._content.close()
        super().close()

    def as_text(self) -> io.TextIOWrapper:
        """The lines as text, with their line breaks."""
        buffer: Any = self
        return io.TextIOWrapper(buffer, encoding="utf-8-sig", newline="")


@contextmanager
def reading_lines(source: FileSource) -> Iterator[tuple[str, Iterator[str]]]:
    """The first line of a source, and all its lines, with line breaks and without a byte-order mark.

    `InvalidInput` if it is not UTF-8.
    """
    try:
        with source.content() as content, _BoundedLines(content, source.name).as_text() as text:
            first = next(text, "")
            if "\0" in first:
                raise InvalidInput(f"{source.name}: must be UTF-8 text; it has zero bytes, as UTF-16 does")
            yield first, chain([first] if first else [], text)
    except UnicodeDecodeError as problem:
        wide = problem.object.startswith((BOM_UTF16_BE, BOM_UTF16_LE))
        raise InvalidInput(f"{source.name}: must be UTF-8 text{', not UTF-16' if wide else ''}") from None


def _form(source: FileSource, column: str | None, first: str, reports: bool) -> TextLines:
    """What reads the lines: for text without a suffix it depends on the first of them."""
    form = source.text_form
    if type(form) is not TextLines or (column is None and not reports):
        return form
    if first.lstrip().startswith("{"):
        return JsonLines()
    if column is not None:
        return CsvLines(",")
    tables = (mark for mark in ",\t;" if REPORT in next(csv.reader([first.strip()], delimiter=mark), []))
    return next(map(CsvLines, tables), form)


class TextWriter:
    """Writes one frame of reports to a file or to standard output, in the format that the name means.

    Used in a ``with`` statement: a file appears when the block ends, and not at all when it fails. On
    standard output each `write` is passed on at once, and a block that fails leaves the frame without its end.
    `fingerprint` is that of the mechanism, or `mark_of` it; None writes no marks. `keep` names columns beside the
    reports, whose own is called `column`. What is written to standard output is text, or in the form `piped`.
    """

    def __init__(
        self,
        path: str | Path,
        fingerprint: str | None,
        *,
        keep: Sequence[str] = (),
        column: str = REPORT,
        piped: TextLines | None = None,
    ) -> None:
        self._path, self._fingerprint, self._columns = path, fingerprint, (column, *keep)
        self._form: TextLines = column_format(path).text or TextLines()
        if piped is not None and str(path) == PIPE:
            self._form = piped
        if keep and type(self._form) is TextLines:
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
        lines = self._form.write(dict(zip(self._columns, (reports, *kept), strict=True)))
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
