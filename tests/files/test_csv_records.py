"""CSV means one thing: read line by line or by pyarrow in blocks, a file gives the same entries or none."""

import csv
import io

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from discreet.core.errors import InvalidInput
from discreet.files.csv_records import read_header

pytest.importorskip("pyarrow")

from discreet.files import arrow_csv
from discreet.files.arrow import open_column
from discreet.files.sources import source_of
from discreet.files.text_reader import read_values

PARTS = ["a", "b", "é", ",", ";", '"', '""', '"x"', "\n", "\r\n", "\r", " ", "\ufeff", "\u2028", "7,8", "\n\n", '"\n"']
CONTENT = st.lists(st.sampled_from(PARTS), max_size=25).map("".join)


def by_lines(source, column):
    return [entry for chunk in read_values(source, column) for entry in chunk]


def by_blocks(source, column):
    pieces = list(open_column(source, column).pieces())
    found = [piece.load().to_pylist() for piece in pieces]
    assert [len(part) for part in found] == [piece.rows for piece in pieces]
    return [entry for part in found for entry in part]


def outcome(read, source, column):
    """The entries, or that they are refused; nothing is said of records that are longer than a block."""
    try:
        return read(source, column)
    except InvalidInput as problem:
        refusal = str(problem)
    assume("longer" not in refusal)
    return "refused"


@settings(max_examples=500, deadline=None)
@given(
    CONTENT,
    st.sampled_from(["k", "k,v", '"k",v', "\ufeffk,v"]),
    st.sampled_from([(",", "\n"), (";", "\r\n"), ("\t", "\r")]),
    st.sampled_from([(40, 1 << 17), (4096, 8), (4096, 1 << 17)]),
)
@example("a\n\nb\n", "k", (",", "\n"), (40, 8))
@example("a,b\n\n", "k,v", (",", "\n"), (40, 8))
@example("", "k", (",", "\n"), (40, 8))
@example('x"y\n', "k", (",", "\n"), (4096, 8))
@example('"x"y\n', "k", (",", "\n"), (4096, 8))
@example('"x', "k", (",", "\n"), (4096, 8))
@example("a\rb\r\rc", "k", (",", "\r"), (4096, 8))
@example('a,"' + "x\n" * 40 + '"\nb,c\n', "k,v", (",", "\n"), (4096, 8))
@example("abc\n" * 9 + "\ufeff\n" * 9, "k", (",", "\n"), (40, 1 << 17))
def test_both_ways_give_the_same_entries_or_both_refuse(tmp_path_factory, content, header, marks, sizes):
    path = tmp_path_factory.mktemp("csv") / "f.csv"
    delimiter, end = marks
    path.write_text(f"{header}{end}{content}".replace(",", delimiter), encoding="utf-8", newline="")
    source = source_of(path, delimiter=delimiter)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow_csv, "BLOCK", sizes[0])
        patch.setattr(arrow_csv, "SLAB", sizes[1])
        for column in ("k", "v"):
            assert outcome(by_lines, source, column) == outcome(by_blocks, source, column)


@pytest.mark.parametrize("content", [b"k,v\n1,\xff\n", b"k,v\n1,\xc3", b"\xff\xfek\x00", b"k\n\x80\n"])
def test_what_is_not_utf8_is_refused_both_ways(tmp_path, content):
    (tmp_path / "f.csv").write_bytes(content)
    for read in (by_lines, by_blocks):
        with pytest.raises(InvalidInput, match=r"f\.csv: must be UTF-8 text"):
            read(tmp_path / "f.csv", "k")


def test_a_header_without_a_line_break_is_a_file_without_rows(tmp_path):
    (tmp_path / "f.csv").write_bytes(b"k")
    assert by_lines(tmp_path / "f.csv", "k") == by_blocks(tmp_path / "f.csv", "k") == []


def test_people_whom_a_stray_quote_would_swallow_are_not_lost(tmp_path):
    """The control: Python's own reader, and pyarrow's, make one record of these three."""
    text = 'id,note,place\n1,"a note,x\n2,fine,y\n3,"b",z\n'
    assert list(csv.reader(io.StringIO(text)))[1:] == [["1", 'a note,x\n2,fine,y\n3,b"', "z"]]
    (tmp_path / "f.csv").write_text(text)
    for read in (by_lines, by_blocks):
        with pytest.raises(InvalidInput, match=r"f\.csv, line 4: this is not CSV: a quote must begin or end a field"):
            read(tmp_path / "f.csv", "place")


def test_the_line_of_a_misplaced_quote_is_named_far_into_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(arrow_csv, "SLAB", 100)
    monkeypatch.setattr(arrow_csv, "BLOCK", 1000)
    (tmp_path / "f.csv").write_text("k,v\n" + '1,"2"\n' * 997 + '1,2"\n' + "1,2\n" * 9)
    for read in (by_lines, by_blocks):
        with pytest.raises(InvalidInput, match=r"f\.csv, line 999: "):
            read(tmp_path / "f.csv", "k")


@pytest.mark.parametrize(("content", "line"), [("k,v\n1,2\nsecret\n", 3), ('k,v\n"1\n1",2\nsecret,2,3\n', 4)])
def test_a_record_of_another_length_is_named_and_not_shown(tmp_path, content, line):
    (tmp_path / "f.csv").write_text(content)
    with pytest.raises(InvalidInput, match=rf"f\.csv, line {line}: \d fields; the header has 2") as by_line:
        by_lines(tmp_path / "f.csv", "k")
    with pytest.raises(InvalidInput, match=r"f\.csv, row 2: \d fields; the header has 2") as by_block:
        by_blocks(tmp_path / "f.csv", "k")
    assert "secret" not in f"{by_line.value}{by_block.value}"


def test_a_record_longer_than_a_block_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(arrow_csv, "BLOCK", 100)
    (tmp_path / "f.csv").write_text('k\n"' + "x\n" * 200 + '"\n')
    with pytest.raises(InvalidInput, match="a record is longer than 100 bytes"):
        by_blocks(tmp_path / "f.csv", "k")


def test_the_header_and_the_records_are_given():
    names, records = read_header(iter(["a;b\n", "1;2\n", "\n", '"3";";"\n']), "f", ";")
    assert names == ["a", "b"]
    assert list(records) == [["1", "2"], ["", ""], ["3", ";"]]
