"""Workbooks from somebody else: what they ask for is counted before it is done, and refused in one line."""

from __future__ import annotations

import sys
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

import discreet as dc
from discreet.core.errors import BeyondLimits, DiscreetError, InvalidInput, MissingExtra
from discreet.questionnaires.xlsform import workbook

from .books import YES_NO, book

SURVEY = [["type", "name", "label"], ["select_one yn", "a", "A?"]]


@pytest.fixture
def good(tmp_path):
    return book(tmp_path / "good.xlsx", SURVEY, YES_NO)


def with_parts(path, tmp_path, **parts):
    """The workbook with other contents of some parts, by the end of their names; None leaves one out."""
    other = tmp_path / "other.xlsx"
    with ZipFile(path) as source, ZipFile(other, "w", ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            for end, given in parts.items():
                if name.endswith(end.replace("_xml", ".xml")):
                    content = given(content) if callable(given) else given
            if content is not None:
                target.writestr(name, content)
    return other


def test_the_control_is_read(good, tmp_path):
    assert dc.read_xlsform(good, epsilon=1).questionnaire.texts.questions[""].question == "A?"
    assert dc.read_xlsform(with_parts(good, tmp_path), epsilon=1).lost == []


def test_a_workbook_that_unpacks_to_gigabytes_is_refused_unread(good, tmp_path):
    bomb = with_parts(good, tmp_path, sheet1_xml=b" " * (workbook.MAX_UNPACKED + 1))
    assert bomb.stat().st_size < 100_000
    with pytest.raises(BeyondLimits, match=r"other.xlsx: a workbook of .* bytes inside must have at most"):
        dc.read_xlsform(bomb, epsilon=1)


def test_a_workbook_of_many_files_is_refused_unread(tmp_path):
    with ZipFile(tmp_path / "many.xlsx", "w") as target:
        for number in range(workbook.MAX_PARTS + 1):
            target.writestr(str(number), b"")
    with pytest.raises(BeyondLimits, match="a workbook of 2001 files inside must have at most 2000"):
        dc.read_xlsform(tmp_path / "many.xlsx", epsilon=1)


def test_a_workbook_of_many_tags_is_refused_unparsed(good, tmp_path):
    many = with_parts(good, tmp_path, sheet1_xml=lambda part: part + b"<c/>" * (workbook.MAX_TAGS + 1))
    with pytest.raises(BeyondLimits, match="more than 2000000 tags is too large"):
        dc.read_xlsform(many, epsilon=1)


LAUGHS = b'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><w>&b;</w>'


@pytest.mark.parametrize("part", [LAUGHS, LAUGHS.decode().encode("utf-16")], ids=["utf-8", "utf-16"])
def test_entities_are_refused_in_every_part(good, tmp_path, part):
    with pytest.raises(InvalidInput, match="must not declare a document type or entities"):
        dc.read_xlsform(with_parts(good, tmp_path, workbook_xml=part), epsilon=1)


def test_a_sheet_of_many_rows_is_refused(tmp_path, monkeypatch):
    path = book(tmp_path / "rows.xlsx", [*SURVEY, *([["x"]] * 50)], YES_NO)
    monkeypatch.setattr(workbook, "MAX_ROWS", 20)
    with pytest.raises(BeyondLimits, match=r"rows.xlsx: sheet 'survey' must have at most 20 rows"):
        dc.read_xlsform(path, epsilon=1)


def test_a_row_far_below_costs_no_more_than_the_limit(good, tmp_path):
    far = with_parts(good, tmp_path, sheet1_xml=lambda part: part.replace(b'r="2"', b'r="1048576"'))
    with pytest.raises(BeyondLimits, match="must have at most 20000 rows"):
        dc.read_xlsform(far, epsilon=1)


def test_cells_far_to_the_right_are_counted_with_the_empty_ones_before_them(good, tmp_path):
    rows = b"".join(b'<row r="%d"><c r="XFD%d"/></row>' % (number, number) for number in range(3, 400))
    far = with_parts(good, tmp_path, sheet1_xml=lambda part: part.replace(b"</sheetData>", rows + b"</sheetData>"))
    with pytest.raises(BeyondLimits, match="must have at most 4000000 cells"):
        dc.read_xlsform(far, epsilon=1)


def test_a_sheet_of_many_columns_is_refused(tmp_path):
    path = book(tmp_path / "wide.xlsx", [["type", "name", *[f"c{n}" for n in range(500)]]], YES_NO)
    with pytest.raises(BeyondLimits, match="sheet 'survey', row 1 must have at most 400 columns"):
        dc.read_xlsform(path, epsilon=1)


def test_wrong_dimensions_are_not_believed(good, tmp_path):
    def lie(part):
        assert b"<dimension" in part
        return part.replace(b'<dimension ref="A1:C2"', b'<dimension ref="A1:XFD1048576"')

    assert dc.read_xlsform(with_parts(good, tmp_path, sheet1_xml=lie), epsilon=1).lost == []


DAMAGED = {
    "no zip": b"PK\x03\x04 and nothing more",
    "a protected workbook": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
    "nothing": b"",
    "another zip": None,
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED.keys())
def test_what_is_no_workbook_is_refused_in_one_line(tmp_path, content):
    if content is None:
        written = BytesIO()
        with ZipFile(written, "w") as target:
            target.writestr("a.txt", "hello")
        content = written.getvalue()
    (tmp_path / "form.xlsx").write_bytes(content)
    with pytest.raises(InvalidInput, match=r"form.xlsx: this is not a workbook") as caught:
        dc.read_xlsform(tmp_path / "form.xlsx", epsilon=1)
    assert "\n" not in str(caught.value)


def test_every_cut_and_many_flipped_bytes_are_read_or_refused(good, tmp_path):
    content = good.read_bytes()
    changed = [content[:length] for length in range(0, len(content), 97)]
    changed += [
        content[:place] + bytes([content[place] ^ 0x41]) + content[place + 1 :] for place in range(0, len(content), 53)
    ]
    outcomes = set()
    for number, other in enumerate(changed):
        path = tmp_path / f"{number}.xlsx"
        path.write_bytes(other)
        try:
            dc.read_xlsform(path, epsilon=1)
            outcomes.add("read")
        except DiscreetError:
            outcomes.add("refused")
    assert "refused" in outcomes


@pytest.mark.parametrize("name", ["form.xls", "form.ods", "form.csv", "form"])
def test_another_kind_of_file_is_named(tmp_path, name):
    with pytest.raises(InvalidInput, match=r"an XLSForm must be an .xlsx file; save others, such as .xls, as .xlsx"):
        dc.read_xlsform(tmp_path / name)


def test_without_openpyxl_the_error_names_the_line_that_installs_it(good, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtra, match=r"pip install 'discreet\[xlsform\]'"):
        dc.read_xlsform(good, epsilon=1)
