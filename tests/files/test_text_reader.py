"""Laws of text, CSV and JSON lines that are read: the same entries from a file, a pipe or compressed."""

import gzip
import io
import re
from types import SimpleNamespace

import pytest

from discreet.core.errors import InvalidInput
from discreet.files import text_reader
from discreet.files.text_reader import read_values

TEXT = b"a\nb c\n\n d\r\ne"
CSV = b'id,cell\n1,a\n2,"b,c"\n3,"d\ne"\n4,""\n'
JSONL = b'{"id": 1, "cell": "a"}\n{"id": 2, "cell": 7}\n{"cell": "\\u00e9", "id": 3}\n\n \n'

READABLE = {
    "text": ("f.txt", TEXT, None, ["a", "b c", "", " d", "e"]),
    "text of any name": ("f", TEXT, None, ["a", "b c", "", " d", "e"]),
    "text with a mark": ("f.txt", b"\xef\xbb\xbfa\n", None, ["a"]),
    "an empty file": ("f.txt", b"", None, []),
    "csv": ("f.csv", CSV, "cell", ["a", "b,c", "d\ne", ""]),
    "csv, another column": ("f.csv", CSV, "id", ["1", "2", "3", "4"]),
    "csv of one column": ("f.csv", b"report\n5\n6\n", None, ["5", "6"]),
    "csv with a mark": ("f.csv", b"\xef\xbb\xbfcell\r\na\r\n", "cell", ["a"]),
    "csv of no rows": ("f.csv", b"cell\n", None, []),
    "csv by its column": ("f.txt", CSV, "cell", ["a", "b,c", "d\ne", ""]),
    "json lines": ("f.jsonl", JSONL, "cell", ["a", "7", "é"]),
    "json lines by another name": ("f.ndjson", JSONL, "id", ["1", "2", "3"]),
    "json lines by their column": ("f", JSONL, "cell", ["a", "7", "é"]),
    "json lines of one key": ("f.jsonl", b'{"report": 5}\n{"report": "0a"}\n', None, ["5", "0a"]),
    "json lines of entries": ("f.jsonl", b'"a"\n5\nnull\ntrue\n', None, ["a", "5", None, True]),
    "a key null or absent": ("f.jsonl", b'{"a": 1}\n{"a": null}\n{}\n{"b": 2}\n', "a", ["1", None, None, None]),
    "only one key, absent later": ("f.jsonl", b'{"a": 1}\n{"b": 2}\n{}\n', None, ["1", None, None]),
    "a key inside another": (
        "f.jsonl",
        b'{"u": {"a": 1}}\n{"u": {}}\n{"u": null}\n{}\n',
        "u.a",
        ["1", None, None, None],
    ),
    "a key with a dot comes first": ("f.jsonl", b'{"u": {"a": 1}, "u.a": 2}\n{"u": {"a": 3}}\n', "u.a", ["2", "3"]),
    "tsv": ("f.tsv", b'id\tcell\n1\ta,b\n2\t"c\td"\n', "cell", ["a,b", "c\td"]),
    "blank lines in one column": ("f.csv", b"cell\na\n\nb\n\n", None, ["a", "", "b", ""]),
    "blank lines in two columns": ("f.csv", b"id,cell\n1,a\n\n2,b\n", "cell", ["a", "", "b"]),
    "csv with quoted names and line breaks": ("f.csv", b'"i\r\nd","cell"\r\n"1\r\n2",a\r\n', "cell", ["a"]),
}


@pytest.mark.parametrize(("name", "data", "column", "entries"), READABLE.values(), ids=READABLE.keys())
class TestEntriesAreRead:
    def test_from_a_file(self, name, data, column, entries, tmp_path):
        (tmp_path / name).write_bytes(data)
        assert [entry for chunk in read_values(tmp_path / name, column) for entry in chunk] == entries

    def test_from_a_compressed_file(self, name, data, column, entries, tmp_path):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
        assert [entry for chunk in read_values(tmp_path / f"{name}.gz", column) for entry in chunk] == entries

    def test_a_few_at_a_time(self, name, data, column, entries, tmp_path, monkeypatch):
        monkeypatch.setattr(text_reader, "CHUNK", 2)
        (tmp_path / name).write_bytes(data)
        chunks = list(read_values(tmp_path / name, column))
        assert [entry for chunk in chunks for entry in chunk] == entries
        assert all(len(chunk) == 2 for chunk in chunks[:-1])


@pytest.mark.parametrize(
    ("data", "column", "entries"),
    [(b"a\nb\n", None, ["a", "b"]), (CSV, "id", ["1", "2", "3", "4"]), (JSONL, "cell", ["a", "7", "é"])],
    ids=["text", "csv", "json lines"],
)
def test_a_pipe_is_read_and_left_open(data, column, entries, monkeypatch):
    stream = io.BytesIO(data)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stream))
    assert [entry for chunk in read_values("-", column) for entry in chunk] == entries
    assert not stream.closed


UNREADABLE = {
    "not text": ("f.txt", b"a\n\xff\n", None, "f.txt: must be UTF-8 text"),
    "a csv without a header": ("f.csv", b"", "a", "f.csv: CSV must begin with a line of column names"),
    "no column chosen": (
        "f.csv",
        CSV,
        None,
        "f.csv: a column must be chosen, by column=NAME or --column NAME; there are 2 columns",
    ),
    "an absent column": ("f.csv", CSV, "x", "f.csv: column 'x' is missing; there are 2 columns"),
    "a column twice": ("f.csv", b"a,a\n", "a", "f.csv: column 'a' appears twice"),
    "a row too long": ("f.csv", b"a,b\n1,2\n1,2,3\n", "a", "f.csv, line 3: 3 fields; the header has 2"),
    "a row too short": ("f.csv", b"a,b\n1\n", "a", "f.csv, line 2: 1 fields; the header has 2"),
    "an open quote": ("f.csv", b'a\n"1\n', "a", "f.csv, line 2: this is not CSV"),
    "broken json": ("f.jsonl", b'"a"\n{"a": 1\n', None, "f.jsonl, line 2: this is not JSON"),
    "text behind a quote": (
        "f.csv",
        b'a,b\n1,"x"y\n',
        "a",
        "f.csv, line 2: this is not CSV: a quote must begin or end",
    ),
    "a quote inside": ("f.csv", b'a,b\n1,x"y"\n', "a", "f.csv, line 2: this is not CSV: a quote must"),
    "a quote that swallows": ("f.csv", b'a,b\n1,"x\n2,y\n3,"z"\n', "a", "f.csv, line 4: this is not CSV: a quote must"),
    "a blank first line": ("f.csv", b"\na\n1\n", None, "f.csv: CSV must begin with a line of column names"),
    "utf-16": ("f.csv", "a,b\n".encode("utf-16"), "a", "f.csv: must be UTF-8 text, not UTF-16"),
    "utf-16 without a mark": ("f.txt", "a\n".encode("utf-16-le"), None, "f.txt: must be UTF-8 text; it has zero bytes"),
    "an absent key": ("f.jsonl", b'{"b": 1}\n{"b": 1}\n', "a", "f.jsonl, line 1 and all others: column 'a' is missing"),
    "a blank line": ("f.jsonl", b'{"a": 1}\n\n{"a": 1}\n', "a", "f.jsonl, line 2: is blank"),
    "a key twice": ("f.jsonl", b'{"a": 1, "a": 2}\n', "a", "f.jsonl, line 1: a key appears twice"),
    "no number": ("f.jsonl", b'{"a": 1, "b": NaN}\n', "a", "f.jsonl, line 1: NaN is not a JSON number"),
    "no finite number": ("f.jsonl", b'{"a": -Infinity}\n', "a", "f.jsonl, line 1: -Infinity is not a JSON number"),
    "an entry among objects": ("f.jsonl", b'{"a": 1}\n5\n', "a", "f.jsonl, line 2: must be an object"),
    "an entry where a key is asked": ("f.jsonl", b"5\n", "a", "f.jsonl, line 1: must be an object"),
    "an object among entries": ("f.jsonl", b'5\n{"a": 1}\n', None, "f.jsonl, line 2: must be a plain entry"),
    "a key inside an entry": ("f.jsonl", b'{"u": 5}\n', "u.a", "f.jsonl, line 1: 'u' must be an object"),
    "no key chosen": (
        "f.jsonl",
        JSONL,
        None,
        "f.jsonl, line 1: a column must be chosen, by column=NAME or --column NAME; there are 2 columns",
    ),
    "a suffix": ("f.xlsx", b"a\n", None, "f.xlsx: the name must end in .txt, "),
    "a tally": ("f.json", b"{}", None, "f.json: JSON holds no column"),
    "Parquet as text": ("f.parquet", b"PAR1", None, "f.parquet: Parquet cannot be read as text"),
    "no gzip": ("f.txt.gz", b"plain", None, "f.txt.gz: is not a complete gzip file"),
    "half a gzip": ("f.txt.gz", gzip.compress(b"a\n" * 9999)[:30], None, "f.txt.gz: is not a complete gzip file"),
}


@pytest.mark.parametrize(("name", "data", "column", "message"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_it_is_refused_by_its_place(name, data, column, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InvalidInput, match=re.escape(message)):
        list(read_values(name, column))


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        list(read_values(tmp_path / "none.txt"))


@pytest.mark.parametrize("name", ["r.txt", "r.csv.gz", "r.txt.gz"])
def test_a_line_without_end_is_refused_before_it_is_read(name, tmp_path, monkeypatch):
    """A packed file of a few kilobytes may hold a line of gigabytes: what was unpacked of it stays small."""
    path, unpacked = tmp_path / name, []
    content = b"report\n" + b"1" * (1 << 25)
    path.write_bytes(gzip.compress(content, 1) if name.endswith("gz") else content)
    read1 = text_reader._BoundedLines.read1
    counted = lambda self, size=-1: unpacked.append(len(part := read1(self, size))) or part  # noqa: E731
    monkeypatch.setattr(text_reader._BoundedLines, "read1", counted)
    with pytest.raises(InvalidInput, match=rf"{name}: a line must have at most {text_reader.MAX_LINE_BYTES} bytes"):
        list(read_values(path))
    assert sum(unpacked) <= 2 * text_reader.MAX_LINE_BYTES


def test_lines_are_counted_one_by_one(tmp_path, monkeypatch):
    monkeypatch.setattr(text_reader, "MAX_LINE_BYTES", 9)
    (tmp_path / "r.txt").write_bytes(b"12345678\n" * 5000 + b"1234567\r\n" * 5000 + b"123456789")
    assert sum(len(entries) for entries in read_values(tmp_path / "r.txt")) == 10_001
