"""Stores by where they are: a path is an SQLite file, an address such as ``postgresql://host/name`` a server."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from ...core.errors import StoreFailed
from .disk import LocalDisk
from .protocol import Store
from .sqlite import check as sqlite_check
from .sqlite.connections import Sqlite3
from .sqlite.store import LANE, SQLiteStore

ADDRESSES = ("postgresql://", "postgres://")


def open_store(place: str | Path, *, heads: str | Path | None = None) -> Store:
    """The store at a place; `heads` is the folder of this machine for the heads of a PostgreSQL store."""
    if not str(place).startswith(ADDRESSES):
        return SQLiteStore(place)
    from .postgres.store import PostgresStore

    if heads is None:
        raise StoreFailed("a store in PostgreSQL needs a folder of this machine for its heads")
    return PostgresStore(str(place), heads=heads)


def shown_place(place: str | Path) -> str:
    """A place as logs may tell it: a path as it is, of an address the host and the database, no name or password."""
    if not str(place).startswith(ADDRESSES):
        return str(place)
    parts = urlsplit(str(place))
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def check_place(place: str | Path, *, heads: str | Path | None = None) -> list[str]:
    """What is damaged in the store at a place, a sentence each.

    An SQLite file is only read: it may be in use, may be damaged so that no collector would start with it, and nothing
    in it is repaired.
    """
    if not str(place).startswith(ADDRESSES):
        path = Path(place)
        if not path.is_file():
            raise StoreFailed(f"{path.name}: there is no such file")
        return sqlite_check.finish(sqlite_check.begin(Sqlite3(), LocalDisk(), path), LANE)
    store = open_store(place, heads=heads)
    try:
        return store.check()
    finally:
        store.shut()
