"""Standard input by what it holds: text as it comes, compressed or not; Parquet and Arrow, which are kept first."""

from __future__ import annotations

import io
import mmap
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

from ..core.errors import InvalidInput
from .compressed import complete, unpacked
from .formats import IPC, PARQUET, PIPE, TEXT, Format, display_name

PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""The compression for the first bytes of a pipe."""

FORMAT_BY_SIGNATURE = {b"PAR1": PARQUET, b"ARROW1": IPC, b"\xff\xff\xff\xff": IPC}
"""The format for the first bytes of what must be kept before it is read."""

MAX_PIPE_BYTES = 1 << 36
"""The most bytes of Parquet or Arrow that are kept."""


@dataclass(frozen=True)
class Piped:
    """What comes through the pipe: its format, its bytes unpacked, and all of it if it had to be kept."""

    format: Format
    compression: str | None
    content: io.BufferedReader
    spool: mmap.mmap | None = None


def opened_pipe(path: str = PIPE) -> Piped:
    """Standard input or a pipe with a name, whose first bytes say what it holds; it stays open."""
    head, content = _peeked(sys.stdin.buffer if path == PIPE else _Named(path))
    compression = _named(PACKED, head)
    with complete(display_name(path), compression):
        if compression is not None:
            head, content = _peeked(unpacked(content, compression))
        format = _named(FORMAT_BY_SIGNATURE, head)
        if format is None:
            return Piped(TEXT, compression, content)
        return Piped(format, None, content, _kept(content, format))


def _named(table: dict[bytes, Any], head: bytes) -> Any:
    return next((found for magic, found in table.items() if head.startswith(magic)), None)


def _peeked(stream: Any) -> tuple[bytes, io.BufferedReader]:
    """The first bytes, and a stream that begins with them."""
    head: bytes = stream.read(8)
    return head, io.BufferedReader(_Rejoined(head, stream))


class _Named:
    """A pipe with a name, open until it has been read to its end."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "rb")  # noqa: SIM115

    def read(self, size: int) -> bytes:
        return self._until_empty(self._file.read, size)

    def read1(self, size: int) -> bytes:
        return self._until_empty(self._file.read1, size)

    def _until_empty(self, read: Callable[[int], bytes], size: int) -> bytes:
        data = b"" if self._file.closed else read(size)
        if not data:
            self._file.close()
        return data


class _Rejoined(io.RawIOBase):
    """Some bytes, and then the rest of a stream that is not closed with this one."""

    def __init__(self, head: bytes, rest: Any) -> None:
        self._head, self._rest = head, rest
        self._more = getattr(rest, "read1", rest.read)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        data = self._head[:size] or self._more(size)
        self._head = self._head[size:]
        buffer[: len(data)] = data
        return len(data)


def _kept(content: IO[bytes], format: Format) -> mmap.mmap:
    """All of the content, in a file without a name that ends with the process."""
    with tempfile.TemporaryFile() as file:
        while data := content.read(1 << 20):
            if file.tell() + len(data) > MAX_PIPE_BYTES:
                raise InvalidInput(
                    f"{display_name(PIPE)}: more than {MAX_PIPE_BYTES} bytes of {format.title}; give them as a file"
                )
            file.write(data)
        file.flush()
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
