"""Laws of tallies: merging, strictness, and no mixing of mechanisms."""

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.errors import InvalidReport, MechanismMismatch
from discreet.tally import CHUNK, as_batch

CONTEXT = Context.uniform(range(6), "1")


@pytest.mark.parametrize("name", ["hadamard", "subset", "randomized_response"])
def test_many_reports_are_counted_in_pieces_as_in_one(name, monkeypatch):
    mechanism = dc.mechanism(CONTEXT, name)
    reports = mechanism.randomize_many(np.arange(5000) % 6, dc.random.seeded(1))
    whole = mechanism.tally(reports)
    monkeypatch.setattr("discreet.tally.CHUNK", 7)
    assert mechanism.tally(reports) == whole
    assert CHUNK > 7
    assert whole.n == 5000
    assert sum(mechanism.tally(part) for part in np.array_split(reports, 13)) == whole


def test_the_empty_tally_is_zero_and_sum_begins_with_it():
    mechanism = dc.mechanism(CONTEXT)
    empty = mechanism.tally()
    assert empty.n == 0
    assert not empty.counts.any()
    assert sum([empty, empty]) == empty
    assert repr(empty) == f"<tally of 0 reports of {mechanism.name}>"


def test_equal_mechanisms_made_twice_can_be_merged():
    one, two = dc.mechanism(CONTEXT, "hadamard"), dc.mechanism(CONTEXT, "hadamard")
    merged = one.tally([1, 2]) + two.tally([3])
    assert merged == one.tally([3, 2, 1])
    assert hash(merged) == hash(one.tally([3, 2, 1]))
    assert merged.fingerprint == one.fingerprint


@pytest.mark.parametrize(
    "other",
    [
        lambda: dc.mechanism(CONTEXT, "unary"),
        lambda: dc.mechanism(Context.uniform(range(6), "1.5"), "hadamard"),
        lambda: dc.mechanism(Context.uniform(range(1, 7), "1"), "hadamard"),
        lambda: dc.mechanism(Context.high_low(range(6), range(6), "1"), "hadamard"),
    ],
)
def test_tallies_of_another_mechanism_are_refused(other):
    with pytest.raises(MechanismMismatch, match="cannot be merged"):
        dc.mechanism(CONTEXT, "hadamard").tally() + other().tally()


def test_only_tallies_are_added_and_compared():
    tally = dc.mechanism(CONTEXT, "hadamard").tally([1])
    assert tally != 1
    assert tally != dc.mechanism(CONTEXT, "hadamard").tally([2])
    with pytest.raises(TypeError):
        tally + 1
    with pytest.raises(TypeError):
        1 + tally


@pytest.mark.parametrize(
    "forged",
    [[-1], [8], [2**64], [2**70], [1.0], ["1"], [True], [None], [1.5], np.array([8]), np.array([0.5]), np.array([-1])],
)
def test_forged_reports_are_refused(forged):
    with pytest.raises(InvalidReport, match="report"):
        dc.mechanism(CONTEXT, "hadamard").tally(forged)


@pytest.mark.parametrize("shape", [(2, 2), (2, 1), (0, 3), ()])
def test_reports_of_the_wrong_shape_are_refused(shape):
    with pytest.raises(InvalidReport, match="of shape"):
        dc.mechanism(CONTEXT, "hadamard").tally(np.zeros(shape, dtype=np.uint64))


def test_wide_reports_are_rows_of_words_lowest_first():
    mechanism = dc.mechanism(Context.uniform(range(70), "1"), "unary")
    y = (1 << 69) | 5
    rows = as_batch([y], mechanism.bits)
    assert rows.tolist() == [[5, 1 << 5]]
    assert mechanism.tally([y]) == mechanism.tally(rows)
    counts = mechanism.tally([y]).counts
    assert counts.nonzero()[0].tolist() == [0, 2, 69, 70]
    for wrong in (np.zeros(3, dtype=np.uint64), np.zeros((2, 3), dtype=np.uint64)):
        with pytest.raises(InvalidReport, match="must have 2 word"):
            mechanism.tally(wrong)
    with pytest.raises(InvalidReport):
        mechanism.tally([1 << 70])
    assert mechanism.tally([]).n == 0
