from __future__ import annotations

import re

import pytest

from discreet.domain import Domain
from discreet.engines.numbers import Numbers
from discreet.errors import UnknownValue

WORDS = Domain(["a", "b", 7, "drop"])


def test_values_become_their_numbers_in_order():
    numbers = Numbers(WORDS)
    assert numbers.of(["b", "7", "a", "b"]).tolist() == [1, 2, 0, 1]
    assert numbers.of([]).tolist() == []
    assert numbers.of(["drop"]).tolist() == [3]
    assert (numbers.seen, numbers.unknown) == (5, 0)


def test_the_first_value_outside_the_domain_is_named_by_its_place():
    numbers = Numbers(WORDS)
    numbers.of(["a", "b"])
    with pytest.raises(UnknownValue, match=re.escape("entry 4: value='z' must be one of the 4 values")):
        numbers.of(["a", "z", "y", "z"])


@pytest.mark.parametrize("text", ["", " 1", "1 ", "01", "+1", "1_0", "1.0", "-1", "10", "١", "one"])
def test_a_number_must_be_written_as_it_prints(text):
    assert Numbers(Domain(range(10))).of(["1"]).tolist() == [1]
    with pytest.raises(UnknownValue, match=re.escape(f"value={text!r}")):
        Numbers(Domain(range(10))).of([text])


def test_unknown_values_are_left_out_and_counted():
    numbers = Numbers(WORDS, unknown="drop")
    assert numbers.of(["z", "b", "z"]).tolist() == [1]
    assert numbers.of(["z"]).tolist() == []
    assert (numbers.seen, numbers.unknown) == (4, 3)


def test_unknown_values_are_replaced_and_counted():
    numbers = Numbers(WORDS, unknown="7")
    assert numbers.of(["z", "b", ""]).tolist() == [2, 1, 2]
    assert (numbers.seen, numbers.unknown) == (3, 2)


def test_the_replacement_must_be_a_value_itself():
    with pytest.raises(UnknownValue, match="value='zz'"):
        Numbers(WORDS, unknown="zz")
    with pytest.raises(UnknownValue, match="value='01'"):
        Numbers(Domain(range(3)), unknown="01")
