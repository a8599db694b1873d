"""A clock that jumps: nothing that was acknowledged is forgotten too early, and every figure counts what is stored."""

import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner

from discreet.checks.store import DAY, RESPONSE, collection, upload
from discreet.cli import main
from discreet.collector import service as service_module
from discreet.collector.service import MAX_DAYS_AHEAD, Service
from discreet.collector.settings import Settings
from discreet.collector.store import tallies
from discreet.collector.store.postgres.store import PostgresStore, restore
from discreet.collector.store.tallies import count_reports

from .stores import LONG, STORES, schema_of, server

FORGET_AFTER = 30
START = date.fromisoformat(DAY)


@pytest.fixture
def clock(monkeypatch):
    """Sets the clock of the service to a day."""

    def set_to(day):
        class Wrong(datetime):
            @classmethod
            def now(cls, tz=None):
                return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)

        monkeypatch.setattr(service_module, "datetime", Wrong)

    set_to(START)
    return set_to


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """Stores by kind and name, shut in the end; the server's journal is not written over, which takes seconds."""
    monkeypatch.setattr(PostgresStore, "_erase", lambda self: None)
    stores = []

    def start(kind, name="store"):
        (tmp_path / name).mkdir(exist_ok=True)
        stores.append(STORES[kind](tmp_path / name))
        return stores[-1]

    yield start
    for store in stores:
        store.shut()


def one_round(store):
    """What a collector that has just started does in the background; the service."""
    service = Service(Settings(forget_after=FORGET_AFTER), store, None)
    service._note_day()
    service.forget()
    return service


def counted(store, *, check=True):
    """The number of reports by day, as an analyst sees it; it is that of the stored rows, and a check agrees."""
    counts = count_reports(store, "c", RESPONSE)
    found = {day: tally.n for (_, day), tally in counts.groups(lambda cell: ((), cell[1])).items() if tally.n}
    stored = {}
    for batch in store.batches("c"):
        stored[batch.day] = stored.get(batch.day, 0) + batch.count
    assert found == stored
    assert not check or store.check() == []
    return found


@pytest.mark.parametrize("kind", STORES)
def test_a_clock_years_ahead_forgets_nothing_and_what_comes_later_is_counted(kind, opened, clock, monkeypatch):
    monkeypatch.setattr(tallies, "TAIL_REPORTS", 0)
    store = opened(kind)
    store.create(collection(), day=DAY)
    store.add([upload(number) for number in range(20)])
    clock(START + timedelta(days=800))
    service = one_round(store)
    assert service.metrics.is_forgetting_held
    assert "discreet_forgetting_held 1" in service.metrics.text({})
    assert counted(store) == {DAY: 60}
    clock(START)
    assert not one_round(store).metrics.is_forgetting_held
    store.add([upload(number) for number in range(20, 30)])
    assert counted(store) == {DAY: 90}
    store.forget(before="2028-12-26")  # told to, by a caller who names the day
    store.add([upload(number) for number in range(30, 40)])
    for _ in range(2):  # from the reports, and then from the snapshot
        assert counted(store) == {DAY: 30}


def test_forgetting_goes_on_day_by_day_and_after_a_long_stop_once_it_is_told(opened, clock):
    store = opened("sqlite")
    store.create(collection(), day=DAY)
    store.add([upload(1)])
    for days in range(0, FORGET_AFTER + 1, MAX_DAYS_AHEAD):  # nobody sends anything; the collector runs now and then
        clock(START + timedelta(days=days))
        assert not one_round(store).metrics.is_forgetting_held
        assert counted(store) == {DAY: 3}
    clock(START + timedelta(days=FORGET_AFTER + 1))
    one_round(store)
    assert counted(store) == {}
    today = START + timedelta(days=FORGET_AFTER + 1)
    store.add([upload(2, day=today.isoformat())])
    store.shut()
    later = datetime.now(UTC).date()  # many days later, by the clock of this machine
    clock(later)
    store = opened("sqlite")
    assert one_round(store).metrics.is_forgetting_held
    assert counted(store) == {today.isoformat(): 3}
    store.shut()
    done = CliRunner().invoke(main, ["serve", "--store", str(store.path), "--trust-clock"])
    assert done.output == f"The last day that the store knew was {today}; now it is {datetime.now(UTC).date()}.\n"
    store = opened("sqlite")
    one_round(store)
    assert counted(store) == {}


def world(seed, store, clock, steps=40):
    """Days pass, the clock jumps and comes back, the collector restarts; how many young reports were lost.

    While the clock is wrong nobody knows how time goes by; an upload is as old as the last day on which it was right.
    """
    rng, true, right, offset, sent, stopped = random.Random(seed), START, START, 0, [], 0
    clock(START)
    store.create(collection(), day=DAY)
    service = one_round(store)
    for _ in range(steps):
        true += timedelta(days=rng.choice([0, 0, 1, 1, 2]))
        offset = rng.choice([offset, offset, 0, 0, 0, 40, 400, 800, -40, -800])
        now = true + timedelta(days=offset)
        right = right if offset else true
        clock(now)
        if rng.random() < 0.3:
            service = one_round(store)
        service._note_day()
        if offset == 0 and service.metrics.is_forgetting_held:  # it was wrong for days; now somebody says it is right
            stopped += 1
            store.note_day(now.isoformat())
            service._looked_at = ""
        service.forget()
        new = [upload(len(sent) + each, day=now.isoformat(), count=5) for each in range(rng.randrange(4))]
        store.add(new)
        sent += [right] * len(new)
        found = counted(store, check=rng.random() < 0.2)
        young = sum(5 for day in sent if (true - day).days <= FORGET_AFTER - MAX_DAYS_AHEAD)
        if sum(found.values()) < young:
            return young - sum(found.values())
        if offset == 0 and not service.metrics.is_forgetting_held:
            assert all(day >= (true - timedelta(days=FORGET_AFTER)).isoformat() for day in found)
    assert stopped
    return 0


@pytest.mark.parametrize(("kind", "seeds"), [("sqlite", 40 if LONG else 3), ("postgres", 3 if LONG else 1)])
def test_in_worlds_of_jumping_clocks_no_young_report_is_lost_from_any_figure(kind, seeds, opened, clock, monkeypatch):
    monkeypatch.setattr(tallies, "TAIL_REPORTS", 20)
    for seed in range(seeds):
        assert world(seed, opened(kind, str(seed)), clock) == 0
    monkeypatch.setattr(service_module, "MAX_DAYS_AHEAD", 10**6)  # the control: a store that believes any clock
    assert world(0, opened(kind, "control"), clock) > 0


# -- stores of the first version, in which a clock had been ahead ---------------------------------------------


OLD = Path(__file__).parent / "old"
"""Stores that the program of schema version 1 wrote, after it had forgotten by a clock two years ahead."""


@pytest.mark.parametrize("kind", STORES)
def test_a_store_of_the_first_version_counts_again_what_its_tallies_left_out(kind, opened, tmp_path):
    place = tmp_path / "store"
    if kind == "sqlite":
        with ZipFile(OLD / "sqlite-1.zip") as files:
            files.extractall(place)
    else:
        restore(OLD / "postgres-1.zip", server().get_uri(), schema=schema_of(place))
    store = opened(kind)
    assert counted(store) == {"2026-01-07": 12, "2026-01-08": 18}
    assert store.token("admin") == bytes(32)
    assert store.add([upload(40, labels=(("number", "40"),), day="2026-01-08")])[0].outcome.value == "repeated"
