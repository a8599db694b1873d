"""Parquet: a column in pieces of whole row groups, and a writer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from . import arrow_columns
from .arrow_columns import ArrowColumn, Piece, is_text, readable
from .columns import place_of
from .compressed import Sink


def open_column(path: str, column: str | None) -> ArrowColumn:
    """The column of a file, by name unless it is the only one; text comes as a dictionary."""
    with pq.ParquetFile(path) as file:
        metadata, schema = file.metadata, file.schema_arrow
    field = schema.field(place_of(schema.names, column, path))
    as_dictionary = [field.name] if is_text(field.type) else []

    def opened() -> pq.ParquetFile:
        return pq.ParquetFile(path, metadata=metadata, read_dictionary=as_dictionary)

    def load(groups: list[int]) -> pa.ChunkedArray:
        with readable(path), opened() as file:
            return file.read_row_groups(groups, columns=[field.name], use_threads=False).column(0)

    def pieces() -> Iterator[Piece]:
        held: list[int] = []
        rows = 0
        for group in range(metadata.num_row_groups):
            size = metadata.row_group(group).num_rows
            if held and rows + size > 2 * arrow_columns.PIECE:
                yield Piece(rows, partial(load, held))
                held, rows = [], 0
            if size > 4 * arrow_columns.PIECE:
                yield from _streamed(path, opened, field.name, group)
                continue
            held.append(group)
            rows += size
        if rows:
            yield Piece(rows, partial(load, held))

    return ArrowColumn(path, field, metadata.num_rows, pieces)


def _streamed(path: str, opened: Callable[[], pq.ParquetFile], column: str, group: int) -> Iterator[Piece]:
    """A row group too large for memory, batch by batch."""
    size = arrow_columns.PIECE
    with readable(path), opened() as file:
        for batch in file.iter_batches(size, row_groups=[group], columns=[column], use_threads=False):
            yield Piece.of([batch.column(0)])


def open_writer(file: Sink, schema: pa.Schema, path: str) -> Any:
    """A writer for batches of one column; whole numbers take only as many bits as they need."""
    whole = pa.types.is_integer(schema.types[0])
    packed = {"column_encoding": {schema.names[0]: "DELTA_BINARY_PACKED"}} if whole else {}
    return pq.ParquetWriter(file, schema, use_dictionary=False, **packed)
