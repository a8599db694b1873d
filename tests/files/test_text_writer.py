"""Laws of text, CSV and JSON lines that are written: as the name says, all of it or nothing."""

import gzip
import json

import pytest

from discreet.files.text_reader import read_values
from discreet.files.text_writer import TextWriter

ENTRIES = [1, 25, "0a", "b,c", 'd"e']
WRITTEN = {
    "f.txt": '1\n25\n0a\nb,c\nd"e\n',
    "f.csv": 'report\n1\n25\n0a\n"b,c"\n"d""e"\n',
    "f.jsonl": "".join(json.dumps({"report": entry}) + "\n" for entry in ENTRIES),
}


def fail_halfway(path):
    with TextWriter(path) as writer:
        writer.write(ENTRIES)
        raise RuntimeError


@pytest.mark.parametrize(("name", "text"), WRITTEN.items(), ids=WRITTEN.keys())
class TestEntriesAreWritten:
    def test_as_the_name_says(self, name, text, tmp_path):
        with TextWriter(tmp_path / name) as writer:
            writer.write(ENTRIES[:2])
            writer.write(ENTRIES[2:])
        assert (tmp_path / name).read_text() == text
        assert [entry for chunk in read_values(tmp_path / name) for entry in chunk] == [str(e) for e in ENTRIES]

    def test_compressed_and_always_the_same(self, name, text, tmp_path):
        for folder in ("one", "two"):
            (tmp_path / folder).mkdir()
            with TextWriter(tmp_path / folder / f"{name}.gz") as writer:
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
    with TextWriter("-") as writer:
        writer.write([1, 2])
        assert capsys.readouterr().out == "1\n2\n"
        writer.write(["x"])
    assert capsys.readouterr().out == "x\n"
