"""Columns of CSV that begins with a line of column names, by RFC 4180.

Nothing is skipped, and quotes stand only where they mean something.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from types import SimpleNamespace
from typing import Any

from ..core.errors import InvalidInput
from .columns import REPORT, TextLines, place_of, text_of_bytes

MISQUOTED = "this is not CSV: a quote must begin or end a field, or be doubled inside a quoted one"
"""What is said of a quote anywhere else."""


def read_header(lines: Iterator[str], name: str, delimiter: str) -> tuple[list[str], Iterator[list[str]]]:
    """The names of the columns, and the records that follow.

    A blank line is a record of empty fields. `InvalidInput` names the line of a record with another number of
    fields than the header, or with a quote out of place.
    """
    reader = csv.reader(_well_quoted(lines, name, delimiter), strict=True, delimiter=delimiter)

    def not_csv(problem: csv.Error) -> InvalidInput:
        return InvalidInput(f"{name}, line {reader.line_num}: this is not CSV: {problem}")

    try:
        names = next(reader, [])
    except csv.Error as problem:
        raise not_csv(problem) from None
    if not any(names):
        raise InvalidInput(f"{name}: CSV must begin with a line of column names")
    size = len(names)

    def records() -> Iterator[list[str]]:
        try:
            for record in reader:
                if len(record) != size and record:
                    raise InvalidInput(f"{name}, line {reader.line_num}: {len(record)} fields; the header has {size}")
                yield record or [""] * size
        except csv.Error as problem:
            raise not_csv(problem) from None

    return names, records()


def _well_quoted(lines: Iterator[str], name: str, delimiter: str) -> Iterator[str]:
    """The same lines; `InvalidInput` at the first quote inside an unquoted field or before the end of a quoted one."""
    inside = False
    ends = ("", delimiter, "\r", "\n")
    for number, line in enumerate(lines, 1):
        if '"' in line:
            parts = line.split('"')
            before = parts[inside:-1:2]  # what stands outside and before an opening quote
            after = parts[2 - inside :: 2]  # what stands outside and behind a closing quote
            if not all(part[-1:] in ("", delimiter) for part in before) or not all(part[:1] in ends for part in after):
                raise InvalidInput(f"{name}, line {number}: {MISQUOTED}")
            inside ^= len(parts) % 2 == 0
        yield line


class CsvLines(TextLines):
    """CSV with this character between the fields."""

    def __init__(self, delimiter: str) -> None:
        self.delimiter = delimiter

    def rows(self, lines: Iterator[str], column: str | None, keep: Sequence[str], name: str) -> Iterator[Any]:
        return self._rows(lines, column, keep, name, None)

    def reports(self, lines: Iterator[str], column: str | None, keep: Sequence[str], name: str) -> Iterator[Any]:
        return self._rows(lines, column, keep, name, REPORT)

    def _rows(
        self, lines: Iterator[str], column: str | None, keep: Sequence[str], name: str, usual: str | None
    ) -> Iterator[Any]:
        names, records = read_header(lines, name, self.delimiter)
        first = place_of(names, column, name, usual=usual)
        return map(itemgetter(first, *(place_of(names, other, name) for other in keep)), records)

    def header(self, columns: Sequence[str]) -> str:
        return self._lines([columns])

    def mark(self, text: str, columns: Sequence[str]) -> str:
        return self._lines([[text, *("" for _ in columns[1:])]])

    def write(self, columns: Mapping[str, Sequence[Any]]) -> str:
        first, *others = columns.values()
        if not others and set(map(type, first)) == {int}:  # nothing to quote
            return "\n".join(map(str, first)) + "\n"
        return self._lines(zip(first, *(map(_plain, other) for other in others), strict=True))

    def _lines(self, rows: Any) -> str:
        """The rows as lines; fields with either half of a line break are quoted, and the second half ends a line."""
        lines: list[str] = []
        file = SimpleNamespace(write=lambda line: lines.append(f"{line[:-2]}\n"))
        csv.writer(file, delimiter=self.delimiter, lineterminator="\r\n").writerows(rows)
        return "".join(lines)


def _plain(entry: Any) -> str:
    if entry is None:
        return ""
    if isinstance(entry, bytes):
        return text_of_bytes(entry)
    return json.dumps(entry) if isinstance(entry, (bool, list, dict)) else str(entry)
