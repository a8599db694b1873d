"""Arrow IPC: a column in pieces of record batches, and a writer; a compressed file is a stream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from . import arrow
from .arrow import ArrowColumn, Piece, Places, group_batches, open_input, readable
from .columns import Place
from .compressed import Sink
from .formats import compression_of
from .sources import FileSource


def open_column(source: FileSource, place: Place, beside: Places) -> ArrowColumn:
    """The column of a file in its place among the names."""
    with _opened(source) as (reader, _):
        names = reader.schema.names
        places = [place(names), *beside(names)]
        field, *kept = (reader.schema.field(number) for number in places)

    def batches() -> Iterator[pa.RecordBatch]:
        with readable(source), _opened(source) as (reader, file):
            if isinstance(reader, pa.ipc.RecordBatchFileReader):
                yield from (reader.get_batch(i).select(places) for i in range(reader.num_record_batches))
            else:
                yield from (batch.select(places) for batch in _streamed(reader, file))

    def pieces() -> Iterator[Piece]:
        return map(Piece.of, group_batches(batches(), arrow.PIECE // 4))

    return ArrowColumn(source, field, None, pieces, tuple(kept))


@contextmanager
def _opened(source: FileSource) -> Iterator[tuple[Any, Any]]:
    """A reader for the file format or the stream format, whichever it is, and the file that it reads."""
    compression = source.compression
    with pa.input_stream(source.path, compression=compression) if compression else open_input(source) as file:
        try:
            reader = None if compression else pa.ipc.open_file(file)
        except pa.ArrowInvalid:
            file.seek(0)
            reader = None
        with reader or pa.ipc.open_stream(file) as opened_reader:
            yield opened_reader, file


def _streamed(reader: Any, file: Any) -> Iterator[pa.RecordBatch]:
    """The batches of a stream; an error if it has no end, which pyarrow lets pass, or goes on after it.

    Where there is no telling the place in the file, the compression shows that it is whole.
    """
    at = file.tell() if file.seekable() else None
    for batch in reader:
        at = file.tell() if file.seekable() else None
        yield batch
    if file.seekable() and file.tell() == at:
        raise pa.ArrowInvalid("the stream has no end; it was cut short")
    if file.read(1):
        raise pa.ArrowInvalid("the stream goes on after its end; files of streams cannot be joined")


def open_writer(file: Sink, schema: pa.Schema, path: str) -> Any:
    """A writer for batches."""
    return pa.ipc.new_stream(file, schema) if compression_of(path) else pa.ipc.new_file(file, schema)
