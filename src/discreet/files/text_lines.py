"""Text, one entry per line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..core.errors import InvalidInput


def entries(lines: Iterator[str], column: str | None, name: str) -> Iterator[str]:
    """Every line without its line break."""
    return (line.rstrip("\r\n") for line in lines)


def rows(lines: Iterator[str], column: str | None, keep: Sequence[str], name: str) -> Iterator[list[Any]]:
    """An error: a line has no other columns."""
    raise InvalidInput(f"{name}: text has one entry per line, and no column {keep[0]!r} to keep")


def reports(lines: Iterator[str], column: str | None, name: str) -> Iterator[str]:
    """The reports and marks: every line."""
    return entries(lines, column, name)


def labelled(lines: Iterator[str], column: str | None, keep: Sequence[str], name: str) -> Iterator[list[Any]]:
    """An error, as `rows`, unless nothing is to be kept."""
    return rows(lines, column, keep, name) if keep else ([line] for line in entries(lines, column, name))


def header(columns: Sequence[str]) -> str:
    """An empty text: the first line is already an entry."""
    return ""


def mark(text: str, columns: Sequence[str]) -> str:
    """A mark as a line."""
    return f"{text}\n"


def written(columns: Mapping[str, Sequence[Any]]) -> str:
    """The entries of the only column, one per line."""
    (entries,) = columns.values()
    return "".join(f"{entry}\n" for entry in entries)
