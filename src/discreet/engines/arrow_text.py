"""One column of a large CSV file, plain or compressed, read by pyarrow: the texts that `files` gives, only faster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..files.compressed import METHODS
from ..mechanisms.mechanism import Mechanism
from ..wire.reports import EXACT_BITS, reports_from_texts
from .arrow_files import ArrowColumn, Piece, chosen, given

BLOCK = 1 << 24
"""Bytes parsed at a time."""


def open_csv(path: str, column: str | None) -> ArrowColumn:
    """The column of a CSV file, by name unless it is the only one, as text."""
    with open(path, "rb"):  # says what is wrong with a name as any file does
        pass
    with _reader(path, [], 1 << 20) as reader:
        field = chosen(reader.schema, column, path)

    def pieces() -> Iterator[Piece]:
        with _reader(path, [field.name], BLOCK) as reader:
            for batch in reader:
                yield given(batch.column(0))

    return ArrowColumn(path, pa.field(field.name, pa.string()), None, pieces)


@contextmanager
def _reader(path: str, columns: list[str], block: int) -> Iterator[Any]:
    """Batches of these columns as text, nothing taken for a null."""
    with pa.input_stream(path, compression=METHODS.get(Path(path).suffix)) as file:
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


def reports_of_texts(mechanism: Mechanism, column: pa.ChunkedArray) -> Iterator[NDArray[Any]]:
    """The reports in a column of text, as batches for `Mechanism.tally`; only how a report prints will do."""
    for chunk in column.chunks:
        if mechanism.bits <= EXACT_BITS:
            try:
                numbers = pc.cast(chunk, pa.uint64())
            except pa.ArrowInvalid:
                numbers = None
            if numbers is not None and pc.all(pc.equal(pc.cast(numbers, pa.string()), chunk), min_count=0).as_py():
                yield numbers.to_numpy()
                continue
        yield reports_from_texts(mechanism, chunk.to_pylist())
