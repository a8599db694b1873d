"""Mixed uploads: nothing stored tells in which order they came, or which two of them are one person's."""

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
import pytest

from discreet.checks.store import DAY, RESPONSE, collection, tallies, upload
from discreet.collector.batching import grouping_of
from discreet.collector.service import Service
from discreet.collector.settings import Settings
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


# -- an attacker who links the two answers of a person by their places ------------------------------------------


MINIMUM, MANY = 5, 210


def in_whole_batches(collection):
    return grouping_of(MINIMUM, None)


def answered_by_many(store, *, labels=lambda person: ()):
    """Two collections that the same people answered, each by one request after the other."""
    for name in ("c", "d"):
        store.create(collection(name), day=DAY)
    for person in range(MANY):
        for name in ("c", "d"):
            store.add([upload(person, name=name, labels=labels(person), count=1)])


def linked(store):
    """What places tell of two answers: how many are neighbours, have the same rank, are in batches of the same rank.

    And how the ranks correlate. Ranks of batches are among those with the same labels. By chance one has the same rank,
    and so has one batch for each of the labels.
    """
    first, second = people(store, "c"), people(store, "d")
    rank = {person: at for at, person in enumerate(second)}
    batches = [ranks_of_batches(store, name) for name in ("c", "d")]
    return (
        neighbours(store),
        sum(at == rank[person] for at, person in enumerate(first)),
        sum(batch == batches[1].get(person) for person, batch in batches[0].items()) // MINIMUM,
        float(np.corrcoef(range(MANY), [rank[person] for person in first])[0, 1]),
    )


def ranks_of_batches(store, name):
    """For every person, the labels and the rank of the batch that is shown with their answer."""
    replay, found, ranks = grouping_of(MINIMUM, None)([]), {}, Counter()
    names = iter(people(store, name))
    with store._read() as db:
        by_position = {one.position: next(names) for one in queries.placed(db, queries.collection_state(db, name)[0])}
        for one in queries.placed(db, queries.collection_state(db, name)[0]):
            if batch := replay.add(one):
                found |= {by_position[position]: (one.labels, ranks[one.labels]) for position in batch}
                ranks[one.labels] += 1
    return found


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("lands", [1, 3])
def test_two_answers_of_one_person_are_linked_no_better_than_by_chance(kind, lands, tmp_path, monkeypatch):
    """By chance one has the same rank, and 1 or 3 batches; more than 16: below 1e-7. A correlation above .4: 1e-8."""
    rng = random.Random(2)
    monkeypatch.setattr(mixing, "SystemRandom", lambda: rng)
    store = STORES[kind](tmp_path)
    answered_by_many(store, labels=lambda person: (("land", str(person % lands)),))
    assert linked(store)[:3] == (MANY, MANY, MANY // MINIMUM)  # the control: as they came
    store.mix(groupings=in_whole_batches)
    by_place, by_rank, by_batch, correlation = linked(store)
    assert by_place <= 1  # at the one place where the run of a collection ends
    assert by_rank <= 16
    assert by_batch <= 16
    assert abs(correlation) < 0.4
    assert store.check() == []
    store.shut()


@pytest.mark.parametrize("kind", STORES)
def test_uploads_of_a_day_that_is_not_over_are_mixed_now_and_again_with_the_rest_of_it(kind, tmp_path, monkeypatch):
    rng = random.Random(3)
    monkeypatch.setattr(mixing, "SystemRandom", lambda: rng)
    store = STORES[kind](tmp_path)
    for name in ("c", "d"):
        store.create(collection(name), day=DAY)
    for start in (0, MANY // 2):
        for person in range(start, start + MANY // 2):
            for name in ("c", "d"):
                store.add([upload(person, name=name, labels=(), count=1)])
        assert neighbours(store) >= MANY // 2
        store.mix(day=DAY, least=MANY // 2, groupings=in_whole_batches)
        assert neighbours(store) <= 1
        before = people(store)
        store.mix(day=DAY, groupings=in_whole_batches)
        assert people(store) == before  # nothing came
    early = {f"upload-{person}" for person in range(MANY // 2)}
    order = people(store, "c")
    assert 20 < sum(person in early for person in order[: MANY // 2]) < 85  # of 105; else below 1e-8
    store.mix(groupings=in_whole_batches)
    assert people(store) != before  # its day is over
    order = people(store)
    store.mix(groupings=in_whole_batches)
    assert people(store) == order
    store.add([upload(MANY, labels=(), day="2026-02-01")])
    store.mix(day="2026-02-01", groupings=in_whole_batches)
    assert people(store)[:-1] == order
    assert store.check() == []
    store.shut()


@pytest.mark.parametrize("kind", STORES)
def test_a_collector_that_starts_again_and_again_mixes_the_whole_day(kind, tmp_path, monkeypatch):
    """The day noted last is today, so that nothing is over: what was mixed before a start is mixed again after it."""
    rng = random.Random(4)
    monkeypatch.setattr(mixing, "SystemRandom", lambda: rng)
    store, today = STORES[kind](tmp_path), datetime.now(UTC).date().isoformat()
    for name in ("c", "d"):
        store.create(collection(name), day=today)
    for person in range(PEOPLE // 2):
        store.add([upload(person, name=name, day=today) for name in ("c", "d")])
        started = Service(Settings(store=str(tmp_path / "discreet.db")), store, None)
        started._note_day()
        started._mix()
    assert neighbours(store) <= 12  # of 50; by chance more with probability below 1e-9
    assert abs(np.corrcoef([int(name[7:]) for name in people(store, "c")], range(PEOPLE // 2))[0, 1]) < 0.75
    assert store.check() == []
    store.shut()


def test_answers_are_linked_by_their_batches_where_each_stays_at_its_place(tmp_path, monkeypatch):
    """The control: uploads that change places with those of their batch alone."""
    monkeypatch.setattr(mixing._Collection, "order", lambda self, cut: None)
    store = sqlite_in(tmp_path)
    answered_by_many(store)
    store.mix(groupings=in_whole_batches)
    _, _, by_batch, correlation = linked(store)
    assert by_batch == MANY // MINIMUM
    assert correlation > 0.999
    store.shut()


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

    def late(self, places, seen, day):
        if not kept:
            kept.append(tallies(list(store.batches("c"))[: PEOPLE // 2]))
            store.keep_snapshot("c", replace(kept[0], revision=store.snapshot("c").revision))
        return real(self, places, seen, day)

    monkeypatch.setattr(type(store), "_mix", late)
    first = people(store, "c")[: PEOPLE // 2]
    store.mix()
    assert sorted(people(store, "c")[: PEOPLE // 2]) == sorted(first)
    assert people(store, "c")[: PEOPLE // 2] != first
    assert count_reports(store, "c", RESPONSE).tally() == before
    assert store.check() == []


announce = CheckpointFile.announce


def announce_and_crash(self, checkpoint):
    announce(self, checkpoint)
    raise OSError(5, "Input/output error")


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
    store.add([upload(PEOPLE + 1)])
    with monkeypatch.context() as patched:  # and the next mixing crashes, too, which writes over what was announced
        patched.setattr(CheckpointFile, "announce", lambda self, checkpoint: announce_and_crash(self, checkpoint))
        with pytest.raises(StoreFailed):
            store.mix()
    assert check_place(store.path) == []
    store.shut()
    store = sqlite_in(tmp_path)
    assert store.check() == []
    store.add([upload(PEOPLE)])
    store.mix()
    assert store.check() == []
    assert not (tmp_path / "store.db.heads.next").exists()
    store.shut()


@pytest.mark.parametrize("kind", STORES)
def test_a_mixing_that_was_announced_and_never_made_is_no_damage_after_another_commit(kind, tmp_path, monkeypatch):
    """The next commit has the number that was announced; its checkpoint is written, or a crash comes before that."""
    for crashed in (False, True):
        (place := tmp_path / str(crashed)).mkdir()
        store = STORES[kind](place)
        answered(store)
        real = CheckpointFile.announce

        def announce(self, checkpoint, real=real):
            real(self, checkpoint)
            raise OSError(5, "Input/output error")

        with monkeypatch.context() as patched:
            patched.setattr(CheckpointFile, "announce", announce)
            with pytest.raises(StoreFailed):
                store.mix()
        with monkeypatch.context() as patched:
            if crashed:
                patched.setattr(CheckpointFile, "append", lambda self, checkpoint: None)
            store.add([upload(PEOPLE)])
        assert store.check() == []
        store.shut()
        store = STORES[kind](place)
        assert store.check() == []
        store.mix()
        assert store.check() == []
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
