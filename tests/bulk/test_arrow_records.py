"""What one partition does: records to reports or to one row of counts, whatever the batches are."""

import pickle
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.bulk.arrow import records as arrow_records
from discreet.bulk.arrow.records import (
    PARTIAL,
    Parcel,
    Recipe,
    count_reports,
    merge,
    nothing,
    rows_together,
    slabs,
    whole,
)
from discreet.bulk.arrow.reports import report_type, reports_in
from discreet.bulk.prf import CollectionKey, randomize_records
from discreet.core.errors import InvalidInput, InvalidReport, UnknownValue

K = 90
MECHANISMS = {
    "7 bits": dc.mechanism(dc.Context.uniform(range(K), epsilon="1"), "hadamard"),
    "16 bits": dc.mechanism(dc.Context.uniform(range(40_000), epsilon="1"), "hadamard"),
    "32 bits": dc.mechanism(dc.Context.uniform(range(32), epsilon="1"), "unary"),
    "63 bits": dc.mechanism(dc.Context.uniform(range(63), epsilon="1"), "unary"),
    "64 bits": dc.mechanism(dc.Context.uniform(range(64), epsilon="1"), "unary"),
    "90 bits": dc.mechanism(dc.Context.uniform(range(K), epsilon="1"), "subset"),
    "blocks": dc.mechanism(dc.Context.blocks({"a": range(9), "b": range(9, K)}, epsilon="1"), "subset"),
}


def key_for(mechanism):
    return CollectionKey(bytes(range(16)), mechanism, collection="place")


def recipe_for(mechanism, *, drop_unknown=False):
    return Recipe(Parcel.of(mechanism), key_for(mechanism), "place", "person", drop_unknown)


def people(mechanism, n):
    rng = np.random.default_rng(7)
    return rng.permutation(n) * 1009, rng.integers(0, mechanism.context.size, n)


def batches_of(ids, values, *cuts, **more):
    batch = pa.RecordBatch.from_pydict({"value": values, "record": ids, **more})
    edges = [0, *cuts, batch.num_rows]
    return [batch[a:b] for a, b in pairwise(edges)]


def tally_of(mechanism, rows):
    (batch,) = rows
    (row,) = batch.to_pylist()
    assert list(row) == PARTIAL.names
    return whole(mechanism, row["counts"], row["n"]), row["unknown"], row["nameless"]


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS.keys())
def test_reports_and_counts_are_those_of_one_machine(mechanism):
    ids, values = people(mechanism, 3000)
    expected = randomize_records(mechanism, values, ids=ids, key=key_for(mechanism))
    recipe = pickle.loads(pickle.dumps(recipe_for(mechanism)))  # as an executor gets it
    made = pa.Table.from_batches(recipe.randomize(batches_of(ids, values, 1, 1, 500)))
    assert made.schema.names == ["report"]
    assert made.schema.field("report").type == report_type(mechanism)
    read = reports_in(mechanism, made["report"].combine_chunks())
    assert np.array_equal(read.astype(expected.dtype), expected)
    tally, unknown, nameless = tally_of(mechanism, recipe.count(batches_of(ids, values, 1700)))
    assert (tally, unknown, nameless) == (mechanism.tally(expected), 0, 0)
    assert tally_of(mechanism, count_reports(recipe.parcel, made.to_batches(997)))[0] == tally


def test_a_person_who_is_left_out_changes_nobody_elses_report():
    mechanism = MECHANISMS["7 bits"]
    ids, values = people(mechanism, 500)
    all_made = pa.Table.from_batches(recipe_for(mechanism).randomize(batches_of(ids, values)))
    fewer = pa.Table.from_batches(recipe_for(mechanism).randomize(batches_of(ids[1:], values[1:])))
    assert fewer["report"].to_pylist() == all_made["report"].to_pylist()[1:]
    changed = values.copy()
    changed[0] = (changed[0] + 1) % K
    moved = pa.Table.from_batches(recipe_for(mechanism).randomize(batches_of(ids, changed)))
    assert moved["report"].to_pylist()[1:] == all_made["report"].to_pylist()[1:]


def test_kept_columns_stay_beside_their_report():
    mechanism = MECHANISMS["7 bits"]
    ids, values = people(mechanism, 100)
    values = values.astype(object)
    values[::3] = None
    day = [f"day {number}" for number in range(100)]
    recipe = recipe_for(mechanism, drop_unknown=True)
    made = pa.Table.from_batches(recipe.randomize(batches_of(ids, values, 40, day=day)))
    known = [number for number in range(100) if number % 3]
    assert made["day"].to_pylist() == [day[number] for number in known]
    expected = randomize_records(mechanism, values[known].astype(int), ids=ids[known], key=key_for(mechanism))
    assert made["report"].to_pylist() == expected.tolist()


@pytest.mark.parametrize("wrong", [None, K, -1])
def test_unknown_values_are_refused_by_number_and_never_shown(wrong):
    mechanism = MECHANISMS["7 bits"]
    values = [1, wrong, 2, wrong]
    rows = batches_of([1, 2, 3, 4], values)
    with pytest.raises(UnknownValue, match=r"column 'place': at least 2 records are null or not among the 90") as said:
        list(recipe_for(mechanism).randomize(rows))
    assert str(wrong) not in str(said.value).replace("90 values", "")
    tally, unknown, _ = tally_of(mechanism, recipe_for(mechanism).count(rows))
    assert (tally.n, unknown) == (2, 2)
    with pytest.raises(UnknownValue, match="column 'place': 2 records are null"):
        arrow_records.refuse(recipe_for(mechanism), unknown=unknown, nameless=0)
    arrow_records.refuse(recipe_for(mechanism, drop_unknown=True), unknown=unknown, nameless=0)


def test_a_record_without_an_id_is_refused_even_where_unknown_values_are_dropped():
    recipe = recipe_for(MECHANISMS["7 bits"], drop_unknown=True)
    rows = batches_of([1, None, 3], [1, 2, 3])
    with pytest.raises(InvalidInput, match="column 'person': at least 1 records have no id"):
        list(recipe.randomize(rows))
    assert tally_of(MECHANISMS["7 bits"], recipe.count(rows))[2] == 1


def test_no_records_leave_one_row_of_zeros_and_no_reports():
    mechanism = MECHANISMS["7 bits"]
    empty = batches_of(pa.array([], pa.int64()), pa.array([], pa.int64()))
    for rows in ([], empty):
        assert tally_of(mechanism, recipe_for(mechanism).count(rows))[0] == mechanism.tally()
        assert list(recipe_for(mechanism).randomize(rows)) == []


def test_rows_are_handed_over_in_slabs_in_order():
    rows = batches_of(list(range(1000)), [0] * 1000, 1, 2, 300, 301, 600)
    sizes = [batch.num_rows for batch in slabs(rows, 250)]
    assert sum(sizes) == 1000
    assert max(sizes) <= 500
    assert [row for batch in slabs(rows, 250) for row in batch.column(1).to_pylist()] == list(range(1000))


def test_slabs_grow_with_the_cells_and_shrink_with_the_width():
    wide = dc.mechanism(dc.Context.uniform(range(5000), epsilon="1"), "unary")
    assert rows_together(MECHANISMS["7 bits"]) == arrow_records.SLAB
    assert rows_together(wide) * -(-wide.bits // 64) <= 1 << 23
    assert rows_together(dc.mechanism(dc.Context.uniform(range(1 << 18), epsilon="1"), "hadamard")) > arrow_records.SLAB


def test_rows_merge_in_any_order_and_nothing_is_their_zero():
    mechanism = MECHANISMS["7 bits"]
    ids, values = people(mechanism, 300)
    recipe = recipe_for(mechanism)
    rows = []
    for part in range(3):
        cut = slice(100 * part, 100 * part + 100)
        (row,) = next(recipe.count(batches_of(ids[cut], values[cut]))).to_pylist()
        rows.append(tuple(row.values()))
    one = merge(merge(rows[0], rows[1]), rows[2])
    assert one == merge(rows[2], merge(rows[1], rows[0])) == merge(nothing(mechanism), one)
    assert whole(mechanism, *one[:2]) == tally_of(mechanism, recipe.count(batches_of(ids, values)))[0]
    assert merge((rows[0][0], 1, 2, 3), (rows[1][0], 10, 20, 30))[1:] == (11, 22, 33)


@pytest.mark.parametrize(
    ("name", "column", "said"),
    [
        ("7 bits", pa.array([1, None]), "1 are null"),
        ("7 bits", pa.array([1, 128]), "from 0 to 127"),
        ("7 bits", pa.array([1, -1]), "must not be negative"),
        ("7 bits", pa.array(["01"]), "must be a whole number"),
        ("7 bits", pa.array(["1", None]), "1 are null"),
        ("7 bits", pa.array([b"1"]), "must have the type int16"),
        ("90 bits", pa.array([b"1" * 11]), "must have 12 bytes"),
        ("90 bits", pa.array([b"\xff" * 12]), "below 2"),
        ("90 bits", pa.array([b"\0" * 12]), "exactly"),
    ],
)
def test_reports_that_cannot_occur_are_refused(name, column, said):
    mechanism = MECHANISMS[name]
    rows = [pa.RecordBatch.from_pydict({"report": column})]
    with pytest.raises(InvalidReport, match=said):
        list(count_reports(Parcel.of(mechanism), rows))


def test_a_parcel_is_opened_once_in_a_process_and_says_little():
    parcel = Parcel.of(MECHANISMS["7 bits"])
    again = pickle.loads(pickle.dumps(parcel))
    assert again is not parcel
    assert again.open()[0] is parcel.open()[0]
    assert "content" not in repr(recipe_for(MECHANISMS["7 bits"]))
