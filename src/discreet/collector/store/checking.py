"""What is damaged in the tables of a store, found by hashing everything again; the same for SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.errors import DiscreetError
from . import reading
from .chain import START, declaration_digest, follow, log_entry, row_hash, seal
from .heads import Head, Lines
from .schema import Connection
from .tallying import recount

SEALED = {
    "meta": ("a note", "name, value"),
    "invitation": ("an invitation", "collection, hash, spent"),
    "refusal": ("a count of refusals", "lane, collection, reason, count"),
    "token": ("a token", "role, digest"),
    "tallied": ("a position of tallies", "collection, position"),
    "tally": ("a tally", "collection, labels, day, counts"),
}
"""Tables whose rows carry a seal: what a row is called, and what is sealed."""


def check_tables(db: Connection) -> Iterator[str]:
    """What is wrong in the tables themselves."""
    yield from _log(db)
    yield from _uploads(db)
    yield from _sealed(db)
    yield from _derived(db)


def check_heads(db: Connection, lane: int, lines: Lines, name: str) -> Iterator[str]:
    """Where the database is not what the heads that were kept beside it say."""
    for number in lines.damaged:
        yield f"{name}: line {number} is damaged"
    ((commits,),) = db.execute("SELECT commits FROM lane WHERE lane = ?", (lane,)).fetchall() or ((0,),)
    last = lines.last
    if last is not None and last.commits > commits:
        yield f"{name}: {last.commits - commits} commits were acknowledged and are not in the database"
    for head in lines.heads:
        if head is not None and (problem := _contradicts(db, lane, head)):
            yield f"{name}: after commit {head.commits} {problem}"


def _contradicts(db: Connection, lane: int, head: Head) -> str | None:
    if head.position:
        found = db.execute("SELECT chain FROM upload WHERE position = ? AND lane = ?", (head.position, lane)).fetchone()
        if found is None:
            return f"there was an upload at position {head.position}, and there is none"
        if bytes(found[0]) != head.chain:
            return f"the chain at position {head.position} was another one"
    if head.log:
        found = db.execute("SELECT chain FROM log WHERE number = ?", (head.log,)).fetchone()
        if found is None or found[0] != head.log_chain:
            return f"line {head.log} of the log was another one"
    return None


def _log(db: Connection) -> Iterator[str]:
    """The log's chain, and the collections against it."""
    chain, expected = START.hex(), 1
    created: dict[str, str] = {}
    closed: set[str] = set()
    for entry in reading.log(db, -1 << 62):
        rest = {"number": entry.number, "kind": entry.kind, "collection": entry.collection}
        again = log_entry(chain, **rest, digest=entry.digest, day=entry.day)  # type: ignore[arg-type]
        if entry.number != expected or again.chain != entry.chain:
            yield f"log: line {expected} does not follow from the line before it"
        chain, expected = entry.chain, entry.number + 1
        if entry.kind == "created":
            created[entry.collection] = entry.digest
        else:
            closed.add(entry.collection)
    names = []
    for collection in reading.collections(db):
        names.append(collection.id)
        if created.get(collection.id) != declaration_digest(collection):
            yield f"collection {collection.id}: it is not what the log says"
        if collection.closed != (collection.id in closed):
            yield f"collection {collection.id}: the log says {'closed' if collection.id in closed else 'open'}"
    if names != list(created):
        yield "collections: they are not those of the log, or not in its order"


def _uploads(db: Connection) -> Iterator[str]:
    """Every lane's chain, from its first upload to its head."""
    names = dict(db.execute("SELECT number, id FROM collection").fetchall())
    lanes = {lane: (position, bytes(chain)) for lane, position, chain in _rows(db, "lane, position, chain", "lane")}
    reached = dict.fromkeys(lanes, (0, START))
    for position, lane, row, chain, *kept in reading.uploads(db):
        where = f"upload at position {position}"
        if lane not in reached:
            yield f"{where}: there is no lane {lane}"
            continue
        if not _forgotten(kept) and _row_hash(position, names, kept) != bytes(row):
            yield f"{where}: its content is not what was hashed"
        if follow(reached[lane][1], bytes(row)) != bytes(chain):
            yield f"{where}: it does not follow from the upload before it"
        reached[lane] = position, bytes(chain)
    for lane, end in reached.items():
        if end != lanes[lane]:
            yield f"lane {lane}: its uploads end at position {end[0]}, and its head says {lanes[lane][0]}"


def _forgotten(kept: list[Any]) -> bool:
    return all(part is None for part in kept)


def _row_hash(position: int, names: dict[int, str], kept: list[Any]) -> bytes | None:
    """The hash of a row as it is now; None for a row that nothing could have written."""
    number, upload, digest, day, labels, count, answer, salt, reports = kept
    try:
        return row_hash(
            bytes(salt),
            bytes(reports),
            position=position,
            collection=names[number],
            upload=upload,
            digest=bytes(digest),
            day=day,
            labels=labels,
            count=count,
            answer=answer,
        )
    except (KeyError, TypeError, AttributeError, ValueError, DiscreetError):
        return None


def _sealed(db: Connection) -> Iterator[str]:
    for table, (what, columns) in SEALED.items():
        for *parts, kept in _rows(db, f"{columns}, seal", table):
            plain = [bytes(part) if isinstance(part, memoryview) else part for part in parts]
            try:
                good = seal(*plain) == bytes(kept)
            except (TypeError, ValueError, DiscreetError):
                good = False
            if not good:
                yield f"{table}: {what} is not what was sealed"


def _derived(db: Connection) -> Iterator[str]:
    """Tallies that were kept, against the reports counted again."""
    for collection in reading.collections(db):
        number, _ = reading.collection_state(db, collection.id)
        snapshot = reading.snapshot(db, number)
        if snapshot is not None:
            yield from recount(db, collection, snapshot, reading.forgotten(db))


def _rows(db: Connection, columns: str, table: str) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = db.execute(f"SELECT {columns} FROM {table}").fetchall()
    return rows
