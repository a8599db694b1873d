"""Connections to PostgreSQL (psycopg 3, extra ``postgres``)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ....core.errors import DiscreetError, InvalidInput, MissingExtra, StoreFailed, StoreFull, shown

if TYPE_CHECKING:
    import psycopg
else:
    try:
        import psycopg
    except ImportError as problem:
        raise MissingExtra("psycopg", "postgres") from problem

LOG, UPLOADS, SCHEMA, TALLIES, WRITERS = 1, 2, 3, 10**6, 10**9
"""Numbers of advisory locks: the log, new positions, the schema, and from these on tallies and writers by number."""

DURABLE_SETTINGS = {"fsync": "on", "full_page_writes": "on"}
"""Settings of the server without which nothing it says is durable."""

COLLISIONS = (
    psycopg.errors.UniqueViolation,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
)
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
