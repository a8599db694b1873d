"""Files compressed by gzip or Zstandard, as bytes, by pyarrow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

from ..errors import InvalidInput, MissingExtra

METHODS = {".gz": "gzip", ".zst": "zstd"}
"""The method of compression that the end of a name says."""


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra("pyarrow", "files") from None
    return pyarrow


@contextmanager
def reading(path: str | Path) -> Iterator[Any]:
    """The content of a compressed file; `InvalidInput` if it is broken."""
    method = METHODS[Path(path).suffix]
    with open(path, "rb") as packed, _pyarrow().CompressedInputStream(packed, method) as file:
        try:
            yield file
        except OSError as problem:
            raise InvalidInput(f"{path}: is not a whole {method} file ({problem})") from None


@contextmanager
def writing(file: BinaryIO, path: str | Path) -> Iterator[IO[bytes]]:
    """Something to write to, whose form compressed as `path` says goes to `file`, which stays open."""
    same = os.fdopen(os.dup(file.fileno()), "wb")
    with _pyarrow().CompressedOutputStream(same, METHODS[Path(path).suffix]) as packed:
        yield packed
