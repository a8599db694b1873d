"""One column of a file read and written by pyarrow: Parquet, Arrow IPC or large CSV, by the file's name.

`formats.FORMATS` says which module beside this one does it. A column comes in pieces of about
`arrow_columns.PIECE` rows; a file is written completely or not at all.
"""

from __future__ import annotations

from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa

from ..errors import InvalidInput
from .arrow_columns import ArrowColumn, readable
from .atomic import replacing
from .compressed import writing
from .formats import compression_of, format_of


def open_column(path: str | Path, column: str | None = None) -> ArrowColumn:
    """The column of a file, by name unless it is the only one."""
    name = str(path)
    with open(name, "rb"):  # an absent file gives the usual error
        pass
    with readable(name):
        found: ArrowColumn = _form(name).open_column(name, column)
        return found


class ArrowWriter:
    """Writes one column, with the name, type and metadata of `field`.

    Used in a ``with`` statement: the file appears when the block ends, and not at all when it fails.
    """

    def __init__(self, path: str | Path, field: pa.Field) -> None:
        self._path, self._schema = str(path), pa.schema([field])

    def __enter__(self) -> ArrowWriter:
        form = _form(self._path)
        with ExitStack() as stack:
            file = stack.enter_context(replacing(self._path))
            packed = stack.enter_context(writing(file, self._path))
            self._sink = stack.enter_context(form.open_writer(packed, self._schema, self._path))
            self._stack = stack.pop_all()
        return self

    def write(self, rows: pa.Array) -> None:
        """Write the next rows."""
        if len(rows):
            self._sink.write_batch(pa.record_batch([rows], schema=self._schema))

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, problem, trace)


def _form(path: str) -> Any:
    """The module beside this one that reads and writes the format of this name."""
    format = format_of(path)
    if format.compressed_inside and compression_of(path):
        raise InvalidInput(f"{path}: {format.title} is compressed inside; its name must not end in {Path(path).suffix}")
    return import_module(f".{format.arrow}", __package__)
