"""Laws of whole batches: what is shown, however it is combined, tells no set of fewer than `minimum` reports apart."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

import discreet as dc
from discreet.bulk.report_files import reports_to_bytes
from discreet.collector.batching import MAX_APART, MIXED, Batches, ShownCounts, batch_numbers, shown_uploads
from discreet.collector.results import Breakdown, group_tallies
from discreet.collector.store.protocol import Batch, Snapshot
from discreet.collector.store.tallies import count_reports

MINIMUM = 4
MECHANISM = dc.mechanism(dc.Context.uniform(range(60), "1"), "randomized_response")
"""Each of 60 reports is sent once, so that counts are the set of reports that they were made from."""

LOOKS = [Breakdown(by=by, days=days) for by in (None, "week", "land") for days in (None, 1, 2, 5)]


class Uploads:
    """As much of a store as is read."""

    def __init__(self):
        self.kept, self.revision = [], 0

    def batches(self, collection, *, after=0):
        return iter([batch for batch in self.kept if batch.position > after])

    def snapshot(self, collection):
        return Snapshot(0, {}, self.revision)

    def mix(self, chance, numbers):
        """Uploads of the same labels, day and size get each other's reports inside the batches that are numbered."""
        alike = {}
        for place, batch in enumerate(self.kept):
            key = numbers(batch.labels, batch.count), batch.labels, batch.day, batch.count
            alike.setdefault(key, []).append(place)
        for places in alike.values():
            order = [self.kept[place].reports for place in chance.sample(places, len(places))]
            for place, reports in zip(places, order, strict=True):
                self.kept[place] = replace(self.kept[place], reports=reports)
        self.revision += 1

    def add(self, labels, day, reports):
        packed = reports_to_bytes(MECHANISM, np.array(reports))
        self.kept.append(Batch(len(self.kept) + 1, labels, day, packed, len(reports)))


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
    for cell, parts in shown_uploads(store.batches("c"), MINIMUM, None, closed=closed):
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


def everything_seen(seed, *rules, numbers=batch_numbers):
    """All answers that one gets who looks after some of the uploads, at the end, and after closing.

    Now and then stored uploads are mixed, inside the batches that `numbers` tells.
    """
    chance, store, shown, answers = random.Random(seed), Uploads(), ShownCounts(MECHANISM, MINIMUM), []
    for upload in some_uploads(chance):
        store.add(*upload)
        if chance.random() < 0.3:
            store.mix(chance, numbers(MINIMUM, None))
        if chance.random() < 0.4:
            answers += [answer for rule in rules for answer in rule(store, shown, False)]
    return answers + [answer for closed in (False, True) for rule in rules for answer in rule(store, shown, closed)]


@pytest.mark.parametrize("seed", range(12))
def test_no_small_set_follows_from_all_that_is_shown(seed):
    assert small_set(everything_seen(seed, under_the_new_rule, exported)) is None


def changed_by_mixing(numbers):
    """How many looks differ after all uploads were mixed."""
    store, shown = Uploads(), ShownCounts(MECHANISM, MINIMUM)
    for upload in some_uploads(random.Random(1)):
        store.add(*upload)
    before = under_the_new_rule(store, shown, False)
    store.mix(random.Random(2), numbers(MINIMUM, None))
    after = under_the_new_rule(store, shown, False)
    return sum(not np.array_equal(one, other) for one, other in zip(before, after, strict=True))


def test_mixing_changes_nothing_that_is_shown():
    assert changed_by_mixing(batch_numbers) == 0
    assert changed_by_mixing(lambda *_: lambda *_: 0) > 0, "the control: across batches it would"


def test_small_sets_follow_where_every_cell_hides_itself_only():
    assert all(small_set(everything_seen(seed, under_the_old_rule)) is not None for seed in range(12))


@pytest.mark.parametrize("seed", range(4))
def test_batches_are_the_same_after_a_restart_and_as_exported(seed):
    store, shown = Uploads(), ShownCounts(MECHANISM, MINIMUM)
    for upload in some_uploads(random.Random(seed)):
        store.add(*upload)
        continued = shown.look(store, "c", closed=False).counts
        anew = ShownCounts(MECHANISM, MINIMUM).look(store, "c", closed=False).counts
        assert {cell: counts.tolist() for cell, counts in continued.items()} == {
            cell: counts.tolist() for cell, counts in anew.items()
        }
    assert np.array_equal(sum(continued.values()), sum(exported(store, None, False)))


@pytest.mark.parametrize("seed", range(4))
def test_no_more_wait_than_are_shown_or_ten_batches_have(seed):
    store, shown, n = Uploads(), ShownCounts(MECHANISM, MINIMUM), 0
    for upload in some_uploads(random.Random(seed)):
        store.add(*upload)
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


def test_batches_are_made_anew_when_days_were_forgotten():
    store, shown = Uploads(), ShownCounts(MECHANISM, MINIMUM)
    for day in range(10):
        store.add((), f"2026-11-{day + 1:02}", [day])
    assert shown.look(store, "c", closed=False).tally().n == 8
    del store.kept[:3]
    store.revision += 1
    assert shown.look(store, "c", closed=False).tally().n == 4
