"""One column of a file, and others beside it, as pieces of Arrow data, which several threads can load at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa

from ..core.errors import InvalidInput
from .sources import Source

Places: TypeAlias = Callable[[Sequence[str]], list[int]]
"""Finds the columns to keep among these names."""

PIECE = 1 << 19
"""Rows per piece, where the file leaves the choice."""


@dataclass(frozen=True)
class Piece:
    """Some rows of a column: how many, how to get them, and how to get those of the columns kept beside it."""

    rows: int
    load: Callable[[], pa.ChunkedArray]
    kept: Callable[[], list[pa.ChunkedArray]] = list

    @classmethod
    def of(cls, batches: list[pa.RecordBatch]) -> Piece:
        """A piece that is already loaded: its column is the first, the others are kept beside it."""
        table = pa.Table.from_batches(batches)
        return cls(table.num_rows, lambda: table.column(0), lambda: table.columns[1:])


@dataclass(frozen=True)
class ArrowColumn:
    """One column of a file: its name, type and metadata, its number of rows if the file says so, and its pieces.

    `keep` are the fields of the columns kept beside it.
    """

    source: Source
    field: pa.Field
    rows: int | None
    pieces: Callable[[], Iterator[Piece]]
    keep: tuple[pa.Field, ...] = ()

    @property
    def path(self) -> str:
        """The name of its file in messages."""
        return self.source.name


@contextmanager
def readable(source: Source) -> Iterator[None]:
    """Turn an error of pyarrow into one that names the file and the format that it should have."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        title = source.format.title
        raise InvalidInput(f"{source.name}: cannot be read as {title}: {str(problem).splitlines()[0]}") from None


def opened(source: Source) -> Any:
    """A file for pyarrow to read from any place, by as many threads as ask for one."""
    return pa.memory_map(source.path) if source.spool is None else pa.BufferReader(pa.py_buffer(source.spool))


def is_text(kind: pa.DataType) -> bool:
    """True for the Arrow types of text."""
    return str(kind) in ("string", "large_string", "string_view")


def is_bytes(kind: pa.DataType) -> bool:
    """True for the Arrow types of bytes."""
    return str(kind) in ("binary", "large_binary", "binary_view")


def family_of(kind: pa.DataType) -> str | None:
    """Text, numbers, booleans or another type, whichever way they are stored; None if there are only nulls."""
    if pa.types.is_dictionary(kind):
        return family_of(kind.value_type)
    if pa.types.is_null(kind):
        return None
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numbers"
    return "text" if is_text(kind) else "bytes" if is_bytes(kind) else str(kind)
