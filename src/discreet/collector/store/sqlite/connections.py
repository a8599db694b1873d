"""Connections to an SQLite database.

Tests replace the driver with one whose disk loses what was not synced, so that the very same store runs on it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ....core.errors import StoreFailed, StoreFull
from ..disk import translate_file_errors
from ..sql.schema import Connection

FULL, IOERR_SHMSIZE = 13, 4874
PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", f"journal_size_limit = {1 << 26}")
LOCK_SECONDS = 10.0
"""How long a connection waits for a lock."""


class Driver:
    """Opens connections by the `sqlite3` of Python, and knows the codes of their errors."""

    def connect(self, path: Path) -> Connection:
        """A connection that may write, every statement by itself unless a transaction is begun."""
        return sqlite3.connect(path, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False)

    def connect_read_only(self, path: Path) -> Connection:
        """A connection that changes nothing, not even when it is closed."""
        place = f"{path.resolve().as_uri()}?mode=ro"
        return sqlite3.connect(place, uri=True, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False)

    def error_code(self, problem: Exception) -> int | None:
        """SQLite's extended code of an error; None for an error of something else."""
        return getattr(problem, "sqlite_errorcode", 1) if isinstance(problem, sqlite3.Error) else None


@contextmanager
def translate_errors(driver: Driver, path: Path) -> Iterator[None]:
    """Turn errors of the driver and of files into `StoreFull` and `StoreFailed`."""
    with translate_file_errors(path.name):
        try:
            yield
        except Exception as problem:
            code = driver.error_code(problem)
            if code is None:
                raise
            full = code & 0xFF == FULL or code == IOERR_SHMSIZE
            raise (StoreFull if full else StoreFailed)(f"{path.name}: {problem}") from problem


def connect_writer(driver: Driver, path: Path) -> Connection:
    """A connection that writes with a log (WAL), syncs at every commit, and blanks what it deletes.

    A new file can be read by its owner alone.
    """
    path.touch(0o600)
    db = driver.connect(path)
    try:
        for pragma in PRAGMAS:
            db.execute(f"PRAGMA {pragma}").fetchall()
        ((mode,),) = db.execute("PRAGMA journal_mode").fetchall()
        if mode != "wal":
            raise StoreFailed(f"{path.name}: the file system keeps no write-ahead log for SQLite (mode {mode})")
    except BaseException:
        db.close()
        raise
    return db
