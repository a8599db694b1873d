"""Columns of Parquet and Arrow files as the text or numbers in which their values are found in a domain."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...core.domain import Domain
from ...core.errors import InvalidInput
from ...files.arrow_columns import is_bytes, is_text
from ..spellings import boolean_texts


def spelled(column: pa.ChunkedArray, domain: Domain) -> pa.ChunkedArray:
    """The same column; as text, unless it holds numbers that are not decimals.

    Bytes are UTF-8, and what is not is no value; booleans are written as the domain does, dates as ISO 8601 has them,
    and decimals with all their digits if the domain has that text, else without zeros at the end. Any other type is an
    `InvalidInput`.
    """
    if not column.num_chunks:
        return column
    return pa.chunked_array([_spelled(chunk, domain) for chunk in column.chunks])


def _spelled(array: Any, domain: Domain) -> Any:
    kind = array.type
    if pa.types.is_dictionary(kind):
        texts = _spelled(array.dictionary, domain)
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
