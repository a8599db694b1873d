from __future__ import annotations

import gzip
import io
import json
import os
import re
import stat
from types import SimpleNamespace

import pytest

from discreet.errors import InvalidInput
from discreet.files import text as files
from discreet.files.text import Writer, read_values, replacing

TEXT = b"a\nb c\n\n d\r\ne"
CSV = b'id,cell\n1,a\n2,"b,c"\n3,"d\ne"\n\n4,""\n'
JSONL = b'{"id": 1, "cell": "a"}\n{"id": 2, "cell": 7}\n\n{"cell": "\\u00e9", "id": 3}\n'

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
    "csv by its column": ("f.data", CSV, "cell", ["a", "b,c", "d\ne", ""]),
    "json lines": ("f.jsonl", JSONL, "cell", ["a", "7", "é"]),
    "json lines by another name": ("f.ndjson", JSONL, "id", ["1", "2", "3"]),
    "json lines by their column": ("f.log", JSONL, "cell", ["a", "7", "é"]),
    "json lines of one key": ("f.jsonl", b'{"report": 5}\n{"report": "0a"}\n', None, ["5", "0a"]),
    "json lines of entries": ("f.jsonl", b'"a"\n5\n', None, ["a", "5"]),
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
        monkeypatch.setattr(files, "CHUNK", 2)
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
    "a csv without a header": ("f.csv", b"", "a", "f.csv: is empty; CSV begins with a line of column names"),
    "no column chosen": ("f.csv", CSV, None, "f.csv: a column must be chosen; there are id, cell"),
    "an absent column": ("f.csv", CSV, "x", "f.csv: column 'x' is not there; the columns are id, cell"),
    "a column twice": ("f.csv", b"a,a\n", "a", "f.csv: column 'a' appears twice"),
    "a row too long": ("f.csv", b"a,b\n1,2\n1,2,3\n", "a", "f.csv, line 3: 3 fields; the header has 2"),
    "a row too short": ("f.csv", b"a,b\n1\n", "a", "f.csv, line 2: 1 fields; the header has 2"),
    "an open quote": ("f.csv", b'a\n"1\n', "a", "f.csv, line 2: this is not CSV"),
    "broken json": ("f.jsonl", b'"a"\n{"a": 1\n', None, "f.jsonl, line 2: this is not JSON"),
    "an absent key": ("f.jsonl", b'{"a": 1}\n{"b": 1}\n', "a", "f.jsonl, line 2: column 'a' is not there"),
    "no key chosen": ("f.jsonl", JSONL, None, "f.jsonl, line 1: a column must be chosen; there are id, cell"),
    "null": ("f.jsonl", b'{"a": null}\n', "a", "f.jsonl, line 1: null must be text or a whole number"),
    "a fraction": ("f.jsonl", b"1.5\n", None, "f.jsonl, line 1: 1.5 must be text or a whole number"),
    "a truth value": ("f.jsonl", b"true\n", None, "f.jsonl, line 1: true must be text or a whole number"),
    "a list": ("f.jsonl", b"[1]\n", None, "f.jsonl, line 1: [1] must be text or a whole number"),
    "no gzip": ("f.txt.gz", b"plain", None, "f.txt.gz: is not a whole gzip file"),
    "half a gzip": ("f.txt.gz", gzip.compress(b"a\n" * 9999)[:30], None, "f.txt.gz: is not a whole gzip file"),
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


ENTRIES = [1, 25, "0a", "b,c", 'd"e']
WRITTEN = {
    "f.txt": '1\n25\n0a\nb,c\nd"e\n',
    "f.csv": 'report\n1\n25\n0a\n"b,c"\n"d""e"\n',
    "f.jsonl": "".join(json.dumps({"report": entry}) + "\n" for entry in ENTRIES),
}


def fail_halfway(path):
    with Writer(path) as writer:
        writer.write(ENTRIES)
        raise RuntimeError


@pytest.mark.parametrize(("name", "text"), WRITTEN.items(), ids=WRITTEN.keys())
class TestEntriesAreWritten:
    def test_as_the_name_says(self, name, text, tmp_path):
        with Writer(tmp_path / name) as writer:
            writer.write(ENTRIES[:2])
            writer.write(ENTRIES[2:])
        assert (tmp_path / name).read_text() == text
        assert [entry for chunk in read_values(tmp_path / name) for entry in chunk] == [str(e) for e in ENTRIES]

    def test_compressed_and_always_the_same(self, name, text, tmp_path):
        for folder in ("one", "two"):
            (tmp_path / folder).mkdir()
            with Writer(tmp_path / folder / f"{name}.gz") as writer:
                writer.write(ENTRIES)
        one, two = ((tmp_path / folder / f"{name}.gz").read_bytes() for folder in ("one", "two"))
        assert one == two
        assert gzip.decompress(one).decode() == text

    def test_not_at_all_when_something_fails(self, name, text, tmp_path):
        for file in (name, f"{name}.gz"):
            (tmp_path / file).write_bytes(b"before")
            with pytest.raises(RuntimeError):
                fail_halfway(tmp_path / file)
            assert (tmp_path / file).read_bytes() == b"before"
            (tmp_path / file).unlink()
            with pytest.raises(RuntimeError):
                fail_halfway(tmp_path / file)
        assert list(tmp_path.iterdir()) == []


def test_standard_output_gets_every_chunk_at_once(capsys):
    with Writer("-") as writer:
        writer.write([1, 2])
        assert capsys.readouterr().out == "1\n2\n"
        writer.write(["x"])
    assert capsys.readouterr().out == "x\n"


def test_nothing_stands_under_the_name_before_the_end(tmp_path):
    with replacing(tmp_path / "f") as file:
        file.write(b"half")
        file.flush()
        assert not (tmp_path / "f").exists()
        assert len(list(tmp_path.iterdir())) == 1  # the control: it is being written beside it
    assert (tmp_path / "f").read_bytes() == b"half"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_failing_rename_leaves_no_trace(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space left"), replacing(tmp_path / "f") as file:
        file.write(b"x")
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link_and_a_mode_stays(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    with replacing(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o640


def test_a_device_is_written_and_not_replaced():
    before = os.stat("/dev/null").st_mode
    with replacing("/dev/null") as file:
        file.write(b"x")
    assert os.stat("/dev/null").st_mode == before
    assert stat.S_ISCHR(before)


def test_an_impossible_place_is_named_as_given(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, replacing(tmp_path / "none" / "f"):
        pass
    assert caught.value.filename == str(tmp_path / "none" / "f")
    with pytest.raises(IsADirectoryError), replacing(tmp_path):
        pass
