"""The tables of a store, the same in SQLite and PostgreSQL, and how those of an earlier version become those of today.

A lane is a chain of uploads with one writer: SQLite has one, PostgreSQL one for each process that writes. Of a
forgotten upload only its position, lane, row hash and chain are left. Invitations have no number, no time and no order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ...core.errors import StoreFailed

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

STEPS: tuple[Sequence[str], ...] = (FIRST,)
"""``STEPS[n]`` makes version n + 1 of version n; an empty database has version 0."""

TABLES = (
    "lane", "meta", "collection", "log", "upload", "invitation", "refusal", "token", "tallied", "tally",
)  # fmt: skip
"""Every table, those that others point to first."""

SQLITE = {"number": "INTEGER", "bytes": "BLOB", "keyed": "WITHOUT ROWID"}
POSTGRES = {"number": "BIGINT", "bytes": "BYTEA", "keyed": ""}


class Connection(Protocol):
    """What a store asks of a connection; the drivers of both databases have it, with ``?`` for a parameter."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Any:
        """Run one statement; its rows."""

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]], /) -> Any:
        """Run one statement for each of several rows."""

    def close(self) -> None:
        """Let go of it."""


def statements(words: dict[str, str], steps: Sequence[Sequence[str]] = STEPS) -> list[list[str]]:
    """The steps in the words of one database."""
    return [[" ".join(line.format(**words).split()) for line in step] for step in steps]


def migrate(
    db: Connection,
    version: int,
    words: dict[str, str],
    mark: Callable[[int], None],
    *,
    steps: Sequence[Sequence[str]] = STEPS,
) -> None:
    """Bring a database to the newest version inside the transaction that is open; `mark` notes the version."""
    if version > len(steps):
        raise StoreFailed(
            f"the store has schema version {version}, and this program knows {len(steps)}: use the newer program"
        )
    if version == len(steps):
        return
    for step in statements(words, steps)[version:]:
        for line in step:
            db.execute(line)
    mark(len(steps))
