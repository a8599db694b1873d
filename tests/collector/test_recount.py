"""Stored tallies, compared with the reports counted again."""

from dataclasses import replace

import pytest

from discreet.checks.store import DAY, RESPONSE, collection, tallies, upload
from discreet.collector.store import tallies as store_tallies
from discreet.collector.store.protocol import Snapshot, StoredCollection
from discreet.core.errors import StoreFull

from .stores import sqlite_in


@pytest.fixture
def store(tmp_path):
    made = sqlite_in(tmp_path)
    made.create(collection(), day=DAY)
    made.add(
        [upload(number, day=f"2026-01-0{1 + number % 3}", labels=(("w", str(number % 2)),)) for number in range(9)]
    )
    yield made
    made.shut()


def test_true_tallies_are_no_damage_in_parts_of_any_size(store, monkeypatch):
    store.keep_snapshot("c", tallies(list(store.batches("c"))))
    assert store.check() == []
    monkeypatch.setattr(store_tallies, "MAX_PENDING_BYTES", 0)
    assert store.check() == []


def test_reports_after_the_position_do_not_count(store):
    store.keep_snapshot("c", tallies(list(store.batches("c"))[:4]))
    assert store.check() == []


def test_a_cell_with_nothing_in_it_may_be_there_or_not(store):
    store.add([upload(20, day="2026-01-08", labels=(), count=0)])
    full = tallies(list(store.batches("c")))
    store.keep_snapshot("c", full)
    assert store.check() == []
    store.keep_snapshot("c", replace(full, tallies={c: n for c, n in full.tallies.items() if c != ((), "2026-01-08")}))
    assert store.check() == []


@pytest.mark.parametrize("fault", ["missing", "more", "short", "early"])
def test_every_wrong_tally_is_named(store, fault):
    right = tallies(list(store.batches("c")))
    cell = ((("w", "1"),), "2026-01-02")
    wrong = dict(right.tallies)
    if fault == "missing":
        del wrong[cell]
    elif fault == "more":
        wrong[(("w", "3"),), "2026-01-02"] = wrong[cell]
    elif fault == "short":
        wrong[cell] = wrong[cell][:-8]
    position = right.position - 1 if fault == "early" else right.position
    store.keep_snapshot("c", Snapshot(position, wrong))
    assert all("is not what its reports count" in line for line in store.check())
    assert len(store.check()) == 1


def test_a_law_that_cannot_be_read_is_said(store):
    store.create(StoredCollection("d", "{}", "no law"), day=DAY)
    assert store.check() == []
    store.keep_snapshot("d", Snapshot(0, {}))
    assert any("collection d: its reports cannot be counted again" in line for line in store.check())


def test_what_is_stored_is_counted_where_there_is_no_room_for_tallies(store, monkeypatch):
    def full(collection, snapshot):
        raise StoreFull("no room")

    monkeypatch.setattr(store_tallies, "TAIL_REPORTS", 0)
    monkeypatch.setattr(store, "keep_snapshot", full)
    counts = store_tallies.count_reports(store, "c", RESPONSE)
    assert counts.reports == counts.tally().n == sum(batch.count for batch in store.batches("c"))
