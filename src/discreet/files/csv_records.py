"""The records of CSV, held to RFC 4180: nothing is skipped, and quotes stand only where they mean something."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from ..core.errors import InvalidInput

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
