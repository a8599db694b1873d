"""One column of a file as pieces of Arrow data, which several threads can load at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa

from ..errors import InvalidInput
from .formats import format_of

PIECE = 1 << 19
"""Rows per piece, where the file leaves the choice."""


@dataclass(frozen=True)
class Piece:
    """Some rows of a column: how many, and how to get them."""

    rows: int
    load: Callable[[], pa.ChunkedArray]

    @classmethod
    def of(cls, arrays: list[pa.Array]) -> Piece:
        """A piece that is already loaded."""
        return cls(sum(map(len, arrays)), lambda: pa.chunked_array(arrays))


@dataclass(frozen=True)
class ArrowColumn:
    """One column of a file: its name, type and metadata, its number of rows if the file says so, and its pieces."""

    path: str
    field: pa.Field
    rows: int | None
    pieces: Callable[[], Iterator[Piece]]


@contextmanager
def readable(path: str) -> Iterator[None]:
    """Turn an error of pyarrow into one that names the file and the format that its name calls for."""
    try:
        yield
    except (pa.ArrowException, OSError) as problem:
        title = format_of(path).title
        raise InvalidInput(f"{path}: cannot be read as {title}: {str(problem).splitlines()[0]}") from None


def is_text(kind: pa.DataType) -> bool:
    """True for the two Arrow types of text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
