"""Arrow columns as the numbers that samplers work on: values as indices, record ids as 64 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import InvalidInput
from ..files.arrow_columns import is_text
from .prf import CollectionKey
from .record_ids import hashed_ids

ABSENT = -1
"""The index that stands for a null or a value outside the domain."""


class Finder:
    """Finds the values of an Arrow column in a domain.

    A column of text is compared with the text of each value, any other column with the values
    themselves. The table of values is made once per type of column.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._numbered = domain.is_range or all(type(value) is int and value == i for i, value in enumerate(domain))
        self._tables: dict[pa.DataType, pa.Array] = {}

    def indices(self, column: pa.Array) -> NDArray[np.int64]:
        """The index of every value; `ABSENT` where it is null or unknown."""
        if pa.types.is_integer(column.type):
            column = pc.cast(column, pa.int64())
            if self._numbered:
                found = pc.fill_null(column, ABSENT).to_numpy()
                return np.where((found >= 0) & (found < len(self._domain)), found, ABSENT)
        if is_text(column.type):
            column = pc.cast(column, pa.large_string())
        found = pc.index_in(column, value_set=self._table(column.type), skip_nulls=True)
        numbers: NDArray[np.int64] = pc.fill_null(found, ABSENT).to_numpy().astype(np.int64)
        return numbers

    def _table(self, kind: pa.DataType) -> pa.Array:
        if kind not in self._tables:
            texts = is_text(kind)
            try:
                table = pa.array([str(value) if texts else value for value in self._domain], type=kind)
            except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, TypeError):
                raise InvalidInput(f"values of the domain cannot be found in a column of type {kind}") from None
            if texts and len(pc.unique(table)) != len(table):
                raise InvalidInput("two values of the domain have the same text; they cannot be found in text")
            self._tables[kind] = table
        return self._tables[kind]


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
