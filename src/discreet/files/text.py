"""Values and reports in files and pipes: text lines, CSV and JSON lines, plain or compressed by gzip or Zstandard.

`read_values` gives one column as chunks of text, in order. `Writer` writes one column, and a file that it
writes is there whole or not at all. The format goes by the name: ``.csv``, ``.jsonl`` or ``.ndjson``, each
also with ``.gz`` or ``.zst``; any other name, and the pipe ``-``, is text with one entry a line, or, where a column
is asked for, CSV, or JSON lines if it begins with a brace.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import secrets
import shutil
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import IO, BinaryIO, TextIO, TypeAlias

from ..errors import InvalidInput

PIPE = "-"
"""The name of standard input and output."""

CHUNK = 1 << 16
"""Entries handed over at a time."""

Entry: TypeAlias = int | str
Lines: TypeAlias = Iterator[str]


def read_values(path: str | Path, column: str | None = None) -> Iterator[list[str]]:
    """The entries of one column as text, in order, a chunk at a time; `InvalidInput` says where it is broken."""
    name = "standard input" if str(path) == PIPE else str(path)
    with _lines(path) as lines:
        try:
            entries = _reader(path, column, lines)(lines, column, name)
            while chunk := list(islice(entries, CHUNK)):
                yield chunk
        except UnicodeDecodeError:
            raise InvalidInput(f"{name}: must be UTF-8 text") from None
        except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
            raise InvalidInput(f"{name}: is not a whole gzip file ({problem})") from None


class _Peekable(Iterator[str]):
    """Lines whose first can be looked at before it is taken."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def first(self) -> str:
        line = next(self._lines, "")
        self._lines = chain([line], self._lines) if line else self._lines
        return line

    def __next__(self) -> str:
        return next(self._lines)


@contextmanager
def _lines(path: str | Path) -> Iterator[_Peekable]:
    """The lines of a file or of standard input, ends kept, a byte-order mark left out."""
    if str(path) == PIPE:
        wrapped = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
        try:
            yield _Peekable(wrapped)
        finally:
            wrapped.detach()
        return
    if Path(path).suffix == ".zst":
        from .compressed import reading

        with reading(path) as raw, io.TextIOWrapper(raw, encoding="utf-8-sig", newline="") as text:
            yield _Peekable(text)
        return
    opener: Callable[..., TextIO] = gzip.open if Path(path).suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        yield _Peekable(file)


def _reader(path: str | Path, column: str | None, lines: _Peekable) -> Callable[..., Iterator[str]]:
    kind = _kind(path)
    if kind == "text" and column is not None:
        kind = "jsonl" if lines.first().lstrip().startswith("{") else "csv"
    return {"text": _text_entries, "csv": _csv_entries, "jsonl": _json_entries}[kind]


def _kind(path: str | Path) -> str:
    suffixes = [suffix for suffix in Path(path).suffixes if suffix not in (".gz", ".zst")]
    return {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}.get(suffixes[-1] if suffixes else "", "text")


def _text_entries(lines: Lines, column: str | None, name: str) -> Iterator[str]:
    return (line.rstrip("\r\n") for line in lines)


def _csv_entries(lines: Lines, column: str | None, name: str) -> Iterator[str]:
    reader = csv.reader(lines, strict=True)
    try:
        header = next(reader, [])
        place = _place(header, column, name)
        for row in reader:
            if len(row) == len(header):
                yield row[place]
            elif row:
                raise InvalidInput(f"{name}, line {reader.line_num}: {len(row)} fields; the header has {len(header)}")
    except csv.Error as problem:
        raise InvalidInput(f"{name}, line {reader.line_num}: this is not CSV: {problem}") from None


def _place(header: list[str], column: str | None, name: str) -> int:
    if not header:
        raise InvalidInput(f"{name}: is empty; CSV begins with a line of column names")
    if column is None and len(header) == 1:
        return 0
    if column is None:
        raise InvalidInput(f"{name}: a column must be chosen; there are {', '.join(header[:12])}")
    if header.count(column) != 1:
        there = "appears twice" if column in header else "is not there"
        raise InvalidInput(f"{name}: column {column!r} {there}; the columns are {', '.join(header[:12])}")
    return header.index(column)


def _json_entries(lines: Lines, column: str | None, name: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            raise InvalidInput(f"{name}, line {number}: this is not JSON") from None
        if isinstance(data, dict):
            if column is None and len(data) != 1:
                raise InvalidInput(f"{name}, line {number}: a column must be chosen; there are {', '.join(data)}")
            key = next(iter(data)) if column is None else column
            if key not in data:
                raise InvalidInput(f"{name}, line {number}: column {key!r} is not there")
            data = data[key]
        if isinstance(data, bool) or not isinstance(data, (int, str)):
            raise InvalidInput(f"{name}, line {number}: {json.dumps(data)[:60]} must be text or a whole number")
        yield str(data)


# -- writing ----------------------------------------------------------------------------------------


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` when all went well, and leaves no trace when not.

    It is written beside the target under another name, forced to disk and renamed. Something that is no
    regular file, such as a device, is written as it is.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        file = draft.open("xb")
    except OSError as problem:
        raise type(problem)(problem.errno, problem.strerror, str(path)) from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, draft)
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


class Writer:
    """Writes one column to a file or to standard output, in the format that the name says.

    Used in a ``with`` statement: a file appears when the block ends, and not at all when it fails. On
    standard output each `write` is passed on at once.
    """

    def __init__(self, path: str | Path, *, column: str = "report") -> None:
        self._path, self._column = path, column
        self._kind = _kind(path)
        self._file: IO[bytes] | gzip.GzipFile | None = None

    def __enter__(self) -> Writer:
        with ExitStack() as stack:
            if str(self._path) != PIPE:
                raw = self._file = stack.enter_context(replacing(self._path))
                if Path(self._path).suffix == ".gz":
                    self._file = stack.enter_context(gzip.GzipFile("", "wb", fileobj=raw, mtime=0))
                elif Path(self._path).suffix == ".zst":
                    from .compressed import writing

                    self._file = stack.enter_context(writing(raw, self._path))
            if self._kind == "csv":
                self._put(_csv_lines([self._column]))
            self._stack = stack.pop_all()
        return self

    def write(self, entries: Iterable[Entry]) -> None:
        """Write the next entries: whole numbers or text."""
        if self._kind == "csv":
            self._put(_csv_lines(entries))
        elif self._kind == "jsonl":
            self._put("".join(f"{json.dumps({self._column: entry}, ensure_ascii=False)}\n" for entry in entries))
        else:
            self._put("".join(f"{entry}\n" for entry in entries))

    def _put(self, written: str) -> None:
        if self._file is None:
            sys.stdout.write(written)
            sys.stdout.flush()
        else:
            self._file.write(written.encode())

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, problem, trace)


def _csv_lines(entries: Iterable[Entry]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([entry] for entry in entries)
    return out.getvalue()
