"""Queries that read the tables of a store over one connection."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Any

from ....core.canonical import canonical
from ....core.errors import InvalidInput
from ..protocol import Batch, GoneBatch, Labels, LogEntry, Placed, Snapshot, StoredCollection
from .checkpoints import CHAIN_START, Checkpoint
from .schema import Connection

PAGE_ROWS = 1000
PAGE_BYTES = 1 << 20
"""Stored reports are read in pages of at most this size, or one upload."""


@functools.lru_cache(4096)
def labels_text(labels: Labels) -> str:
    """Labels as they are stored: canonical JSON, a list of names and values."""
    return canonical([list(pair) for pair in labels])


@functools.lru_cache(4096)
def parse_labels(text: str) -> Labels:
    """The labels of such a text."""
    return tuple((name, value) for name, value in json.loads(text))


def checkpoint(db: Connection, writer_id: int) -> Checkpoint:
    """The ends of a writer's chain and of the log."""
    ((commits, position, chain),) = db.execute(
        "SELECT commits, position, chain FROM lane WHERE lane = ?", (writer_id,)
    ).fetchall()
    return Checkpoint(commits, position, bytes(chain), *last_log(db))


def last_log(db: Connection) -> tuple[int, str]:
    """The number and the chain of the last line of the log."""
    row = db.execute("SELECT number, chain FROM log ORDER BY number DESC LIMIT 1").fetchone()
    return (row[0], row[1]) if row else (0, CHAIN_START.hex())


def collections(db: Connection) -> list[StoredCollection]:
    """All collections, in the order in which they were made."""
    rows = db.execute("SELECT id, declared, law, closed FROM collection ORDER BY number").fetchall()
    return [StoredCollection(name, declared, law, bool(closed)) for name, declared, law, closed in rows]


def collection_state(db: Connection, name: str) -> tuple[int, bool]:
    """The number of a collection, and whether it is closed."""
    row = db.execute("SELECT number, closed FROM collection WHERE id = ?", (name,)).fetchone()
    if row is None:
        raise InvalidInput(f"collection {name!r} is not there")
    return row[0], bool(row[1])


def log(db: Connection, after: int) -> list[LogEntry]:
    """The lines of the log after one."""
    rows = db.execute(
        "SELECT number, kind, collection, digest, day, chain FROM log WHERE number > ? ORDER BY number", (after,)
    ).fetchall()
    return [LogEntry(*row) for row in rows]


def upload(db: Connection, number: int, name: str) -> tuple[bytes, str] | None:
    """The digest and the answer of an upload of a collection."""
    row = db.execute("SELECT digest, answer FROM upload WHERE collection = ? AND upload = ?", (number, name)).fetchone()
    return (bytes(row[0]), row[1]) if row else None


def batches(db: Connection, name: str, after: int, last: int) -> list[Batch]:
    """One page of the stored reports of a collection after a position, up to the position `last`."""
    where = "collection = ? AND position > ? AND position <= ?"
    number, _ = collection_state(db, name)
    rows = db.execute(
        f"SELECT position, labels, day, reports, count FROM upload WHERE {where} ORDER BY position",
        (number, after, _page_end(db, where, (number, after, last))),
    ).fetchall()
    return [Batch(position, parse_labels(labels), day, bytes(reports), n) for position, labels, day, reports, n in rows]


def uploads(db: Connection) -> Iterator[tuple[Any, ...]]:
    """Every stored row of uploads, in order of their positions."""
    where = "position > ? AND position <= ?"
    after, last = -1 << 62, 1 << 62
    while True:
        rows = db.execute(
            "SELECT position, lane, row_hash, chain, collection, upload, digest, day, labels, count, answer, salt, "
            f"reports FROM upload WHERE {where} ORDER BY position",
            (after, _page_end(db, where, (after, last))),
        ).fetchall()
        if not rows:
            return
        yield from rows
        after = rows[-1][0]


def _page_end(db: Connection, where: str, parameters: tuple[int, ...]) -> int:
    """The last position of a page of uploads."""
    end = size = 0
    for position, length in db.execute(
        f"SELECT position, LENGTH(reports) FROM upload WHERE {where} ORDER BY position LIMIT ?",
        (*parameters, PAGE_ROWS),
    ).fetchall():
        size += length or 0
        if end and size > PAGE_BYTES:
            break
        end = position
    return end


def snapshot(db: Connection, number: int) -> Snapshot:
    """The last tallies that were stored of a collection."""
    row = db.execute("SELECT position FROM tallied WHERE collection = ?", (number,)).fetchone()
    cells = {(parse_labels(labels), day): counts for (labels, day), counts in tallies(db, number).items()}
    return Snapshot(row[0] if row else 0, cells, revision(db), tuple(gone_batches(db, number)))


def gone_batches(db: Connection, number: int) -> list[GoneBatch]:
    """What of a collection was shown, and forgotten."""
    return [GoneBatch(*each) for each in json.loads(note_value(db, f"gone-{number}") or "[]")]


def placed(db: Connection, number: int, after: int = 0, last: int = 1 << 62) -> Iterator[Placed]:
    """The uploads of a collection in order, after a position and up to another, without their reports."""
    where = "collection = ? AND position > ? AND position <= ?"
    for position, labels, count, day in db.execute(
        f"SELECT position, labels, count, day FROM upload WHERE {where} ORDER BY position", (number, after, last)
    ):
        yield Placed(position, parse_labels(labels), count, day)


def tallies(db: Connection, number: int) -> dict[tuple[str, str], bytes]:
    """The tallies of a collection by labels, as text, and day."""
    rows = db.execute("SELECT labels, day, counts FROM tally WHERE collection = ?", (number,)).fetchall()
    return {(labels, day): bytes(counts) for labels, day, counts in rows}


def note_value(db: Connection, name: str) -> str | None:
    """The note of a name; None if there is none."""
    row = db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return row[0] if row else None


def revision(db: Connection) -> int:
    """How often stored uploads were forgotten or mixed."""
    return int(note_value(db, "revision") or 0)


def last_day(db: Connection) -> str | None:
    """The day that was noted last; before any was, the newest of the log and the uploads."""
    if noted := note_value(db, "day"):
        return noted
    newest = [db.execute(f"SELECT MAX(day) FROM {table}").fetchone()[0] for table in ("log", "upload")]
    return max((day for day in newest if day is not None), default=None)
