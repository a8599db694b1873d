from __future__ import annotations

import json
import math

import pytest

from discreet.core.errors import MissingExtra
from discreet.papers.report import BEGIN, CheckedClaim, ExperimentReport, ReportTable, beside_the_print

TABLE = ReportTable(
    "errors",
    "Errors of two methods",
    [("method", "s"), ("TV", ".3f"), ("bits", "d")],
    [("paper", 0.58351, 16), ("ours", math.nan, 9)],
)


def report(**more):
    said = """
    First line of a paragraph,
    and its second.

    Another."""
    return ExperimentReport(
        "name",
        "a title",
        said,
        [TABLE],
        [CheckedClaim("it holds", True, "1 of 1"), CheckedClaim("it does", False, "0")],
        **more,
    )


def test_a_table_is_aligned_on_a_terminal():
    assert TABLE.text().splitlines() == [
        "Errors of two methods",
        "method     TV  bits",
        "paper   0.584    16",
        "ours        -     9",
    ]


def test_a_table_on_a_page_and_for_programs():
    assert "| paper | 0.584 | 16 |" in TABLE.markdown()
    assert "| :-- | --: | --: |" in TABLE.markdown()
    assert TABLE.tsv() == "method\tTV\tbits\npaper\t0.58351\t16\nours\tnan\t9\n"


def test_what_does_not_hold_is_said_aloud():
    text = report().text()
    assert "holds: it holds (1 of 1)" in text
    assert "does not hold: it does (0)" in text
    assert "First line of a paragraph, and its second." in text


def test_a_report_is_json_without_nan():
    told = json.loads(json.dumps(report().as_dict(), allow_nan=False))
    assert told["tables"]["errors"]["rows"][1] == ["ours", None, 9]
    assert told["checks"][1]["holds"] is False
    assert told["said"][1] == "Another."


def test_saving_writes_the_page_the_tables_and_the_pictures(tmp_path):
    made = report(figures={"name": lambda path: path.write_bytes(b"picture")})
    written, missing = made.save(tmp_path / "new")
    assert [path.name for path in written] == ["name.md", "name.png", "name.svg", "name.pdf", "name-errors.tsv"]
    assert missing == ""
    page = (tmp_path / "new" / "name.md").read_text(encoding="utf-8")
    assert page.startswith("# A title\n")
    assert "![a title](name.png)\n\nThe same as [SVG](name.svg) and [PDF](name.pdf)." in page


def test_the_formats_can_be_chosen(tmp_path):
    made = report(figures={"name": lambda path: path.write_bytes(b"picture")})
    written, _ = made.save(tmp_path, ("svg",))
    assert [path.name for path in written] == ["name.md", "name.svg", "name-errors.tsv"]
    page = (tmp_path / "name.md").read_text(encoding="utf-8")
    assert "![a title](name.svg)" in page
    assert "The same as" not in page


def test_data_and_command_are_told_in_every_form():
    made = report(data={"towns stand-in": "no check-ins"}, options="--runs 3")
    told = made.as_dict()
    assert told["data"] == {"towns stand-in": "no check-ins"}
    assert told["command"] == "discreet papers name --runs 3"
    assert told["tables"]["errors"]["caption"] == "Errors of two methods"
    line = "Data, towns stand-in: no check-ins.\n\nErrors of two methods"
    assert line in made.text()
    assert line in made.markdown({})
    assert "Made by `discreet papers name --runs 3`." in made.markdown({})
    assert "Made by `discreet papers name`." in report().markdown({})


def test_without_matplotlib_everything_else_is_written(tmp_path):
    def draw(path):
        raise MissingExtra("matplotlib", "plot")

    written, missing = report(figures={"name": draw}).save(tmp_path)
    assert [path.name for path in written] == ["name.md", "name-errors.tsv"]
    assert "pip install 'discreet[plot]'" in missing
    assert "name.png" not in (tmp_path / "name.md").read_text(encoding="utf-8")


def test_what_is_printed_comes_first_with_the_difference(tmp_path):
    compared = beside_the_print("As printed", [("cells", "43,750", 43_750), ("error", "0.50", 0.55)], form=".3f")
    made = report(beside=compared)
    page = made.markdown({})
    assert page.index("| error | 0.50 | 0.550 | +10.0% |") < page.index("First line of a paragraph")
    assert page.index("| cells | 43,750 | 43750.000 | +0.0% |") > page.index(BEGIN)
    assert made.text().index("As printed") < made.text().index("Errors of two methods")
    assert list(made.as_dict()["tables"]) == ["beside", "errors"]
    assert "name-beside.tsv" in {path.name for path in made.save(tmp_path, ())[0]}
    assert BEGIN not in report().markdown({})  # the control


def test_rows_must_fit_the_columns():
    with pytest.raises(ValueError):
        ReportTable("t", "", [("a", "d")], [(1, 2)]).text()
