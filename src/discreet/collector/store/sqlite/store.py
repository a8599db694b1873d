"""A store in one SQLite file, for one process: the one that a collector has unless told otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ....core.errors import StoreFailed
from .. import reading
from ..disk import Disk, LocalDisk
from ..heads import Heads, read_heads
from ..readers import Readers
from ..schema import SQLITE, Connection, migrate
from ..sql import Claim, SQLStore
from . import backup as sqlite_backup
from . import check as sqlite_check
from . import rows as sqlite_rows
from .connections import Driver, Sqlite3, begin_writing, translated

APPLICATION = 0x64697363
"""``PRAGMA application_id`` of a store's file: the letters "disc"."""

LANE = 0
"""The one lane of a store with one writer."""


class SQLiteStore(SQLStore):
    """A store in an SQLite file, with the heads of its chains in a file beside it.

    One connection writes, with a write-ahead log that is synced at every commit; readers have their own and wait for
    nobody. Another process that opens the same file is refused.
    """

    lane = LANE

    def __init__(self, path: Path | str, *, driver: Driver | None = None, disk: Disk | None = None) -> None:
        super().__init__()
        self.path = Path(path)
        self._driver: Driver = driver or Sqlite3()
        self._disk: Disk = disk or LocalDisk()
        self._db: Connection | None = None
        with translated(self._driver, self.path):
            self._lock_file: Any = self._disk.lock(beside(self.path, "lock"))
        self._readers = Readers(lambda: self._driver.reading(self.path), "BEGIN")
        try:
            with translated(self._driver, self.path):
                self._open()
            with self._reading() as db:
                unfinished = reading.noted(db, "removing") == "yes"
            if unfinished:
                self._finish_removing()
        except BaseException:
            self.shut()
            raise

    def _open(self) -> None:
        db = self._writer()
        db.execute("BEGIN IMMEDIATE").fetchall()
        ((version,),) = db.execute("PRAGMA user_version").fetchall()
        ((application,),) = db.execute("PRAGMA application_id").fetchall()
        new = version == 0
        if application != (0 if new else APPLICATION) or (new and db.execute("SELECT 1 FROM sqlite_schema").fetchone()):
            raise StoreFailed(f"{self.path.name} is an SQLite file of something else")
        migrate(db, version, SQLITE, lambda newest: _mark(db, newest))
        if new:
            db.execute("INSERT INTO lane (lane, commits, position, chain) VALUES (?, 0, 0, zeroblob(32))", (LANE,))
        db.execute("COMMIT").fetchall()
        self._meet(db, new=new)

    def _meet(self, db: Connection, *, new: bool) -> None:
        """Go on from the heads that were kept; `StoreFailed` if the database is behind them, or not of them."""
        path = beside(self.path, "heads")
        lines = read_heads(path, self._disk)
        head = reading.head(db, LANE)
        if lines is None:
            if head.commits:
                raise StoreFailed(f"{path.name} is missing: restore it, or accept_loss takes the database as it is")
        elif problems := sqlite_check.broken_end(db, LANE, lines, path.name):
            raise StoreFailed(f"{'; '.join(problems)}: restore a copy, or accept_loss takes the database as it is")
        if lines is None or lines.last != head or lines.torn or lines.heads[-1] is None:
            self._heads = Heads.begin(path, self._disk, head)  # new, or what a crash between commit and head has left
        else:
            self._heads = Heads(path, self._disk, len(lines.heads))
        self._kept = head.commits

    # -- connections ------------------------------------------------------------------------------------

    def _writer(self) -> Connection:
        if self._db is None:
            self._db = begin_writing(self._driver, self.path)
        return self._db

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with translated(self._driver, self.path), self._readers.one() as db:
            yield db

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with translated(self._driver, self.path):
            db = self._writer()
            try:
                db.execute("BEGIN IMMEDIATE").fetchall()
                yield db
                with suppress(Exception):  # nothing was changed, or it is committed already
                    db.execute("ROLLBACK").fetchall()
            except BaseException as problem:
                self._undo(db, problem)
                raise

    def _undo(self, db: Connection, problem: BaseException) -> None:
        """End a transaction that failed; after an error of the database itself, begin anew with another connection."""
        with suppress(Exception):
            db.execute("ROLLBACK").fetchall()
        if isinstance(problem, Exception) and self._driver.code(problem) is not None:
            self._db = None
            with suppress(Exception):
                db.close()

    def _commit(self, db: Connection) -> None:
        db.execute("COMMIT").fetchall()

    def _known(self, db: Connection, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], tuple[bytes, str]]:
        names: dict[int, dict[str, None]] = {}
        for number, name in wanted:
            names.setdefault(number, {})[name] = None
        return {
            (number, name): (bytes(digest), answer)
            for number, some in names.items()
            for name, digest, answer in sqlite_rows.known(db, number, list(some))
        }

    def _add_rows(self, db: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        sqlite_rows.add_rows(db, rows)

    def _positions(self, db: Connection, last: int, count: int) -> list[int]:
        return list(range(last + 1, last + 1 + count))

    def _claim(self, db: Connection, what: Claim, number: int = 0) -> None:
        """Whoever writes has everything."""

    def shut(self) -> None:
        """Let go of files and connections."""
        with self._lock:
            self._readers.shut()
            if self._db is not None:
                with suppress(Exception):
                    self._db.close()
                self._db = None
            if hasattr(self, "_heads"):
                self._heads.shut()
            self._lock_file.close()

    # -- retention, checking, copies --------------------------------------------------------------------

    def _remove(self) -> None:
        """Write the database anew without what was deleted, and empty its log."""
        with translated(self._driver, self.path):
            db = self._writer()
            for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                rows = db.execute(statement).fetchall()
                if rows and rows[0][0]:
                    raise StoreFailed(f"{self.path.name}: a reader keeps forgotten reports in the log; forget again")

    def check(self) -> list[str]:
        """What is damaged, a sentence each, by new connections that have nothing in memory yet."""
        with self._lock:
            snapshot = sqlite_check.begin(self._driver, self._disk, self.path)
        return sqlite_check.finish(snapshot, LANE)

    def back_up(self, path: Path) -> None:
        """A copy of everything, as of now, while uploads go on."""
        with translated(self._driver, path):
            sqlite_backup.copy(self._driver, self._disk, self.path, path, LANE)


def beside(path: Path, what: str) -> Path:
    """The file of heads, or the lock, of a database."""
    return path.with_name(f"{path.name}.{what}")


def accept_loss(path: Path | str, *, driver: Driver | None = None, disk: Disk | None = None) -> None:
    """Take a database as it is, though acknowledged uploads are missing in it: the heads begin anew where it ends."""
    path, driver, disk = Path(path), driver or Sqlite3(), disk or LocalDisk()
    with translated(driver, path):
        lock = disk.lock(beside(path, "lock"))
        try:
            db = driver.reading(path)
            try:
                Heads.begin(beside(path, "heads"), disk, reading.head(db, LANE)).shut()
            finally:
                db.close()
        finally:
            lock.close()


def _mark(db: Connection, version: int) -> None:
    db.execute(f"PRAGMA user_version = {version}").fetchall()
    db.execute(f"PRAGMA application_id = {APPLICATION}").fetchall()
