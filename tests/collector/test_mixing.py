"""Mixed uploads: nothing stored tells in which order they came, or which two of them are one person's."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from discreet.checks.store import DAY, RESPONSE, collection, tallies, upload
from discreet.collector.store.opening import check_place
from discreet.collector.store.postgres.store import PostgresStore
from discreet.collector.store.protocol import StoreChanged
from discreet.collector.store.sql import mixing, queries
from discreet.collector.store.sql.checkpoints import CheckpointFile
from discreet.collector.store.tallies import count_reports
from discreet.core.errors import StoreFailed

from .stores import STORES, schema_of, server, sqlite_in

PEOPLE = 100


@pytest.fixture(params=STORES)
def store(request, tmp_path, monkeypatch):
    """A store with two collections that the same people answered, one after the other."""
    rng = random.Random(1)
    monkeypatch.setattr(mixing, "SystemRandom", lambda: rng)
    made = STORES[request.param](tmp_path)
    answered(made)
    yield made
    made.shut()


def answered(store):
    for name in ("c", "d"):
        store.create(collection(name), day=DAY)
    for start in range(0, PEOPLE, 10):
        pairs = [(n, name) for n in range(start, start + 10) for name in ("c", "d")]
        store.add([upload(n, name=name) for n, name in pairs])


def people(store, name=None):
    """The number of the person of every upload, in order of their positions."""
    where = "" if name is None else f"WHERE collection = (SELECT number FROM collection WHERE id = '{name}')"
    with store._read() as db:
        return [text for (text,) in db.execute(f"SELECT upload FROM upload {where} ORDER BY position").fetchall()]


def neighbours(store):
    """How many people's two answers have positions next to each other."""
    order = people(store)
    return sum(one == other for one, other in pairwise(order))


def test_answers_of_one_person_are_no_neighbours_and_were_written_at_once(store):
    """Of 100 pairs among 200 about one is next to each other by chance; more than 12 with probability below 1e-9."""
    assert neighbours(store) == PEOPLE  # the control
    before = people(store, "c")
    store.mix()
    assert neighbours(store) <= 12
    after = people(store, "c")
    assert sorted(after) == sorted(before)
    assert sum(one == other for one, other in zip(before, after, strict=True)) <= 12
    assert store.check() == []


def test_the_rows_and_the_checkpoints_of_mixed_uploads_tell_no_transaction(tmp_path):
    store = STORES["postgres"](tmp_path)
    answered(store)
    count = "SELECT COUNT(DISTINCT xmin::text) FROM upload"
    assert store._writer().execute(count).fetchone() == (PEOPLE // 10,)  # the control
    store.mix()
    assert store._writer().execute(count).fetchone() == (1,)
    assert (tmp_path / "heads" / "lane-0.heads").stat().st_size == 256
    assert sorted(path.name for path in (tmp_path / "heads").iterdir()) == ["lane-0.heads"]
    store.shut()


def test_a_machine_whose_id_another_one_had_meanwhile_goes_on_after_it_mixed(tmp_path):
    """The checkpoints of the first machine are of before the mixing, which it did not see."""

    def opened(machine):
        return PostgresStore(server().get_uri(), checkpoints=tmp_path / machine, schema=schema_of(tmp_path))

    first = opened("one")
    answered(first)
    first.shut()
    other = opened("two")
    other.mix()
    other.add([upload(PEOPLE)])
    other.shut()
    first = opened("one")
    assert first.writer_id == other.writer_id == 0
    assert first.check() == []
    first.add([upload(PEOPLE + 1)])
    first.shut()
    other = opened("two")
    assert other.check() == []
    other._db.execute("UPDATE upload SET chain = row_hash WHERE position = (SELECT MAX(position) FROM upload)")
    assert any("the chain at position" in line or "does not follow" in line for line in other.check())  # the control
    other.shut()


def test_no_upload_leaves_its_class_and_inside_of_it_all_orders_come():
    alike = {2: "a", 3: "a", 5: "b", 7: "b", 8: "c", 9: "c"}
    found = {tuple(mixing.mixed_order(alike).values()) for _ in range(400)}
    assert {order[:2] for order in found} == {(2, 3), (3, 2)}
    assert {order[2:4] for order in found} == {(5, 7), (7, 5)}
    assert {tuple(sorted(order[4:])) for order in found} == {(8, 9)}  # each missing: 400 draws, below 1e-50
    assert len(found) == 8


def test_what_was_read_while_uploads_were_mixed_is_read_again(store, monkeypatch):
    monkeypatch.setattr(queries, "PAGE_ROWS", 30)
    reading = store.batches("c")
    next(reading)
    store.mix()
    with pytest.raises(StoreChanged):
        list(reading)
    mixes, batches = [], type(store).batches

    def disturbed(self, collection, *, after=0):
        for number, batch in enumerate(batches(self, collection, after=after)):
            if number == 10 and len(mixes) < 2:
                store.add([upload(PEOPLE + len(mixes))])
                store.mix()
                mixes.append(number)
            yield batch

    monkeypatch.setattr(type(store), "batches", disturbed)
    assert count_reports(store, "c", RESPONSE).tally().n == 3 * (PEOPLE + 2)


def test_uploads_that_are_tallied_while_it_is_seen_which_are_alike_stay_on_their_side(store, monkeypatch):
    """A snapshot between the look and the mixing: nothing crosses its position, and nothing is counted twice."""
    before = count_reports(store, "c", RESPONSE).tally()
    kept, real = [], type(store)._mix

    def late(self, alike, seen):
        if not kept:
            kept.append(tallies(list(store.batches("c"))[: PEOPLE // 2]))
            store.keep_snapshot("c", replace(kept[0], revision=store.snapshot("c").revision))
        return real(self, alike, seen)

    monkeypatch.setattr(type(store), "_mix", late)
    first = people(store, "c")[: PEOPLE // 2]
    store.mix()
    assert sorted(people(store, "c")[: PEOPLE // 2]) == sorted(first)
    assert people(store, "c")[: PEOPLE // 2] != first
    assert count_reports(store, "c", RESPONSE).tally() == before
    assert store.check() == []


@pytest.mark.parametrize("when", ["announce", "begin_anew"])
def test_a_crash_while_uploads_are_mixed_is_no_damage(tmp_path, monkeypatch, when):
    """Before the commit, or between it and the new file of checkpoints."""
    store = sqlite_in(tmp_path)
    answered(store)
    real = getattr(CheckpointFile, when)

    def crash(self, checkpoint):
        if when == "announce":
            real(self, checkpoint)
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(CheckpointFile, when, crash)
        with pytest.raises(StoreFailed):
            store.mix()
    assert (tmp_path / "store.db.heads.next").exists()
    assert (neighbours(store) < PEOPLE) == (when == "begin_anew")
    assert check_place(store.path) == []
    store.shut()
    store = sqlite_in(tmp_path)
    assert sorted(people(store, "c")) == sorted(f"upload-{number}" for number in range(PEOPLE))
    assert store.check() == []
    store.add([upload(PEOPLE)])
    store.mix()
    assert store.check() == []
    assert not (tmp_path / "store.db.heads.next").exists()
    store.shut()


def test_a_chain_that_is_made_anew_without_saying_so_is_damage(tmp_path, monkeypatch):
    store = sqlite_in(tmp_path)
    answered(store)
    monkeypatch.setattr(CheckpointFile, "announce", lambda self, checkpoint: None)
    monkeypatch.setattr(CheckpointFile, "begin_anew", CheckpointFile.append)
    store.mix()
    assert any("the chain at position" in line for line in store.check())
    store.shut()


def test_an_older_copy_is_noticed_after_mixing_too(tmp_path):
    store = sqlite_in(tmp_path)
    answered(store)
    store.back_up(tmp_path / "older")
    store.mix()
    store.shut()
    store.path.write_bytes((tmp_path / "older").read_bytes())
    with pytest.raises(StoreFailed, match="1 commits were acknowledged and are not in the database"):
        sqlite_in(tmp_path)
