"""Arrow columns as labels, and what one partition of a cluster does with them: batches of reports in, counts out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...core.errors import InvalidInput
from ...files.arrow import is_text
from ..arrow.records import Parcel, rows_together, slabs
from ..arrow.reports import reports_in, reports_in_texts
from .columns import Labels, objects
from .tallies import Counts, Key, add_counts, counts_by_label


def labels_in(column: pa.ChunkedArray, name: str, *, written: bool = False) -> Labels:
    """The labels in a column; where they are `written` in a file, an empty text is missing."""
    flat = pa.concat_arrays([_plain(chunk, name) for chunk in column.chunks] or [pa.nulls(0, _kind(column.type))])
    if pa.types.is_null(flat.type):
        return Labels(objects([None]), np.zeros(len(flat), dtype=np.int64))
    try:
        encoded = flat.dictionary_encode()
        levels = _levels(encoded.dictionary)
    except (pa.ArrowException, ValueError, OverflowError):
        raise _unfit(name, column.type) from None
    codes = encoded.indices
    if codes.null_count:
        codes, levels = pc.fill_null(codes, len(levels)), objects([*levels.tolist(), None])
    if written and levels.dtype.kind == "O":
        levels = objects([None if entry == "" else entry for entry in levels])
    return Labels(levels, codes.to_numpy(zero_copy_only=False).astype(np.int64))


def _levels(dictionary: pa.Array) -> np.ndarray:
    kind = dictionary.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return np.asarray(dictionary.to_numpy(zero_copy_only=False))
    return objects(dictionary.to_pylist())


def _plain(chunk: pa.Array, name: str) -> pa.Array:
    """The chunk without a dictionary and in a type that can be told apart."""
    if pa.types.is_run_end_encoded(chunk.type):
        chunk = pc.run_end_decode(chunk)
    elif pa.types.is_dictionary(chunk.type):
        chunk = chunk.dictionary_decode()
    if pa.types.is_nested(chunk.type) or isinstance(chunk.type, pa.BaseExtensionType):
        raise _unfit(name, chunk.type)
    return pc.cast(chunk, _kind(chunk.type))


def _kind(kind: pa.DataType) -> pa.DataType:
    """The type that labels of a type are told apart in."""
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _kind(kind.value_type)
    if pa.types.is_decimal(kind) or pa.types.is_float16(kind):
        return pa.float64()
    views = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}
    return views.get(str(kind), kind)


def _unfit(name: str, kind: pa.DataType) -> InvalidInput:
    return InvalidInput(f"{name}: labels of type {kind} must be one column of numbers, text, truth values or times")


GROUP = pa.schema([("labels", pa.string()), ("counts", pa.binary()), ("foreign", pa.int64())])
"""A row for each group of a partition: its labels as JSON and its packed counts; the last one has no labels, and
says how many reports are another mechanism's."""


def count_by_label(
    parcel: Parcel, names: Sequence[str], marked: bool, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The `GROUP` rows of the reports in the first column, by the labels in the next ones.

    Where they are `marked`, the last column says which reports are the mechanism's own; the others are only counted.
    """
    mechanism, _ = parcel.open()
    totals: dict[Key, Counts] = {}
    foreign = 0
    for slab in slabs(batches, rows_together(mechanism)):
        rows = slab.filter(slab.column(slab.num_columns - 1)) if marked else slab
        foreign += slab.num_rows - rows.num_rows
        read = reports_in_texts if is_text(rows.column(0).type) else reports_in
        labels = [
            labels_in(pa.chunked_array([rows.column(place)]), f"column {name!r}") for place, name in enumerate(names, 1)
        ]
        add_counts(mechanism, totals, counts_by_label(mechanism, read(mechanism, rows.column(0)), labels))
    groups = [{"labels": json.dumps(key), "counts": counts.astype("<i8").tobytes()} for key, counts in totals.items()]
    yield pa.RecordBatch.from_pylist([*groups, {"foreign": foreign}], schema=GROUP)


def merge_counts(one: bytes, other: bytes) -> bytes:
    """The packed counts of two rows of one group, added up."""
    return bytes((np.frombuffer(one, dtype="<i8") + np.frombuffer(other, dtype="<i8")).tobytes())


def counts_of_rows(rows: Mapping[str, bytes]) -> dict[Key, Counts]:
    """The counts of every group, from rows that were merged."""
    return {
        tuple(json.loads(labels)): np.frombuffer(packed, dtype="<i8").astype(np.int64)
        for labels, packed in rows.items()
    }
