"""The table of suffixes: which format a file's name means, and what reads and writes it.

A new format is a line in `FORMATS` and a module beside this one that reads and writes it. Each may be compressed
according to the very end of the name (`COMPRESSIONS`), except Parquet, which is compressed inside. Any other name,
and the pipe ``-``, means text lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

from . import csv_lines, json_lines, text_lines

PIPE = "-"
"""The name of standard input and output."""

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
"""The compression for each ending of a name."""


class TextForm(Protocol):
    """What a module such as `csv_lines` provides: a column of text entries read from lines and written as lines."""

    def entries(self, lines: Iterator[str], column: str | None, name: str) -> Iterator[str]:
        """The entries of the column; `InvalidInput` names the file and the malformed line."""
        ...

    def header(self, column: str) -> str:
        """The text that a file begins with."""
        ...

    def written(self, entries: Iterable[int | str], column: str) -> str:
        """These entries as lines."""
        ...


@dataclass(frozen=True)
class Format:
    """A format: its name in messages, how file names end, and what reads and writes it.

    `text` reads and writes it as lines. `arrow` is the module beside this one that does so with pyarrow, which is
    loaded only then: it has `open_column` and, where `text` is None, `open_writer`. `spark` is Spark's own name
    for it. A format with neither `text` nor `arrow` is read here as text lines.
    """

    title: str
    suffixes: tuple[str, ...]
    text: TextForm | None = None
    arrow: str | None = None
    spark: str | None = None
    compressed_inside: bool = False

    @property
    def arrow_only(self) -> bool:
        """True if only pyarrow reads and writes it."""
        return self.text is None and self.arrow is not None


TEXT = Format("text", (), text=text_lines)
JSON = Format("JSON", (".json",), spark="json")  # a tally; for Spark, JSON lines
FORMATS = (
    TEXT,
    Format("CSV", (".csv",), text=csv_lines, arrow="arrow_csv", spark="csv"),
    Format("JSON lines", (".jsonl", ".ndjson"), text=json_lines, spark="json"),
    JSON,
    Format("Parquet", (".parquet", ".pq"), arrow="parquet", spark="parquet", compressed_inside=True),
    Format("Arrow IPC", (".arrow", ".ipc", ".feather"), arrow="ipc"),
    Format("ORC", (".orc",), spark="orc"),
)
"""Every format that is known by its name."""

_BY_SUFFIX = {suffix: format for format in FORMATS for suffix in format.suffixes}


def format_of(path: str | PurePath) -> Format:
    """The format that a name means, compressed or not."""
    name = PurePath(path)
    inner = PurePath(name.stem) if name.suffix in COMPRESSIONS else name
    return _BY_SUFFIX.get(inner.suffix, TEXT)


def compression_of(path: str | PurePath) -> str | None:
    """The compression that a name means: gzip, zstd or none."""
    return COMPRESSIONS.get(PurePath(path).suffix)


def display_name(path: str | PurePath) -> str:
    """The name in messages of a file or pipe to read."""
    return "standard input" if str(path) == PIPE else str(path)
