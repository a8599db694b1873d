"""What the tables of a store say, read from one connection."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Any

from ...core.canonical import canonical
from ...core.errors import InvalidInput
from .chain import START
from .heads import Head
from .protocol import Batch, Collection, Labels, LogEntry, Snapshot
from .schema import Connection

PAGE_ROWS = 1000
PAGE_BYTES = 1 << 24
"""A part of the stored reports is this large, or one upload."""


@functools.lru_cache(4096)
def labels_text(labels: Labels) -> str:
    """Labels as they are stored: canonical JSON, a list of names and values."""
    return canonical([list(pair) for pair in labels])


def labels_of(text: str) -> Labels:
    """The labels of such a text."""
    return tuple((name, value) for name, value in json.loads(text))


def head(db: Connection, lane: int) -> Head:
    """Where the chains end."""
    ((commits, position, chain),) = db.execute(
        "SELECT commits, position, chain FROM lane WHERE lane = ?", (lane,)
    ).fetchall()
    return Head(commits, position, bytes(chain), *last_log(db))


def last_log(db: Connection) -> tuple[int, str]:
    """The number and the chain of the last line of the log."""
    found = db.execute("SELECT number, chain FROM log ORDER BY number DESC LIMIT 1").fetchone()
    return (found[0], found[1]) if found else (0, START.hex())


def collections(db: Connection) -> list[Collection]:
    """All collections, in the order in which they were made."""
    rows = db.execute("SELECT id, declared, law, closed FROM collection ORDER BY number").fetchall()
    return [Collection(name, declared, law, bool(closed)) for name, declared, law, closed in rows]


def collection(db: Connection, name: str) -> tuple[int, Collection]:
    """The number of a collection, and what it is."""
    found = db.execute("SELECT number, declared, law, closed FROM collection WHERE id = ?", (name,)).fetchone()
    if found is None:
        raise InvalidInput(f"collection {name!r} is not there")
    return found[0], Collection(name, found[1], found[2], bool(found[3]))


def collection_state(db: Connection, name: str) -> tuple[int, bool]:
    """The number of a collection, and whether it is closed."""
    found = db.execute("SELECT number, closed FROM collection WHERE id = ?", (name,)).fetchone()
    if found is None:
        raise InvalidInput(f"collection {name!r} is not there")
    return found[0], bool(found[1])


def log(db: Connection, after: int) -> list[LogEntry]:
    """The lines of the log after one."""
    rows = db.execute(
        "SELECT number, kind, collection, digest, day, chain FROM log WHERE number > ? ORDER BY number", (after,)
    ).fetchall()
    return [LogEntry(*row) for row in rows]


def upload(db: Connection, number: int, name: str) -> tuple[bytes, str] | None:
    """The digest and the answer of an upload of a collection."""
    found = db.execute(
        "SELECT digest, answer FROM upload WHERE collection = ? AND upload = ?", (number, name)
    ).fetchone()
    return (bytes(found[0]), found[1]) if found else None


def batches(db: Connection, name: str, after: int, settled: int) -> list[Batch]:
    """A part of the stored reports of a collection after a position."""
    where = "collection = ? AND position > ? AND position <= ?"
    number, _ = collection_state(db, name)
    rows = db.execute(
        f"SELECT position, labels, day, reports, count FROM upload WHERE {where} ORDER BY position",
        (number, after, _page_end(db, where, (number, after, settled))),
    ).fetchall()
    return [Batch(position, labels_of(labels), day, bytes(reports), n) for position, labels, day, reports, n in rows]


def uploads(db: Connection) -> Iterator[tuple[Any, ...]]:
    """All that is stored of all uploads, in order of their positions."""
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


def snapshot(db: Connection, number: int) -> Snapshot | None:
    """The tallies that were kept of a collection."""
    found = db.execute("SELECT position FROM tallied WHERE collection = ?", (number,)).fetchone()
    if found is None:
        return None
    kept = tallies(db, number)
    return Snapshot(found[0], {(labels_of(labels), day): counts for (labels, day), counts in kept.items()})


def tallies(db: Connection, number: int) -> dict[tuple[str, str], bytes]:
    """The tallies of a collection by labels, as text, and day."""
    rows = db.execute("SELECT labels, day, counts FROM tally WHERE collection = ?", (number,)).fetchall()
    return {(labels, day): bytes(counts) for labels, day, counts in rows}


def refusals(db: Connection) -> dict[tuple[str, str], int]:
    """How many reports or requests were refused, by collection and reason."""
    rows = db.execute("SELECT collection, reason, SUM(count) FROM refusal GROUP BY collection, reason").fetchall()
    return {(name, reason): int(count) for name, reason, count in rows}


def invitations(db: Connection, number: int) -> tuple[int, int]:
    """How many invitations a collection has, and how many of them are spent."""
    ((count, spent),) = db.execute(
        "SELECT COUNT(*), COALESCE(SUM(spent), 0) FROM invitation WHERE collection = ?", (number,)
    ).fetchall()
    return int(count), int(spent)


def noted(db: Connection, name: str) -> str | None:
    """What was noted under a name."""
    found = db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return found[0] if found else None


def forgotten(db: Connection) -> str:
    """The day before which reports were forgotten; "" if none were."""
    return noted(db, "forgotten") or ""
