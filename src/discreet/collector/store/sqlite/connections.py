"""Connections to an SQLite database as the store wants them, from one driver or another.

The driver is the `sqlite3` of Python; tests put one in its place whose disk loses what was not synced, so that the very
same store runs on it.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from ....core.errors import DiscreetError, StoreFailed, StoreFull
from ..schema import Connection

FULL, IOERR_SHMSIZE = 13, 4874
PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", f"journal_size_limit = {1 << 26}")
WAIT = 10.0
"""Seconds that a connection waits for a lock."""


class Driver(Protocol):
    """How connections are made, and what their errors mean."""

    def writing(self, path: Path) -> Connection:
        """A connection that may write, every statement by itself unless a transaction is begun."""

    def reading(self, path: Path) -> Connection:
        """A connection that changes nothing, not even when it is closed."""

    def code(self, problem: Exception) -> int | None:
        """SQLite's extended code of an error; None for an error of something else."""


class Sqlite3:
    """The `sqlite3` of Python."""

    def writing(self, path: Path) -> Connection:
        """A connection that any thread may use, one at a time."""
        return sqlite3.connect(path, timeout=WAIT, isolation_level=None, check_same_thread=False)

    def reading(self, path: Path) -> Connection:
        """A connection that cannot write."""
        place = f"{path.resolve().as_uri()}?mode=ro"
        return sqlite3.connect(place, uri=True, timeout=WAIT, isolation_level=None, check_same_thread=False)

    def code(self, problem: Exception) -> int | None:
        """The code that came with the error."""
        return getattr(problem, "sqlite_errorcode", 1) if isinstance(problem, sqlite3.Error) else None


@contextmanager
def translated(driver: Driver, path: Path) -> Iterator[None]:
    """Errors of the driver and of files become `StoreFull` and `StoreFailed`."""
    try:
        yield
    except DiscreetError:
        raise
    except OSError as problem:
        full = problem.errno in (errno.ENOSPC, errno.EDQUOT)
        raise (StoreFull if full else StoreFailed)(f"{path.name}: {problem.strerror or problem}") from problem
    except Exception as problem:
        code = driver.code(problem)
        if code is None:
            raise
        full = code & 0xFF == FULL or code == IOERR_SHMSIZE
        raise (StoreFull if full else StoreFailed)(f"{path.name}: {problem}") from problem


def begin_writing(driver: Driver, path: Path) -> Connection:
    """A connection that writes with a log (WAL), syncs at every commit, and blanks what it deletes.

    A new file can be read by its owner alone.
    """
    path.touch(0o600)
    db = driver.writing(path)
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
