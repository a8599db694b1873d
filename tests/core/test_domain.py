"""Laws of domains: distinct values, numbered in order."""

import datetime as dt
import tracemalloc
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.core.domain import Alike, Domain, EvenLeaves, Leaves
from discreet.core.errors import InvalidContext, UnknownValue


@given(st.lists(st.one_of(st.text(max_size=3), st.integers()), min_size=1, unique=True))
def test_values_and_numbers_are_inverse_to_each_other(values):
    domain = Domain(values)
    assert [domain.index(value) for value in values] == list(range(len(values)))
    assert list(domain) == values == [domain[number] for number in range(len(domain))]


@pytest.mark.parametrize("values", [range(5), [0, 1, 2, 3, 4]])
@pytest.mark.parametrize(
    "stranger", [5, -1, "0", None, True, np.True_, 0.5, float("inf"), float("nan"), 1j, [0], ([0],)]
)
def test_a_value_outside_the_domain_is_refused_without_being_shown(values, stranger):
    domain = Domain(values)
    with pytest.raises(UnknownValue) as refused:
        domain.index(stranger)
    kind = "null" if stranger is None else f"a value of type {type(stranger).__name__}"
    assert str(refused.value) == f"{kind} must be one of the 5 values of the domain"
    assert stranger not in domain
    with pytest.raises(UnknownValue) as asked:
        domain.number_of(stranger)
    assert str(asked.value) == f"value={stranger!r} must be one of the 5 values of the domain"


@pytest.mark.parametrize("values", [range(5), [0, 1, 2, 3, 4], np.arange(5), [0.0, 1.0, 2.0, 3.0, 4.0]])
@pytest.mark.parametrize("three", [3, 3.0, np.int8(3), np.uint64(3), np.float32(3), Decimal(3), Fraction(3)])
def test_numbers_are_found_where_they_are_equal(values, three):
    assert Domain(values).index(three) == 3


def test_numpy_values_are_kept_as_what_they_stand_for():
    domain = Domain(np.array([3, 5], dtype="i1"))
    assert [type(value) for value in domain] == [int, int]
    assert [type(value) for value in Domain(np.array(["a"]))] == [str]
    assert list(Domain(np.array(["2020-01-01"], dtype="M8[D]"))) == [dt.date(2020, 1, 1)]
    assert list(Domain(np.array(["2020-01-01"], dtype="M8[ns]"))) == [dt.datetime(2020, 1, 1)]


@pytest.mark.parametrize(
    "strange",
    [None, float("nan"), float("inf"), np.float64("-inf"), Decimal("NaN"), np.datetime64("NaT"), pd.NA, pd.NaT, 1j],
)
def test_what_stands_for_no_answer_is_no_value(strange):
    with pytest.raises(InvalidContext, match="must not be a value: it is not real or finite, or stands for no answer"):
        Domain(["a", strange])


@pytest.mark.parametrize("wrong", [5, None, object()])
def test_what_is_no_collection_is_no_domain(wrong):
    with pytest.raises(InvalidContext, match=r"values of type \w+ must be a collection of values"):
        Domain(wrong)


def test_true_is_not_one_unless_it_is_a_value():
    assert Domain([False, True]).index(True) == 1
    assert Domain([False, True]).index(np.True_) == 1
    assert True not in Domain([0, 1])
    assert np.True_ not in Domain([0, 1])
    assert 1 not in Domain([False, True])
    assert Domain([1, "x"]) != Domain([True, "x"])
    assert Domain([1, "x"]) == Domain([1.0, "x"])


def test_a_range_of_a_million_values_takes_no_room():
    tracemalloc.start()
    try:
        domain = Domain(range(10**6))
        assert domain.index(999_999) == 999_999
        assert len(domain) == 10**6
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("values", [[], (), range(0), iter([])])
def test_an_empty_domain_is_refused(values):
    with pytest.raises(InvalidContext, match="must hold at least one value"):
        Domain(values)


@pytest.mark.parametrize("values", [["a", "b", "a"], [1, 2, 1], [1, True]])
def test_repeated_values_are_refused_and_named(values):
    with pytest.raises(InvalidContext, match="appears twice; values must be distinct"):
        Domain(values)


@pytest.mark.parametrize("values", ["abc", b"abc"])
def test_one_text_is_not_taken_for_its_letters(values):
    with pytest.raises(InvalidContext, match="not a single text"):
        Domain(values)


def test_values_that_cannot_be_told_apart_by_hash_are_refused():
    with pytest.raises(InvalidContext, match="values must be hashable"):
        Domain([[1], [2]])


def test_text_finds_the_value_it_writes():
    assert Domain(range(10)).index_of_text("7") == 7
    assert Domain(["a", 7]).index_of_text("7") == 1
    for domain in (Domain(range(10)), Domain(["a", 7])):
        for stranger in ("10", "seven", ""):
            with pytest.raises(UnknownValue, match=f"value={stranger!r}"):
                domain.index_of_text(stranger)


def test_values_written_alike_cannot_be_read_from_text():
    with pytest.raises(InvalidContext, match="1 and '1' are written alike"):
        Domain([1, "1"]).index_of_text("1")


def test_domains_are_equal_when_their_values_are_in_the_same_order():
    assert Domain(range(3)) == Domain([0, 1, 2])
    assert hash(Domain(range(3))) == hash(Domain([0, 1, 2]))
    assert Domain([0, 1]) != Domain([1, 0])
    assert Domain([0, 1]) != Domain([0, 1, 2])
    assert Domain([0]) != [0]


def test_only_the_numbers_from_zero_are_a_range():
    assert Domain(range(4)).is_range
    assert not Domain(range(1, 5)).is_range
    assert not Domain([0, 1]).is_range


def test_a_long_domain_shows_its_size_and_a_short_one_its_values():
    assert repr(Domain(range(100))) == "Domain(100 values)"
    assert repr(Domain(["a"])) == "Domain(('a',))"


def test_alike_values_are_zeros():
    labels = Alike(4)
    assert list(labels) == [0, 0, 0, 0]
    assert len(labels) == 4
    assert labels[2] == 0


def test_digits_without_end_are_no_value():
    domain = Domain(range(5))
    for text in ("9" * 5000, "-" + "9" * 5000, "１", "1_0", "٣"):
        with pytest.raises(UnknownValue):
            domain.index_of_text(text)
    assert domain.index_of_text("3") == 3


def test_leaves_part_below_the_lowest_node_above_both():
    labels = EvenLeaves([0, 1, 2, 5, 11], (2, 3, 2))
    assert [labels.parting(0, z) for z in range(1, 5)] == [2, 1, 1, 0]
    assert list(labels) == [0, 1, 2, 5, 11]
    assert len(labels) == 5
    uneven = Leaves([0, 1, 2], [(0, 0), (0, 1), (1,)])
    assert (uneven.parting(0, 1), uneven.parting(0, 2)) == (1, 0)
