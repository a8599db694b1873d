"""Laws of the numbers that compiled samplers work from."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.bulk.packed import PackedBlocks, PackedHadamardBlocks, PackedHighLow, _divisor, pack
from discreet.bulk.randomizing import randomize_indices
from discreet.bulk.words import seeded
from discreet.mechanisms.composed.blocks import BlockResponse
from discreet.mechanisms.composed.high_low import HighLowResponse
from discreet.mechanisms.tables.table import Table
from discreet.mechanisms.uniform.general_hadamard import GeneralHadamard
from discreet.mechanisms.uniform.hadamard import Hadamard
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse
from discreet.mechanisms.uniform.subset import Subset

ONE = Fraction(1)
WORDS = st.integers(0, 2**64 - 1)


@given(unit=st.integers(1, 2**64 - 1), u=WORDS)
def test_a_divisor_divides_exactly_after_at_most_one_correction(unit, u):
    by = _divisor(unit)
    assert by.inverse < 2**64
    quotient = (u * by.inverse >> 64) >> by.shift
    quotient += u - quotient * unit >= unit
    assert quotient == u // unit


@pytest.mark.parametrize("unit", [1, 2, 3, 2**32, 2**63, 2**63 + 1, 2**64 - 1])
def test_a_divisor_divides_exactly_at_the_edges(unit):
    by = _divisor(unit)
    for u in {0, 1, unit - 1, unit, min(2 * unit, 2**64 - 1), 2**64 - 1}:
        quotient = (u * by.inverse >> 64) >> by.shift
        assert quotient + (u - quotient * unit >= unit) == u // unit


def two_blocks(first, second):
    return BlockResponse([0] * first.size + [1] * second.size, [first, second])


def test_hadamard_blocks_at_one_epsilon_have_the_faster_form():
    same = two_blocks(Hadamard(5, ONE), Hadamard(40, ONE))
    alone = two_blocks(Hadamard(5, ONE), RandomizedResponse(1, ONE))
    apart = two_blocks(Hadamard(5, ONE), Hadamard(40, Fraction(2)))
    mixed = two_blocks(Hadamard(5, ONE), Subset(9, ONE))
    assert [type(pack(r).form) for r in (same, alone)] == [PackedHadamardBlocks] * 2
    assert [type(pack(r).form) for r in (apart, mixed)] == [PackedBlocks] * 2


def test_what_has_no_compiled_form_is_left_to_numpy():
    assert pack(GeneralHadamard(9, ONE)) is None
    assert pack(two_blocks(Subset(70, ONE), Subset(70, ONE))) is None  # reports of several words in blocks
    assert type(pack(HighLowResponse(4, [2, 1, 0], Hadamard(3, ONE), ONE)).form) is PackedHighLow


def test_every_number_of_a_form_is_a_word_and_every_address_is_kept():
    law = pack(HighLowResponse(9, [1, 2, 3, 4], Subset(4, ONE), ONE))
    flat = [*law.form[:2], *law.form.inner]
    assert all(isinstance(field, np.uint64) for field in flat)
    addresses = {array.ctypes.data for array in law.arrays}
    assert {int(law.form.entries), int(law.form.inner.steps), int(law.form.inner.cover)} == addresses


def test_a_block_of_one_value_with_several_reports_is_not_taken_for_one_that_shows_the_block():
    table = Table([[3 << 62, 1 << 62]])
    blocks = BlockResponse([0, 1], [RandomizedResponse(1, ONE), table])
    form = pack(blocks)
    assert form is None or type(form.form) is not PackedHadamardBlocks
    values = np.ones(200_000, dtype=np.uint8)
    compiled, plain = (randomize_indices(blocks, values, seeded(1), engine=engine) for engine in ("numba", "numpy"))
    assert np.array_equal(compiled, plain)
    assert set(np.unique(plain)) == {1, 2}
