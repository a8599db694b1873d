"""Columns of a CSV file, plain or compressed, read by pyarrow: the same texts as from `csv_records`, but faster.

The file is cut into blocks of whole records, and the rules of `csv_records` are checked, as pyarrow does not.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
from numpy.typing import NDArray

from ..core.errors import InvalidInput
from .arrow import ArrowColumn, Piece, Places
from .columns import Place
from .csv_records import MISQUOTED, read_header
from .sources import FileSource
from .text_reader import reading_lines

QUOTE, LINE, RETURN = b'"\n\r'
ONES = np.uint64(2**64 - 1)

SLAB = 1 << 17
"""Bytes inspected at a time: few enough for the processor's cache."""


@dataclass(frozen=True)
class Block:
    """Some whole records, how many they are, and how many came before them; the header is the first of all."""

    content: bytes
    records: int
    before: int


def blocks(content: Any, name: str, delimiter: str, size: int) -> Iterator[Block]:
    """The content of a CSV file in blocks of about `size` bytes.

    `InvalidInput` if it is not UTF-8, if a quote stands inside an unquoted field or before the end of a quoted
    one, if a quoted field never ends, or if no line ends for `size` bytes.
    """
    scan = _Scan(name, delimiter)
    held, before, mark = b"", 0, codecs.BOM_UTF8
    for data in _text(content, name, size):
        data, mark = data.removeprefix(mark), b""
        ended, cut = scan.ended(data)
        if not ended and len(held) > size:
            raise InvalidInput(f"{name}, line {scan.lines}: this is not CSV: a record is longer than {size} bytes")
        if ended:
            block = b"".join((held, memoryview(data)[:cut]))
            yield Block(block, records := _records(block, ended, delimiter), before)
            before += records
            held = b""
        held += data[cut:]
    if scan.inside:
        raise InvalidInput(f"{name}, line {scan.lines}: this is not CSV: unexpected end of data")
    if held:
        yield Block(held, _records(held, 1, delimiter), before)


def _text(content: Any, name: str, size: int) -> Iterator[bytes]:
    """The content as it is; `InvalidInput` if it is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    data = None
    while data != b"":
        data = content.read(size)
        try:
            if not data or not data.isascii() or decoder.getstate()[0]:
                decoder.decode(data, final=not data)
        except UnicodeDecodeError:
            raise InvalidInput(f"{name}: must be UTF-8 text") from None
        yield data


def _records(block: bytes, ended: int, delimiter: str) -> int:
    """How many records there are: as many as lines that ended, unless some end in a return alone."""
    if b"\r" not in block or block.count(b"\r") == block.count(b"\r\n"):
        return ended
    return sum(1 for _ in csv.reader(io.StringIO(block.decode(), newline=""), delimiter=delimiter))


class _Scan:
    """Goes through the content and knows how many lines there were, and whether it is inside a quoted field."""

    def __init__(self, name: str, delimiter: str) -> None:
        self._name, self._delimiter = name, ord(delimiter)
        self._last = LINE
        self.lines = 0
        self.inside = False

    def ended(self, data: bytes) -> tuple[int, int]:
        """How many lines end in these bytes outside quoted fields, and how many bytes they are, up to the last."""
        values = np.frombuffer(data, dtype=np.uint8)
        plain = b'"' not in data
        count = cut = 0
        for start in range(0, len(data), SLAB):
            slab = values[start : start + SLAB]
            breaks = slab == LINE
            if plain and not self.inside and self._last != QUOTE:
                ended = int(np.count_nonzero(breaks))
                self.lines += ended
            else:
                ends = self._ends(slab, breaks)
                ended = int(np.bitwise_count(ends).sum())
                if ended:
                    word = int(np.flatnonzero(ends)[-1])
                    cut = start + 64 * word + int(ends[word]).bit_length()
            count += ended
            self._last = int(slab[-1])
        return count, data.rfind(b"\n") + 1 if plain and not self.inside else cut

    def _ends(self, values: NDArray[np.uint8], breaks: NDArray[np.bool_]) -> NDArray[np.uint64]:
        """Those of the line breaks that are outside quoted fields, as marks packed 64 in a word, the first lowest.

        Opening and closing quotes alternate, a doubled one being both; each must stand beside a border.
        """
        closed = self._last == QUOTE and not self.inside
        marks = values == QUOTE
        quotes, lines = _packed(marks), _packed(breaks)
        for border in (self._delimiter, RETURN):
            marks |= values == border
        borders = _packed(marks) | lines
        place = np.uint64((len(values) - 1) % 64)
        borders[-1] |= ONES << place << np.uint64(1)  # what comes behind is seen then
        inside = _odd(quotes) ^ (ONES * np.uint64(self.inside))
        beside = _moved(borders, self._last in (QUOTE, LINE, RETURN, self._delimiter))
        wrong = (quotes & inside & ~beside) | (_moved(quotes & ~inside, closed) & ~borders)
        if wrong.any():
            place_of_it = int(np.argmax(np.unpackbits(wrong.view(np.uint8), bitorder="little")))
            line = self.lines + int(np.count_nonzero(breaks[:place_of_it])) + 1
            raise InvalidInput(f"{self._name}, line {line}: {MISQUOTED}")
        self.lines += int(np.count_nonzero(breaks))
        self.inside = bool(inside[-1] >> place & np.uint64(1))
        ends: NDArray[np.uint64] = lines & ~inside
        return ends


def _packed(marks: NDArray[np.bool_]) -> NDArray[np.uint64]:
    words = np.zeros(-(-len(marks) // 64), dtype="<u8")
    words.view(np.uint8)[: -(-len(marks) // 8)] = np.packbits(marks, bitorder="little")
    return words


def _moved(words: NDArray[np.uint64], first: bool) -> NDArray[np.uint64]:
    """Every mark at the next byte, and at the first one if so."""
    moved: NDArray[np.uint64] = words << np.uint64(1)
    moved[1:] |= words[:-1] >> np.uint64(63)
    moved[0] |= np.uint64(first)
    return moved


def _odd(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A mark wherever there have been an odd number of marks, itself among them."""
    odd = words.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        odd ^= odd << np.uint64(shift)
    odd[1:] ^= ONES * np.bitwise_xor.accumulate(odd >> np.uint64(63))[:-1]
    return odd


BLOCK = 1 << 22
"""Bytes parsed at a time, and the most that a record may have."""


def open_column(source: FileSource, place: Place, beside: Places) -> ArrowColumn:
    """The column of a CSV file in its place among the names, as text, and those to keep."""
    delimiter = source.delimiter or ","
    with reading_lines(source) as (_, lines):
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


def _parsed(source: FileSource, block: Block, columns: int, places: list[int], delimiter: str) -> pa.Table:
    """These columns of a block; a blank line is a record of empty fields, and nothing is null."""
    names = [str(column) for column in range(columns)]
    chosen = [names[place] for place in places]
    content = block.content
    if content.startswith(BOM_UTF8):  # of which pyarrow drops one, wherever the block comes from
        content = BOM_UTF8 + content
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(content),
            read_options=arrow_csv.ReadOptions(block_size=len(content) + 1, column_names=names, use_threads=False),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=not content.endswith(b"\n"),  # else its last line break is surely one of records
                ignore_empty_lines=False,
            ),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=chosen,
                column_types=dict.fromkeys(chosen, pa.string()),
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as problem:  # which quotes the record: never show it
        if wrong := re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", str(problem)):
            row, size, fields = map(int, wrong.groups())
            where = f"{source.name}, row {block.before + row - 1}"
            raise InvalidInput(f"{where}: {fields} fields; the header has {size}") from None
        raise InvalidInput(f"{source.name}, row {block.before} or after: this is not CSV") from None
    if table.num_rows != block.records:
        raise InvalidInput(f"{source.name}, row {block.before} or after: records cannot be told apart")
    return table
