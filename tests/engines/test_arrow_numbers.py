"""Laws of values as numbers: one answer whatever holds the values, and one rule for what is not in the domain."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import discreet as dc
from discreet.engines.arrow_numbers import numbered
from discreet.errors import InvalidInput, UnknownValue

CITIES = dc.Domain(["rome", "oslo", "bern", "lima"])
HELD = ["oslo", "lima", "oslo", "rome"]
FORMS = {
    "a list": HELD,
    "a NumPy array": np.array(HELD),
    "NumPy objects": np.array(HELD, dtype=object),
    "a series": pd.Series(HELD),
    "categories": pd.Series(HELD, dtype="category"),
    "an Arrow array": pa.array(HELD),
    "Arrow chunks": pa.chunked_array([HELD[:1], [], HELD[1:]]),
    "an Arrow dictionary": pa.array(HELD).dictionary_encode(),
    "chunks of dictionaries": pa.chunked_array([pa.array(part).dictionary_encode() for part in (HELD[:2], HELD[2:])]),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_same_values_has_the_same_numbers(form):
    found = numbered(CITIES, FORMS[form])
    assert found.indices.tolist() == [1, 3, 1, 0]
    assert (found.seen, found.unknown) == (4, 0)


@pytest.mark.parametrize("kind", ["i1", "u2", "i4", "u8"])
def test_numbers_that_are_their_own_values_are_not_copied(kind):
    values = pa.array(np.array([3, 1, 2], dtype=kind))
    found = numbered(dc.Domain(range(4)), values)
    assert found.indices.dtype == kind
    assert np.shares_memory(found.indices, values.to_numpy())
    assert numbered(dc.Domain([10, 20, 30]), np.array([30, 10], dtype=kind)).indices.tolist() == [2, 0]


@pytest.mark.parametrize("values", [["oslo", None, "paris"], pa.array(["oslo", None, "paris"]).dictionary_encode()])
def test_nulls_and_unknown_values_follow_one_rule(values):
    with pytest.raises(UnknownValue, match="row 2: null must be one of the 4 values"):
        numbered(CITIES, values)
    dropped = numbered(CITIES, values, unknown="drop")
    assert (dropped.indices.tolist(), dropped.seen, dropped.unknown) == ([1], 3, 2)
    replaced = numbered(CITIES, values, unknown="bern")
    assert (replaced.indices.tolist(), replaced.seen, replaced.unknown) == ([1, 2, 2], 3, 2)
    with pytest.raises(UnknownValue, match="value='paris'"):
        numbered(CITIES, values, unknown="paris")


def test_no_values_have_no_numbers():
    assert numbered(CITIES, pa.array([], pa.string())).indices.tolist() == []
    assert numbered(CITIES, pa.chunked_array([], pa.string())).seen == 0


def test_values_that_cannot_be_compared_are_refused():
    with pytest.raises(InvalidInput, match="cannot be found in a column of type"):
        numbered(CITIES, [[1], [2]])
    with pytest.raises(UnknownValue, match="row 1 or after"):
        numbered(dc.Domain([1, 2]), pa.array([2**64 - 1], pa.uint64()))


def test_numbers_go_straight_into_a_mechanism():
    mechanism = dc.mechanism(dc.Context.uniform(CITIES, "1"), "hadamard")
    found = numbered(mechanism.context.domain, HELD)
    reports = mechanism.randomize_many(found.indices, dc.random.seeded(1))
    assert reports.tolist() == mechanism.randomize_many([1, 3, 1, 0], dc.random.seeded(1)).tolist()
