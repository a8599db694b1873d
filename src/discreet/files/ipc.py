"""Arrow IPC: a column in pieces of record batches, and a writer; a compressed file is a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from . import arrow_columns
from .arrow_columns import ArrowColumn, Piece, readable
from .columns import place_of
from .compressed import Sink
from .formats import compression_of


def open_column(path: str, column: str | None) -> ArrowColumn:
    """The column of a file, by name unless it is the only one."""
    with _reader(path) as reader:
        place = place_of(reader.schema.names, column, path)
        field = reader.schema.field(place)

    def batches() -> Iterator[pa.Array]:
        with readable(path), _reader(path) as reader:
            if isinstance(reader, pa.ipc.RecordBatchFileReader):
                yield from (reader.get_batch(i).column(place) for i in range(reader.num_record_batches))
            else:
                yield from (batch.column(place) for batch in reader)

    def pieces() -> Iterator[Piece]:
        held: list[pa.Array] = []
        rows = 0
        for array in batches():
            held.append(array)
            rows += len(array)
            if rows >= arrow_columns.PIECE // 4:
                yield Piece.of(held)
                held, rows = [], 0
        if rows:
            yield Piece.of(held)

    return ArrowColumn(path, field, None, pieces)


def _reader(path: str) -> Any:
    """A reader for the file format or the stream format, whichever it is."""
    if compression := compression_of(path):
        return pa.ipc.open_stream(pa.input_stream(path, compression=compression))
    mapped = pa.memory_map(path)
    try:
        return pa.ipc.open_file(mapped)
    except pa.ArrowInvalid:
        mapped.seek(0)
        return pa.ipc.open_stream(mapped)


def open_writer(file: Sink, schema: pa.Schema, path: str) -> Any:
    """A writer for batches."""
    return pa.ipc.new_stream(file, schema) if compression_of(path) else pa.ipc.new_file(file, schema)
