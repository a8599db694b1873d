"""One column of text lines, CSV or JSON lines, from a file or a pipe, plain or compressed, a chunk at a time."""

from __future__ import annotations

import csv
import io
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar

from ..core.errors import InvalidInput
from . import json_lines, text_lines
from .columns import REPORT, Entry
from .csv_lines import CsvLines
from .formats import TextForm
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
