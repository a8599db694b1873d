"""Columns of a CSV file that begins with a line of column names."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .columns import REPORT, place_of, text_of_bytes
from .csv_records import read_header


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
