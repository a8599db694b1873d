"""Laws of tallies: merging, strictness, and no mixing of mechanisms."""

import re
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import discreet as dc
from discreet import Context, Mechanism
from discreet.core.errors import InvalidInput, InvalidReport, MechanismMismatch
from discreet.estimation.decoders import decoder_of
from discreet.estimation.tally import CHUNK, MAX_REPORTS, as_batch
from discreet.mechanisms.composed.mixture import Mixture
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse
from discreet.mechanisms.uniform.subset import Subset

CONTEXT = Context.uniform(range(6), "1")


@pytest.mark.parametrize("name", ["hadamard", "subset", "randomized_response"])
def test_many_reports_are_counted_in_pieces_as_in_one(name, monkeypatch):
    mechanism = dc.mechanism(CONTEXT, name)
    reports = mechanism.randomize_indices(np.arange(5000) % 6, dc.random.seeded(1))
    whole = mechanism.tally(reports)
    monkeypatch.setattr("discreet.estimation.tally.CHUNK", 7)
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


# -- reports in columns of every kind ---------------------------------------------------------------------

HELD = [3, 0, 7, 3]
COLUMNS = {
    "a list": lambda v: v,
    "a tuple": tuple,
    "an iterator": iter,
    "bytes": lambda v: np.array(v, dtype="i1"),
    "the other byte order": lambda v: np.array(v, dtype=">u4"),
    "objects": lambda v: np.array(v, dtype=object),
    "a series": pd.Series,
    "a nullable series": lambda v: pd.Series(v, dtype="Int64"),
    "Arrow": pa.array,
    "Arrow chunks": lambda v: pa.chunked_array([v[:1], v[1:]]),
    "an Arrow dictionary": lambda v: pa.array(v).dictionary_encode(),
    "packed": lambda v: [bytes([y]) for y in v],
    "packed in Arrow": lambda v: pa.array([bytes([y]) for y in v]),
    "polars": lambda v: pytest.importorskip("polars").Series(v),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_reports_are_counted_whatever_holds_them(kind):
    mechanism = dc.mechanism(CONTEXT, "hadamard")
    assert mechanism.tally(COLUMNS[kind](HELD)).counts.tolist() == [1, 0, 0, 2, 0, 0, 0, 1]


@pytest.mark.parametrize(
    "wrong",
    [
        [1.0],
        [True],
        [-1],
        ["1"],
        [None],
        [2**70],
        [b"12"],
        np.array([1.0]),
        np.array([True]),
        np.array([-1], dtype="i1"),
        np.array(["1"]),
        np.array([[1]]),
        np.array(1),
        np.ma.masked_array([1, 2], [False, True]),
        pd.Series([1.0]),
        pd.Series([1, None]),
        pd.Series([1, None], dtype="Int64"),
        pd.Series([True]),
        pd.Series([-1], dtype="int8"),
        pd.DataFrame({"a": [1]}),
        pa.array([1.0]),
        pa.array([1, None]),
        pa.array([True]),
        pa.array([-1], pa.int8()),
        pa.array(["1"]),
        "12",
        b"12",
        {1: 2},
        7,
        None,
    ],
    ids=lambda wrong: f"{type(wrong).__module__}.{type(wrong).__name__}",
)
def test_what_is_no_report_is_refused_and_never_wraps(wrong):
    with pytest.raises(InvalidReport):
        dc.mechanism(CONTEXT, "hadamard").tally(wrong)


# -- counts that no reports can have ------------------------------------------------------------------------

K3 = Context.uniform(range(3), "1")
ODD = dc.mechanism(
    Context.uniform(range(3), "2"), "table", rows=[[1 << 63, 0, 1 << 63], [1 << 62, 0, 3 << 62], [3 << 62, 0, 1 << 62]]
)
SMALL = {
    "randomized_response": lambda: dc.mechanism(K3, "randomized_response"),
    "unary": lambda: dc.mechanism(K3, "unary"),
    "subset": lambda: dc.mechanism(K3, "subset", d=2),
    "hadamard": lambda: dc.mechanism(K3, "hadamard"),
    "a report that cannot occur": lambda: ODD,
    "blocks of subsets": lambda: dc.mechanism(Context.blocks({"a": range(3), "b": [3]}, "1"), "subset"),
    "high-low unary": lambda: dc.mechanism(Context.high_low(range(4), range(2), "1"), "unary"),
    "high-low subset": lambda: dc.mechanism(Context.high_low(range(5), range(3), "1"), "subset", d=1),
    "utility_rappor": lambda: dc.mechanism(Context.high_low(range(4), range(2), "1"), "utility_rappor"),
    "post-processed": lambda: dc.post_process(dc.mechanism(K3, "randomized_response"), [[1, 0], [1, 0], [0, 1]]),
    "a mixture": lambda: Mechanism(
        K3, Mixture([Subset(3, Fraction(1)), RandomizedResponse(3, Fraction(1))], [1 << 63, 1 << 63], [1 / 3] * 3)
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_tally_is_accepted_exactly_if_some_reports_have_its_counts(name):
    """Every vector of counts up to 2 against every pair of reports: no possible one is refused, no other accepted."""
    mechanism, n = SMALL[name](), 2
    cells = decoder_of(mechanism).cells
    possible = set()
    for reports in combinations_with_replacement(mechanism.reports(), n):
        counts = [0] * cells
        for y in reports:
            for cell in decoder_of(mechanism).cells_of(y):
                counts[cell] += 1
        possible.add(tuple(counts))
    accepted = set()
    for counts in product(range(n + 1), repeat=cells):
        try:
            dc.Tally(mechanism, np.array(counts), n)
        except InvalidInput:
            continue
        accepted.add(counts)
    assert accepted == possible


RULES = {
    "too few members": (
        SMALL["subset"],
        [1, 1, 1, 2],
        2,
        "every set holds 2 values, so the counts must add up to 2 times",
    ),
    "more than there are": (SMALL["unary"], [3, 0, 0, 2], 2, "every count must be from 0 to n=2"),
    "another n": (SMALL["hadamard"], [1, 1, 0, 0], 3, "counts add up to 2 reports, but n=3"),
    "no such report": (
        SMALL["a report that cannot occur"],
        [1, 1, 0],
        2,
        "report 1 cannot occur, so its count must be 0",
    ),
    "in a block": (SMALL["blocks of subsets"], [1, 1, 0, 1, 0], 1, "in a part, every set holds 1 values"),
    "beside the sets": (SMALL["high-low unary"], [1, 0, 0, 1, 0], 1, "no value may be in more sets than there are"),
    "two at once": (SMALL["utility_rappor"], [0, 0, 1, 1, 1], 1, "a set holds at most one value that is not sensitive"),
    "negative": (SMALL["hadamard"], [-1, 1, 1, 1], 2, "every count must be from 0 to n=2"),
    "floats": (SMALL["hadamard"], [0.0, 1.0, 0.0, 0.0], 1, "of type float64 and shape"),
    "too many cells": (SMALL["hadamard"], [0, 1, 0, 0, 0], 1, "must be 4 whole numbers, one a cell"),
    "no number": (SMALL["hadamard"], [0, 1, 0, 0], True, "n=True must be a whole number"),
    "part of one": (SMALL["hadamard"], [0, 1, 0, 0], 1.0, "n=1.0 must be a whole number"),
    "too many": (SMALL["hadamard"], [0, 1 << 53, 0, 0], 1 << 53, "must be a whole number from 0 to 9007199254740991"),
    "no mechanism": (lambda: "hadamard", [0, 1], 1, "mechanism of type str must be a mechanism"),
}


@pytest.mark.parametrize("case", RULES)
def test_impossible_counts_are_refused_by_the_rule_they_break(case):
    make, counts, n, said = RULES[case]
    with pytest.raises(InvalidInput, match=re.escape(said)):
        dc.Tally(make(), np.array(counts), n)


def test_sums_never_wrap():
    mechanism = SMALL["unary"]()
    most = dc.Tally(mechanism, np.full(4, MAX_REPORTS), MAX_REPORTS)
    with pytest.raises(InvalidInput, match=r"n=.* must be a whole number from 0 to"):
        most + most
    wide = dc.mechanism(Context.uniform(range(600), "1"), "unary")
    with pytest.raises(InvalidInput, match=r"must not add up to 2\*\*62"):
        dc.Tally(wide, np.full(601, MAX_REPORTS), MAX_REPORTS)
