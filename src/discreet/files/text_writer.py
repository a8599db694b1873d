"""One column written as text lines, CSV or JSON lines, to a file or a pipe, plain or compressed."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from . import text_lines
from .atomic import replacing
from .compressed import Sink, writing
from .formats import PIPE, TextForm, format_of


class TextWriter:
    """Writes one column to a file or to standard output, in the format that the name means.

    Used in a ``with`` statement: a file appears when the block ends, and not at all when it fails. On
    standard output each `write` is passed on at once.
    """

    def __init__(self, path: str | Path, *, column: str = "report") -> None:
        self._path, self._column = path, column
        self._form: TextForm = format_of(path).text or text_lines
        self._file: Sink | None = None

    def __enter__(self) -> TextWriter:
        with ExitStack() as stack:
            if str(self._path) != PIPE:
                file = stack.enter_context(replacing(self._path))
                self._file = stack.enter_context(writing(file, self._path))
            self._put(self._form.header(self._column))
            self._stack = stack.pop_all()
        return self

    def write(self, entries: Iterable[int | str]) -> None:
        """Write the next entries: whole numbers or text."""
        self._put(self._form.written(entries, self._column))

    def _put(self, written: str) -> None:
        if self._file is None:
            sys.stdout.write(written)
            sys.stdout.flush()
        else:
            self._file.write(written.encode())

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, problem, trace)
