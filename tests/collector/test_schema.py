"""Schema versions: an older one becomes the newest with all its rows, a newer one is refused."""

import sqlite3

import pytest

from discreet.checks.store import everything, fill
from discreet.collector.store.sql import schema
from discreet.collector.store.sqlite.store import SQLiteStore
from discreet.core.errors import StoreFailed

from .stores import postgres_in, schema_of, server, sqlite_in

LATER = (*schema.STEPS, ("ALTER TABLE token ADD COLUMN note TEXT", "CREATE TABLE added (a {number})"))
BROKEN = (*schema.STEPS, ("CREATE TABLE added (a {number})", "ALTER TABLE absent ADD COLUMN note TEXT"))


def as_later(monkeypatch, steps):
    """The program of a later version."""
    monkeypatch.setattr(schema.migrate, "__kwdefaults__", {"steps": steps})


def columns(path, table):
    db = sqlite3.connect(path)
    try:
        return [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    finally:
        db.close()


@pytest.mark.parametrize("make", [sqlite_in, postgres_in])
def test_a_store_of_an_older_version_becomes_the_newest_with_all_its_rows(make, tmp_path, monkeypatch):
    store = make(tmp_path)
    fill(store)
    before = everything(store)
    store.shut()
    as_later(monkeypatch, LATER)
    store = make(tmp_path)
    assert everything(store) == before
    with store._read() as db:
        db.execute("SELECT note FROM token").fetchall()
        assert db.execute("SELECT * FROM added").fetchall() == []
    store.shut()
    make(tmp_path).shut()  # and once more, when there is nothing left to do


def test_a_newer_version_is_refused_and_left_alone(tmp_path, monkeypatch):
    with monkeypatch.context() as later:
        as_later(later, LATER)
        sqlite_in(tmp_path).shut()
    before = (tmp_path / "store.db").read_bytes()
    with pytest.raises(StoreFailed, match="schema version 3, and this program knows 2"):
        sqlite_in(tmp_path)
    assert (tmp_path / "store.db").read_bytes() == before


def test_a_newer_version_is_refused_by_postgres_too(tmp_path, monkeypatch):
    with monkeypatch.context() as later:
        as_later(later, LATER)
        postgres_in(tmp_path).shut()
    with pytest.raises(StoreFailed, match="schema version 3, and this program knows 2"):
        postgres_in(tmp_path)
    assert schema_of(tmp_path) in server().psql("\\dn")


def test_a_migration_that_fails_changes_nothing(tmp_path, monkeypatch):
    store = sqlite_in(tmp_path)
    fill(store)
    before = everything(store)
    store.shut()
    with monkeypatch.context() as later:
        as_later(later, BROKEN)
        with pytest.raises(StoreFailed, match="no such table: absent"):
            sqlite_in(tmp_path)
    assert columns(tmp_path / "store.db", "added") == []
    store = SQLiteStore(tmp_path / "store.db")
    assert everything(store) == before
    assert store.check() == []
    store.shut()


def test_every_table_is_listed():
    made = [line.split()[2] for step in schema.STEPS for line in step if line.startswith("CREATE TABLE")]
    assert made == list(schema.TABLES)
