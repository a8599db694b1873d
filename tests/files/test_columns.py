"""Which column is meant."""

import re

import pytest

from discreet import errors
from discreet.core.errors import InvalidInput
from discreet.files.columns import place_of, text_of_bytes


def test_a_column_is_found_by_name_or_is_the_only_one():
    assert place_of(["a", "b"], "b", "f") == 1
    assert place_of(["a"], None, "f") == 0
    assert place_of(["a", "b", "b"], "a", "f") == 0


@pytest.mark.parametrize(
    ("names", "column", "said"),
    [
        (["a", "b"], None, "f: a column must be chosen, by column=NAME or --column NAME; the columns are a, b"),
        (["a", "b"], "c", "f: column 'c' is missing; the columns are a, b"),
        (["a", "a"], "a", "f: column 'a' appears twice; the columns are a, a"),
        ([], None, "f: a column must be chosen, by column=NAME or --column NAME; the columns are "),
        (
            [str(i) for i in range(99)],
            "x",
            "f: column 'x' is missing; the columns are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 87 more",
        ),
    ],
)
def test_any_other_is_refused(names, column, said, monkeypatch):
    with pytest.raises(InvalidInput, match=f"^{re.escape(said)}$"):
        place_of(names, column, "f", typed=True)
    monkeypatch.setattr(errors, "show_values", True)
    with pytest.raises(InvalidInput, match=f"^{re.escape(said)}$"):
        place_of(names, column, "f")


@pytest.mark.parametrize("column", [None, "diagnosis"])
def test_what_stands_where_names_should_is_not_shown(column):
    with pytest.raises(InvalidInput, match="there are 2 columns") as caught:
        place_of(["17", "HIV positive"], column, "f")
    assert "HIV" not in str(caught.value)
    with pytest.raises(InvalidInput, match="the columns are month, report"):
        place_of(["month", "report"], "diagnosis", "f")  # a file of reports has names


def test_bytes_are_the_text_that_they_are():
    assert text_of_bytes("é".encode()) == "é"
    with pytest.raises(InvalidInput, match="a column of bytes that are not UTF-8 text"):
        text_of_bytes(b"\xff")
