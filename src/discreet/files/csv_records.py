"""The records of CSV, held to RFC 4180: nothing is skipped, and quotes stand only where they mean something.

Columns of a CSV file that begins with a line of column names.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.errors import InvalidInput
from .columns import REPORT, place_of, text_of_bytes

MISQUOTED = "this is not CSV: a quote must begin or end a field, or be doubled inside a quoted one"
"""What is said of a quote anywhere else."""


def read_header(lines: Iterator[str], name: str, delimiter: str) -> tuple[list[str], Iterator[list[str]]]:
    """The names of the columns, and the records that follow.

    A blank line is a record of empty fields. `InvalidInput` names the line of a record with another number of
    fields than the header, or with a quote out of place.
    """
    records = _records(lines, name, delimiter)
    _, names = next(records, (0, []))
    if not any(names):
        raise InvalidInput(f"{name}: CSV must begin with a line of column names")
    return names, _alike(records, len(names), name)


def _alike(records: Iterator[tuple[int, list[str]]], size: int, name: str) -> Iterator[list[str]]:
    blank = [""] * size
    for number, record in records:
        if len(record) == size:
            yield record
        elif not record:
            yield blank
        else:
            raise InvalidInput(f"{name}, line {number}: {len(record)} fields; the header has {size}")


def _records(lines: Iterator[str], name: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Every record with the number of its last line."""
    reader = csv.reader(_well_quoted(lines, name, delimiter), strict=True, delimiter=delimiter)
    try:
        for record in reader:
            yield reader.line_num, record
    except csv.Error as problem:
        raise InvalidInput(f"{name}, line {reader.line_num}: this is not CSV: {problem}") from None


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


@dataclass(frozen=True)
class CsvLines:
    """CSV with this character between the fields."""

    delimiter: str

    def entries(self, lines: Iterator[str], column: str | None, name: str) -> Iterator[str]:
        """The entries of a column, by name unless it is the only one."""
        names, records = read_header(lines, name, self.delimiter)
        place = place_of(names, column, name)
        return (record[place] for record in records)

    def rows(self, lines: Iterator[str], column: str | None, keep: Sequence[str], name: str) -> Iterator[list[Any]]:
        """The entry of a column in each row, and those to keep beside it."""
        names, records = read_header(lines, name, self.delimiter)
        places = [place_of(names, one, name) for one in (column, *keep)]
        return ([record[place] for place in places] for record in records)

    def reports(self, lines: Iterator[str], column: str | None, name: str) -> Iterator[str]:
        """The reports and marks of a column: the only one, or the one called ``report``, unless it is named."""
        names, records = read_header(lines, name, self.delimiter)
        place = place_of(names, column, name, usual=REPORT)
        return (record[place] for record in records)

    def labelled(self, lines: Iterator[str], column: str | None, keep: Sequence[str], name: str) -> Iterator[list[Any]]:
        """The reports and marks, each followed by the entries to keep, None where they are empty."""
        names, records = read_header(lines, name, self.delimiter)
        place = place_of(names, column, name, usual=REPORT)
        places = [place_of(names, one, name) for one in keep]
        return ([record[place], *(record[other] or None for other in places)] for record in records)

    def header(self, columns: Sequence[str]) -> str:
        """The line with the names of the columns."""
        return self._lines([columns])

    def mark(self, text: str, columns: Sequence[str]) -> str:
        """A mark in the first column; the others are empty."""
        return self._lines([[text, *("" for _ in columns[1:])]])

    def written(self, columns: Mapping[str, Sequence[Any]]) -> str:
        """The rows of these columns, one per line, quoted where necessary; nothing for null."""
        first, *others = columns.values()
        return self._lines(zip(first, *(map(_plain, other) for other in others), strict=True))

    def _lines(self, rows: Any) -> str:
        out = _Lines()
        csv.writer(out, delimiter=self.delimiter, lineterminator="\r\n").writerows(rows)
        return "".join(out.lines)


class _Lines:
    """Takes the lines of a writer that quotes both halves of a line break, and ends each with the second half alone."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, line: str) -> None:
        self.lines.append(f"{line[:-2]}\n")


def _plain(entry: Any) -> str:
    if entry is None:
        return ""
    if isinstance(entry, bytes):
        return text_of_bytes(entry)
    return json.dumps(entry) if isinstance(entry, (bool, list, dict)) else str(entry)
