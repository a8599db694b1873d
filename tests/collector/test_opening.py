"""Stores by where they are."""

import pytest

from discreet.checks.store import fill
from discreet.collector.store.opening import check_place, open_store, redact_place
from discreet.collector.store.postgres.store import PostgresStore
from discreet.collector.store.sqlite.store import SQLiteStore
from discreet.core.errors import StoreFailed

from .stores import server


def test_a_path_is_an_sqlite_file(tmp_path):
    store = open_store(tmp_path / "store.db")
    assert isinstance(store, SQLiteStore)
    fill(store)
    assert check_place(tmp_path / "store.db") == []  # while it is open
    store.shut()
    assert check_place(str(tmp_path / "store.db")) == []
    with pytest.raises(StoreFailed, match="no such file"):
        check_place(tmp_path / "other.db")
    assert not (tmp_path / "other.db").exists()


def test_an_address_is_a_postgres_server_with_a_folder_for_its_heads(tmp_path):
    with pytest.raises(StoreFailed, match="needs a folder"):
        open_store(server().get_uri())
    store = open_store(server().get_uri(), checkpoints=tmp_path)
    assert isinstance(store, PostgresStore)
    store.shut()
    assert check_place(server().get_uri(), checkpoints=tmp_path) == []
    server().psql("DROP SCHEMA discreet CASCADE")


def test_a_place_is_told_without_names_and_passwords():
    assert redact_place("postgresql://me:secret@db.example:5432/answers?password=secret") == (
        "postgresql://db.example:5432/answers"
    )
    assert redact_place("postgres:///answers") == "postgres:///answers"
    assert redact_place("some/file.db") == "some/file.db"
