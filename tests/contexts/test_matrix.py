"""Laws of arbitrary privacy matrices."""

import math

import pytest

from discreet import Context
from discreet.core.errors import InvalidContext, InvalidEpsilon


def test_entries_are_kept_exactly_and_may_be_asymmetric_zero_or_infinite():
    context = Context.matrix(["a", "b"], [[0, "inf"], ["1/3", "0"]])
    assert context.epsilon("a", "b") == math.inf
    assert context.epsilon("b", "a") * 3 == 1
    assert context.describe() == {"form": "matrix", "E": [["0", "inf"], ["1/3", "0"]]}
    assert Context.matrix(["a", "b"], context.describe()["E"]) == context


@pytest.mark.parametrize("entries", [[[0]], [[0, 1]], [[0, 1], [1]], [[0, 1, 1], [1, 0, 1]]])
def test_the_matrix_is_square_with_a_row_a_value(entries):
    with pytest.raises(InvalidContext, match="E must be 2 x 2, one row and one column per value"):
        Context.matrix(["a", "b"], entries)


def test_a_value_is_not_told_from_itself():
    with pytest.raises(InvalidContext, match=r"E\[1\]\[1\]=2 must be 0"):
        Context.matrix(["a", "b"], [[0, 1], [1, 2]])


def test_a_wrong_entry_is_named_by_its_place():
    with pytest.raises(InvalidEpsilon, match=r"E\[0\]\[1\]=nan must be"):
        Context.matrix(["a", "b"], [[0, math.nan], [1, 0]])
