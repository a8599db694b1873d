"""Values of Arrow columns are found in the domain, and what is not there is seen."""

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.bulk.arrow.values import record_ids
from discreet.bulk.encoding import DomainLookup
from discreet.bulk.prf import CollectionKey
from discreet.core.errors import InvalidInput

MECHANISM = dc.mechanism(dc.Context.uniform(range(3), epsilon="1"), "hadamard")
KEY = CollectionKey(bytes(16), MECHANISM, collection="c")


@pytest.mark.parametrize(
    ("values", "column", "expected"),
    [
        (range(5), pa.array([0, 4, 5, -1, None, 2]), [0, 4, -1, -1, -1, 2]),
        (range(5), pa.array([0, 4, 5, -1, None, 2], type=pa.int8()), [0, 4, -1, -1, -1, 2]),
        (range(300), pa.array([0, -100, 100], type=pa.int8()), [0, -1, 100]),
        ([0, 1, 2], pa.array([2, 3, None, 0], type=pa.int32()), [2, -1, -1, 0]),
        ([False, True], pa.array([True, None]), [1, -1]),
        (range(10, 15), pa.array([10, 14, 15, 0]), [0, 4, -1, -1]),
        ([7, 3], pa.array([3, 7, 8, None], type=pa.int16()), [1, 0, -1, -1]),
        (["x", "y"], pa.array(["y", "x", "z", None, ""]), [1, 0, -1, -1, -1]),
        (["x", "y"], pa.array(["y", None], type=pa.large_string()), [1, -1]),
        (range(5), pa.array(["4", "04", "5", ""]), [4, -1, -1, -1]),
        ([True, False], pa.array([False, True, None]), [1, 0, -1]),
        (["é", "e\u0301"], pa.array(["e\u0301", "é"]), [1, 0]),
        (range(3), pa.array([], type=pa.int32()), []),
    ],
)
def test_a_value_has_its_index_and_anything_else_minus_one(values, column, expected):
    assert DomainLookup(dc.Domain(values), written=True).indices(column).tolist() == expected


def test_a_slice_of_a_column_is_read_where_it_stands():
    column = pa.array(["x", "y", "x", "y"])[1:3]
    assert DomainLookup(dc.Domain(["x", "y"])).indices(column).tolist() == [1, 0]
    assert record_ids(column, KEY).tolist() == record_ids(pa.array(["y", "x"]), KEY).tolist()


@pytest.mark.parametrize(
    ("values", "column", "said"),
    [
        (["x", "y"], pa.array([[1], [2]]), "values of type list<item: int64> must be one column"),
        ([1, "1"], pa.array(["1"]), "are written alike in files"),
    ],
)
def test_columns_that_cannot_hold_the_values_are_refused(values, column, said):
    with pytest.raises(InvalidInput, match=said):
        DomainLookup(dc.Domain(values), written=True).indices(column)


def test_whole_numbers_are_record_ids_as_they_are():
    assert record_ids(pa.array([0, 5, -1]), KEY).tolist() == [0, 5, 2**64 - 1]
    assert record_ids(pa.array([-1], type=pa.int8()), KEY).tolist() == [2**64 - 1]
    assert record_ids(pa.array([2**64 - 1], type=pa.uint64()), KEY).tolist() == [2**64 - 1]


def test_text_and_its_bytes_are_one_record():
    texts = ["", "a", "person é", "x" * 40]
    ids = record_ids(pa.array(texts), KEY)
    assert ids.dtype == np.uint64
    assert len(set(ids.tolist())) == 4
    assert record_ids(pa.array([text.encode() for text in texts]), KEY).tolist() == ids.tolist()
    other = CollectionKey(bytes(16), MECHANISM, collection="d")
    assert not set(record_ids(pa.array(texts), other).tolist()) & set(ids.tolist())


def test_no_texts_are_no_records():
    assert record_ids(pa.array([], type=pa.string()), KEY).tolist() == []


def test_numbers_that_are_not_whole_are_no_record_ids():
    with pytest.raises(InvalidInput, match="must be whole numbers, text or bytes"):
        record_ids(pa.array([1.0]), KEY)
