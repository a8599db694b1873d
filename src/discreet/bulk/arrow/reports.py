"""Reports as Arrow columns and back, in memory and in files; a column in a file names its mechanism."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...core.errors import InvalidInput, InvalidReport
from ...files.arrow import ArrowColumn, arrow_writer, is_bytes
from ...files.columns import REPORT
from ...files.frames import SIGN, ReportOrigin, check_fingerprint
from ...mechanisms.mechanism import Mechanism
from ...wire.reports import EXACT_BITS, byte_width
from ..report_files import reports_from_bytes, reports_from_texts, reports_to_bytes

FINGERPRINT_KEY = "discreet.fingerprint"
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
    if mechanism.report_names and (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return reports_from_texts(mechanism, column.to_pylist())
    if is_bytes(column.type):
        column = pc.cast(column, pa.binary())
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


def reports_in_texts(mechanism: Mechanism, column: pa.Array) -> NDArray[Any]:
    """The reports in a column of text, as a batch for `Mechanism.tally`; each must be exactly how it prints."""
    if column.null_count:
        raise InvalidReport(f"reports: {column.null_count} are null")
    if mechanism.bits <= EXACT_BITS and not mechanism.report_names:
        try:
            numbers = pc.cast(column, pa.uint64())
        except pa.ArrowInvalid:
            numbers = None
        if numbers is not None and pc.all(pc.equal(pc.cast(numbers, pa.string()), column), min_count=0).as_py():
            plain: NDArray[Any] = numbers.to_numpy()
            return plain
    return reports_from_texts(mechanism, column.to_pylist())


def marks_in_column(column: pa.Array) -> list[int]:
    """The places of the marks in a column of text."""
    places: list[int] = pc.indices_nonzero(pc.starts_with(column, SIGN)).to_pylist()
    return places


# -- the mark ---------------------------------------------------------------------------------------


def check_column(mechanism: ReportOrigin, column: ArrowColumn, *, unmarked: bool = False) -> bool:
    """True for reports that a seed drew; an error for another mechanism's or, unless `unmarked`, for no mark."""
    return check_field(mechanism, column.field, f"{column.path}: column {column.field.name!r}", unmarked=unmarked)


def check_field(mechanism: ReportOrigin, field: pa.Field, where: str, *, unmarked: bool = True) -> bool:
    """True if the metadata say that a seed drew the reports; an error for another mechanism's, or for no mark."""
    mark = (field.metadata or {}).get(FINGERPRINT_KEY.encode())
    return check_fingerprint(mechanism, mark and mark.decode(errors="replace"), where, unmarked=unmarked)


@contextmanager
def report_writer(
    path: str | Path, mechanism: Mechanism, fingerprint: str | None, *, keep: Sequence[pa.Field] = ()
) -> Iterator[Callable[..., None]]:
    """A function that writes the next reports and, in fields like `keep`, the columns beside them, as `arrow_writer`.

    The columns beside the reports are Arrow columns or lists of plain data. `fingerprint` is the mechanism's, or
    `mark_of` it; None writes no mark.
    """
    fields = [without_dictionary(field) for field in keep]
    mark = None if fingerprint is None else {FINGERPRINT_KEY: fingerprint}
    own = pa.field(REPORT, report_type(mechanism), nullable=False, metadata=mark)
    with arrow_writer(path, own, *fields) as write_columns:

        def write(reports: NDArray[Any], kept: Sequence[Any] = ()) -> None:
            columns = [as_field(str(path), field, column) for field, column in zip(fields, kept, strict=True)]
            write_columns(report_column(mechanism, reports), *columns)

        yield write


def as_field(path: str, field: pa.Field, column: Any) -> pa.Array:
    """A kept column, an Arrow column or a list of plain data, with the type of its field."""
    if isinstance(column, list):
        column = pa.array([_text(entry) for entry in column], pa.string())
    try:
        return pc.cast(column, field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InvalidInput(f"{path}: column {field.name!r} must be of type {field.type} in every input") from None


def _text(entry: Any) -> str | None:
    return entry if entry is None or isinstance(entry, str) else json.dumps(entry, ensure_ascii=False)


def without_dictionary(field: pa.Field) -> pa.Field:
    """The field with its type without a dictionary, which could not change from one batch to the next."""
    kind = field.type
    return field.with_type(kind.value_type) if pa.types.is_dictionary(kind) else field
