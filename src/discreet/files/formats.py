"""The table of suffixes: which format a file's name means, and what reads and writes it.

A new format is a line in `FORMATS` and a module beside this one that reads and writes it. Each may be compressed
according to the very end of the name (`COMPRESSIONS`), except Parquet, which is compressed inside. A name without a
suffix, and the pipe ``-``, means text lines; a suffix that is not in the table is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Protocol

from ..core.errors import InvalidInput
from . import json_lines, text_lines
from .columns import Entry
from .csv_records import CsvLines

PIPE = "-"
"""The name of standard input and output."""

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
"""The compression for each ending of a name."""


class TextForm(Protocol):
    """What a module such as `csv_lines` provides: columns read from lines of text and written as such lines.

    In what is written the reports are the first column. `InvalidInput` names the file and the malformed line.
    """

    def entries(self, lines: Iterator[str], column: str | None, name: str) -> Iterator[Entry]:
        """The entries of a column of values."""
        ...

    def rows(self, lines: Iterator[str], column: str | None, keep: Sequence[str], name: str) -> Iterator[list[Any]]:
        """The same entries, each followed by those of the columns to keep."""
        ...

    def reports(self, lines: Iterator[str], column: str | None, name: str) -> Iterator[str]:
        """The reports in a column, and the marks around them."""
        ...

    def labelled(self, lines: Iterator[str], column: str | None, keep: Sequence[str], name: str) -> Iterator[list[Any]]:
        """The same reports and marks, each followed by the entries of the columns to keep; None where one is empty."""
        ...

    def header(self, columns: Sequence[str]) -> str:
        """The text that a file begins with."""
        ...

    def mark(self, text: str, columns: Sequence[str]) -> str:
        """A mark as a line."""
        ...

    def written(self, columns: Mapping[str, Sequence[Any]]) -> str:
        """The rows of these columns as lines."""
        ...


@dataclass(frozen=True)
class Format:
    """A format: its name in messages, how file names end, and what reads and writes it.

    `text` reads and writes it as lines. `arrow` is the module beside this one that does so with pyarrow, which is
    loaded only then: it has `open_column` and, where `text` is None, `open_writer`. `spark` is Spark's own name
    for it. `delimiter` separates its columns. A format with neither `text` nor `arrow` holds no column read here.
    """

    title: str
    suffixes: tuple[str, ...]
    text: TextForm | None = None
    arrow: str | None = None
    spark: str | None = None
    delimiter: str | None = None
    compressed_inside: bool = False

    @property
    def arrow_only(self) -> bool:
        """True if only pyarrow reads and writes it."""
        return self.text is None and self.arrow is not None


TEXT = Format("text", ("", ".txt", ".text"), text=text_lines)
JSON = Format("JSON", (".json",), spark="json")  # a tally; for Spark, JSON lines
CSV = Format("CSV", (".csv",), text=CsvLines(","), arrow="arrow_csv", spark="csv", delimiter=",")
PARQUET = Format("Parquet", (".parquet", ".pq"), arrow="parquet", spark="parquet", compressed_inside=True)
IPC = Format("Arrow IPC", (".arrow", ".ipc", ".feather"), arrow="ipc")
FORMATS = (
    TEXT,
    CSV,
    Format("TSV", (".tsv",), text=CsvLines("\t"), arrow="arrow_csv", delimiter="\t"),
    Format("JSON lines", (".jsonl", ".ndjson"), text=json_lines, spark="json"),
    JSON,
    PARQUET,
    IPC,
    Format("ORC", (".orc",), spark="orc"),
)
"""Every format that is known by its name."""

_BY_SUFFIX = {suffix: format for format in FORMATS for suffix in format.suffixes}


def known_format(path: str | PurePath) -> Format | None:
    """The format that a name means, compressed or not; None if its suffix is none of the table's."""
    name = PurePath(path)
    inner = PurePath(name.stem) if name.suffix.lower() in COMPRESSIONS else name
    return _BY_SUFFIX.get(inner.suffix.lower())


def format_of(path: str | PurePath) -> Format:
    """The format that a name means, compressed or not; `InvalidInput` lists the suffixes there are."""
    found = known_format(path)
    if found is None:
        raise InvalidInput(f"{path}: the name must end in {_known()}")
    return found


def column_format(path: str | PurePath) -> Format:
    """The format of a file that holds a column of values or reports; `InvalidInput` if its name means another."""
    found = format_of(path)
    if found.text is None and found.arrow is None:
        raise InvalidInput(f"{path}: {found.title} holds no column that is read or written here; use {_known()}")
    return found


def _known() -> str:
    columns = [format for format in FORMATS if format.text or format.arrow]
    suffixes = [suffix for format in columns for suffix in format.suffixes if suffix]
    return f"{', '.join(suffixes)} or nothing (then {' or '.join(COMPRESSIONS)}, if it is compressed)"


def compression_of(path: str | PurePath) -> str | None:
    """The compression that a name means: gzip, zstd or none."""
    return COMPRESSIONS.get(PurePath(path).suffix.lower())


def display_name(path: str | PurePath) -> str:
    """The name in messages of a file or pipe to read."""
    return "standard input" if str(path) == PIPE else str(path)
