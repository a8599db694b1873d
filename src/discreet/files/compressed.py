"""The content of files, plain or compressed by gzip or Zstandard according to their names; Zstandard needs pyarrow."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from ..errors import InvalidInput, MissingExtra
from .formats import compression_of

Source: TypeAlias = io.BufferedReader | gzip.GzipFile
"""A source of content."""

Sink: TypeAlias = BinaryIO | gzip.GzipFile
"""A destination for content."""

_BROKEN: dict[str | None, tuple[type[Exception], ...]] = {
    None: (),
    "gzip": (gzip.BadGzipFile, EOFError, zlib.error),
    "zstd": (OSError,),
}
"""The errors that reveal incomplete content."""


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra("pyarrow", "files") from None
    return pyarrow


@contextmanager
def reading(path: str | Path) -> Iterator[Source]:
    """The content of a file; `InvalidInput` if it is incomplete."""
    method = compression_of(path)
    with open(path, "rb") as file, _unpacked(file, method) as content:
        try:
            yield content
        except _BROKEN[method] as problem:
            raise InvalidInput(f"{path}: is not a complete {method} file ({problem})") from None


def _unpacked(file: io.BufferedReader, method: str | None) -> AbstractContextManager[Source]:
    if method is None:
        return nullcontext(file)
    if method == "gzip":
        return gzip.GzipFile(fileobj=file)
    unpacked: AbstractContextManager[Source] = _pyarrow().CompressedInputStream(file, method)
    return unpacked


@contextmanager
def writing(file: BinaryIO, path: str | Path) -> Iterator[Sink]:
    """A destination whose content goes to `file`, compressed according to the name `path`; `file` stays open.

    The same content gives the same bytes at any time.
    """
    method = compression_of(path)
    if method is None:
        yield file
    elif method == "gzip":
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            yield packed
    else:
        pyarrow = _pyarrow()
        same = os.fdopen(os.dup(file.fileno()), "wb")  # which pyarrow closes
        with pyarrow.CompressedOutputStream(same, method) as packed:
            yield packed
