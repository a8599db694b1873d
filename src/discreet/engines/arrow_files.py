"""Parquet and Arrow IPC files: one column in pieces, and a column of reports that is written whole or not at all.

The format goes by the name: ``.parquet`` (or ``.pq``), ``.arrow``, ``.ipc`` or ``.feather``; an IPC stream may
end in ``.gz`` or ``.zst``. Pieces are row groups, or record batches, of about `PIECE` rows, and can be
loaded by several threads at once. A column of reports carries the fingerprint of its mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..errors import InvalidInput, MechanismMismatch
from ..files.compressed import METHODS, writing
from ..files.text import replacing
from ..mechanisms.mechanism import Mechanism
from .arrow_records import report_column, report_type, reports_in
from .arrow_values import is_text

PIECE = 1 << 19
"""Rows of a piece, where the file lets us choose."""

MARK = b"discreet.fingerprint"
"""The key under which a column of reports names its mechanism."""


@dataclass(frozen=True)
class Piece:
    """Some rows of a column: how many, and how to get them."""

    rows: int
    load: Callable[[], pa.ChunkedArray]


@dataclass(frozen=True)
class ArrowColumn:
    """One column of a Parquet or IPC file."""

    path: str
    field: pa.Field
    rows: int | None
    pieces: Callable[[], Iterator[Piece]]

    def check_mark(self, mechanism: Mechanism) -> None:
        """Refuse reports that say they are another mechanism's."""
        mark = (self.field.metadata or {}).get(MARK, mechanism.fingerprint.encode()).decode()
        if mark != mechanism.fingerprint:
            raise MechanismMismatch(
                f"{self.path}: column {self.field.name!r} holds reports of another mechanism ({mark[:12]}), "
                f"not of {mechanism.name} ({mechanism.fingerprint[:12]})"
            )


def open_column(path: str | Path, column: str | None = None) -> ArrowColumn:
    """The column of a file, by name unless it is the only one."""
    name = str(path)
    with open(name, "rb"):  # says what is wrong with a name as any file does
        pass
    with _readable(name):
        return _parquet(name, column) if _kind(name) == "Parquet" else _ipc(name, column)


@contextmanager
def _readable(path: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as problem:
        raise InvalidInput(f"{path}: cannot be read as {_kind(path)}: {str(problem).splitlines()[0]}") from None


def _kind(path: str) -> str:
    return "Parquet" if Path(path).suffix in (".parquet", ".pq") else "Arrow IPC"


def chosen(schema: pa.Schema, column: str | None, path: str) -> pa.Field:
    """The column of this name, or the only one."""
    names = schema.names
    if column is None and len(names) == 1:
        column = names[0]
    if column is None:
        raise InvalidInput(f"{path}: a column must be chosen; there are {', '.join(names[:12])}")
    if names.count(column) != 1:
        there = "appears twice" if column in names else "is not there"
        raise InvalidInput(f"{path}: column {column!r} {there}; the columns are {', '.join(names[:12])}")
    return schema.field(column)


# -- Parquet ----------------------------------------------------------------------------------------


def _parquet(path: str, column: str | None) -> ArrowColumn:
    with pq.ParquetFile(path) as file:
        metadata, schema = file.metadata, file.schema_arrow
    field = chosen(schema, column, path)
    as_dictionary = [field.name] if is_text(field.type) else []

    def opened() -> pq.ParquetFile:
        return pq.ParquetFile(path, metadata=metadata, read_dictionary=as_dictionary)

    def load(groups: list[int]) -> pa.ChunkedArray:
        with _readable(path), opened() as file:
            return file.read_row_groups(groups, columns=[field.name], use_threads=False).column(0)

    def pieces() -> Iterator[Piece]:
        held: list[int] = []
        rows = 0
        for group in range(metadata.num_row_groups):
            size = metadata.row_group(group).num_rows
            if held and rows + size > 2 * PIECE:
                yield Piece(rows, _later(load, held))
                held, rows = [], 0
            if size > 4 * PIECE:
                yield from _streamed(path, opened, field.name, group)
                continue
            held.append(group)
            rows += size
        if rows:
            yield Piece(rows, _later(load, held))

    return ArrowColumn(path, field, metadata.num_rows, pieces)


def _later(load: Callable[[list[int]], pa.ChunkedArray], groups: list[int]) -> Callable[[], pa.ChunkedArray]:
    return lambda: load(groups)


def _streamed(path: str, opened: Callable[[], pq.ParquetFile], column: str, group: int) -> Iterator[Piece]:
    """A row group too large to hold, batch by batch."""
    with _readable(path), opened() as file:
        for batch in file.iter_batches(PIECE, row_groups=[group], columns=[column], use_threads=False):
            yield given(batch.column(0))


def given(array: pa.Array) -> Piece:
    """A piece that is there already."""
    return Piece(len(array), lambda: pa.chunked_array([array]))


# -- Arrow IPC --------------------------------------------------------------------------------------


def _ipc(path: str, column: str | None) -> ArrowColumn:
    with _reader(path) as reader:
        field = chosen(reader.schema, column, path)
        place = reader.schema.get_field_index(field.name)

    def batches() -> Iterator[pa.Array]:
        with _readable(path), _reader(path) as reader:
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
            if rows >= PIECE // 4:
                yield Piece(rows, _joined(held))
                held, rows = [], 0
        if rows:
            yield Piece(rows, _joined(held))

    return ArrowColumn(path, field, None, pieces)


def _joined(arrays: list[pa.Array]) -> Callable[[], pa.ChunkedArray]:
    return lambda: pa.chunked_array(arrays)


def _reader(path: str) -> Any:
    """A reader of the file format, or of the stream format, whichever it is."""
    suffix = Path(path).suffix
    if suffix in METHODS:
        return pa.ipc.open_stream(pa.input_stream(path, compression=METHODS[suffix]))
    mapped = pa.memory_map(path)
    try:
        return pa.ipc.open_file(mapped)
    except pa.ArrowInvalid:
        mapped.seek(0)
        return pa.ipc.open_stream(mapped)


# -- reports ----------------------------------------------------------------------------------------


def reports_of(mechanism: Mechanism, column: pa.ChunkedArray) -> Iterator[NDArray[Any]]:
    """The reports in a column, as batches for `Mechanism.tally`."""
    for chunk in column.chunks:
        plain = chunk.dictionary_decode() if pa.types.is_dictionary(chunk.type) else chunk
        yield reports_in(mechanism, plain)


class ReportWriter:
    """Writes a column of reports; used in a ``with`` statement, the file appears when the block ends well."""

    def __init__(self, path: str | Path, mechanism: Mechanism, *, column: str = "report") -> None:
        self._path, self._mechanism = str(path), mechanism
        mark = {MARK: mechanism.fingerprint.encode()}
        self._schema = pa.schema([pa.field(column, report_type(mechanism), nullable=False, metadata=mark)])

    def __enter__(self) -> ReportWriter:
        with ExitStack() as stack:
            file: BinaryIO = stack.enter_context(replacing(self._path))
            self._sink = stack.enter_context(self._opened(file, stack))
            self._stack = stack.pop_all()
        return self

    def _opened(self, file: BinaryIO, stack: ExitStack) -> Any:
        if _kind(self._path) == "Parquet":
            whole = pa.types.is_integer(self._schema.types[0])
            packed = {"column_encoding": {self._schema.names[0]: "DELTA_BINARY_PACKED"}} if whole else {}
            return pq.ParquetWriter(file, self._schema, use_dictionary=False, **packed)
        if Path(self._path).suffix in METHODS:
            return pa.ipc.new_stream(stack.enter_context(writing(file, self._path)), self._schema)
        return pa.ipc.new_file(file, self._schema)

    def write(self, reports: NDArray[Any]) -> None:
        """Write the next reports."""
        if len(reports):
            column = report_column(self._mechanism, reports)
            self._sink.write_batch(pa.record_batch([column], schema=self._schema))

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, problem, trace)
