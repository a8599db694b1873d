"""Laws of whole batches: what is shown, however it is combined, tells no set of fewer than `minimum` reports apart."""

import itertools
import random
from datetime import date, timedelta

import numpy as np
import pytest

import discreet as dc
from discreet.bulk.report_files import reports_to_bytes
from discreet.collector.batching import MAX_APART, MIXED, Batches, ShownCounts, grouping_of, shown_uploads
from discreet.collector.results import Breakdown, group_tallies
from discreet.collector.store.postgres.store import PostgresStore
from discreet.collector.store.protocol import GoneBatch, StoredCollection, UploadRecord, each_alone
from discreet.collector.store.sql import forgetting, mixing, queries
from discreet.collector.store.sqlite.store import SQLiteStore
from discreet.collector.store.tallies import count_reports
from discreet.wire.spec import law_text

from .stores import LONG, STORES

MINIMUM = 4
MECHANISM = dc.mechanism(dc.Context.uniform(range(60), "1"), "randomized_response")
"""Each of 60 reports is sent once, so that counts are the set of reports that they were made from."""

LOOKS = [Breakdown(by=by, days=days) for by in (None, "week", "land") for days in (None, 1, 2, 5)]


def collected(make, folder):
    """A new store with one collection."""
    folder.mkdir()
    store = make(folder)
    store.create(StoredCollection("c", "{}", law_text(MECHANISM)), day="2026-11-01")
    return store


def send(store, labels, day, reports):
    packed = reports_to_bytes(MECHANISM, np.array(reports))
    name = "-".join(map(str, reports))
    store.add([UploadRecord("c", name, bytes(32), day, labels, packed, len(reports), "{}")])


def in_whole_batches(collection):
    """How a collector shows what it has."""
    return grouping_of(MINIMUM, None)


def some_uploads(chance):
    """Uploads of all reports, a few at a time, of two labels and several days."""
    left, day = list(range(60)), 1
    while left:
        labels = {"week": chance.choice(["", "46", "47", "48"]), "land": chance.choice(["", "a", "b"])}
        count = chance.choice([1, 1, 1, 2, 3, 5])
        yield tuple((name, text) for name, text in sorted(labels.items()) if text), f"2026-11-{day:02}", left[:count]
        left, day = left[count:], day + (chance.random() < 0.2)


def under_the_new_rule(store, shown, closed):
    counts = shown.look(store, "c", closed=closed)
    return [tally.counts for look in LOOKS for tally in group_tallies(counts, look, "2026-11-01").values() if tally.n]


def under_the_old_rule(store, shown, closed):
    """Every cell that has enough reports of its own."""
    counts = count_reports(store, "c", MECHANISM)
    tallies = [tally for look in LOOKS for tally in group_tallies(counts, look, "2026-11-01").values()]
    return [tally.counts for tally in tallies if tally.n >= MINIMUM]


def exported(store, shown, closed):
    """The rows of an export with the same labels and day."""
    cells = {}
    for cell, parts in shown_uploads(store, "c", MINIMUM, None, closed=closed):
        counts = np.zeros(60)
        np.add.at(counts, np.frombuffer(b"".join(parts), dtype=np.uint8), 1)
        cells[cell] = cells.get(cell, 0) + counts
    return list(cells.values())


def small_set(answers):
    """A set of 1 to MINIMUM - 1 reports that follows from answers by a linear system; None if there is none.

    Reports that are in the same answers cannot be told apart, so sets of such groups are all that there is to try.
    """
    matrix = np.unique(np.array(answers, dtype=float), axis=0)
    columns, groups = np.unique(matrix, axis=1, return_inverse=True)
    sizes = np.bincount(groups.reshape(-1))
    known = [group for group in range(columns.shape[1]) if columns[:, group].any() and sizes[group] < MINIMUM]
    for count in (1, 2, 3):
        for chosen in itertools.combinations(known, count):
            wanted = np.zeros(columns.shape[1])
            wanted[list(chosen)] = 1
            if sum(sizes[list(chosen)]) >= MINIMUM:
                continue
            found = np.linalg.lstsq(columns.T, wanted, rcond=None)[0]
            if np.allclose(columns.T @ found, wanted, atol=1e-7):
                return chosen
    return None


def everything_seen(store, seed, *rules, keep_days=None, forgotten=in_whole_batches):
    """All answers that one gets who looks after some of the uploads, at the end, and after closing.

    Now and then stored uploads are mixed. With `keep_days` old ones are forgotten as by a running collector, together
    as `forgotten` says.
    """
    chance, shown, answers, last = random.Random(seed), ShownCounts(MECHANISM, MINIMUM), [], 1

    def forget(today):
        before = (date(2026, 11, 1) + timedelta(days=today - 1 - keep_days)).isoformat()
        return store.forget(before=before, groupings=forgotten)

    for labels, day, reports in some_uploads(chance):
        if keep_days is not None and (today := int(day[-2:])) != last:
            forget(last := today)
        send(store, labels, day, reports)
        if chance.random() < 0.2:
            store.mix(groupings=in_whole_batches)
        if chance.random() < 0.4:
            answers += [answer for rule in rules for answer in rule(store, shown, False)]
    answers += [answer for rule in rules for answer in rule(store, shown, False)]
    store.close("c", day=day)
    answers += [answer for rule in rules for answer in rule(store, shown, True)]
    for later in range(1, 6) if keep_days is not None else ():
        forget(last + later)
        answers += [answer for rule in rules for answer in rule(store, shown, True)]
    return answers


@pytest.fixture
def lean(monkeypatch):
    """Stores that spend no time on erasing files and on room, which is tried elsewhere, and mix by fixed words."""
    rng = random.Random(1)
    monkeypatch.setattr(mixing, "SystemRandom", lambda: rng)
    for kind in (SQLiteStore, PostgresStore):
        monkeypatch.setattr(kind, "_erase", lambda self: None)
    monkeypatch.setattr(SQLiteStore, "_make_room", lambda self: None)


@pytest.fixture
def started(tmp_path, lean):
    """Stores by kind, each a new one, shut in the end."""
    stores = []

    def start(kind):
        stores.append(collected(STORES[kind], tmp_path / f"store-{len(stores)}"))
        return stores[-1]

    yield start
    for store in stores:
        store.shut()


WORLDS = [("sqlite", seed) for seed in range(100 if LONG else 12)] + [("postgres", 0), ("postgres", 1)]


@pytest.mark.parametrize(("kind", "seed"), WORLDS)
def test_no_small_set_follows_from_all_that_is_shown(kind, seed, started):
    assert small_set(everything_seen(started(kind), seed, under_the_new_rule, exported)) is None


@pytest.mark.parametrize(("kind", "seed"), WORLDS)
@pytest.mark.parametrize("at_once", [1, forgetting.MAX_AT_ONCE])
def test_no_small_set_follows_from_looks_before_and_after_forgetting(kind, seed, at_once, started, monkeypatch):
    monkeypatch.setattr(forgetting, "MAX_AT_ONCE", at_once)
    store = started(kind)
    assert small_set(everything_seen(store, seed, under_the_new_rule, exported, keep_days=3)) is None
    assert list(store.batches("c")) == []
    assert store.check() == []


def test_small_sets_follow_where_uploads_are_forgotten_one_by_one(started):
    """The control: days are forgotten as such, and what is left makes its batches anew."""
    seen = [
        everything_seen(started("sqlite"), seed, under_the_new_rule, exported, keep_days=3, forgotten=each_alone)
        for seed in range(6)
    ]
    assert sum(small_set(answers) is not None for answers in seen) >= 4


def test_small_sets_follow_where_every_cell_hides_itself_only(started):
    seen = [everything_seen(started("sqlite"), seed, under_the_old_rule) for seed in range(12)]
    assert all(small_set(answers) is not None for answers in seen)


def changed_by_mixing(store, seed, groupings):
    """How many looks differ after all uploads were mixed."""
    for upload in some_uploads(random.Random(seed)):
        send(store, *upload)
    before = under_the_new_rule(store, ShownCounts(MECHANISM, MINIMUM), False)
    store.mix(groupings=groupings)
    after = under_the_new_rule(store, ShownCounts(MECHANISM, MINIMUM), False)
    return sum(not np.array_equal(one, other) for one, other in zip(before, after, strict=False))


@pytest.mark.parametrize("seed", range(6))
def test_mixing_changes_nothing_that_is_shown(seed, started):
    assert changed_by_mixing(started("sqlite"), seed, in_whole_batches) == 0
    assert changed_by_mixing(started("sqlite"), seed, each_alone) > 0, "the control: across batches it would"


@pytest.mark.parametrize("seed", range(4))
def test_batches_are_the_same_after_a_restart_and_as_exported(seed, started):
    store, shown = started("sqlite"), ShownCounts(MECHANISM, MINIMUM)
    for upload in some_uploads(random.Random(seed)):
        send(store, *upload)
        continued = shown.look(store, "c", closed=False).counts
        anew = ShownCounts(MECHANISM, MINIMUM).look(store, "c", closed=False).counts
        assert {cell: counts.tolist() for cell, counts in continued.items()} == {
            cell: counts.tolist() for cell, counts in anew.items()
        }
    assert np.array_equal(sum(continued.values()), sum(exported(store, None, False)))


@pytest.mark.parametrize("seed", range(4))
def test_no_more_wait_than_are_shown_or_ten_batches_have(seed, started):
    store, shown, n = started("sqlite"), ShownCounts(MECHANISM, MINIMUM), 0
    for upload in some_uploads(random.Random(seed)):
        send(store, *upload)
        n += len(upload[2])
        seen = shown.look(store, "c", closed=False).tally().n
        assert n - seen < max(MAX_APART * MINIMUM, seen + 1)
    assert n - shown.look(store, "c", closed=True).tally().n < MINIMUM


def test_labels_that_differ_in_a_batch_are_not_said():
    batches = Batches(4)
    one, two = (("land", "a"), ("week", "46")), (("land", "a"),)
    assert batches.add(one, 2) is None
    assert batches.add(one, 0) is None
    assert batches.add(two, 2) is None
    (rest,) = batches.rest()
    assert rest.labels == (("land", "a"), ("week", MIXED))
    assert batches.add(one, 9).labels == one


def test_few_combinations_of_labels_are_always_shown_apart_and_many_small_ones_together():
    for size, joined in ((MAX_APART, 0), (MAX_APART + 10, 1)):
        batches = Batches(4)
        together = [batches.add((("town", str(town)),), 1) for _ in range(3) for town in range(size)]
        assert sum(shown is not None for shown in together) == joined
        assert all(shown is None or shown.labels == (("town", MIXED),) for shown in together)


def test_periods_are_never_joined():
    batches = Batches(4, "week")
    assert batches.add((("week", "46"),), 3) is None
    assert batches.add((("week", "47"),), 3) is None
    assert list(batches.rest()) == []
    assert batches.add((("land", "a"), ("week", "47")), 1) is None
    (rest,) = batches.rest()
    assert rest.labels == (("land", MIXED), ("week", "47"))


def shown_sets(store):
    """Which reports are shown together, and on which day."""
    return {
        (day, frozenset(np.frombuffer(b"".join(parts), dtype=np.uint8).tolist()))
        for (_, day), parts in shown_uploads(store, "c", MINIMUM, None, closed=False)
    }


def many_labels(chance, days):
    """Uploads of 40 towns on some days, so that batches of one town and batches of several come after each other."""
    for day in days:
        for number in chance.sample(range(60), 55):
            town = chance.randrange(3) if chance.random() < 0.3 else chance.randrange(3, 40)
            yield (("town", str(town)),), f"2026-11-{day:02}", [number]


def changed_by_forgetting_and_mixing(store, seed):
    """How often what is left was shown otherwise than before, and whether batches of one town and of several were."""
    chance, changed, kinds = random.Random(seed), 0, set()
    for at, (labels, day, reports) in enumerate(many_labels(chance, range(1, 7))):
        packed = reports_to_bytes(MECHANISM, np.array(reports))
        store.add([UploadRecord("c", str(at), bytes(32), day, labels, packed, 1, "{}")])
        if at % 40 == 39:
            before = shown_sets(store)
            kinds |= {labels[0][1] == MIXED for (labels, _), _ in shown_uploads(store, "c", 4, None, closed=False)}
            first = f"2026-11-{max(1, int(day[-2:]) - chance.randrange(3)):02}"
            wanted = {(day, held) for day, held in before if day >= first}
            store.forget(before=first, groupings=in_whole_batches)
            changed += shown_sets(store) != wanted
            store.mix(groupings=in_whole_batches)
            changed += shown_sets(store) != wanted
    assert kinds == {True, False}
    return changed


@pytest.mark.parametrize("seed", range(8))
def test_what_is_left_is_shown_as_before_however_much_is_mixed_and_forgotten(seed, started):
    """Also batches that join labels, which depend on how many reports were shown before."""
    assert changed_by_forgetting_and_mixing(started("sqlite"), seed) == 0


def test_what_is_left_is_shown_otherwise_where_it_is_not_known_what_is_gone(started, monkeypatch):
    monkeypatch.setattr(queries, "gone_batches", lambda db, number: [])
    assert sum(changed_by_forgetting_and_mixing(started("sqlite"), seed) for seed in range(4)) > 0


def test_a_report_that_waits_is_kept_at_most_as_long_again_as_it_waited(started):
    store = started("sqlite")
    for day in (1, 8, 10):
        send(store, (), f"2026-11-{day:02}", [day])
    assert store.forget(before="2026-11-02", groupings=in_whole_batches) == 1  # never shown
    send(store, (), "2026-11-11", [11])
    send(store, (), "2026-11-12", [12])
    assert shown_sets(store) == {("2026-11-12", frozenset([8, 10, 11, 12]))}
    assert store.forget(before="2026-11-12", groupings=in_whole_batches) == 0
    assert store.forget(before="2026-11-13", groupings=in_whole_batches) == 4


def test_batches_that_are_gone_are_counted_together_where_none_that_is_kept_ended_between():
    gone = [GoneBatch(2, "", 4), GoneBatch(5, "a", 3), GoneBatch(6, "", 5), GoneBatch(9, "", 6)]
    assert forgetting.merged(gone, [7]) == [GoneBatch(2, "", 9), GoneBatch(5, "a", 3), GoneBatch(9, "", 6)]
    assert forgetting.merged(gone, [3, 7]) == gone[:1] + gone[1:]
