"""The table of suffixes: which format a file's name means, and what reads and writes it.

A new format is a line in `FORMATS` and, beside this module, a class like `TextLines` or a module with `open_column`.
Each may be compressed according to the very end of the name (`COMPRESSIONS`), except Parquet, which is compressed
inside. A name without a suffix, and the pipe ``-``, means text lines; a suffix that is not in the table is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from ..core.errors import InvalidInput
from .columns import TextLines
from .csv_records import CsvLines
from .json_lines import JsonLines

PIPE = "-"
"""The name of standard input and output."""

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
"""The compression for each ending of a name."""


@dataclass(frozen=True)
class Format:
    """A format: its name in messages, how file names end, and what reads and writes it.

    `text` reads and writes it as lines. `arrow` is the module beside this one that does so with pyarrow, which is
    loaded only then: it has `open_column` and, where `text` is None, `open_writer`. `spark` is Spark's own name
    for it. `delimiter` separates its columns. A format with neither `text` nor `arrow` holds no column read here.
    """

    title: str
    suffixes: tuple[str, ...]
    text: TextLines | None = None
    arrow: str | None = None
    spark: str | None = None
    delimiter: str | None = None
    compressed_inside: bool = False

    @property
    def arrow_only(self) -> bool:
        """True if only pyarrow reads and writes it."""
        return self.text is None and self.arrow is not None


TEXT = Format("text", ("", ".txt", ".text"), text=TextLines())
JSON = Format("JSON", (".json",), spark="json")  # a tally; for Spark, JSON lines
CSV = Format("CSV", (".csv",), text=CsvLines(","), arrow="arrow_csv", spark="csv", delimiter=",")
PARQUET = Format("Parquet", (".parquet", ".pq"), arrow="parquet", spark="parquet", compressed_inside=True)
IPC = Format("Arrow IPC", (".arrow", ".ipc", ".feather"), arrow="ipc")
FORMATS = (
    TEXT,
    CSV,
    Format("TSV", (".tsv",), text=CsvLines("\t"), arrow="arrow_csv", delimiter="\t"),
    Format("JSON lines", (".jsonl", ".ndjson"), text=JsonLines(), spark="json"),
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
    format = known_format(path)
    if format is None:
        raise InvalidInput(f"{path}: the name must end in {_known()}")
    return format


def column_format(path: str | PurePath) -> Format:
    """The format of a file that holds a column of values or reports; `InvalidInput` if its name means another."""
    format = format_of(path)
    if format.text is None and format.arrow is None:
        raise InvalidInput(f"{path}: {format.title} holds no column that is read or written here; use {_known()}")
    return format


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
