"""Checks of the tables of a store: hashes everything and counts every report again, and says what is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....core import limits
from ....core.errors import DiscreetError
from ...instrument import read_instrument
from ..protocol import Snapshot, StoredCollection
from ..tallies import CellCounts
from . import queries
from .checkpoints import (
    CHAIN_START,
    Checkpoint,
    CheckpointLines,
    checksum,
    declaration_digest,
    extend_chain,
    log_entry,
    row_hash,
    valid_lines,
)
from .schema import Connection

CHECKSUMMED = {
    "meta": ("a note", "name, value"),
    "invitation": ("an invitation", "collection, hash, spent"),
    "refusal": ("a count of refusals", "lane, collection, reason, count"),
    "token": ("a token", "role, digest"),
    "tallied": ("a position of tallies", "collection, position"),
    "tally": ("a tally", "collection, labels, day, counts"),
}
"""Tables whose rows have a checksum: what a row is called, and the columns that it covers."""


def check_tables(db: Connection) -> Iterator[str]:
    """What is wrong in the tables themselves."""
    yield from _log(db)
    yield from _uploads(db)
    yield from _checksums(db)
    yield from _tallies(db)


def check_checkpoints(
    db: Connection, writer_id: int, lines: CheckpointLines, name: str, anew: Checkpoint | None
) -> Iterator[str]:
    """Where the database contradicts the checkpoints of a writer, which are in a file of this name.

    Those before the one where the chain was made `anew` say nothing of it, if that is in the database.
    """
    for number in lines.damaged_lines:
        yield f"{name}: line {number} is damaged"
    ((commits,),) = db.execute("SELECT commits FROM lane WHERE lane = ?", (writer_id,)).fetchall() or ((0,),)
    lines = valid_lines(lines, true_announcement(db, writer_id, anew), commits) or lines
    last = lines.last
    if last is not None and last.commits > commits:
        yield f"{name}: {last.commits - commits} commits were acknowledged and are not in the database"
    for checkpoint in lines.checkpoints:
        if checkpoint is not None and (problem := _contradiction(db, writer_id, checkpoint)):
            yield f"{name}: after commit {checkpoint.commits} {problem}"


def true_announcement(db: Connection, writer_id: int, anew: Checkpoint | None) -> Checkpoint | None:
    """The checkpoint that was announced, if it came to be.

    A crash, or an error, before the commit leaves one that did not, and another commit may have its number since.
    """
    return None if anew is None or _contradiction(db, writer_id, anew) else anew


def _contradiction(db: Connection, writer_id: int, checkpoint: Checkpoint) -> str | None:
    if position := checkpoint.position:
        row = db.execute("SELECT chain FROM upload WHERE position = ? AND lane = ?", (position, writer_id)).fetchone()
        if row is None:
            return f"there was an upload at position {position}, and there is none"
        if bytes(row[0]) != checkpoint.chain:
            return f"the chain at position {position} was another one"
    if checkpoint.log:
        row = db.execute("SELECT chain FROM log WHERE number = ?", (checkpoint.log,)).fetchone()
        if row is None or row[0] != checkpoint.log_chain:
            return f"line {checkpoint.log} of the log was another one"
    return None


def _log(db: Connection) -> Iterator[str]:
    """Where the chain of the log is broken, or the collections are not those of the log."""
    chain, expected = CHAIN_START.hex(), 1
    created: dict[str, str] = {}
    closed: set[str] = set()
    for entry in queries.log(db, -1 << 62):
        again = log_entry(chain, entry.number, entry.kind, entry.collection, entry.digest, entry.day)
        if entry.number != expected or again.chain != entry.chain:
            yield f"log: line {expected} does not follow from the line before it"
        chain, expected = entry.chain, entry.number + 1
        if entry.kind == "created":
            created[entry.collection] = entry.digest
        else:
            closed.add(entry.collection)
    names = []
    for collection in queries.collections(db):
        names.append(collection.id)
        if created.get(collection.id) != declaration_digest(collection):
            yield f"collection {collection.id}: it is not what the log says"
        if collection.closed != (collection.id in closed):
            yield f"collection {collection.id}: the log says {'closed' if collection.id in closed else 'open'}"
    if names != list(created):
        yield "collections: they are not those of the log, or not in its order"


def _uploads(db: Connection) -> Iterator[str]:
    """Where the chain of a writer is broken, or does not end where the writer says."""
    names = dict(db.execute("SELECT number, id FROM collection").fetchall())
    rows = db.execute("SELECT lane, position, chain FROM lane").fetchall()
    writers = {writer: (position, bytes(chain)) for writer, position, chain in rows}
    ends = dict.fromkeys(writers, (0, CHAIN_START))
    for position, writer, row, chain, *columns in queries.uploads(db):
        where = f"upload at position {position}"
        if writer not in ends:
            yield f"{where}: there is no writer {writer}"
            continue
        forgotten = all(column is None for column in columns)
        if not forgotten and _row_hash(position, names, columns) != bytes(row):
            yield f"{where}: its content is not what was hashed"
        if extend_chain(ends[writer][1], bytes(row)) != bytes(chain):
            yield f"{where}: it does not follow from the upload before it"
        ends[writer] = position, bytes(chain)
    for writer, end in ends.items():
        if end != writers[writer]:
            yield f"writer {writer}: its uploads end at position {end[0]}, and it noted {writers[writer][0]}"


def _row_hash(position: int, names: dict[int, str], columns: list[Any]) -> bytes | None:
    """The hash of a row as it is now; None for a row that nothing could have written."""
    number, upload, digest, day, labels, count, answer, salt, reports = columns
    try:
        content = upload, bytes(digest), day, labels, count, answer, bytes(salt), bytes(reports)
        return row_hash(position, names[number], *content)
    except (KeyError, TypeError, AttributeError, ValueError, DiscreetError):
        return None


def _checksums(db: Connection) -> Iterator[str]:
    """Rows that do not match their checksum."""
    for table, (what, columns) in CHECKSUMMED.items():
        for *parts, stored in db.execute(f"SELECT {columns}, seal FROM {table}").fetchall():
            plain = [bytes(part) if isinstance(part, memoryview) else part for part in parts]
            try:
                good = checksum(*plain) == bytes(stored)
            except (TypeError, ValueError, DiscreetError):
                good = False
            if not good:
                yield f"{table}: {what} does not match its checksum"


def _tallies(db: Connection) -> Iterator[str]:
    """Stored tallies, of any label and day, that differ from the reports counted again."""
    counted = {number for (number,) in db.execute("SELECT collection FROM tallied").fetchall()}
    for collection in queries.collections(db):
        number, _ = queries.collection_state(db, collection.id)
        if number in counted:
            yield from _recount(db, collection, queries.snapshot(db, number))


def _recount(db: Connection, collection: StoredCollection, snapshot: Snapshot) -> Iterator[str]:
    """Where the tallies of a collection differ from its reports up to that position, counted again."""
    try:
        with limits.under(limits.LIFTED):
            instrument = read_instrument(collection.law)
        counts, after = CellCounts(instrument.law), 0
        while page := queries.batches(db, collection.id, after, snapshot.position):
            for batch in page:
                counts.add((batch.labels, batch.day), batch.reports)
            after = page[-1].position
        counts.flush()
    except DiscreetError as problem:
        yield f"collection {collection.id}: its reports cannot be counted again: {problem}"
        return
    zeros = np.zeros(instrument.cells, dtype=np.int64)
    for labels, day in sorted(snapshot.tallies.keys() | counts.counts.keys()):
        packed = counts.counts.get((labels, day), zeros).astype("<i8").tobytes()
        if snapshot.tallies.get((labels, day), zeros.tobytes()) != packed:
            cell = "".join([day, *(f", {name} {value}" for name, value in labels)])
            yield f"collection {collection.id}: the tally of {cell} is not what its reports count"
