"""One column of a file as pieces of Arrow data, which several threads can load at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa

from ..errors import InvalidInput
from .formats import format_of

PIECE = 1 << 19
"""Rows of a piece, where the file lets us choose."""


@dataclass(frozen=True)
class Piece:
    """Some rows of a column: how many, and how to get them."""

    rows: int
    load: Callable[[], pa.ChunkedArray]

    @classmethod
    def of(cls, arrays: list[pa.Array]) -> Piece:
        """A piece that is there already."""
        return cls(sum(map(len, arrays)), lambda: pa.chunked_array(arrays))


@dataclass(frozen=True)
class ArrowColumn:
    """One column of a file: its name, type and metadata, its rows where the file says how many, and its pieces."""

    path: str
    field: pa.Field
    rows: int | None
    pieces: Callable[[], Iterator[Piece]]


@contextmanager
def readable(path: str) -> Iterator[None]:
    """Says of what pyarrow cannot read which file it is, and what its name says that it should be."""
    try:
        yield
    except (pa.ArrowException, OSError) as problem:
        title = format_of(path).title
        raise InvalidInput(f"{path}: cannot be read as {title}: {str(problem).splitlines()[0]}") from None


def is_text(kind: pa.DataType) -> bool:
    """True for the two Arrow types of text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
