"""Laws of text, CSV and JSON lines that are written: as the name says, all of it or nothing, and marked."""

import gzip
import json

import pytest

from discreet.core.errors import InvalidInput
from discreet.files.text_reader import TextWriter, read_columns

FINGERPRINT = "0123456789abcdef" * 4
OPEN, END = f"#discreet reports 1 {FINGERPRINT}", "#end 5"
ENTRIES = [1, 25, "0a", "b,c", 'd"e']
WRITTEN = {
    "f.txt": f'{OPEN}\n1\n25\n0a\nb,c\nd"e\n{END}\n',
    "f.csv": f'report\n{OPEN}\n1\n25\n0a\n"b,c"\n"d""e"\n{END}\n',
    "f.jsonl": "".join(
        json.dumps(line) + "\n"
        for line in (
            {"discreet": "reports", "version": 1, "fingerprint": FINGERPRINT},
            *({"report": entry} for entry in ENTRIES),
            {"discreet": "end", "reports": 5},
        )
    ),
}


def fail_halfway(path):
    with TextWriter(path, FINGERPRINT) as writer:
        writer.write(ENTRIES)
        raise RuntimeError


@pytest.mark.parametrize(("name", "text"), WRITTEN.items(), ids=WRITTEN.keys())
class TestEntriesAreWritten:
    def test_as_the_name_says(self, name, text, tmp_path):
        with TextWriter(tmp_path / name, FINGERPRINT) as writer:
            writer.write(ENTRIES[:2])
            writer.write(ENTRIES[2:])
        assert writer.count == 5
        assert (tmp_path / name).read_text() == text
        read = [entry for (chunk,) in read_columns(tmp_path / name, reports=True) for entry in chunk]
        assert read == [OPEN, *map(str, ENTRIES), END]

    def test_without_marks_if_there_is_no_fingerprint(self, name, text, tmp_path):
        with TextWriter(tmp_path / name, None) as writer:
            writer.write(ENTRIES)
        lines = text.splitlines(keepends=True)
        wanted = "".join(line for line in lines if "discreet" not in line and "#end" not in line)
        assert (tmp_path / name).read_text() == wanted

    def test_and_nothing_to_write_has_marks_too(self, name, text, tmp_path):
        with TextWriter(tmp_path / name, FINGERPRINT):
            pass
        assert [entry for (chunk,) in read_columns(tmp_path / name, reports=True) for entry in chunk] == [
            OPEN,
            "#end 0",
        ]

    def test_compressed_and_always_the_same(self, name, text, tmp_path):
        for folder in ("one", "two"):
            (tmp_path / folder).mkdir()
            with TextWriter(tmp_path / folder / f"{name}.gz", FINGERPRINT) as writer:
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


KEPT = {
    "f.csv": f'report,city,age\n{OPEN},,\n1,"a,b",\n2,,7\n3,c,true\n#end 3,,\n',
    "f.jsonl": (
        f'{{"discreet": "reports", "version": 1, "fingerprint": "{FINGERPRINT}"}}\n'
        '{"report": 1, "city": "a,b", "age": null}\n{"report": 2, "city": "", "age": 7}\n'
        '{"report": 3, "city": "c", "age": true}\n{"discreet": "end", "reports": 3}\n'
    ),
}


@pytest.mark.parametrize(("name", "text"), KEPT.items(), ids=KEPT.keys())
def test_columns_are_kept_beside_the_reports(name, text, tmp_path):
    with TextWriter(tmp_path / name, FINGERPRINT, keep=["city", "age"]) as writer:
        writer.write([1, 2, 3], [["a,b", "", "c"], [None, 7, True]])
    assert (tmp_path / name).read_text() == text
    read = [entry for (chunk,) in read_columns(tmp_path / name, reports=True) for entry in chunk]
    assert read == [OPEN, "1", "2", "3", "#end 3"]


def test_lines_of_text_have_no_place_for_other_columns(tmp_path):
    with pytest.raises(InvalidInput, match=r"f\.txt: text has one report per line; to keep columns write \.csv"):
        TextWriter(tmp_path / "f.txt", FINGERPRINT, keep=["city"])


def test_what_json_does_not_have_is_refused(tmp_path):
    with (
        pytest.raises(InvalidInput, match="JSON has no NaN"),
        TextWriter(tmp_path / "f.jsonl", None, keep=["x"]) as writer,
    ):
        writer.write([1], [[float("nan")]])
    assert list(tmp_path.iterdir()) == []


def test_standard_output_gets_every_chunk_at_once_and_the_end_when_all_went_well(capsys):
    with TextWriter("-", FINGERPRINT) as writer:
        assert capsys.readouterr().out == ""
        writer.write([1, 2])
        assert capsys.readouterr().out == f"{OPEN}\n1\n2\n"
        writer.write(["x"])
        assert capsys.readouterr().out == "x\n"
    assert capsys.readouterr().out == "#end 3\n"
    with pytest.raises(RuntimeError):
        fail_halfway("-")
    assert "#end" not in capsys.readouterr().out
