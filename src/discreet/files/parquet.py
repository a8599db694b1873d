"""Parquet: a column in pieces of whole row groups, and a writer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from . import arrow
from .arrow import ArrowColumn, Piece, Places, is_text, open_input, readable
from .columns import Place
from .compressed import Sink
from .sources import FileSource

SPARK = b"org.apache.spark.sql.parquet.row.metadata"
"""Where Spark keeps the metadata of columns."""


def open_column(source: FileSource, place: Place, beside: Places) -> ArrowColumn:
    """The column of a file in its place among the names; text comes as a dictionary."""
    with pq.ParquetFile(_input(source)) as file:
        metadata, schema = file.metadata, file.schema_arrow
    field = schema.field(place(schema.names))
    kept = tuple(map(schema.field, beside(schema.names)))
    keep = [one.name for one in kept]
    as_dictionary = [field.name] if is_text(field.type) else []

    def reopened() -> pq.ParquetFile:
        return pq.ParquetFile(_input(source), metadata=metadata, read_dictionary=as_dictionary)

    def load(groups: list[int], names: list[str]) -> list[pa.ChunkedArray]:
        with readable(source), reopened() as file:
            table = file.read_row_groups(groups, columns=names, use_threads=False)
            return [table.column(name) for name in names]

    def piece(rows: int, groups: list[int]) -> Piece:
        return Piece(rows, lambda: load(groups, [field.name])[0], lambda: load(groups, keep))

    def streamed(group: int) -> Iterator[Piece]:
        """A row group too large for memory, batch by batch."""
        names = [field.name, *keep]
        with readable(source), reopened() as file:
            for batch in file.iter_batches(arrow.PIECE, row_groups=[group], columns=names, use_threads=False):
                yield Piece.of([batch.select(names)])

    def pieces() -> Iterator[Piece]:
        held: list[int] = []
        rows = 0
        for group in range(metadata.num_row_groups):
            size = metadata.row_group(group).num_rows
            if held and rows + size > 2 * arrow.PIECE:
                yield piece(rows, held)
                held, rows = [], 0
            if size > 4 * arrow.PIECE:
                yield from streamed(group)
                continue
            held.append(group)
            rows += size
        if rows:
            yield piece(rows, held)

    return ArrowColumn(source, _with_metadata_of_spark(field, schema), metadata.num_rows, pieces, kept)


def _input(source: FileSource) -> Any:
    return source.path if source.spool is None else open_input(source)


def _with_metadata_of_spark(field: pa.Field, schema: pa.Schema) -> pa.Field:
    """The field with the metadata that Spark wrote for it, as `Schema.metadata` has it."""
    try:
        written = json.loads((schema.metadata or {}).get(SPARK, b"{}"))
        entries: Any = next((one["metadata"] for one in written.get("fields", ()) if one["name"] == field.name), {})
        texts = {key: text for key, text in entries.items() if isinstance(text, str)}
    except (ValueError, TypeError, KeyError, AttributeError):
        return field
    return field.with_metadata({**texts, **(field.metadata or {})}) if texts else field


def open_writer(file: Sink, schema: pa.Schema, path: str) -> Any:
    """A writer for batches; whole numbers in the first column take only as many bits as they need."""
    first, *others = schema.names
    packed = {"column_encoding": {first: "DELTA_BINARY_PACKED"}} if pa.types.is_integer(schema.types[0]) else {}
    return pq.ParquetWriter(file, schema, use_dictionary=others, **packed)
