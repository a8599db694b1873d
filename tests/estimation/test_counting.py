"""Laws of compiled counting: what NumPy counts, and nothing that cannot occur."""

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidReport
from discreet.estimation.arrays import acceleration, counting
from discreet.estimation.arrays.reports import count_cells
from discreet.estimation.decoders import decoder_of


@pytest.mark.parametrize("outputs", [1, 2, 255, 4096, 4097, 70_000])
@pytest.mark.parametrize("kind", ["u1", "u2", ">u2", "u4", "u8"])
@pytest.mark.parametrize("n", [0, 1, 3, 10_001])
def test_cells_equal_a_plain_histogram(outputs, kind, n):
    largest = min(outputs, 1 << 8 * np.dtype(kind).itemsize)
    reports = np.random.default_rng(1).integers(0, largest, n).astype(kind)
    assert np.array_equal(
        counting.histogram(reports, outputs), np.bincount(reports.astype(np.int64), minlength=outputs)
    )


@pytest.mark.parametrize("outputs", [1, 200, 5000])
@pytest.mark.parametrize("place", [0, 1, 2, 3, 100])
def test_one_report_that_cannot_occur_is_noticed_wherever_it_stands(outputs, place):
    reports = np.zeros(101, dtype=np.uint64)
    reports[place] = outputs
    assert counting.histogram(reports, outputs) is None
    reports[place] = 2**64 - 1
    assert counting.histogram(reports, outputs) is None
    reports[place] = outputs - 1
    assert counting.histogram(reports, outputs) is not None


@pytest.mark.parametrize("size", [1, 8, 63, 64, 65, 130, 1000])
@pytest.mark.parametrize("rows", [0, 1, 254, 255, 256, 1000])
def test_members_equal_the_sums_of_unpacked_bits(size, rows):
    columns = -(-size // 64)
    words = np.random.default_rng(2).integers(0, 2**64, (rows, columns), dtype=np.uint64)
    bits = np.unpackbits(words.view(np.uint8).reshape(rows, 8 * columns), axis=1, bitorder="little")[:, :size]
    assert np.array_equal(counting.bit_sums(words, size), bits.sum(axis=0))
    full = np.full((rows, columns), 2**64 - 1, dtype=np.uint64)
    assert np.array_equal(counting.bit_sums(full, size), np.full(size, rows))  # no counter of one byte runs over


@pytest.fixture
def always(monkeypatch):
    monkeypatch.setattr(acceleration, "MIN_COMPILED_SIZE", 1)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("name", ["hadamard", "subset", "unary", "projective", "randomized_response"])
@pytest.mark.parametrize("form", ["uniform", "blocks", "high_low"])
def test_a_tally_is_the_same_compiled_and_not(monkeypatch, name, form):
    context = {
        "uniform": dc.Context.uniform(range(80), "1"),
        "blocks": dc.Context.blocks({"a": range(30), "b": range(30, 50), "c": range(50, 80)}, "1"),
        "high_low": dc.Context.high_low(range(80), range(10, 50), "1"),
    }[form]
    mechanism = dc.mechanism(context, name)
    reports = mechanism.randomize_indices(np.arange(2000) % 80, dc.random.seeded(1))
    compiled = mechanism.tally(reports)
    monkeypatch.setattr(acceleration, "MIN_COMPILED_SIZE", 1 << 60)
    assert mechanism.tally(reports) == compiled
    assert compiled.n == 2000


@pytest.mark.usefixtures("always")
def test_refused_reports_add_nothing():
    counts = np.zeros(9, dtype=np.int64)
    with pytest.raises(InvalidReport, match="every report must be from 0 to 8"):
        count_cells(counts, np.array([1, 2, 9]), 0, 9)
    with pytest.raises(InvalidReport, match="-1 must not be negative"):
        count_cells(counts, np.array([1, 2, -1]), 0, 9)
    assert not counts.any()
    count_cells(counts, np.array([1, 2, 8]), 0, 9)
    assert counts.tolist() == [0, 1, 1, 0, 0, 0, 0, 0, 1]


MIXED = {"a": range(3), "b": range(3, 20), "c": range(20, 70), "d": range(70, 71), "e": range(71, 80)}


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("name", ["subset", "unary", "auto"])
def test_reports_in_blocks_of_sets_that_cannot_occur_are_refused_and_add_nothing(name):
    mechanism = dc.mechanism(dc.Context.blocks(MIXED, "1"), name)
    sampler, decoder = mechanism.sampler, decoder_of(mechanism)
    good = mechanism.randomize_indices(np.arange(800) % 80, dc.random.seeded(2))
    wrong = [y for y in range(min(sampler.offsets[2], 5000)) if not sampler.is_report(y)][:20]
    for y in [*wrong, sampler.outputs, 2**64 - 1]:
        with pytest.raises(InvalidReport):
            mechanism.tally(np.append(good, np.uint64(y)))
    expected = np.zeros(decoder.cells, dtype=np.int64)
    for y in good:
        expected[list(decoder.cells_of(int(y)))] += 1
    assert mechanism.tally(good).counts.tolist() == expected.tolist()


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("wrong", [0, 1, 0b111, 1 << 9])
def test_small_sets_that_cannot_occur_are_refused(wrong):
    mechanism = dc.mechanism(dc.Context.uniform(range(9), "1"), "subset", d=2)
    good = mechanism.randomize_indices(np.arange(90) % 9, dc.random.seeded(3))
    assert mechanism.tally(good).n == 90
    with pytest.raises(InvalidReport, match="a set"):
        mechanism.tally(np.append(good, np.uint16(wrong)))
