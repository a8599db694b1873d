"""Tables: aligned on a terminal, ruled on a page, escaped in a notebook."""

import math

import pytest

from discreet.core import tables

COLUMNS = [("name", "s"), ("share", ".3f"), ("of", "")]
ROWS = [("one", 0.25, "4"), ("a longer one", -0.5, "16"), ("none", None, "-"), ("unknown", math.nan, "")]


def test_words_stand_left_and_numbers_right():
    assert tables.text(COLUMNS, ROWS).splitlines() == [
        "name           share  of",
        "one            0.250   4",
        "a longer one  -0.500  16",
        "none               -   -",
        "unknown            -",
    ]


def test_columns_without_heads_have_no_line_of_heads():
    assert tables.text([("", "s"), ("", "s")], [("ok", "yes"), ("gap", "0")]) == "ok   yes\ngap  0"


def test_no_rows_are_the_heads_alone():
    assert tables.text(COLUMNS, []) == "name  share  of"


def test_infinity_is_a_number_and_what_is_missing_a_dash():
    assert tables.cells([("x", ".2f")], [[math.inf], [None], [math.nan]]) == [["x"], ["inf"], ["-"], ["-"]]


def test_a_bar_inside_a_cell_does_not_end_it():
    page = tables.markdown([("|x|", "s"), ("n", "d")], [("E(P || Q)", 1)]).splitlines()
    assert page == [r"| \|x\| | n |", "| :-- | --: |", r"| E(P \|\| Q) | 1 |"]


def test_a_page_has_a_rule_that_says_the_side():
    assert tables.markdown(COLUMNS, ROWS[:1]).splitlines() == [
        "| name | share | of |",
        "| :-- | --: | --: |",
        "| one | 0.250 | 4 |",
    ]


def test_a_notebook_gets_escaped_cells_and_a_caption():
    page = tables.html([("a & b", "s")], [("<script>",)], caption="1 < 2")
    assert "<script>" not in page
    assert all(escaped in page for escaped in ("a &amp; b", "&lt;script&gt;", "1 &lt; 2"))


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match="zip"):
        tables.text(COLUMNS, [("one", 1)])


@pytest.mark.parametrize(("spread", "places"), [(None, 4), (0.0, 4), (0.3, 4), (0.009, 5), (2e-7, 9), (1e-12, 9)])
def test_digits_follow_the_error(spread, places):
    assert tables.digits(spread) == places


def test_facts_are_a_table_without_headings_or_caption():
    page = tables.facts([("name", "<b>"), ("size", 3)])
    assert page.count("<tr>") == 2
    assert "&lt;b&gt;" in page
    assert "<thead>" not in page
    assert "<caption" not in page
