"""One column of a CSV file, plain or compressed, read by pyarrow: the same texts as from `csv_lines`, but faster."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from functools import cache

import pyarrow as pa
import pyarrow.csv as csv

from ..core.errors import InvalidInput
from .arrow_columns import ArrowColumn, Piece, Places
from .columns import Place
from .csv_blocks import Block, blocks
from .csv_records import read_header
from .sources import Source
from .text_reader import reading_lines

BLOCK = 1 << 22
"""Bytes parsed at a time, and the most that a record may have."""


def open_column(source: Source, place: Place, beside: Places) -> ArrowColumn:
    """The column of a CSV file in its place among the names, as text, and those to keep."""
    delimiter = source.delimiter or ","
    with reading_lines(source) as lines:
        names, _ = read_header(lines, source.name, delimiter)
    places = [place(names), *beside(names)]
    field, *kept = (pa.field(names[number], pa.string()) for number in places)

    def piece(block: Block) -> Piece:
        header = not block.before  # which comes first, like any other record
        table = cache(lambda: _parsed(source, block, len(names), places, delimiter)[header:])
        return Piece(block.records - header, lambda: table().column(0), lambda: table().columns[1:])

    def pieces() -> Iterator[Piece]:
        with source.content() as content:
            yield from map(piece, blocks(content, source.name, delimiter, BLOCK))

    return ArrowColumn(source, field, None, pieces, tuple(kept))


def _parsed(source: Source, block: Block, columns: int, places: list[int], delimiter: str) -> pa.Table:
    """These columns of a block; a blank line is a record of empty fields, and nothing is null."""
    names = [str(column) for column in range(columns)]
    chosen = [names[place] for place in places]
    content = block.content
    if content.startswith(BOM_UTF8):  # of which pyarrow drops one, wherever the block comes from
        content = BOM_UTF8 + content
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            read_options=csv.ReadOptions(block_size=len(content) + 1, column_names=names, use_threads=False),
            parse_options=csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=not content.endswith(b"\n"),  # else its last line break is surely one of records
                ignore_empty_lines=False,
            ),
            convert_options=csv.ConvertOptions(
                include_columns=chosen,
                column_types=dict.fromkeys(chosen, pa.string()),
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as problem:  # which quotes the record: never show it
        if wrong := re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", str(problem)):
            row, size, found = map(int, wrong.groups())
            where = f"{source.name}, row {block.before + row - 1}"
            raise InvalidInput(f"{where}: {found} fields; the header has {size}") from None
        raise InvalidInput(f"{source.name}, row {block.before} or after: this is not CSV") from None
    if table.num_rows != block.records:
        raise InvalidInput(f"{source.name}, row {block.before} or after: records cannot be told apart")
    return table
