"""A store in one SQLite file, for one process; the default.

Tests replace the driver with one whose disk loses what was not synced, so that the very same store runs on it.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from ....core.errors import InvalidInput, StoreFailed, StoreFull
from ..disk import LocalDisk, sync_folder, translate_file_errors
from ..sql import queries
from ..sql.checkpoints import Checkpoint, CheckpointFile, CheckpointLines, announced_checkpoint, read_checkpoints
from ..sql.schema import SQLITE_TYPES, Connection, ReaderPool, migrate
from ..sql.store import INTO_UPLOAD, UPLOAD_VALUES, LockTarget, SQLStore
from . import check as sqlite_check
from .check import WRITER_ID

FULL, IOERR_SHMSIZE = 13, 4874
READ_ONLY = (8, 14)
"""Codes of SQLite: what would have to be written cannot be, and a file cannot be opened."""
UNREADABLE = (3, 5, 7, *READ_ONLY, 23)
"""Codes that say nothing about what is in a file: no permission, locked, no memory."""
PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", f"journal_size_limit = {1 << 26}")
MAX_TRIES = 20
"""How often a check looks again because the checkpoints were begun anew meanwhile."""
LOCK_SECONDS = 10.0
"""How long a connection waits for a lock."""
TRUNCATE = "PRAGMA wal_checkpoint(TRUNCATE)"
"""Writes the log into the database and empties it; its row begins with 1 if a reader is in the way."""


class Driver:
    """Opens connections by the `sqlite3` of Python, and knows the codes of their errors."""

    def connect(self, path: Path) -> Connection:
        """A connection that may write, every statement by itself unless a transaction is begun."""
        return sqlite3.connect(path, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False)

    def connect_read_only(self, path: Path, *, immutable: bool = False) -> Connection:
        """A connection that changes nothing, not even when it is closed; `immutable` says that nobody else does."""
        place = f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if immutable else ''}"
        return sqlite3.connect(place, uri=True, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False)

    def error_code(self, problem: Exception) -> int | None:
        """SQLite's extended code of an error; None for an error of something else."""
        return getattr(problem, "sqlite_errorcode", 1) if isinstance(problem, sqlite3.Error) else None


def is_full(code: int | None) -> bool:
    """True for the code of an error that says that there is no room."""
    return code is not None and (code & 0xFF == FULL or code == IOERR_SHMSIZE)


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
            raise (StoreFull if is_full(code) else StoreFailed)(f"{path.name}: {problem}") from problem


def connect_reader(driver: Driver, path: Path) -> Connection:
    """A connection that only reads, in a transaction that sees one state of the database.

    SQLite reads a log only where it can write an index beside it. In a folder that nobody can write to, a database
    without a log is read all the same, since nobody can change it.
    """
    db = driver.connect_read_only(path)
    try:
        _fix_state(db)
        return db
    except Exception as problem:
        db.close()
        if (driver.error_code(problem) or 0) & 0xFF not in READ_ONLY:
            raise
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise StoreFailed(
                f"{log.name} cannot be read where nothing can be written: copy it, {path.name} and "
                f"{path.name}.heads to another folder"
            ) from problem
    db = driver.connect_read_only(path, immutable=True)
    try:
        _fix_state(db)
    except BaseException:
        db.close()
        raise
    return db


def _fix_state(db: Connection) -> None:
    db.execute("BEGIN").fetchall()
    db.execute("SELECT 1 FROM sqlite_schema").fetchall()


def connect_writer(driver: Driver, path: Path) -> Connection:
    """A connection that writes with a log (WAL), syncs at every commit, and blanks what it deletes.

    A new file can be read by its owner alone.
    """
    path.touch(0o600)
    db = driver.connect(path)
    try:
        for pragma in PRAGMAS:
            db.execute(f"PRAGMA {pragma}").fetchall()
        folder = str(path.resolve().parent).replace("'", "''")
        db.execute(f"PRAGMA temp_store_directory = '{folder}'").fetchall()
        ((mode,),) = db.execute("PRAGMA journal_mode").fetchall()
        if mode != "wal":
            raise StoreFailed(f"{path.name}: the file system keeps no write-ahead log for SQLite (mode {mode})")
    except BaseException:
        db.close()
        raise
    return db


def copy(driver: Driver, disk: LocalDisk, source: Path, target: Path) -> None:
    """Copy one state of a running store, compact, to a new file, which appears with its checkpoint when it is whole."""
    checkpoints = target.with_name(f"{target.name}.heads")
    if target.exists() or checkpoints.exists():
        raise InvalidInput(f"{target.name} is there already; a copy replaces nothing")
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with closing(connect_reader(driver, source)) as db:
            db.execute("COMMIT").fetchall()
            draft.touch(0o600)
            db.execute("VACUUM INTO ?", (str(draft),)).fetchall()
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        with closing(connect_reader(driver, draft)) as db:
            checkpoint = queries.checkpoint(db, WRITER_ID)
        CheckpointFile.begin(checkpoints, disk, checkpoint).close()
        os.replace(draft, target)
        sync_folder(target.parent)
    finally:
        draft.unlink(missing_ok=True)


def restore(backup: Path, target: Path) -> None:
    """Put a copy, and its checkpoint, at a place where nothing is; only a whole one."""
    target = target.resolve()
    for suffix in ("", ".heads", "-wal", "-shm"):
        if (there := target.with_name(target.name + suffix)).exists():
            raise InvalidInput(f"{there.name} is there already; a copy replaces nothing")
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    with translate_file_errors(target.name):
        try:
            shutil.copyfile(backup, draft)
            shutil.copyfile(sibling(backup, "heads"), sibling(draft, "heads"))
            if damage := check_files(Driver(), LocalDisk(), draft):
                raise StoreFailed(f"{backup.name} is no whole copy of a store: {damage[0]}")
            for file in (sibling(draft, "heads"), draft):
                with file.open("rb+") as opened:
                    os.fsync(opened.fileno())
            os.replace(sibling(draft, "heads"), sibling(target, "heads"))
            os.replace(draft, target)
            sync_folder(target.parent)
        finally:
            for suffix in ("", ".heads", "-wal", "-shm"):
                draft.with_name(draft.name + suffix).unlink(missing_ok=True)


T = TypeVar("T")

APPLICATION_ID = 0x64697363
"""``PRAGMA application_id`` of a store's file: the letters "disc"."""

STATEMENT_ROWS = (64, 16, 4, 1)
"""The numbers of rows of a statement; SQLite takes 999 parameters at least.

A commit of a hundred uploads takes a few statements instead of two hundred, because the interpreter's lock is released
and taken again for each, and the thread may wait for it. There are few sizes, so that SQLite has each prepared."""


class SQLiteStore(SQLStore):
    """A store in an SQLite file, with its checkpoints in a file beside it.

    One connection writes, with a write-ahead log that is synced at every commit; readers have their own and wait for
    nobody. Another process that opens the same file is refused.
    """

    writer_id, begin_sql = WRITER_ID, "BEGIN IMMEDIATE"

    def __init__(self, path: Path | str, *, driver: Driver | None = None, disk: LocalDisk | None = None) -> None:
        super().__init__(disk)
        self.path = Path(path).resolve()  # the lock and the checkpoints are beside the file itself, not beside a link
        self._driver = driver or Driver()
        with self._translate_errors():
            self._lock_file: Any = self._disk.lock(sibling(self.path, "lock"))
        self._readers = ReaderPool(lambda: self._driver.connect_read_only(self.path), "BEGIN")
        self._start()

    def _translate_errors(self) -> AbstractContextManager[None]:
        return translate_errors(self._driver, self.path)

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

        def set_version(newest: int) -> None:
            db.execute(f"PRAGMA user_version = {newest}").fetchall()
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}").fetchall()

        migrate(db, version, SQLITE_TYPES, set_version)
        if new:
            db.execute("INSERT INTO lane (lane, commits, position, chain) VALUES (?, 0, 0, zeroblob(32))", (WRITER_ID,))
        db.execute("COMMIT").fetchall()
        self._resume(sibling(self.path, "heads"))

    def _resume_problems(self, db: Connection, lines: CheckpointLines | None, now: Checkpoint, name: str) -> str:
        if lines is None:
            missing = f"{name} is missing: restore it, or accept_loss takes the database as it is"
            return missing if now.commits else ""
        problems = "; ".join(sqlite_check.resume_problems(db, lines, name))
        return f"{problems}: restore a copy, or accept_loss takes the database as it is" if problems else ""

    def _connect(self) -> Connection:
        return connect_writer(self._driver, self.path)

    def _is_lost(self, db: Connection, problem: BaseException) -> bool:
        return isinstance(problem, Exception) and self._driver.error_code(problem) is not None

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

    def _new_positions(self, db: Connection, last: int, count: int) -> Sequence[int]:
        return range(last + 1, last + 1 + count)

    def _lock_for(self, db: Connection, what: LockTarget, number: int = 0) -> None:
        """Nothing to do: whoever writes has locked everything."""

    def shut(self) -> None:
        super().shut()
        self._lock_file.close()

    # -- retention, checking, copies --------------------------------------------------------------------

    def _make_room(self) -> None:
        """Empty the log, unless a reader is in the way."""
        with self._lock, translate_errors(self._driver, self.path), self._without_waiting() as db:
            db.execute(TRUNCATE).fetchall()

    def _erase(self) -> None:
        """Write the database anew without what was deleted, and empty its log.

        SQLite makes a copy in its folder for temporary files, which is that of the store, and then writes it to the
        log: there must be room for the database twice.
        """
        with translate_errors(self._driver, self.path), self._without_waiting() as db:
            for statement in (TRUNCATE, "VACUUM", TRUNCATE):
                try:
                    rows = db.execute(statement).fetchall()
                except Exception as problem:
                    if is_full(self._driver.error_code(problem)):
                        size = 2 * self.path.stat().st_size
                        raise StoreFull(
                            f"{self.path.name}: to erase what was forgotten, {size:,} bytes must be free beside it"
                        ) from problem
                    raise
                if rows and rows[0][0]:
                    raise StoreFailed(f"{self.path.name}: a reader keeps forgotten reports in the log; forget again")

    @contextmanager
    def _without_waiting(self) -> Iterator[Connection]:
        """The connection that writes, while it gives up at a lock at once: a reader may stay, and uploads wait."""
        db = self._writer()
        db.execute("PRAGMA busy_timeout = 0").fetchall()
        try:
            yield db
        finally:
            with suppress(Exception):  # a lost connection is opened anew
                db.execute(f"PRAGMA busy_timeout = {int(1000 * LOCK_SECONDS)}").fetchall()

    def check(self) -> list[str]:
        """What is damaged, a sentence each, by new connections that have nothing in memory yet."""
        return check_files(self._driver, self._disk, self.path)

    def back_up(self, path: Path) -> None:
        with translate_errors(self._driver, path):
            copy(self._driver, self._disk, self.path, path)


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


def accept_loss(path: Path | str, *, driver: Driver | None = None, disk: LocalDisk | None = None) -> None:
    """Take a database as it is, though acknowledged uploads are missing; its checkpoints begin anew."""
    path, driver, disk = Path(path).resolve(), driver or Driver(), disk or LocalDisk()
    with (
        translate_errors(driver, path),
        closing(disk.lock(sibling(path, "lock"))),
        closing(driver.connect_read_only(path)) as db,
    ):
        CheckpointFile.begin(sibling(path, "heads"), disk, queries.checkpoint(db, WRITER_ID)).close()


def check_files(driver: Driver, disk: LocalDisk, path: Path) -> list[str]:
    """Everything that is wrong, a sentence each; `StoreFailed` if the files cannot be read, which is no damage."""
    path = path.resolve()
    checkpoints, problems = sibling(path, "heads"), []
    with translate_errors(driver, path):
        for _ in range(MAX_TRIES):
            before = read_checkpoints(checkpoints, disk)
            try:
                db = connect_reader(driver, path)
            except Exception as problem:
                code = driver.error_code(problem)
                if code is None or code & 0xFF in UNREADABLE:
                    raise
                return [f"{path.name}: {problem}"]
            anew = announced_checkpoint(checkpoints, disk)
            after = read_checkpoints(checkpoints, disk)
            if after is None or after.first is None or before is None or after.first == before.first:
                break
            db.close()  # the file of checkpoints was begun anew meanwhile
        else:
            raise StoreFailed(f"{path.name} changes faster than it can be checked; ask again")
    with closing(db):
        if damage := sqlite_check.damaged_frame(path):
            problems.append(damage)
        try:
            for sentence in sqlite_check.find_problems(db, path.name, before, anew, after):
                problems.append(sentence)
        except StoreFailed as problem:
            problems.append(str(problem))
        except Exception as problem:  # what damaged pages make of types and texts cannot be foreseen
            problems.append(f"{path.name}: it cannot be read: {problem}")
    return list(dict.fromkeys(problems))
