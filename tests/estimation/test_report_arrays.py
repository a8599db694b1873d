"""Laws of counting: what is counted is what could be written, in every width."""

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidReport
from discreet.estimation.arrays.reports import _column_sums, as_reports, count_cells


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i8", ">u4"])
def test_reports_of_any_whole_type_are_taken(dtype):
    assert as_reports(np.array([1, 2, 3], dtype=dtype)).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.array([1, -1]), "-1 must not be negative"),
        (np.array([1.0]), "must be whole numbers"),
        (np.array([True]), "must be whole numbers"),
        (np.array(["1"]), "must be whole numbers"),
        (np.array([1], dtype=object), "must be whole numbers"),
        (np.array([1j]), "must be whole numbers"),
    ],
)
def test_reports_that_are_not_whole_or_negative_are_refused(wrong, message):
    with pytest.raises(InvalidReport, match=message):
        as_reports(wrong)


def test_no_reports_of_any_type_are_none():
    assert as_reports([]).tolist() == []


@pytest.mark.parametrize("size", [1, 7, 8, 63, 64, 65, 130])
def test_sums_over_bits_are_those_of_the_written_out_matrix(size):
    rng = np.random.default_rng(size)
    bits = rng.integers(0, 2, size=(50, size), dtype=np.uint8)
    columns = -(-size // 64)
    packed = np.zeros((50, 8 * columns), dtype=np.uint8)
    packed[:, : -(-size // 8)] = np.packbits(bits, axis=1, bitorder="little")
    assert _column_sums(packed.view("<u8"), size).tolist() == bits.sum(axis=0).tolist()


@pytest.mark.parametrize("block", [2, 2**63, 2**64 - 1])
def test_a_forged_block_of_a_wide_report_is_refused_however_large(block):
    mechanism = dc.mechanism(Context.blocks({"a": range(65), "b": range(100, 165)}, "1"), "unary")
    rows = np.zeros((1, 3), dtype=np.uint64)
    rows[0, -1] = block
    with pytest.raises(InvalidReport, match="must be below 2, the number of parts"):
        mechanism.tally(rows)
    assert not mechanism.sampler.is_report(block << 128)


def test_a_set_of_the_wrong_size_or_with_bits_beyond_is_refused():
    mechanism = dc.mechanism(Context.uniform(range(10), "1"), "subset", d=3)
    assert mechanism.tally([0b111]).n == 1
    for forged, message in ((0b11, "a set of 2 values"), (0b1111, "a set of 4"), (0, "a set of 0"), (7 << 9, "below")):
        with pytest.raises(InvalidReport, match=message):
            mechanism.tally([0b111, forged])


def test_a_report_beyond_the_last_is_refused_and_nothing_is_counted():
    counts = np.zeros(4, dtype=np.int64)
    with pytest.raises(InvalidReport, match="every report must be from 0 to 3"):
        count_cells(counts, np.array([0, 4]), 0, 4)
    assert not counts.any()
    with pytest.raises(InvalidReport, match="every report must be from 0 to 3"):
        count_cells(counts, np.zeros((2, 2), dtype=np.uint64), 0, 4)


@pytest.mark.parametrize("size", [6, 70])
def test_two_honest_bits_are_refused_by_utility_rappor(size):
    mechanism = dc.mechanism(Context.high_low(range(size), [0, 1], "1"), "utility_rappor")
    honest = 1 << size - 1
    assert mechanism.tally([honest | 3]).n == 1
    forged = honest | 1 << 2
    assert not mechanism.sampler.is_report(forged)
    with pytest.raises(InvalidReport, match="two values that are not sensitive"):
        mechanism.tally([forged])
