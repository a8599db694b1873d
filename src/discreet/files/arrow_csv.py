"""One column of a CSV file, plain or compressed, read by pyarrow: the same texts as from `csv_lines`, but faster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv

from ..errors import InvalidInput
from .arrow_columns import ArrowColumn, Piece
from .columns import place_of
from .formats import compression_of

BLOCK = 1 << 24
"""Bytes parsed at a time."""


def open_column(path: str, column: str | None) -> ArrowColumn:
    """The column of a CSV file, by name unless it is the only one, as text."""
    with _reader(path, [], 1 << 20) as reader:
        names = reader.schema.names
        field = pa.field(names[place_of(names, column, path)], pa.string())

    def pieces() -> Iterator[Piece]:
        with _reader(path, [field.name], BLOCK) as reader:
            for batch in reader:
                yield Piece.of([batch.column(0)])

    return ArrowColumn(path, field, None, pieces)


@contextmanager
def _reader(path: str, columns: list[str], block: int) -> Iterator[Any]:
    """Batches of these columns as text; nothing is read as null."""
    with pa.input_stream(path, compression=compression_of(path)) as file:
        try:
            yield csv.open_csv(
                file,
                read_options=csv.ReadOptions(block_size=block),
                parse_options=csv.ParseOptions(newlines_in_values=True),
                convert_options=csv.ConvertOptions(
                    include_columns=columns,
                    column_types=dict.fromkeys(columns, pa.string()),
                    strings_can_be_null=False,
                ),
            )
        except (pa.ArrowException, OSError) as problem:
            parts = str(problem).splitlines()[0].split(": ")
            raise InvalidInput(f"{path}: this is not CSV: {': '.join(parts[:3])}") from None
