"""Arrow columns as the numbers that samplers work on: values as indices, record ids as 64 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...core.domain import Domain
from ...core.errors import InvalidInput
from ...estimation.arrays.acceleration import accelerated
from ...files.arrow import is_bytes, is_text
from ..encoding import ABSENT, boolean_texts, map_codes
from ..numbers import NumberLookup
from ..prf import CollectionKey, hash_record_ids

if TYPE_CHECKING:
    from ..encoding import DomainLookup


def find_values(column: Any, lookup: DomainLookup) -> NDArray[Any] | None:
    """The number of each value of an Arrow column, or of what offers itself as one; none of the domain's if unknown.

    None if Arrow has no such values, though the column offers itself: it must be gone through as a list.
    """
    if not isinstance(column, (pa.Array, pa.ChunkedArray)):
        column = _import_column(column)
    if column is None:
        return None
    chunks = [_find_in_chunk(chunk, lookup) for chunk in ([column] if isinstance(column, pa.Array) else column.chunks)]
    return chunks[0] if len(chunks) == 1 else np.concatenate([np.zeros(0, dtype=np.int64), *chunks])


def _import_column(column: Any) -> pa.Array | pa.ChunkedArray | None:
    """What a column of another library is in Arrow; None for objects, of which polars gives addresses, and the like."""
    if str(getattr(column, "dtype", None)) == "Object":
        return None
    try:
        imported = pa.chunked_array(column) if hasattr(column, "__arrow_c_stream__") else pa.array(column)
    except pa.ArrowException:
        return None
    return None if isinstance(imported.type, pa.BaseExtensionType) else imported


def _find_in_chunk(chunk: pa.Array, lookup: DomainLookup) -> NDArray[Any]:
    if pa.types.is_run_end_encoded(chunk.type):
        chunk = pc.run_end_decode(chunk)
    if pa.types.is_integer(chunk.type):
        if not chunk.null_count:
            return lookup.of_integers(chunk.to_numpy())
        numbers = lookup.of_integers(pc.fill_null(chunk, 0).to_numpy())
        return np.where(chunk.is_valid().to_numpy(zero_copy_only=False), numbers.astype(np.int64), ABSENT)
    if pa.types.is_dictionary(chunk.type):
        return _map_codes(chunk.indices, lookup.indices(chunk.dictionary))
    if isinstance(lookup, NumberLookup):
        if pa.types.is_float32(chunk.type) or pa.types.is_float64(chunk.type):
            return lookup.of_floats(chunk.to_numpy(zero_copy_only=False))
        if is_text(chunk.type) and accelerated(len(chunk)):
            return _find_numbers(chunk, lookup)
    return of_distinct(chunk, lookup)


def _find_numbers(chunk: pa.Array, lookup: NumberLookup) -> NDArray[Any]:
    """The places of the numbers that are written in a chunk of text."""
    texts = pc.cast(chunk, pa.large_string())
    _, offsets, data = texts.buffers()
    places = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    read = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, dtype=np.uint8)
    numbers = lookup.of_texts(places, read, lambda rows: of_distinct(texts.take(pa.array(rows)), lookup))
    if texts.null_count:
        numbers[texts.is_null().to_numpy(zero_copy_only=False)] = lookup.absent
    return numbers


def of_distinct(column: Any, lookup: DomainLookup) -> NDArray[Any]:
    """The number of each value of an Arrow column or an array of NumPy, with each distinct one looked up once."""
    encoded = _encode_distinct(column if isinstance(column, pa.Array) else pa.array(column))
    numbers = [lookup.number(value) for value in _python(encoded.dictionary)]
    return _map_codes(encoded.indices, np.array(numbers, dtype=np.int64))


def _map_codes(codes: pa.Array, numbers: NDArray[Any]) -> NDArray[Any]:
    if codes.null_count:
        codes = pc.fill_null(pc.cast(codes, pa.int64()), len(numbers))
    return map_codes(codes.to_numpy(), numbers)


def _encode_distinct(chunk: pa.Array) -> pa.DictionaryArray:
    """Each distinct value once, and its place for each row."""
    views = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}
    try:
        return pc.cast(chunk, views.get(str(chunk.type), chunk.type)).dictionary_encode()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise InvalidInput(f"values of type {chunk.type} must be one column of numbers, text or times") from None


def _python(column: pa.Array) -> list[Any]:
    """The values as Python has them; None for those that it does not have, such as nanoseconds."""
    try:
        listed: list[Any] = column.to_pylist()
    except (ValueError, OverflowError):
        return [_one(scalar) for scalar in column]
    return listed


def _one(scalar: pa.Scalar) -> Any:
    try:
        return scalar.as_py()
    except (ValueError, OverflowError):
        return None


def record_ids(column: pa.Array, key: CollectionKey) -> NDArray[np.uint64]:
    """The 64-bit record ids of a column without nulls: whole numbers as they are, text and bytes hashed."""
    if pa.types.is_integer(column.type):
        plain: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return plain.astype(np.uint64) if plain.dtype.kind == "u" else plain.astype(np.int64).view(np.uint64)
    if not is_text(column.type) and not pa.types.is_binary(column.type) and not pa.types.is_large_binary(column.type):
        raise InvalidInput(f"record ids of type {column.type} must be whole numbers, text or bytes")
    column = pc.cast(column, pa.large_binary())
    _, offsets, data = column.buffers()
    places = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    read = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, dtype=np.uint8)
    return hash_record_ids(key.names(), places - places[0], read[places[0] : places[-1]])


def column_as_text(column: pa.ChunkedArray, domain: Domain) -> pa.ChunkedArray:
    """The same column; as text, unless it holds numbers that are not decimals.

    Bytes are UTF-8, and what is not is no value; booleans are written as the domain does, dates as ISO 8601 has them,
    and decimals with all their digits if the domain has that text, else without zeros at the end. Any other type is an
    `InvalidInput`.
    """
    if not column.num_chunks:
        return column
    return pa.chunked_array([_chunk_as_text(chunk, domain) for chunk in column.chunks])


def _chunk_as_text(array: Any, domain: Domain) -> Any:
    kind = array.type
    if pa.types.is_dictionary(kind):
        texts = _chunk_as_text(array.dictionary, domain)
        return array if texts is array.dictionary else pa.DictionaryArray.from_arrays(array.indices, texts)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or kind in (pa.string(), pa.large_string()):
        return array
    if is_bytes(kind):
        array = pc.cast(array, pa.large_binary())
    if is_bytes(kind) or is_text(kind) or pa.types.is_null(kind) or pa.types.is_date32(kind):
        return pc.cast(array, pa.large_string(), safe=False)  # without a look at whether it is UTF-8
    if pa.types.is_boolean(kind):
        texts = boolean_texts(domain)
        return pc.if_else(array, *(pa.scalar(texts[truth], pa.large_string()) for truth in (True, False)))
    if pa.types.is_decimal(kind):
        return _of_decimals(array, domain)
    raise InvalidInput(f"values of the domain cannot be found in a column of type {kind}")


def _of_decimals(array: Any, domain: Domain) -> Any:
    full = pc.cast(array, pa.large_string())
    if array.type.scale <= 0:
        return full
    short = pc.utf8_rtrim(pc.utf8_rtrim(full, "0"), ".")
    listed = pa.array([] if domain.is_range else [str(value) for value in domain], pa.large_string())
    return pc.if_else(pc.is_in(full, value_set=listed), full, short)
