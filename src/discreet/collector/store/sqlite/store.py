"""A store in one SQLite file, for one process; the default.

Copies an SQLite store while it runs: one state of the database, compact, with its checkpoint beside it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from ....core.errors import InvalidInput, StoreFailed
from ..disk import LocalDisk, StoreDisk, sync_folder
from ..sql import queries
from ..sql.checkpoints import CheckpointFile, read_checkpoints
from ..sql.schema import SQLITE_TYPES, Connection, ReaderPool, migrate
from ..sql.store import INTO_UPLOAD, UPLOAD_VALUES, LockTarget, SQLStore
from . import check as sqlite_check
from .connections import Driver, Sqlite3Driver, connect_writer, translate_errors


def copy(driver: Driver, disk: StoreDisk, source: Path, target: Path, writer_id: int) -> None:
    """Copy a store to a new file, which appears with its checkpoint when it is whole."""
    checkpoints = target.with_name(f"{target.name}.heads")
    if target.exists() or checkpoints.exists():
        raise InvalidInput(f"{target.name} is there already; a copy replaces nothing")
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        db = driver.connect_read_only(source)
        try:
            draft.touch(0o600)
            db.execute("VACUUM INTO ?", (str(draft),)).fetchall()
        finally:
            db.close()
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        db = driver.connect_read_only(draft)
        try:
            checkpoint = queries.checkpoint(db, writer_id)
        finally:
            db.close()
        CheckpointFile.begin(checkpoints, disk, checkpoint).close()
        os.replace(draft, target)
        sync_folder(target.parent)
    finally:
        draft.unlink(missing_ok=True)


T = TypeVar("T")

APPLICATION_ID = 0x64697363
"""``PRAGMA application_id`` of a store's file: the letters "disc"."""

WRITER_ID = 0
"""The id of the one writer."""

STATEMENT_ROWS = (64, 16, 4, 1)
"""The numbers of rows of a statement; SQLite takes 999 parameters at least.

A commit of a hundred uploads takes a few statements instead of two hundred, because the interpreter's lock is released
and taken again for each, and the thread may wait for it. There are few sizes, so that SQLite has each prepared."""


class SQLiteStore(SQLStore):
    """A store in an SQLite file, with its checkpoints in a file beside it.

    One connection writes, with a write-ahead log that is synced at every commit; readers have their own and wait for
    nobody. Another process that opens the same file is refused.
    """

    writer_id = WRITER_ID

    def __init__(self, path: Path | str, *, driver: Driver | None = None, disk: StoreDisk | None = None) -> None:
        super().__init__()
        self.path = Path(path)
        self._driver: Driver = driver or Sqlite3Driver()
        self._disk: StoreDisk = disk or LocalDisk()
        self._db: Connection | None = None
        with translate_errors(self._driver, self.path):
            self._lock_file: Any = self._disk.lock(sibling(self.path, "lock"))
        self._readers = ReaderPool(lambda: self._driver.connect_read_only(self.path), "BEGIN")
        try:
            with translate_errors(self._driver, self.path):
                self._open()
            with self._read() as db:
                unfinished = queries.note_value(db, "removing") == "yes"
            if unfinished:
                self._finish_erasing()
        except BaseException:
            self.shut()
            raise

    def _open(self) -> None:
        db = self._writer()
        db.execute("BEGIN IMMEDIATE").fetchall()
        ((version,),) = db.execute("PRAGMA user_version").fetchall()
        ((application,),) = db.execute("PRAGMA application_id").fetchall()
        new = version == 0
        if application != (0 if new else APPLICATION_ID) or (
            new and db.execute("SELECT 1 FROM sqlite_schema").fetchone()
        ):
            raise StoreFailed(f"{self.path.name} is an SQLite file of something else")
        migrate(db, version, SQLITE_TYPES, lambda newest: _set_version(db, newest))
        if new:
            db.execute("INSERT INTO lane (lane, commits, position, chain) VALUES (?, 0, 0, zeroblob(32))", (WRITER_ID,))
        db.execute("COMMIT").fetchall()
        self._resume(db)

    def _resume(self, db: Connection) -> None:
        """Go on from the last checkpoint; `StoreFailed` if the database is behind it, or another one."""
        path = sibling(self.path, "heads")
        lines = read_checkpoints(path, self._disk)
        now = queries.checkpoint(db, WRITER_ID)
        if lines is None:
            if now.commits:
                raise StoreFailed(f"{path.name} is missing: restore it, or accept_loss takes the database as it is")
        elif problems := sqlite_check.resume_problems(db, WRITER_ID, lines, path.name):
            raise StoreFailed(f"{'; '.join(problems)}: restore a copy, or accept_loss takes the database as it is")
        if lines is None or lines.last != now or lines.torn or lines.checkpoints[-1] is None:
            # new, or a crash came between a commit and its checkpoint
            self._checkpoints = CheckpointFile.begin(path, self._disk, now)
        else:
            self._checkpoints = CheckpointFile(path, self._disk, len(lines.checkpoints))
        self._checkpointed_commits = now.commits

    # -- connections ------------------------------------------------------------------------------------

    def _writer(self) -> Connection:
        if self._db is None:
            self._db = connect_writer(self._driver, self.path)
        return self._db

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with translate_errors(self._driver, self.path), self._readers.connection() as db:
            yield db

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        with translate_errors(self._driver, self.path):
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
        if isinstance(problem, Exception) and self._driver.error_code(problem) is not None:
            self._db = None
            with suppress(Exception):
                db.close()

    def _commit(self, db: Connection) -> None:
        db.execute("COMMIT").fetchall()

    def _stored_uploads(
        self, db: Connection, wanted: Sequence[tuple[int, str]]
    ) -> dict[tuple[int, str], tuple[bytes, str]]:
        names: dict[int, dict[str, None]] = {}
        for number, name in wanted:
            names.setdefault(number, {})[name] = None
        stored = {}
        for number, some in names.items():
            for part in _split(list(some)):
                where = f"collection = ? AND upload IN ({', '.join('?' * len(part))})"
                rows = db.execute(
                    f"SELECT upload, digest, answer FROM upload WHERE {where}", (number, *part)
                ).fetchall()
                stored.update({(number, name): (bytes(digest), answer) for name, digest, answer in rows})
        return stored

    def _insert_rows(self, db: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert uploads, in order; what fails ends the transaction, so SQLite need not be able to undo a part."""
        for part in _split(rows):
            values = ", ".join([UPLOAD_VALUES] * len(part))
            parameters = [column for row in part for column in row]
            db.execute(f"INSERT OR FAIL {INTO_UPLOAD} {values}", parameters).fetchall()

    def _new_positions(self, db: Connection, last: int, count: int) -> list[int]:
        return list(range(last + 1, last + 1 + count))

    def _lock_for(self, db: Connection, what: LockTarget, number: int = 0) -> None:
        """Nothing to do: whoever writes has locked everything."""

    def shut(self) -> None:
        """Let go of files and connections."""
        with self._lock:
            self._readers.close()
            if self._db is not None:
                with suppress(Exception):
                    self._db.close()
                self._db = None
            if hasattr(self, "_checkpoints"):
                self._checkpoints.close()
            self._lock_file.close()

    # -- retention, checking, copies --------------------------------------------------------------------

    def _erase(self) -> None:
        """Write the database anew without what was deleted, and empty its log."""
        with translate_errors(self._driver, self.path):
            db = self._writer()
            for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                rows = db.execute(statement).fetchall()
                if rows and rows[0][0]:
                    raise StoreFailed(f"{self.path.name}: a reader keeps forgotten reports in the log; forget again")

    def check(self) -> list[str]:
        """What is damaged, a sentence each, by new connections that have nothing in memory yet."""
        with self._lock:
            pending = sqlite_check.begin(self._driver, self._disk, self.path)
        return sqlite_check.finish(pending, WRITER_ID)

    def back_up(self, path: Path) -> None:
        """A copy of everything, as of now, while uploads go on."""
        with translate_errors(self._driver, path):
            copy(self._driver, self._disk, self.path, path, WRITER_ID)


def _split(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """The rows in parts of the sizes in `STATEMENT_ROWS`, in order."""
    at = 0
    for size in STATEMENT_ROWS:
        while len(rows) - at >= size:
            yield rows[at : at + size]
            at += size


def sibling(path: Path, suffix: str) -> Path:
    """The file of checkpoints (``heads``) or the ``lock`` beside a database."""
    return path.with_name(f"{path.name}.{suffix}")


def accept_loss(path: Path | str, *, driver: Driver | None = None, disk: StoreDisk | None = None) -> None:
    """Take a database as it is, though acknowledged uploads are missing; its checkpoints begin anew."""
    path, driver, disk = Path(path), driver or Sqlite3Driver(), disk or LocalDisk()
    with translate_errors(driver, path):
        lock = disk.lock(sibling(path, "lock"))
        try:
            db = driver.connect_read_only(path)
            try:
                CheckpointFile.begin(sibling(path, "heads"), disk, queries.checkpoint(db, WRITER_ID)).close()
            finally:
                db.close()
        finally:
            lock.close()


def _set_version(db: Connection, version: int) -> None:
    db.execute(f"PRAGMA user_version = {version}").fetchall()
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}").fetchall()
