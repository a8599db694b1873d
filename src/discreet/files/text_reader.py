"""One column of text lines, CSV or JSON lines, from a file or a pipe, plain or compressed, a chunk at a time."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

from ..errors import InvalidInput
from . import csv_lines, json_lines, text_lines
from .compressed import reading
from .formats import PIPE, TextForm, display_name, format_of

CHUNK = 1 << 16
"""Entries returned at a time."""


def read_values(path: str | Path, column: str | None = None) -> Iterator[list[str]]:
    """The entries of one column as text, in order, a chunk at a time; `InvalidInput` says where it is malformed.

    A name without a known suffix means text, one entry per line, or, if a column is requested, CSV, or JSON
    lines if it begins with a brace.
    """
    name = display_name(path)
    with _lines(path) as lines:
        try:
            entries = _form(path, column, lines).entries(lines, column, name)
            while chunk := list(islice(entries, CHUNK)):
                yield chunk
        except UnicodeDecodeError:
            raise InvalidInput(f"{name}: must be UTF-8 text") from None


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
def _lines(path: str | Path) -> Iterator[_Peekable]:
    """The lines of a file or of standard input, with line breaks kept and a byte-order mark dropped."""
    if str(path) == PIPE:
        wrapped = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
        try:
            yield _Peekable(wrapped)
        finally:
            wrapped.detach()
        return
    with reading(path) as content, io.TextIOWrapper(content, encoding="utf-8-sig", newline="") as text:
        yield _Peekable(text)


def _form(path: str | Path, column: str | None, lines: _Peekable) -> TextForm:
    form = format_of(path).text or text_lines
    if form is text_lines and column is not None:
        return json_lines if lines.first().lstrip().startswith("{") else csv_lines
    return form
