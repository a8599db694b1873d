"""The column that is meant, and the protocol by which every kind of text file is read and written (`TextLines`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ..core import errors
from ..core.errors import InvalidInput

Entry: TypeAlias = str | bool | None
"""What one line or field of a text file holds: a text, how a whole number prints, a boolean, or nothing at all."""

Place: TypeAlias = Callable[[Sequence[str]], int]
"""Finds a column among these names."""

REPORT = "report"
"""What a column of reports is called, unless it is named otherwise."""

MAX_NAMES_SHOWN = 12
"""How many column names a message lists."""


class TextLines:
    """Text, one entry per line; its subclasses `CsvLines` and `JsonLines` read and write files with several columns.

    In what is written the reports are the first column. `InvalidInput` names the file and the malformed line.
    """

    def rows(self, lines: Iterator[str], column: str | None, keep: Sequence[str], name: str) -> Iterator[Any]:
        """The entries of a column of values; in a sequence with those of the columns to keep, if there are any."""
        if keep:
            raise InvalidInput(f"{name}: text has one entry per line, and no column {keep[0]!r} to keep")
        return (line.rstrip("\r\n") for line in lines)

    def reports(self, lines: Iterator[str], column: str | None, keep: Sequence[str], name: str) -> Iterator[Any]:
        """The reports in a column and the marks around them, in the same way.

        The column is the only one, or the one called ``report``, unless it is named.
        """
        return self.rows(lines, column, keep, name)

    def header(self, columns: Sequence[str]) -> str:
        """The text that a file begins with."""
        return ""

    def mark(self, text: str, columns: Sequence[str]) -> str:
        """A mark as a line."""
        return f"{text}\n"

    def write(self, columns: Mapping[str, Sequence[Any]]) -> str:
        """The rows of these columns as lines."""
        (entries,) = columns.values()
        return "".join(f"{entry}\n" for entry in entries)


def place_of(
    names: Sequence[str], column: str | None, where: str, *, usual: str | None = None, typed: bool = False
) -> int:
    """The position of the column with this name, or else of the only one, or else of the one with the `usual` name.

    `InvalidInput` says `where` it was sought, and in a `typed` file which names there are.
    """
    if column is None and len(names) == 1:
        return 0
    if column is None and usual in names:
        column = usual
    if column is None or names.count(column) != 1:
        raise no_column(names, column, where, typed=typed)
    return names.index(column)


def no_column(names: Sequence[str], column: str | None, where: str, *, typed: bool = False) -> InvalidInput:
    """The error for a column that is not chosen, is missing or appears more than once.

    Where the line of names was forgotten, a person's answers stand in its place. So the names in a text are listed only
    if one of them is that of reports, or while `errors.show_values` is set; those in a `typed` file always are.
    """
    if typed or errors.show_values or REPORT in names:
        more = len(names) - MAX_NAMES_SHOWN
        listed = f"the columns are {', '.join(names[:MAX_NAMES_SHOWN])}{f' and {more} more' if more > 0 else ''}"
    else:
        listed = f"there are {len(names)} columns (--show-values lists their names, or what stands in their place)"
    if column is None:
        return InvalidInput(f"{where}: a column must be chosen, by column=NAME or --column NAME; {listed}")
    there = "appears twice" if column in names else "is missing"
    return InvalidInput(f"{where}: column {column!r} {there}; {listed}")


def text_of_bytes(entry: bytes) -> str:
    """A kept entry of bytes as the text it is; `InvalidInput` if it is none."""
    try:
        return entry.decode()
    except UnicodeDecodeError:
        raise InvalidInput("a column of bytes that are not UTF-8 text can be kept only in Parquet or Arrow") from None
