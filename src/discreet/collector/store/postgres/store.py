"""A store in PostgreSQL (psycopg 3, extra ``postgres``), for several processes on one or more machines.

Each writer has a hash chain and checkpoints of its own, so writers do not wait for each other. What they do wait for:
the same upload sent to two of them at once, the log, and readers, while transactions are under way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from itertools import chain, count
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile
from zlib import error

from ....core.documents import replacing
from ....core.errors import DiscreetError, InvalidInput, MissingExtra, StoreFailed, StoreFull, shown
from ...logs import log_event
from ..disk import LocalDisk, sync_folder, translate_file_errors
from ..sql import queries
from ..sql.check import check_checkpoints, check_tables
from ..sql.checkpoints import CHAIN_START, Checkpoint, CheckpointLines, announced_checkpoint, read_checkpoints
from ..sql.mixing import mixed_at
from ..sql.rows import retried
from ..sql.schema import POSTGRES_TYPES, STEPS, TABLES, Connection, ReaderPool, migrate
from ..sql.store import INTO_UPLOAD, UPLOAD_VALUES, LockTarget, SQLStore

try:
    import psycopg
except ImportError as problem:
    raise MissingExtra("psycopg", "postgres") from problem

LOG, UPLOADS, SCHEMA, STORED, TALLIES, WRITERS = 1, 2, 3, 4, 10**6, 10**9
"""Numbers of advisory locks: the log, new positions, the schema, stored uploads, and from these on tallies and writers
by number."""

DURABLE_SETTINGS = {"fsync": "on", "full_page_writes": "on"}
"""Settings of the server without which nothing it says is durable."""

COLLISIONS = (
    psycopg.errors.UniqueViolation, psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure,
)  # fmt: skip
"""Another process was faster: the transaction is made again."""

NOT_ALLOWED = (psycopg.errors.InsufficientPrivilege, psycopg.errors.FeatureNotSupported)
"""The server or our role there does not permit this."""


class PostgresConnection:
    """A connection that takes ``?`` for a parameter and begins transactions only when told."""

    def __init__(self, place: str, schema: str) -> None:
        if not re.fullmatch("[a-z][a-z0-9_]{0,40}", schema):
            raise InvalidInput(f"schema={shown(schema)} must be a name of lowercase letters, digits and _")
        self.raw = psycopg.connect(place, autocommit=True)
        self.schema, self._space = schema, int.from_bytes(sha256(schema.encode()).digest()[:3], "big")
        self.raw.execute(f"SET search_path TO {schema}, pg_catalog")
        self.raw.execute("SET client_min_messages TO warning")

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> psycopg.Cursor[Any]:
        """Run one statement; its rows."""
        return self.raw.execute(sql.replace("?", "%s"), parameters or None)

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]], /) -> None:
        """Run one statement for each of several rows, without waiting in between."""
        with self.raw.cursor() as cursor:
            cursor.executemany(sql.replace("?", "%s"), rows)

    def lock(self, what: int, function: str = "pg_advisory_xact_lock") -> bool:
        """Lock something of this schema among all processes, until the transaction ends unless named otherwise."""
        ((got,),) = self.execute(f"SELECT {function}(?, ?)", (self._space, what)).fetchall()
        return got is not False

    def close(self) -> None:
        """Let go of it, and of all its locks."""
        self.raw.close()


def connect_writer(place: str, schema: str) -> PostgresConnection:
    """A connection whose commits wait for the disk; `StoreFailed` if the server is set up not to."""
    db = PostgresConnection(place, schema)
    try:
        for name, wanted in DURABLE_SETTINGS.items():
            ((setting,),) = db.execute(f"SHOW {name}").fetchall()
            if setting != wanted:
                raise StoreFailed(
                    f"PostgreSQL runs with {name} = {setting}, and loses what it acknowledged with the power"
                )
        ((commit,),) = db.execute("SHOW synchronous_commit").fetchall()
        if commit == "off":
            db.execute("SET synchronous_commit TO on")
        db.execute("SET lock_timeout TO '20s'")
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turn errors of the driver into `StoreFull` and `StoreFailed`; what they quote of rows is left out."""
    try:
        yield
    except (DiscreetError, *COLLISIONS):
        raise
    except psycopg.errors.DiskFull as problem:
        raise StoreFull("PostgreSQL has no room on its disk") from problem
    except psycopg.Error as problem:
        message = problem.diag.message_primary or str(problem).partition("\n")[0]
        raise StoreFailed(f"PostgreSQL: {message}") from problem


KIND = "discreet store 1"
"""What the archive says of itself."""


def copy(db: PostgresConnection, target: Path) -> None:
    """Write all tables, as the transaction of this connection sees them, to a new ZIP archive."""
    if target.exists():
        raise InvalidInput(f"{target.name} is there already; a copy replaces nothing")
    with replacing(target) as file, ZipFile(file, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("kind.json", json.dumps({"kind": KIND, "schema": len(STEPS)}))
        for table in TABLES:
            with (
                archive.open(table, "w", force_zip64=True) as entry,
                db.raw.cursor() as cursor,
                cursor.copy(f"COPY {table} TO STDOUT") as rows,
            ):
                for data in rows:
                    entry.write(data)
    sync_folder(target.parent)


def restore(path: Path, place: str, *, schema: str = "discreet") -> None:
    """Put a copy into a database whose schema of that name is not there yet; all of it, if it is whole, or nothing."""
    with translate_errors(), closing(connect_writer(place, schema)) as db:
        if db.execute("SELECT 1 FROM pg_namespace WHERE nspname = ?", (schema,)).fetchone():
            raise InvalidInput(f"schema {schema} is there already; a copy replaces nothing")
        with _open_archive(path) as archive:
            version = json.loads(archive.read("kind.json"))["schema"]
            db.execute("BEGIN")
            db.execute(f"CREATE SCHEMA {schema}")
            db.execute("CREATE TABLE schema_version (version BIGINT NOT NULL)")
            db.execute("CREATE SEQUENCE upload_position")
            migrate(db, 0, POSTGRES_TYPES, lambda _: None, steps=STEPS[:version])
            _set_version(db, version)
            for table in TABLES:
                with (
                    archive.open(table) as entry,
                    db.raw.cursor() as cursor,
                    cursor.copy(f"COPY {table} FROM STDIN") as rows,
                ):
                    try:
                        while data := entry.read(1 << 20):
                            rows.write(data)
                    except (BadZipFile, error) as problem:
                        raise StoreFailed(f"the copy is damaged: {problem}") from problem
            db.execute("SELECT setval('upload_position', MAX(position)) FROM upload HAVING MAX(position) > 0")
            migrate(db, version, POSTGRES_TYPES, lambda newest: _set_version(db, newest))
            if damage := next(check_tables(db), None):
                raise StoreFailed(f"the copy is damaged: {damage}")
            db.execute("COMMIT")


def _set_version(db: PostgresConnection, version: int) -> None:
    db.execute("DELETE FROM schema_version")
    db.execute("INSERT INTO schema_version (version) VALUES (?)", (version,))


def _open_archive(path: Path) -> ZipFile:
    try:
        archive = ZipFile(path)
        if json.loads(archive.read("kind.json"))["kind"] == KIND:
            return archive
    except (BadZipFile, KeyError, ValueError):
        pass
    raise StoreFailed(f"{path.name} is no copy of a store")


FUTURE_WAL_FILES = (
    "SELECT COUNT(*) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$' AND name > pg_walfile_name(pg_current_wal_lsn())"
)
"""The number of files of the write-ahead log that are there for later."""


class PostgresStore(SQLStore):
    """A store in a PostgreSQL database; `checkpoints` is a folder of this machine for its checkpoints.

    `place` is what libpq takes: ``postgresql://...`` or ``host=... dbname=...``. The tables are in their own schema.
    """

    begin_sql, collisions = "BEGIN", COLLISIONS

    def __init__(
        self, place: str, *, checkpoints: Path | str, schema: str = "discreet", disk: LocalDisk | None = None
    ) -> None:
        super().__init__(disk)
        self._place, self._schema, self._folder = place, schema, Path(checkpoints)
        self._readers = ReaderPool(
            lambda: PostgresConnection(place, schema), "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        )
        self.writer_id = self._connected_id = -1
        self._start()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        with translate_errors(), translate_file_errors("checkpoints"):
            yield

    def _open(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with closing(connect_writer(self._place, self._schema)) as db:
            db.execute("BEGIN")
            db.lock(SCHEMA)
            db.execute(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
            db.execute("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
            db.execute("CREATE SEQUENCE IF NOT EXISTS upload_position")
            row = db.execute("SELECT version FROM schema_version").fetchone()
            migrate(db, row[0] if row else 0, POSTGRES_TYPES, lambda newest: _set_version(db, newest))
            db.execute("COMMIT")
        self._writer()

    def _resume_problems(self, db: Connection, lines: CheckpointLines | None, now: Checkpoint, name: str) -> str:
        lines = lines and _comparable(db, self.writer_id, lines)
        if lines is None or lines.last is None:
            return ""
        problems = "; ".join(check_checkpoints(db, self.writer_id, CheckpointLines((lines.last,), False), name, None))
        return f"{problems}: restore a copy, or move the file away to take the database as it is" if problems else ""

    def _connect(self) -> PostgresConnection:
        db = connect_writer(self._place, self._schema)
        try:
            ids = (each for each in chain([self.writer_id], count()) if each >= 0)
            writer_id = next(each for each in ids if db.lock(WRITERS + each, "pg_try_advisory_lock"))
            db.execute(
                "INSERT INTO lane (lane, commits, position, chain) VALUES (?, 0, 0, ?) ON CONFLICT DO NOTHING",
                (writer_id, CHAIN_START),
            )
        except BaseException:
            db.close()
            raise
        self._connected_id = writer_id
        return db

    def _writer(self) -> PostgresConnection:
        """The connection that writes; a new one has the id that it had, or another one if a process has taken that."""
        if self._db is None:
            self._db = self._connect()
        if self._connected_id != self.writer_id:
            db, before, self.writer_id = self._db, self.writer_id, self._connected_id
            try:
                if hasattr(self, "_checkpoints"):
                    self._checkpoints.close()
                self._resume(self._folder / f"lane-{self.writer_id}.heads")
            except BaseException:
                self._db, self.writer_id = None, before
                db.close()
                raise
        writer: PostgresConnection = self._db
        return writer

    def _is_lost(self, db: PostgresConnection, problem: BaseException) -> bool:
        return db.raw.closed or db.raw.broken

    # -- several writers --------------------------------------------------------------------------------

    def _stored_uploads(
        self, db: Connection, wanted: Sequence[tuple[int, str]]
    ) -> dict[tuple[int, str], tuple[bytes, str]]:
        rows = db.execute(
            "SELECT collection, upload, digest, answer FROM upload "
            "WHERE (collection, upload) IN (SELECT * FROM UNNEST(?::bigint[], ?::text[]))",
            ([number for number, _ in wanted], [name for _, name in wanted]),
        ).fetchall()
        return {(number, name): (bytes(digest), answer) for number, name, digest, answer in rows}

    def _insert_rows(self, db: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        db.executemany(f"INSERT {INTO_UPLOAD} {UPLOAD_VALUES}", rows)

    def _new_positions(self, db: Connection, last: int, count: int) -> list[int]:
        rows = db.execute("SELECT nextval('upload_position') FROM generate_series(1, ?)", (count,)).fetchall()
        return [position for (position,) in rows]

    def _last_position(self) -> int:
        """The last position that was given out, once the transactions have ended that were given one."""
        with translate_errors(), closing(PostgresConnection(self._place, self._schema)) as db:
            db.execute("BEGIN")
            db.lock(UPLOADS)
            ((last, called),) = db.execute("SELECT last_value, is_called FROM upload_position").fetchall()
            db.execute("COMMIT")
        return int(last) if called else 0

    def _lock_for(self, db: Connection, what: LockTarget, number: int = 0) -> None:
        assert isinstance(db, PostgresConnection)
        if what == "uploads":
            db.lock(UPLOADS, "pg_advisory_xact_lock_shared")
        elif what == "tallies":
            db.lock(STORED, "pg_advisory_xact_lock_shared")
            db.lock(TALLIES + number)
        elif what == "stored uploads":
            db.lock(STORED)
        else:
            db.lock(LOG)
            db.lock(UPLOADS)  # no upload is on its way while a collection is closed

    # -- retention, checking, copies --------------------------------------------------------------------

    @retried
    def close(self, collection: str, *, day: str) -> None:
        """Take no more uploads for a collection, and log it; the order in which its invitations were spent is lost."""
        with self._lock:
            super().close(collection, day=day)
            with translate_errors():
                self._shuffle_invitations()

    def _erase(self) -> None:
        """Rewrite the tables without what was deleted, and overwrite the server's write-ahead log."""
        with translate_errors():
            self._writer().execute("VACUUM (FULL) upload")
            self._writer().execute("VACUUM (FULL) tally")
            self._shuffle_invitations()
            overwrite_wal(self._writer())

    def _shuffle_invitations(self) -> None:
        """Write all invitations anew, by their hashes, in one transaction: their rows tell no order and no upload."""
        db = self._writer()
        try:
            db.execute("BEGIN")
            db.execute("LOCK TABLE invitation IN EXCLUSIVE MODE")
            db.execute("CREATE TEMPORARY TABLE mixed ON COMMIT DROP AS SELECT * FROM invitation")
            db.execute("DELETE FROM invitation")
            db.execute("INSERT INTO invitation SELECT * FROM mixed ORDER BY collection, hash")
            db.execute("COMMIT")
            db.execute("VACUUM (FULL) invitation")
        except BaseException as problem:
            self._undo(db, problem)
            raise

    def check(self) -> list[str]:
        """What is damaged, a sentence each: the tables, and the checkpoints that this machine has files of."""
        before = {path: read_checkpoints(path, self._disk) for path in sorted(self._folder.glob("lane-*.heads"))}
        with self._read() as db:
            queries.revision(db)  # which fixes the state that is seen
            anew = {path: announced_checkpoint(path, self._disk) for path in before}
            after = {path: read_checkpoints(path, self._disk) for path in before}
            problems = list(check_tables(db))
            for path, lines in before.items():
                begun = after[path]
                if lines is not None and begun is not None:
                    writer_id = int(path.stem.partition("-")[2])
                    lines = _comparable(db, writer_id, lines)
                    problems += check_checkpoints(db, writer_id, lines, path.name, anew[path] or begun.first)
        return problems

    def back_up(self, path: Path) -> None:
        with self._read() as db, translate_file_errors(path.name):
            assert isinstance(db, PostgresConnection)
            copy(db, path)


def _comparable(db: Connection, writer_id: int, lines: CheckpointLines) -> CheckpointLines:
    """The lines since the chain of a writer was last made anew, perhaps by a process of another machine with its id."""
    since = mixed_at(db, writer_id)
    return CheckpointLines(
        tuple(each for each in lines.checkpoints if each is None or each.commits >= since), lines.torn
    )


def overwrite_wal(db: PostgresConnection) -> bool:
    """Overwrite what the server's write-ahead log held until now; False, with a line in our log, if it may not.

    The files of `pg_wal` hold what was written, reports too, until they are overwritten. A checkpoint lets the server
    drop those that it no longer needs; some it keeps under the names of files to come, with their old bytes. Switching
    to the next file fills the rest of this one with zeros; so switching until all files to come are left overwrites
    them. What a replication slot, `wal_keep_size` or an archive holds back is not reached.
    """
    try:
        _switch_wal(db)
        db.execute("CHECKPOINT")
        ((count,),) = db.execute(FUTURE_WAL_FILES).fetchall()
        for _ in range(count + 1):  # out of this one, and out of each that is to come
            _switch_wal(db)
        return True
    except NOT_ALLOWED:
        log_event("PostgreSQL's journal holds forgotten reports until the server writes over it: this role may not")
        return False


def _switch_wal(db: PostgresConnection) -> None:
    """Go on in another file; nothing happens unless something was written to this one."""
    db.execute("SELECT pg_logical_emit_message(false, 'discreet', '')")
    db.execute("SELECT pg_switch_wal()")
