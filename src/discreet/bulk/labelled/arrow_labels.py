"""Arrow columns as labels."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...core.errors import InvalidInput
from .labels import Labels, objects


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
