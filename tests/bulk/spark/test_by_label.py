"""Tallies by label on a real cluster: those of one machine."""

import pytest

import discreet as dc
import discreet.bulk.spark as ds
from discreet.core.errors import InvalidInput, MechanismMismatch

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_reports_are_counted_by_label_and_only_counts_travel(spark):
    people = spark.range(3_000).selectExpr("id", "id % 4 as value", "id % 2 = 0 as even", "nullif(id % 3, 2) as area")
    mechanism = dc.mechanism(dc.Context.uniform(range(4), "1"), "hadamard")
    made = ds.randomize(people, mechanism, "value", record_id="id", key=b"k" * 32, keep=["even", "area"])
    groups = ds.tally_by(made, mechanism, "even", "area")
    assert list(groups) == [(even, area) for even in ("false", "true") for area in ("0", "1", None)]
    assert groups.tally == ds.tally(made, mechanism)
    for even, area in groups:
        chosen = made.filter(f"even = {even} and area {'is null' if area is None else f'= {area}'}")
        assert groups[even, area] == ds.tally(chosen, mechanism)
    other = dc.mechanism(dc.Context.uniform(range(4), "2"), "hadamard")
    mixed = made.union(ds.randomize(people, other, "value", record_id="id", key=b"k" * 32, keep=["even", "area"]))
    with pytest.raises(MechanismMismatch, match="column 'report', 3000 times: holds reports of another mechanism"):
        ds.tally_by(mixed, mechanism, "even")
    for names in ((), ("even", "even"), ("report",)):
        with pytest.raises(InvalidInput, match="by must name columns of labels"):
            ds.tally_by(made, mechanism, *names)
