"""Columns of a file read and written by pyarrow: Parquet, Arrow IPC or large CSV, by the file's name.

`formats.FORMATS` says which module beside this one does it. A column, and others beside it, comes in pieces of about
`PIECE` rows, which several threads can load at once; a file is written completely or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from ..core.documents import replacing
from ..core.errors import InvalidInput
from .columns import place_of
from .compressed import writing
from .formats import Format, compression_of, format_of
from .sources import FileSource, source_of

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

    source: FileSource
    field: pa.Field
    rows: int | None
    pieces: Callable[[], Iterator[Piece]]
    keep: tuple[pa.Field, ...] = ()

    @property
    def path(self) -> str:
        """The name of its file in messages."""
        return self.source.name


@contextmanager
def readable(source: FileSource) -> Iterator[None]:
    """Turn an error of pyarrow into one that names the file and the format that it should have."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        title = source.format.title
        raise InvalidInput(f"{source.name}: cannot be read as {title}: {str(problem).splitlines()[0]}") from None


def open_input(source: FileSource) -> Any:
    """A file for pyarrow to read from any place, by as many threads as ask for one."""
    return pa.memory_map(source.path) if source.spool is None else pa.BufferReader(pa.py_buffer(source.spool))


def group_batches(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[list[pa.RecordBatch]]:
    """The same batches in lists that have `rows` rows or more, except the last; nothing if there are no rows."""
    held: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        held.append(batch)
        count += batch.num_rows
        if count >= rows:
            yield held
            held, count = [], 0
    if count:
        yield held


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


def open_column(
    path: str | Path | FileSource, column: str | None = None, *, keep: Sequence[str] = (), usual: str | None = None
) -> ArrowColumn:
    """The column of a file, by name unless it is the only one or the `usual` one, and those to keep beside it.

    Each name may also be that of a folder ``name=value`` that the file is in, unless the file has such a column of its
    own: every row then has that value.
    """
    source = source_of(path)
    if source.spool is None:
        with open(source.path, "rb"):  # an absent file gives the usual error
            pass
    partitions = source.partitions if source.format.arrow_only else {}

    def place(names: Sequence[str]) -> int:
        if column not in partitions or column in names:
            return place_of(names, column, source.name, usual=usual, typed=source.format.arrow_only)
        if not names:
            raise InvalidInput(f"{source.name}: has no column, so it does not say how many rows it has")
        return 0

    def beside(names: Sequence[str]) -> list[int]:
        inside = (name for name in keep if name not in partitions or name in names)
        return [place_of(names, name, source.name, typed=source.format.arrow_only) for name in inside]

    with readable(source):
        opened: ArrowColumn = _form(source.path, source.format).open_column(source, place, beside)
    if partitions and (len(opened.keep) < len(keep) or (column in partitions and opened.field.name != column)):
        return _with_partitions(opened, column, keep, partitions)
    return opened


def _with_partitions(
    opened: ArrowColumn, column: str | None, keep: Sequence[str], partitions: Mapping[str, str | None]
) -> ArrowColumn:
    """The columns in order: what the file does not have is in the names of its folders, one value for all its rows."""
    inside = {field.name: field for field in opened.keep}
    chosen: str = column if column in partitions and column is not None else opened.field.name
    field = opened.field if chosen == opened.field.name else pa.field(chosen, pa.string())

    def load(piece: Piece) -> pa.ChunkedArray:
        if field is opened.field:
            return piece.load()
        codes = pa.array(np.zeros(piece.rows, dtype=np.int8))
        return pa.chunked_array([pa.DictionaryArray.from_arrays(codes, pa.array([partitions[chosen]], pa.string()))])

    def kept(piece: Piece) -> list[pa.ChunkedArray]:
        own = dict(zip(inside, piece.kept(), strict=True))
        return [own[name] if name in own else repeated(partitions[name], piece.rows) for name in keep]

    def repeated(value: str | None, rows: int) -> pa.ChunkedArray:
        return pa.chunked_array([pa.repeat(pa.scalar(value, pa.string()), rows)])

    def pieces() -> Iterator[Piece]:
        return (Piece(piece.rows, partial(load, piece), partial(kept, piece)) for piece in opened.pieces())

    fields = tuple(inside.get(name, pa.field(name, pa.string())) for name in keep)
    return replace(opened, field=field, pieces=pieces, keep=fields)


def check_alike(columns: Iterable[ArrowColumn]) -> None:
    """Raise an error if files that are read together have columns of other names or types of value."""
    first: ArrowColumn | None = None
    for column in columns:
        family = family_of(column.field.type)
        if family is None:
            continue
        first = first or column
        if column.field.name != first.field.name or family != family_of(first.field.type):
            one, other = (f"{field.name!r} of type {field.type}" for field in (first.field, column.field))
            raise InvalidInput(
                f"{column.path}: column {other} differs from column {one} in {first.path}; read them apart"
            )


@contextmanager
def arrow_writer(path: str | Path, *fields: pa.Field) -> Iterator[Callable[..., None]]:
    """A function that writes the next rows of every column, with the names, types and metadata of the fields.

    The file appears when the ``with`` block ends, and not at all when it fails.
    """
    schema, form = pa.schema(fields), _form(str(path), format_of(path))
    with (
        replacing(path) as file,
        writing(file, path) as packed,
        form.open_writer(packed, schema, str(path)) as sink,
    ):

        def write(*columns: pa.Array | pa.ChunkedArray) -> None:
            if len(columns[0]):
                for batch in pa.table(list(columns), schema=schema).combine_chunks().to_batches():
                    sink.write_batch(batch)

        yield write


def _form(path: str, format: Format) -> Any:
    """The module beside this one that reads and writes a format."""
    if format.compressed_inside and compression_of(path):
        raise InvalidInput(f"{path}: {format.title} is compressed inside; its name must not end in {Path(path).suffix}")
    return import_module(f".{format.arrow}", __package__)
