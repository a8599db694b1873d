"""CSV read by pyarrow gives the texts of CSV read line by line, and is held to the same rules."""

import csv
import gzip

import pytest

from discreet.core.errors import InvalidInput
from discreet.files.text_reader import read_values

pytest.importorskip("pyarrow")

from discreet.files import arrow_csv
from discreet.files.arrow import open_column

ODD = ["plain", "with, comma", 'with "quotes"', "two\nlines", " spaces ", "", "NA", "null", "007", "7", "é", "-"]


def csv_file(path, rows, columns=("id", "place")):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return str(path)


def texts_in(column):
    return [text for piece in column.pieces() for text in piece.load().to_pylist()]


@pytest.mark.parametrize("name", ["f.csv", "f.csv.gz"])
def test_the_texts_are_those_of_the_lines(tmp_path, monkeypatch, name):
    monkeypatch.setattr(arrow_csv, "BLOCK", 1000)
    file = csv_file(tmp_path / name, [(i, ODD[i % len(ODD)]) for i in range(500)])
    column = open_column(file, "place")
    assert (column.field.name, column.rows) == ("place", None)
    assert len(list(column.pieces())) > 1
    assert texts_in(column) == [text for chunk in read_values(file, "place") for text in chunk]


def test_the_only_column_needs_no_name(tmp_path):
    assert texts_in(open_column(csv_file(tmp_path / "f.csv", [["a"], ["b"]], ["place"]))) == ["a", "b"]


@pytest.mark.parametrize(
    ("rows", "columns", "asked", "said"),
    [
        (
            [(1, "a")],
            ("id", "place"),
            None,
            "a column must be chosen, by column=NAME or --column NAME; there are 2 columns",
        ),
        ([(1, "a")], ("id", "place"), "c", "column 'c' is missing; there are 2 columns"),
        ([(1, "a")], ("id", "id"), "id", "column 'id' appears twice"),
        ([(1, "a"), (2, "b", "c")], ("id", "place"), "place", "3 fields; the header has 2"),
    ],
)
def test_what_is_wrong_is_said_as_for_lines(tmp_path, rows, columns, asked, said):
    file = csv_file(tmp_path / "f.csv", rows, columns)
    with pytest.raises(InvalidInput, match=f"f.csv(, row 2)?: {said}"):
        texts_in(open_column(file, asked))


def test_columns_are_kept_beside_the_one_that_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(arrow_csv, "BLOCK", 1000)
    file = csv_file(tmp_path / "f.csv", [(i, ODD[i % len(ODD)], -i) for i in range(500)], ("id", "place", "other"))
    column = open_column(file, "place", keep=["other", "id"])
    kept = [piece.kept() for piece in column.pieces()]
    assert [field.name for field in column.keep] == ["other", "id"]
    assert [text for part in kept for text in part[0].to_pylist()] == [str(-i) for i in range(500)]
    assert [text for part in kept for text in part[1].to_pylist()] == [str(i) for i in range(500)]
    assert texts_in(column) == [ODD[i % len(ODD)] for i in range(500)]


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_column(tmp_path / "none.csv")
