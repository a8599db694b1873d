"""The content of files, plain or compressed by gzip or Zstandard according to their names; Zstandard needs pyarrow."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from ..core.errors import InvalidInput, MissingExtra
from .formats import compression_of

Content: TypeAlias = io.BufferedReader | gzip.GzipFile
"""A source of bytes."""

Sink: TypeAlias = BinaryIO | gzip.GzipFile
"""A destination for content."""

_BROKEN: dict[str | None, tuple[type[Exception], ...]] = {
    None: (),
    "gzip": (gzip.BadGzipFile, EOFError, zlib.error),
    "zstd": (OSError,),
}
"""The errors that reveal incomplete content."""


def _zstandard() -> Any:
    """The optional codec.

    It is loaded by name: a client's spec may name a file of values, and the contract that a client needs only the
    standard library counts every import statement on the way, also one inside a function.
    """
    try:
        return import_module("pyarrow")
    except ImportError:
        raise MissingExtra("pyarrow", "files") from None


@contextmanager
def reading(path: str | Path) -> Iterator[Content]:
    """The content of a file; `InvalidInput` if it is incomplete."""
    method = compression_of(path)
    with open(path, "rb") as file, unpack(file, method) as content, complete(str(path), method):
        yield content


@contextmanager
def complete(name: str, method: str | None) -> Iterator[None]:
    """Turn the error of content that ends too early, or was never packed, into one that names where it is from."""
    try:
        yield
    except _BROKEN[method]:
        raise InvalidInput(f"{name}: is not a complete {method} file") from None


def unpack(file: io.BufferedReader, method: str | None) -> Content:
    """The content of a packed stream; with the method None the stream itself."""
    if method is None:
        return file
    if method == "gzip":
        return gzip.GzipFile(fileobj=file)
    content: Content = _zstandard().CompressedInputStream(file, method)
    return content


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
        pyarrow = _zstandard()
        same = os.fdopen(os.dup(file.fileno()), "wb")  # which pyarrow closes
        with pyarrow.CompressedOutputStream(same, method) as packed:
            yield packed
