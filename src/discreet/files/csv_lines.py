"""One column of a CSV file that begins with a line of column names."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from ..errors import InvalidInput
from .columns import place_of


def entries(lines: Iterator[str], column: str | None, name: str) -> Iterator[str]:
    """The entries of a column, by name unless it is the only one."""
    reader = csv.reader(lines, strict=True)
    try:
        names = next(reader, [])
        if not names:
            raise InvalidInput(f"{name}: is empty; CSV must begin with a line of column names")
        place = place_of(names, column, name)
        for row in reader:
            if len(row) == len(names):
                yield row[place]
            elif row:
                raise InvalidInput(f"{name}, line {reader.line_num}: {len(row)} fields; the header has {len(names)}")
    except csv.Error as problem:
        raise InvalidInput(f"{name}, line {reader.line_num}: this is not CSV: {problem}") from None


def header(column: str) -> str:
    """The line with the name of the only column."""
    return written([column], column)


def written(entries: Iterable[int | str], column: str) -> str:
    """The entries, one per line, quoted where necessary."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([entry] for entry in entries)
    return out.getvalue()
