"""Laws of the arithmetic of samplers: plain integers, and arrays that agree with them word for word."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.core.arithmetic import INTEGERS
from discreet.estimation.arrays.arithmetic import ARRAYS, MAX_TABLES, Arrays
from discreet.estimation.arrays.reports import cut

words = st.one_of(st.integers(0, 2**64 - 1), st.sampled_from([0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1]))
sizes = st.one_of(st.integers(1, 2**32 - 1), st.integers(0, 31).map(lambda m: 1 << m))


def array(*numbers):
    return np.array(numbers, dtype=np.uint64)


def one(result):
    assert result.dtype == np.uint64
    return int(result[0])


@given(words, sizes)
def test_position_and_fraction_cut_a_word(u, below):
    at, rest = INTEGERS.position(u, below), INTEGERS.fraction(u, below)
    assert at * 2**64 + rest == u * below
    assert 0 <= at < below
    assert one(ARRAYS.position(array(u), below)) == at
    assert one(ARRAYS.fraction(array(u), below)) == rest


@given(words, words, sizes)
def test_two_words_are_cut_as_one_of_128_bits(u, v, below):
    at = INTEGERS.wide_position(u, v, below)
    assert at == (u * 2**64 + v) * below // 2**128
    assert one(ARRAYS.wide_position(array(u), array(v), below)) == at


@given(words, st.integers(0, 2**64))
def test_less_is_exact_up_to_the_last_word(u, bound):
    assert INTEGERS.less(u, bound) == (u < bound) == one(ARRAYS.less(array(u), bound))


@given(words, st.integers(1, 2**64))
def test_division_is_exact_also_by_the_whole_space(u, by):
    assert INTEGERS.divide(u, by) == u // by == one(ARRAYS.divide(array(u), by))


@given(words, words)
def test_comparisons_are_flags(a, b):
    assert INTEGERS.equal(a, b) == (a == b) == one(ARRAYS.equal(array(a), array(b)))
    assert INTEGERS.at_least(a, b) == (a >= b) == one(ARRAYS.at_least(array(a), array(b)))


@given(st.integers(0, 1), words, words)
def test_select_picks_without_a_branch(flag, a, b):
    assert INTEGERS.select(flag, a, b) == (a if flag else b) == one(ARRAYS.select(array(flag), array(a), array(b)))


@given(words)
def test_parity_counts_ones(u):
    assert INTEGERS.parity(u) == bin(u).count("1") % 2 == one(ARRAYS.parity(array(u)))


@given(st.integers(0, 2), words)
def test_rank_counts_bounds_at_most_the_word(x, u):
    rows = [(5, 2**63, 2**64), (0, 0, 2**64), (2**64, 2**64, 2**64)]
    rank = sum(bound <= u for bound in rows[x])
    assert INTEGERS.rank(rows, x, u) == rank == one(ARRAYS.rank(rows, array(x), array(u)))


@pytest.mark.parametrize("size", [1, 63, 64, 65, 128, 130])
def test_sets_of_any_size_are_the_same_integer(size):
    members = sorted({0, size // 2, size - 1})
    alone, many = INTEGERS.empty_set(0, size), ARRAYS.empty_set(array(0, 0), size)
    for i in members:
        alone = INTEGERS.insert(alone, i, 1)
        many = ARRAYS.insert(many, array(i, i), array(1, 0))
    assert [INTEGERS.contains(alone, i) for i in range(size)] == [int(i in members) for i in range(size)]
    assert ARRAYS.contains(many, array(size - 1, size - 1)).tolist() == [1, 0]
    report = ARRAYS.set_report(many, size).reshape(2, -1)
    assert sum(int(word) << 64 * w for w, word in enumerate(report[0])) == INTEGERS.set_report(alone, size)
    assert not report[1].any()


def test_inserting_with_a_flag_of_zero_changes_nothing():
    members = INTEGERS.insert(INTEGERS.empty_set(0, 3), 2, 1)
    assert INTEGERS.set_report(INTEGERS.insert(members, 0, 0), 3) == 0b100


def test_looking_up_and_placing_agree():
    table = (3, 1, 2**64 - 1)
    assert INTEGERS.look_up(table, 2) == one(ARRAYS.look_up(table, array(2))) == 2**64 - 1
    assert INTEGERS.place(5, (0, 10), 1) == one(ARRAYS.place(array(5), (0, 10), array(1))) == 15


def test_wide_reports_have_the_block_or_the_passed_value_in_a_word_of_their_own():
    wide = ARRAYS.widen(array(7, 8), 130)
    assert wide.tolist() == [[7, 0, 0], [8, 0, 0]]
    assert ARRAYS.place(wide.copy(), (0, 2**128), array(0, 1)).tolist() == [[7, 0, 0], [8, 0, 1]]
    assert ARRAYS.pass_on(wide.copy(), array(0, 1), array(4, 5), 2**128).tolist() == [[7, 0, 0], [5, 0, 1]]
    assert INTEGERS.pass_on(8, 1, 5, 2**128) == 2**128 + 5
    assert INTEGERS.widen(8, 130) == 8
    assert ARRAYS.pass_on(array(7, 8), array(0, 1), array(4, 5), 100).tolist() == [7, 105]


def test_tables_are_kept_as_arrays_only_so_many_and_so_large_at_a_time(monkeypatch):
    arrays = Arrays()
    tables = [(number, number + 1) for number in range(MAX_TABLES + 10)]
    for table in tables:
        assert arrays.look_up(table, 1) == table[1]
    assert len(arrays._tables) == MAX_TABLES
    assert arrays.look_up(tables[0], 0) == 0
    monkeypatch.setattr("discreet.estimation.arrays.arithmetic.MAX_TABLE_ENTRIES", 10)
    large = tuple(range(100))
    assert arrays.look_up(large, 99) == 99
    assert [kept for kept, _ in arrays._tables.values()] == [large]


def test_tables_are_the_same_in_any_thread():
    arrays = Arrays()
    tables = [tuple(range(number, number + 3)) for number in range(2 * MAX_TABLES)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda table: int(arrays.look_up(table, 2)), tables * 4))
    assert found == [table[2] for table in tables * 4]


@given(st.integers(1, 130), st.integers(1, 130), st.data())
def test_reports_beside_each_other_are_one_number_and_cut_again(first, second, data):
    low, high = (data.draw(st.integers(0, 2**bits - 1)) for bits in (first, second))
    bits = first + second
    joined = INTEGERS.beside(low, high, first, bits)
    assert joined == low + high * 2**first

    def wide(number, length):
        columns = [number >> 64 * word & 2**64 - 1 for word in range(-(-length // 64))]
        return array(*columns) if len(columns) == 1 else array(*columns)[None, :]

    def whole(report):
        return sum(int(word) << 64 * place for place, word in enumerate(np.ravel(report)))

    found = ARRAYS.beside(wide(low, first), wide(high, second), first, bits)
    assert whole(found) == joined
    assert [whole(part) for part in cut(found, first)] == [low, high]
