"""Which column is meant."""

import re

import pytest

from discreet.errors import InvalidInput
from discreet.files.columns import place_of


def test_a_column_is_found_by_name_or_is_the_only_one():
    assert place_of(["a", "b"], "b", "f") == 1
    assert place_of(["a"], None, "f") == 0
    assert place_of(["a", "b", "b"], "a", "f") == 0


@pytest.mark.parametrize(
    ("names", "column", "said"),
    [
        (["a", "b"], None, "f: a column must be chosen; there are a, b"),
        (["a", "b"], "c", "f: column 'c' is missing; the columns are a, b"),
        (["a", "a"], "a", "f: column 'a' appears twice; the columns are a, a"),
        ([], None, "f: a column must be chosen; there are "),
        (
            [str(i) for i in range(99)],
            "x",
            "f: column 'x' is missing; the columns are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11",
        ),
    ],
)
def test_any_other_is_refused(names, column, said):
    with pytest.raises(InvalidInput, match=f"^{re.escape(said)}$"):
        place_of(names, column, "f")
