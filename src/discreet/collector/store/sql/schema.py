"""The tables of a store, the same in SQLite and PostgreSQL, and their migration from earlier versions.

The table and the column `lane` hold the id of a writer, which has a hash chain of its own: SQLite has one writer,
PostgreSQL one for each process. The column `seal` is a row's checksum. Of a forgotten upload only its position, its
writer, its row hash and its chain are left. Invitations have no number, no time and no order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any, Protocol

from ....core.errors import StoreFailed


class Connection(Protocol):
    """What a store asks of a connection; the drivers of both databases have it, with ``?`` for a parameter."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Any:
        """Run one statement; its rows."""

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]], /) -> Any:
        """Run one statement for each of several rows."""

    def close(self) -> None:
        """Close it."""


class ReaderPool:
    """Connections for reading, opened when they are needed and used again."""

    def __init__(self, connect: Callable[[], Connection], begin: str) -> None:
        self._connect, self._begin = connect, begin
        self._idle: list[Connection] = []
        self._lock = Lock()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection in a transaction that sees one state of the database."""
        db = self._begun()
        try:
            yield db
            db.execute("COMMIT")
        except BaseException:
            with suppress(Exception):
                db.close()
            raise
        with self._lock:
            self._idle.append(db)

    def _begun(self) -> Connection:
        """A connection whose transaction has begun: an idle one that still answers, or a new one."""
        while True:
            with self._lock:
                idle = self._idle.pop() if self._idle else None
            db = idle or self._connect()
            try:
                db.execute(self._begin)
                return db
            except Exception:
                with suppress(Exception):
                    db.close()
                if idle is None:
                    raise

    def close(self) -> None:
        """Close the connections that nobody uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()


FIRST = (
    """CREATE TABLE lane (lane {number} PRIMARY KEY, commits {number} NOT NULL, position {number} NOT NULL,
        chain {bytes} NOT NULL)""",
    """CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, seal {bytes} NOT NULL)""",
    """CREATE TABLE collection (number {number} PRIMARY KEY, id TEXT NOT NULL UNIQUE, declared TEXT NOT NULL,
        law TEXT NOT NULL, closed {number} NOT NULL)""",
    """CREATE TABLE log (number {number} PRIMARY KEY, kind TEXT NOT NULL, collection TEXT NOT NULL,
        digest TEXT NOT NULL, day TEXT NOT NULL, chain TEXT NOT NULL)""",
    """CREATE TABLE upload (position {number} PRIMARY KEY, lane {number} NOT NULL, row_hash {bytes} NOT NULL,
        chain {bytes} NOT NULL, collection {number}, upload TEXT, digest {bytes}, day TEXT, labels TEXT,
        count {number}, answer TEXT, salt {bytes}, reports {bytes})""",
    """CREATE UNIQUE INDEX upload_once ON upload (collection, upload)""",
    """CREATE INDEX upload_in_order ON upload (collection, position)""",
    """CREATE TABLE invitation (collection {number}, hash {bytes}, spent {number} NOT NULL, seal {bytes} NOT NULL,
        PRIMARY KEY (collection, hash)) {keyed}""",
    """CREATE TABLE refusal (lane {number}, collection TEXT, reason TEXT, count {number} NOT NULL,
        seal {bytes} NOT NULL, PRIMARY KEY (lane, collection, reason)) {keyed}""",
    """CREATE TABLE token (role TEXT PRIMARY KEY, digest {bytes} NOT NULL, seal {bytes} NOT NULL)""",
    """CREATE TABLE tallied (collection {number} PRIMARY KEY, position {number} NOT NULL, seal {bytes} NOT NULL)""",
    """CREATE TABLE tally (collection {number}, labels TEXT, day TEXT, counts {bytes} NOT NULL, seal {bytes} NOT NULL,
        PRIMARY KEY (collection, labels, day)) {keyed}""",
)
"""Version 1."""

SECOND = (
    """CREATE INDEX upload_by_day ON upload (day)""",
    """DELETE FROM tally""",
    """DELETE FROM tallied""",
    """DELETE FROM meta WHERE name = 'forgotten'""",
)
"""Version 2: uploads are found by their day; tallies, which left out days before one in the future, are made anew."""

STEPS: tuple[Sequence[str], ...] = (FIRST, SECOND)
"""``STEPS[n]`` makes version n + 1 of version n; an empty database has version 0."""

TABLES = tuple(line.split()[2] for line in FIRST if line.startswith("CREATE TABLE"))
"""Every table, those that others point to first."""

SQLITE_TYPES = {"number": "INTEGER", "bytes": "BLOB", "keyed": "WITHOUT ROWID"}
POSTGRES_TYPES = {"number": "BIGINT", "bytes": "BYTEA", "keyed": ""}


def statements(types: dict[str, str], steps: Sequence[Sequence[str]] = STEPS) -> list[list[str]]:
    """The steps with the types of one database."""
    return [[" ".join(line.format(**types).split()) for line in step] for step in steps]


def migrate(
    db: Connection,
    version: int,
    types: dict[str, str],
    set_version: Callable[[int], None],
    *,
    steps: Sequence[Sequence[str]] = STEPS,
) -> None:
    """Bring a database to the newest version inside the transaction that is open; `set_version` notes it."""
    if version > len(steps):
        raise StoreFailed(
            f"the store has schema version {version}, and this program knows {len(steps)}: use the newer program"
        )
    if version == len(steps):
        return
    for step in statements(types, steps)[version:]:
        for line in step:
            db.execute(line)
    set_version(len(steps))
