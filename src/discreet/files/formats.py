"""The one table of suffixes: which format the name of a file says, and what reads and writes it.

A new format is a line in `FORMATS` and a file beside this one that reads and writes it. Each may be compressed
as the very end of the name says (`COMPRESSIONS`), but for Parquet, which is so inside. Any other name, and the
pipe ``-``, is text lines.
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
"""The compression that the end of a name says."""


class TextForm(Protocol):
    """What a file such as `csv_lines` holds: a column of text entries read from lines, and written as lines."""

    def entries(self, lines: Iterator[str], column: str | None, name: str) -> Iterator[str]:
        """The entries of the column; `InvalidInput` names the file and the line that is broken."""
        ...

    def header(self, column: str) -> str:
        """What a file begins with."""
        ...

    def written(self, entries: Iterable[int | str], column: str) -> str:
        """The lines of these entries."""
        ...


@dataclass(frozen=True)
class Format:
    """A format: what messages call it, how names end, and what reads and writes it.

    `text` reads and writes it as lines. `arrow` is the file beside this one that does so by pyarrow, which is
    loaded only then: it has `open_column` and, where `text` is None, `open_writer`. `spark` is Spark's own name
    of it. What has neither `text` nor `arrow` is read here as text lines.
    """

    title: str
    suffixes: tuple[str, ...]
    text: TextForm | None = None
    arrow: str | None = None
    spark: str | None = None
    compressed_inside: bool = False

    @property
    def arrow_only(self) -> bool:
        """True if nothing but pyarrow reads and writes it."""
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
    """The format that a name says, compressed or not."""
    name = PurePath(path)
    inner = PurePath(name.stem) if name.suffix in COMPRESSIONS else name
    return _BY_SUFFIX.get(inner.suffix, TEXT)


def compression_of(path: str | PurePath) -> str | None:
    """The compression that a name says: gzip, zstd or none."""
    return COMPRESSIONS.get(PurePath(path).suffix)


def shown(path: str | PurePath) -> str:
    """What messages call a file or pipe to read."""
    return "standard input" if str(path) == PIPE else str(path)
