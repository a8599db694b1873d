"""A stream of reports written as text lines, CSV or JSON lines, to a file or a pipe, plain or compressed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from ..core.atomic import replacing
from ..core.errors import InvalidInput
from . import text_lines
from .columns import REPORT
from .compressed import Sink, writing
from .formats import PIPE, TextForm, column_format
from .frames import frame_header, frame_trailer


class TextWriter:
    """Writes one frame of reports to a file or to standard output, in the format that the name means.

    Used in a ``with`` statement: a file appears when the block ends, and not at all when it fails. On
    standard output each `write` is passed on at once, and a block that fails leaves the frame without its end.
    `fingerprint` is that of the mechanism; None writes no marks. `keep` names columns beside the reports, whose own is
    called `column`. What is written to standard output is text, or in the form `piped`.
    """

    def __init__(
        self,
        path: str | Path,
        fingerprint: str | None,
        *,
        keep: Sequence[str] = (),
        column: str = REPORT,
        piped: TextForm | None = None,
    ) -> None:
        self._path, self._fingerprint, self._columns = path, fingerprint, (column, *keep)
        self._form: TextForm = column_format(path).text or text_lines
        if piped is not None and str(path) == PIPE:
            self._form = piped
        if keep and self._form is text_lines:
            raise InvalidInput(f"{path}: text has one report per line; to keep columns write .csv, .jsonl or .parquet")
        self._file: Sink | None = None
        self._begun = False
        self.count = 0
        """The number of reports written so far."""

    def __enter__(self) -> TextWriter:
        with ExitStack() as stack:
            if str(self._path) != PIPE:
                file = stack.enter_context(replacing(self._path))
                self._file = stack.enter_context(writing(file, self._path))
            self._stack = stack.pop_all()
        return self

    def write(self, reports: Sequence[int | str], kept: Sequence[Sequence[Any]] = ()) -> None:
        """Write the next reports, whole numbers or text, and the columns kept beside them."""
        lines = self._form.written(dict(zip(self._columns, (reports, *kept), strict=True)))
        self._put(self._beginning() + lines)
        self.count += len(reports)

    def _beginning(self) -> str:
        """What stands before the first report; nothing later on."""
        if self._begun:
            return ""
        self._begun = True
        marked = "" if self._fingerprint is None else self._form.mark(frame_header(self._fingerprint), self._columns)
        return self._form.header(self._columns) + marked

    def _put(self, written: str) -> None:
        if self._file is None:
            sys.stdout.write(written)
            sys.stdout.flush()
        else:
            self._file.write(written.encode())

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._stack.__exit__(kind, problem, trace)
            return
        with self._stack:
            end = "" if self._fingerprint is None else self._form.mark(frame_trailer(self.count), self._columns)
            self._put(self._beginning() + end)
