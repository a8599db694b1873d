"""Text, one entry per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def entries(lines: Iterator[str], column: str | None, name: str) -> Iterator[str]:
    """Every line without its line break."""
    return (line.rstrip("\r\n") for line in lines)


def header(column: str) -> str:
    """An empty text: the first line is already an entry."""
    return ""


def written(entries: Iterable[int | str], column: str) -> str:
    """The entries, one per line."""
    return "".join(f"{entry}\n" for entry in entries)
