"""What a command reads: files, folders, patterns and the pipe, each as a source that knows its format.

Standard input is known by what it holds: text as it comes, compressed or not; Parquet and Arrow, which are kept first.
"""

from __future__ import annotations

import glob
import io
import mmap
import os
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote

from ..core.errors import InvalidInput
from .columns import TextLines
from .compressed import Content, complete, reading, unpack
from .csv_records import CsvLines
from .formats import IPC, PARQUET, PIPE, TEXT, Format, column_format, compression_of, display_name, format_of

PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""The compression for the first bytes of a pipe."""

FORMAT_BY_SIGNATURE = {b"PAR1": PARQUET, b"ARROW1": IPC, b"\xff\xff\xff\xff": IPC}
"""The format for the first bytes of what must be kept before it is read."""

MAX_PIPE_BYTES = 1 << 36
"""The most bytes of Parquet or Arrow that are kept."""

NOTHING = "__HIVE_DEFAULT_PARTITION__"
"""What stands for null in the name of a folder ``name=value``."""


@dataclass(frozen=True)
class FileSource:
    """A file or a pipe: its path as given, its format, what separates its columns if it is CSV, and how it is packed.

    `piped` is what comes through a pipe, unpacked, and `spool` all of it, if it cannot be read from front to end.
    """

    path: str
    format: Format
    delimiter: str | None = None
    compression: str | None = None
    piped: io.BufferedReader | None = field(default=None, repr=False)
    spool: mmap.mmap | None = field(default=None, repr=False)
    remarks: set[str] = field(default_factory=set, repr=False, compare=False)
    """What marks say of its reports beside their mechanism, once they were read."""

    @property
    def name(self) -> str:
        """Its name in messages."""
        return display_name(self.path)

    @property
    def text_form(self) -> TextLines:
        """What reads it as lines."""
        form = self.format.text
        if form is None:
            raise InvalidInput(f"{self.name}: {self.format.title} cannot be read as text")
        return form if self.delimiter is None else CsvLines(self.delimiter)

    @contextmanager
    def content(self) -> Iterator[Content]:
        """Its bytes, unpacked; `InvalidInput` if they are not complete."""
        if self.piped is None:
            with reading(self.path) as content:
                yield content
        else:
            with complete(self.name, self.compression):
                yield self.piped

    @property
    def partitions(self) -> dict[str, str | None]:
        """The columns in the names of its folders, ``name=value``; None where a value is null."""
        parts = [part.partition("=") for part in Path(self.path).parts[:-1]]
        named = {unquote(name): unquote(value) for name, equals, value in parts if name and equals}
        return {name: None if value == NOTHING else value for name, value in named.items()}


def source_of(path: str | Path | FileSource, *, delimiter: str | None = None) -> FileSource:
    """One file, or the pipe if its name is ``-``; `delimiter` separates the columns of CSV in place of its own.

    `InvalidInput` if the name means nothing that can be read, or nothing that has a delimiter if one is given.
    """
    if isinstance(path, FileSource):
        return path
    if str(path) == PIPE or _flows(path):
        source = _open_pipe(str(path))
    else:
        format = column_format(path)
        source = FileSource(str(path), format, format.delimiter, compression_of(path))
    if delimiter is None:
        return source
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise InvalidInput(f"delimiter={delimiter!r} must be one ASCII character other than a quote or a line break")
    if source.delimiter is None and source.format is not TEXT:
        raise InvalidInput(f"{source.name}: {source.format.title} has no delimiter; only CSV has")
    return replace(source, delimiter=delimiter)


def _flows(path: str | Path) -> bool:
    """True for a pipe or a terminal that has a name, such as /dev/stdin or what a shell makes of ``<(command)``."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)) and not Path(path).suffix


def _open_pipe(path: str) -> FileSource:
    """Standard input or a pipe with a name, whose first bytes say what it holds; it stays open."""
    head, content = _peek(sys.stdin.buffer if path == PIPE else open(path, "rb"), owned=path != PIPE)  # noqa: SIM115
    compression = _by_signature(PACKED, head)
    with complete(display_name(path), compression):
        if compression is not None:
            head, content = _peek(unpack(content, compression))
        format = _by_signature(FORMAT_BY_SIGNATURE, head)
        if format is None:
            return FileSource(path, TEXT, None, compression, content)
        return FileSource(path, format, None, None, content, _spool(content, format))


def _by_signature(table: dict[bytes, Any], head: bytes) -> Any:
    return next((entry for signature, entry in table.items() if head.startswith(signature)), None)


def _peek(stream: Any, *, owned: bool = False) -> tuple[bytes, io.BufferedReader]:
    """The first bytes, and a stream that begins with them."""
    head: bytes = stream.read(8)
    return head, io.BufferedReader(_Rejoined(head, stream, owned))


class _Rejoined(io.RawIOBase):
    """Some bytes, and then the rest of a stream, which is closed at its end if it is `owned`, and never with this."""

    def __init__(self, head: bytes, rest: Any, owned: bool) -> None:
        self._head, self._rest, self._owned = head, rest, owned
        self._more = getattr(rest, "read1", rest.read)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        data = self._head[:size] or (b"" if self._rest.closed else self._more(size))
        self._head = self._head[size:]
        buffer[: len(data)] = data
        if not data and self._owned:
            self._rest.close()
        return len(data)


def _spool(content: IO[bytes], format: Format) -> mmap.mmap:
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


def files_in(name: str) -> list[str]:
    """The files that a name stands for: itself, all in a folder, or all that a pattern matches, in order of names.

    Files and folders whose names begin with a dot or an underscore are left out, as Spark does, except folders
    such as ``_name=value``. `InvalidInput` if nothing is there, or files of more than one format.
    """
    if name == PIPE or os.path.isfile(name):
        return [name]
    if os.path.isdir(name):
        paths = list(_below(Path(name), frozenset()))
    elif glob.has_magic(name) and not os.path.exists(name):
        fixed = set(Path(name).parts)
        matches = [Path(match) for match in glob.glob(name, recursive=True)]
        shown = [match for match in matches if not any(map(_hidden, set(match.parts) - fixed))]
        paths = [file for match in shown for file in (_below(match, frozenset()) if match.is_dir() else [match])]
    else:
        return [name]
    files = [str(file) for file in sorted(set(paths))]
    if not files:
        raise InvalidInput(f"{name}: there are no files (names that begin with . or _ are left out)")
    titles = {format_of(file).title: file for file in files}
    if len(titles) > 1:
        one, other, *_ = titles.values()
        raise InvalidInput(f"{name}: must hold files of one format; there are {one} and {other}")
    return files


def _below(folder: Path, above: frozenset[str]) -> Iterator[Path]:
    """The files in a folder and in the folders inside it, through links too."""
    real = os.path.realpath(folder)
    if real in above:
        raise InvalidInput(f"{folder}: this link leads back to a folder that it is in")
    for entry in folder.iterdir():
        if _hidden(entry.name):
            continue
        if entry.is_dir():
            yield from _below(entry, above | {real})
        else:
            yield entry


def _hidden(name: str) -> bool:
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _identity(file: str) -> object:
    """The same for every name and link of one file."""
    if file == PIPE or not os.path.exists(file):
        return file
    status = os.stat(file)
    return status.st_dev, status.st_ino


def inputs(names: Sequence[str]) -> list[str]:
    """Every file that the names stand for, in order; `InvalidInput` if one is there twice."""
    files = [file for name in names for file in files_in(name)]
    real = [_identity(file) for file in files]
    times = Counter(real)
    twice = next((file for file, same in zip(files, real, strict=True) if times[same] > 1), None)
    if twice is not None:
        raise InvalidInput(f"{twice}: is given twice; everyone in it would count twice")
    return files
