"""Laws of names: each says one format and one compression, and everything asks the same table."""

from importlib import import_module
from pathlib import Path

import pytest

from discreet.core.errors import InvalidInput
from discreet.files.formats import (
    COMPRESSIONS,
    FORMATS,
    JSON,
    TEXT,
    column_format,
    compression_of,
    display_name,
    format_of,
    known_format,
)

TITLES = {
    "a.csv": "CSV",
    "b.c/x.jsonl": "JSON lines",
    "x.ndjson.gz": "JSON lines",
    "a.json": "JSON",
    "a.parquet": "Parquet",
    "a.csv.pq": "Parquet",
    "x.arrow": "Arrow IPC",
    "x.ipc.gz": "Arrow IPC",
    "x.feather.zst": "Arrow IPC",
    "x.orc": "ORC",
    "a.parquet.csv": "CSV",
    "folder/records.csv/": "CSV",
    "s3://bucket.example/records.csv": "CSV",
    "-": "text",
    "parquet": "text",
    ".csv": "text",
    "a.txt": "text",
    "a.text.zst": "text",
    "a.CSV": "CSV",
    "a.tsv.GZ": "TSV",
    "a.gz": "text",
}


@pytest.mark.parametrize(("name", "title"), TITLES.items())
def test_the_end_of_a_name_says_the_format(name, title):
    assert format_of(name).title == title
    assert format_of(Path(name)) is format_of(name)


@pytest.mark.parametrize(
    ("name", "method"), [("a.csv.gz", "gzip"), ("a.zst", "zstd"), ("a.csv", None), ("a.gz.csv", None), ("-", None)]
)
def test_the_very_end_says_the_compression(name, method):
    assert compression_of(name) == method


def test_no_suffix_says_two_things():
    suffixes = [suffix for format in FORMATS for suffix in format.suffixes] + list(COMPRESSIONS)
    assert len(suffixes) == len(set(suffixes))
    assert format_of("anything") is TEXT
    assert format_of("tally.json") is JSON


@pytest.mark.parametrize("name", ["answers.xlsx", "data.txt2", "a.csv.bak", "a.bak.gz", "a.dat"])
def test_an_unknown_suffix_is_refused_with_the_list_of_known_ones(name):
    assert known_format(name) is None
    with pytest.raises(InvalidInput, match=rf"{name}: the name must end in \.txt, .*\.csv, .*\.parquet.* or nothing"):
        format_of(name)


@pytest.mark.parametrize("name", ["a.json", "a.orc", "a.json.gz"])
def test_a_format_without_a_column_holds_neither_values_nor_reports(name):
    with pytest.raises(InvalidInput, match=rf"{name}: .* holds no column .*; use \.txt, "):
        column_format(name)
    assert column_format("a.csv") is format_of("a.csv")  # the control


@pytest.mark.parametrize("format", [format for format in FORMATS if format.arrow], ids=lambda format: format.title)
def test_what_pyarrow_reads_has_a_file_that_does_it(format):
    pytest.importorskip("pyarrow")
    form = import_module(f"discreet.files.{format.arrow}")
    assert callable(form.open_column)
    assert hasattr(form, "open_writer") is format.arrow_only


def test_a_pipe_has_a_name_for_people():
    assert display_name("-") == "standard input"
    assert display_name(Path("a.csv")) == "a.csv"
