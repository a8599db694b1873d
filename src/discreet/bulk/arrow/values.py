"""Arrow columns as the numbers that samplers work on: values as indices, record ids as 64 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...core.errors import InvalidInput
from ...files.arrow_columns import is_text
from ..numbers import ABSENT, looked_up
from ..prf import CollectionKey
from ..record_ids import hashed_ids

if TYPE_CHECKING:
    from ..numbers import Finder


def found(column: Any, finder: Finder) -> NDArray[Any] | None:
    """The number of each value of an Arrow column, or of what offers itself as one; none of the domain's if unknown.

    None if Arrow has no such values, though the column offers itself: it must be gone through as a list.
    """
    if not isinstance(column, (pa.Array, pa.ChunkedArray)):
        column = _imported(column)
    if column is None:
        return None
    chunks = [_found(chunk, finder) for chunk in ([column] if isinstance(column, pa.Array) else column.chunks)]
    return chunks[0] if len(chunks) == 1 else np.concatenate([np.zeros(0, dtype=np.int64), *chunks])


def _imported(column: Any) -> pa.Array | pa.ChunkedArray | None:
    """What a column of another library is in Arrow; None for objects, of which polars gives addresses, and the like."""
    if str(getattr(column, "dtype", None)) == "Object":
        return None
    try:
        made = pa.chunked_array(column) if hasattr(column, "__arrow_c_stream__") else pa.array(column)
    except pa.ArrowException:
        return None
    return None if isinstance(made.type, pa.BaseExtensionType) else made


def _found(chunk: pa.Array, finder: Finder) -> NDArray[Any]:
    if pa.types.is_run_end_encoded(chunk.type):
        chunk = pc.run_end_decode(chunk)
    if pa.types.is_integer(chunk.type):
        if not chunk.null_count:
            return finder.of_integers(chunk.to_numpy())
        numbers = finder.of_integers(pc.fill_null(chunk, 0).to_numpy())
        return np.where(chunk.is_valid().to_numpy(zero_copy_only=False), numbers.astype(np.int64), ABSENT)
    if pa.types.is_dictionary(chunk.type):
        return _looked_up(chunk.indices, finder.indices(chunk.dictionary))
    return of_distinct(chunk, finder)


def of_distinct(column: Any, finder: Finder) -> NDArray[Any]:
    """The number of each value of an Arrow column or an array of NumPy, with each distinct one looked up once."""
    encoded = _encoded(column if isinstance(column, pa.Array) else pa.array(column))
    numbers = [finder.number(value) for value in _python(encoded.dictionary)]
    return _looked_up(encoded.indices, np.array(numbers, dtype=np.int64))


def _looked_up(codes: pa.Array, numbers: NDArray[Any]) -> NDArray[Any]:
    if codes.null_count:
        codes = pc.fill_null(pc.cast(codes, pa.int64()), len(numbers))
    return looked_up(codes.to_numpy(), numbers)


def _encoded(chunk: pa.Array) -> pa.DictionaryArray:
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
    return hashed_ids(key.names(), places - places[0], read[places[0] : places[-1]])
