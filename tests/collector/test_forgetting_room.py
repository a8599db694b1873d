"""Forgetting where there is no room for a copy, or where a reader stays: the store starts, and tries again later."""

import sqlite3

import pytest

from discreet.checks.store import DAY, collection, upload
from discreet.collector.store.protocol import UploadOutcome
from discreet.collector.store.sqlite import store as sqlite_store
from discreet.collector.store.sqlite.store import Driver, SQLiteStore
from discreet.core.errors import StoreFailed, StoreFull

from .stores import sqlite_in
from .test_sqlite import found_in, secret_upload


class NoRoom(Driver):
    """SQLite whose folder for temporary files is full."""

    full = True

    def connect(self, path):
        return Full(self, super().connect(path))


class Full:
    def __init__(self, driver, db):
        self._driver, self._db, self.close = driver, db, db.close

    def execute(self, sql, parameters=()):
        if sql == "VACUUM" and self._driver.full:
            problem = sqlite3.OperationalError("database or disk is full")
            problem.sqlite_errorcode = 13
            raise problem
        return self._db.execute(sql, parameters)

    def executemany(self, sql, rows):
        return self._db.executemany(sql, rows)


def test_a_store_without_room_to_erase_starts_says_what_it_lacks_and_erases_later(tmp_path, lines):
    driver = NoRoom()
    store = sqlite_in(tmp_path, driver=driver)
    store.create(collection(), day=DAY)
    kept, parts = secret_upload(1, "2026-01-02")
    store.add([kept])
    with pytest.raises(
        StoreFull, match=r"store\.db: to erase what was forgotten, [0-9,]+ bytes must be free beside it"
    ):
        store.forget(before=DAY)
    assert list(store.batches("c")) == []  # it is in no table, but for all that is known in a file
    store.shut()
    store = sqlite_in(tmp_path, driver=driver)
    assert [line["reason"].partition(":")[0] for line in lines()] == ["store.db"]
    assert store.add([upload(2)])[0].outcome is UploadOutcome.STORED
    with pytest.raises(StoreFull):
        store.erase()
    driver.full = False
    store.erase()
    assert found_in(tmp_path, parts) == []
    assert store.check() == []
    store.erase()  # there is nothing left to do
    store.shut()


@pytest.fixture
def lines(caplog):
    """What the collector logs."""
    import logging

    caplog.set_level("INFO", "discreet.collector")
    logging.getLogger("discreet.collector").propagate = True
    return lambda: [record.about for record in caplog.records if "reason" in getattr(record, "about", {})]


def test_temporary_files_are_beside_the_store(tmp_path):
    store = sqlite_in(tmp_path)
    assert store._db.execute("PRAGMA temp_store_directory").fetchall() == [(str(tmp_path),)]
    store.shut()


def test_days_are_forgotten_one_by_one_and_one_that_fails_leaves_the_others_forgotten(tmp_path, monkeypatch):
    store = sqlite_in(tmp_path)
    store.create(collection(), day=DAY)
    store.add([upload(number, day=f"2026-01-0{number}") for number in (3, 1, 2)])
    done = []

    def forget_day(day, alone):
        if day == "2026-01-03":
            raise StoreFull("no room")
        done.append(day)
        return SQLiteStore._forget_day(store, day, alone)

    monkeypatch.setattr(store, "_forget_day", forget_day)
    with pytest.raises(StoreFull):
        store.forget(before=DAY)
    assert done == ["2026-01-01", "2026-01-02"]
    assert [batch.day for batch in store.batches("c")] == ["2026-01-03"]
    assert store.check() == []
    store.shut()


def test_a_reader_that_stays_does_not_keep_uploads_waiting(tmp_path, monkeypatch):
    waits = []
    monkeypatch.setattr(sqlite_store, "LOCK_SECONDS", 0.5)
    store = sqlite_in(tmp_path)
    store.create(collection(), day=DAY)
    kept, parts = secret_upload(1, "2026-01-02")
    store.add([kept])
    reader = sqlite3.connect(store.path)
    reader.execute("BEGIN")
    assert reader.execute("SELECT COUNT(*) FROM upload").fetchone() == (1,)
    execute = store._db.execute
    timeout = lambda: execute("PRAGMA busy_timeout").fetchone()[0]  # noqa: E731

    class Watched:
        def execute(self, sql, *given):
            if "wal_checkpoint" in sql or sql == "VACUUM":
                waits.append(timeout())
            return execute(sql, *given)

        def __getattr__(self, name):
            return getattr(watched, name)

    watched, store._db = store._db, Watched()
    with pytest.raises(StoreFailed, match="a reader keeps forgotten reports in the log"):
        store.forget(before=DAY)
    assert waits
    assert set(waits) == {0}
    assert timeout() == 500  # other waits are as before
    reader.close()
    store.erase()
    assert found_in(tmp_path, parts) == []
    store.shut()


def test_a_second_process_that_comes_by_a_link_is_refused(tmp_path):
    store = sqlite_in(tmp_path)
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "other.db"
    link.symlink_to(store.path)
    with pytest.raises(StoreFailed, match="another process has this store open"):
        SQLiteStore(link)
    store.create(collection(), day=DAY)
    store.shut()
    SQLiteStore(link).shut()
    assert [path.name for path in (tmp_path / "links").iterdir()] == ["other.db"]
