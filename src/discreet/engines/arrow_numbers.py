"""The numbers of the values in Arrow columns, at the speed of Arrow, with one rule for values outside the domain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import UnknownValue
from .arrow_values import ABSENT, Finder


@dataclass(frozen=True)
class Numbered:
    """The numbers of the values of a column, how many values there were, and how many of them were unknown."""

    indices: NDArray[Any]
    seen: int
    unknown: int


class ArrowNumbers:
    """Finds the values of columns in a domain: whole numbers, text, or dictionaries of either.

    Text is compared with the text of each value. `unknown` says what to do with a null or any other
    value: "error" refuses it, "drop" leaves it out, and any other text is the value to use instead.
    """

    def __init__(self, domain: Domain, *, unknown: str = "error") -> None:
        self._domain, self._unknown = domain, unknown
        self._instead = None if unknown in ("error", "drop") else domain.index_of_text(unknown)
        self._finder = Finder(domain)

    def of(self, column: pa.ChunkedArray | pa.Array, *, start: int = 0) -> Numbered:
        """The numbers of the values; `UnknownValue` names the first row, counted from `start`, that has none."""
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        parts, unknown = [], 0
        for chunk in chunks:
            try:
                found = self._found(chunk)
            except pa.ArrowInvalid as problem:
                raise UnknownValue(f"row {start + 1} or after: {str(problem).splitlines()[0]}") from None
            absent = _absent(found, len(self._domain))
            if absent is not None:
                self._refuse(chunk, absent, start)
                unknown += int(np.count_nonzero(absent))
                found = found[~absent] if self._instead is None else np.where(absent, self._instead, found)
            parts.append(found)
            start += len(chunk)
        indices = parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, dtype=np.int64), *parts])
        return Numbered(indices, len(column), unknown)

    def _found(self, chunk: pa.Array) -> NDArray[Any]:
        """The number of each value; anything that is not a number of the domain where the value is unknown."""
        if pa.types.is_dictionary(chunk.type):
            table = np.append(self._finder.indices(chunk.dictionary), ABSENT).astype(np.uint32)
            codes = chunk.indices
            if codes.null_count:
                codes = pc.fill_null(pc.cast(codes, pa.int64()), len(table) - 1)
            found: NDArray[Any] = table[codes.to_numpy()]
            return found
        if pa.types.is_integer(chunk.type) and self._domain.is_range and not chunk.null_count:
            plain: NDArray[Any] = chunk.to_numpy()
            return plain
        return self._finder.indices(chunk)

    def _refuse(self, chunk: pa.Array, absent: NDArray[np.bool_], start: int) -> None:
        if self._unknown == "error":
            row = int(np.argmax(absent))
            value = chunk[row].as_py()
            shown = "null" if value is None else f"value={value!r}"
            raise UnknownValue(
                f"row {start + row + 1}: {shown} must be one of the {len(self._domain)} values of the domain"
            )


def numbered(domain: Domain, values: Any, *, unknown: str = "error") -> Numbered:
    """The numbers of values in an Arrow column, a NumPy array, a pandas series or a list.

    `unknown` is "error", "drop", or the text of the value to use for nulls and for values outside the domain.
    """
    column = values if isinstance(values, (pa.Array, pa.ChunkedArray)) else pa.array(values)
    return ArrowNumbers(domain, unknown=unknown).of(column)


def _absent(found: NDArray[Any], size: int) -> NDArray[np.bool_] | None:
    """Which of these are not numbers below `size`; None, without looking at each, if they all are."""
    unsigned = found.view(f"u{found.dtype.itemsize}")
    if not len(found) or int(unsigned.max()) < size:
        return None
    absent: NDArray[np.bool_] = unsigned >= size
    return absent
