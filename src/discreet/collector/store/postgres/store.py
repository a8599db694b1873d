"""A store in PostgreSQL, for several processes on one or more machines: each writes a lane of its own.

A lane is a chain with its own head, so writers do not wait for each other. What they do wait for: the same upload sent
to two of them at once, the log, and readers, for as long as the transactions take that are under way.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ....core.errors import StoreFailed, StoreFull
from .. import reading
from ..chain import START
from ..checking import check_heads, check_tables
from ..disk import Disk, LocalDisk
from ..heads import Heads, Lines, read_heads
from ..protocol import Answer, Upload
from ..readers import Readers
from ..schema import POSTGRES, Connection, migrate
from ..sql import INTO, ROW, Claim, SQLStore
from . import backup as postgres_backup
from . import wal as postgres_wal
from .connections import LANES, LOG, SCHEMA, TALLIES, UPLOADS, Collision, PostgresConnection, begin_writing, translated

TRIES = 20
"""How often a transaction is made again that met another one."""


class PostgresStore(SQLStore):
    """A store in a PostgreSQL database; `heads` is a folder of this machine for the heads of its lanes.

    `place` is what libpq takes: ``postgresql://...`` or ``host=... dbname=...``. The tables are in their own schema.
    """

    def __init__(self, place: str, *, heads: Path | str, schema: str = "discreet", disk: Disk | None = None) -> None:
        super().__init__()
        self._place, self._schema = place, schema
        self._folder, self._disk = Path(heads), disk or LocalDisk()
        self._db: PostgresConnection | None = None
        self._readers = Readers(
            lambda: PostgresConnection(place, schema), "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        )
        self.lane = -1
        try:
            with translated(), _files():
                self._folder.mkdir(parents=True, exist_ok=True)
                self._prepare()
                self._meet(self._writer())
            with self._reading() as db:
                unfinished = reading.noted(db, "removing") == "yes"
            if unfinished:
                self._finish_removing()
        except BaseException:
            self.shut()
            raise

    def _prepare(self) -> None:
        """Make the tables, or bring them to this version."""
        db = begin_writing(self._place, self._schema)
        try:
            db.execute("BEGIN")
            db.lock(SCHEMA)
            db.execute(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
            db.execute("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
            db.execute("CREATE SEQUENCE IF NOT EXISTS upload_position")
            found = db.execute("SELECT version FROM schema_version").fetchone()
            migrate(db, found[0] if found else 0, POSTGRES, lambda newest: _mark(db, newest))
            db.execute("COMMIT")
        finally:
            db.close()

    def _meet(self, db: Connection) -> None:
        """Go on from the heads of this lane; `StoreFailed` if the database is behind them, or not of them."""
        path = self._folder / f"lane-{self.lane}.heads"
        lines = read_heads(path, self._disk)
        head = reading.head(db, self.lane)
        last = lines.last if lines is not None else None
        if last is not None and (problems := list(check_heads(db, self.lane, Lines((last,), False), path.name))):
            raise StoreFailed(
                f"{'; '.join(problems)}: restore a copy, or move the file away to take the database as it is"
            )
        if lines is None or last != head or lines.torn or lines.heads[-1] is None:
            self._heads = Heads.begin(path, self._disk, head)
        else:
            self._heads = Heads(path, self._disk, len(lines.heads))
        self._kept = head.commits

    # -- connections ------------------------------------------------------------------------------------

    def _writer(self) -> PostgresConnection:
        if self._db is None:
            db = begin_writing(self._place, self._schema)
            try:
                if self.lane < 0:
                    lane = 0
                    while not db.lock(LANES + lane, "pg_try_advisory_lock"):
                        lane += 1
                    db.execute(
                        "INSERT INTO lane (lane, commits, position, chain) VALUES (?, 0, 0, ?) ON CONFLICT DO NOTHING",
                        (lane, START),
                    )
                    self.lane = lane
                else:
                    db.lock(LANES + self.lane, "pg_advisory_lock")
            except BaseException:
                db.close()
                raise
            self._db = db
        return self._db

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with translated(), self._readers.one() as db:
            yield db

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with translated(), _files():
            db = self._writer()
            try:
                db.execute("BEGIN")
                yield db
                if db.raw.info.transaction_status:  # nothing was changed, and so nothing committed
                    db.execute("ROLLBACK")
            except BaseException:
                self._undo(db)
                raise

    def _undo(self, db: PostgresConnection) -> None:
        """End a transaction that failed; a connection that is lost is made again for the next one."""
        with suppress(Exception):
            db.execute("ROLLBACK")
        if db.raw.closed or db.raw.broken:
            self._db = None
            db.close()

    def _commit(self, db: Connection) -> None:
        db.execute("COMMIT")

    def shut(self) -> None:
        """Let go of files and connections."""
        with self._lock:
            self._readers.shut()
            if self._db is not None:
                self._db.close()
                self._db = None
            if hasattr(self, "_heads"):
                self._heads.shut()

    # -- several writers --------------------------------------------------------------------------------

    def add(self, uploads: Sequence[Upload]) -> list[Answer]:
        """Keep uploads together, in one commit; again if another process stored one of them at the same time."""
        for _ in range(TRIES):
            with suppress(*Collision):
                return super().add(uploads)
        raise StoreFailed("other processes store the same uploads at the same time")

    def _known(self, db: Connection, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], tuple[bytes, str]]:
        rows = db.execute(
            "SELECT collection, upload, digest, answer FROM upload "
            "WHERE (collection, upload) IN (SELECT * FROM UNNEST(?::bigint[], ?::text[]))",
            ([number for number, _ in wanted], [name for _, name in wanted]),
        ).fetchall()
        return {(number, name): (bytes(digest), answer) for number, name, digest, answer in rows}

    def _add_rows(self, db: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        db.executemany(f"INSERT {INTO} {ROW}", rows)

    def _positions(self, db: Connection, last: int, count: int) -> list[int]:
        rows = db.execute("SELECT nextval('upload_position') FROM generate_series(1, ?)", (count,)).fetchall()
        return [position for (position,) in rows]

    def _settled(self) -> int:
        """The last position that was given out, once the transactions have ended that were given one."""
        with translated():
            db = PostgresConnection(self._place, self._schema)
            try:
                db.execute("BEGIN")
                db.lock(UPLOADS)
                ((last, called),) = db.execute("SELECT last_value, is_called FROM upload_position").fetchall()
                db.execute("COMMIT")
            finally:
                db.close()
        return int(last) if called else 0

    def _claim(self, db: Connection, what: Claim, number: int = 0) -> None:
        assert isinstance(db, PostgresConnection)
        if what is Claim.UPLOADS:
            db.lock(UPLOADS, "pg_advisory_xact_lock_shared")
        elif what is Claim.TALLIES:
            db.lock(TALLIES + number)
        else:
            db.lock(LOG)
            db.lock(UPLOADS)  # no upload is on its way while a collection is closed

    # -- retention, checking, copies --------------------------------------------------------------------

    def close(self, collection: str, *, day: str) -> None:
        """Take no more uploads for a collection, and log it; the order in which its invitations were spent is lost."""
        with self._lock:
            super().close(collection, day=day)
            with translated():
                self._mix()

    def _remove(self) -> None:
        """Write the tables anew without what was deleted, and the server's journal over."""
        with translated():
            self._writer().execute("VACUUM (FULL) upload")
            self._writer().execute("VACUUM (FULL) tally")
            self._mix()
            postgres_wal.clear(self._writer())

    def _mix(self) -> None:
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
        except BaseException:
            self._undo(db)
            raise

    def check(self) -> list[str]:
        """What is damaged, a sentence each: all lanes, and the heads of those that this machine has files of."""
        files = sorted(self._folder.glob("lane-*.heads"))
        with self._lock:
            lines = {path: read_heads(path, self._disk) for path in files}
        with self._reading() as db:
            found = list(check_tables(db))
            for path, heads in lines.items():
                if heads is not None:
                    found += check_heads(db, int(path.stem.partition("-")[2]), heads, path.name)
        return found

    def back_up(self, path: Path) -> None:
        """A copy of everything, as of now, while uploads go on."""
        with self._reading() as db:
            assert isinstance(db, PostgresConnection)
            postgres_backup.copy(db, path)


@contextmanager
def _files() -> Iterator[None]:
    """Errors of the files of heads become `StoreFull` and `StoreFailed`."""
    try:
        yield
    except OSError as problem:
        full = problem.errno in (errno.ENOSPC, errno.EDQUOT)
        raise (StoreFull if full else StoreFailed)(f"heads: {problem.strerror or problem}") from problem


def _mark(db: Connection, version: int) -> None:
    db.execute("DELETE FROM schema_version")
    db.execute("INSERT INTO schema_version (version) VALUES (?)", (version,))
