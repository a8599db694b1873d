"""Reports as Arrow columns and back, in memory and in files; a column in a file names its mechanism."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import InvalidReport, MechanismMismatch
from ..files.arrow import ArrowWriter
from ..files.arrow_columns import ArrowColumn
from ..mechanisms.mechanism import Mechanism
from ..wire.reports import EXACT_BITS, byte_width, reports_from_bytes, reports_from_texts, reports_to_bytes

MARK = "discreet.fingerprint"
"""The metadata key under which a column of reports names the mechanism that wrote them."""


def report_type(mechanism: Mechanism) -> pa.DataType:
    """The smallest signed type that holds every report, or packed bytes, lowest first, from 64 bits on.

    (Spark and Java have no unsigned types.)
    """
    bits = mechanism.bits
    return next(
        (kind for kind, room in ((pa.int16(), 15), (pa.int32(), 31), (pa.int64(), 63)) if bits <= room), pa.binary()
    )


def report_column(mechanism: Mechanism, reports: NDArray[Any]) -> pa.Array:
    """Reports as an Arrow column."""
    kind = report_type(mechanism)
    if kind != pa.binary():
        return pa.array(reports.astype(kind.to_pandas_dtype()))
    width = byte_width(mechanism)
    ends = np.arange(0, (len(reports) + 1) * width, width, dtype=np.int32)
    packed = pa.py_buffer(reports_to_bytes(mechanism, reports))
    return pa.Array.from_buffers(kind, len(reports), [None, pa.py_buffer(ends), packed])


def reports_in(mechanism: Mechanism, column: pa.Array) -> NDArray[Any]:
    """The reports in an Arrow column, as a batch for `Mechanism.tally`."""
    if column.null_count:
        raise InvalidReport(f"reports: {column.null_count} are null")
    if pa.types.is_integer(column.type):
        numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return numbers
    if not pa.types.is_binary(column.type) or report_type(mechanism) != pa.binary():
        raise InvalidReport(f"reports of type {column.type} must have the type {report_type(mechanism)}")
    width = byte_width(mechanism)
    if len(column) and pc.min_max(pc.binary_length(column)).as_py() != {"min": width, "max": width}:
        raise InvalidReport(f"reports: every report must have {width} bytes")
    return reports_from_bytes(mechanism, b"".join(column.to_pylist()))


def reports_of(mechanism: Mechanism, column: pa.ChunkedArray) -> Iterator[NDArray[Any]]:
    """The reports in a column, as batches for `Mechanism.tally`."""
    for chunk in column.chunks:
        plain = chunk.dictionary_decode() if pa.types.is_dictionary(chunk.type) else chunk
        yield reports_in(mechanism, plain)


def reports_of_texts(mechanism: Mechanism, column: pa.ChunkedArray) -> Iterator[NDArray[Any]]:
    """The reports in a column of text, as batches for `Mechanism.tally`; each must be exactly how it prints."""
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


# -- the mark ---------------------------------------------------------------------------------------


def check_mark(mechanism: Mechanism, mark: str | None, column: str) -> None:
    """Raise an error for reports marked as another mechanism's; `column` is the name of their column in it."""
    if mark not in (None, mechanism.fingerprint):
        raise MechanismMismatch(
            f"{column} holds reports of another mechanism ({str(mark)[:12]}), "
            f"not of {mechanism.name} ({mechanism.fingerprint[:12]})"
        )


def check_column(mechanism: Mechanism, column: ArrowColumn) -> None:
    """Raise an error for a column of a file whose reports are marked as another mechanism's."""
    mark = (column.field.metadata or {}).get(MARK.encode())
    check_mark(mechanism, None if mark is None else mark.decode(), f"{column.path}: column {column.field.name!r}")


class ReportWriter:
    """Writes a column of reports that names their mechanism; used in a ``with`` statement, like `ArrowWriter`."""

    def __init__(self, path: str | Path, mechanism: Mechanism, *, column: str = "report") -> None:
        self._mechanism = mechanism
        mark = {MARK: mechanism.fingerprint}
        self._writer = ArrowWriter(path, pa.field(column, report_type(mechanism), nullable=False, metadata=mark))

    def __enter__(self) -> ReportWriter:
        self._writer.__enter__()
        return self

    def write(self, reports: NDArray[Any]) -> None:
        """Write the next reports."""
        self._writer.write(report_column(self._mechanism, reports))

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.__exit__(kind, problem, trace)
