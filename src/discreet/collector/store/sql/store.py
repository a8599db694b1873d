"""A store in SQL tables: all that SQLite and PostgreSQL have in common."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from threading import RLock
from typing import Any

from ....core.errors import InvalidInput, shown
from ..protocol import Batch, LogEntry, Snapshot, StoredCollection, UploadOutcome, UploadRecord, UploadResult
from . import queries
from .checkpoints import (
    SALT_BYTES,
    Checkpoint,
    CheckpointFile,
    checksum,
    declaration_digest,
    extend_chain,
    log_entry,
    row_hash,
)
from .schema import Connection

UPLOAD_COLUMNS = (
    "position", "lane", "row_hash", "chain", "collection", "upload", "digest", "day", "labels", "count", "answer",
    "salt", "reports",
)  # fmt: skip
"""The columns of the table of uploads."""

INTO_UPLOAD = f"INTO upload ({', '.join(UPLOAD_COLUMNS)}) VALUES"
UPLOAD_VALUES = f"({', '.join('?' for _ in UPLOAD_COLUMNS)})"


class LockTarget(Enum):
    """What a transaction locks where several processes write."""

    UPLOADS = "collections stay as they are, and readers wait; other uploads do not"
    LOG = "the log, and all collections"
    TALLIES = "the tallies of a collection"


@dataclass
class Transaction:
    """A transaction that writes: its connection, its checkpoint, and whether anything was changed."""

    db: Connection
    checkpoint: Checkpoint
    changed: bool = False


class SQLStore(ABC):
    """A store in which every change is one transaction, followed by a checkpoint in a file beside the database.

    The checkpoint is written after the commit and before anything else: whoever has an answer has it on the disk
    twice. If that fails, the change is not acknowledged, and the next change first makes up for it.
    """

    writer_id: int
    _checkpoints: CheckpointFile
    _checkpointed_commits: int

    def __init__(self) -> None:
        self._lock = RLock()

    # -- what a database implements ----------------------------------------------------------------------

    @abstractmethod
    def _read(self) -> AbstractContextManager[Connection]:
        """A connection for reading that sees one state of the database."""

    @abstractmethod
    def _begin(self) -> AbstractContextManager[Connection]:
        """The connection for writing, in a transaction; errors of the driver become `StoreFull` and `StoreFailed`."""

    @abstractmethod
    def _commit(self, db: Connection) -> None:
        """Make the transaction durable."""

    @abstractmethod
    def _stored_uploads(
        self, db: Connection, wanted: Sequence[tuple[int, str]]
    ) -> dict[tuple[int, str], tuple[bytes, str]]:
        """The digests and answers of those of the wanted uploads, by collection and name, that are stored."""

    @abstractmethod
    def _insert_rows(self, db: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add rows of uploads, each with what `UPLOAD_COLUMNS` says."""

    @abstractmethod
    def _new_positions(self, db: Connection, last: int, count: int) -> list[int]:
        """So many new positions, in increasing order."""

    def _last_position(self) -> int:
        """The last position before which no upload can still appear."""
        return 1 << 62

    @abstractmethod
    def _lock_for(self, db: Connection, what: LockTarget, number: int = 0) -> None:
        """Lock something against other processes until the transaction ends."""

    @abstractmethod
    def _erase(self) -> None:
        """Erase from the files what the tables no longer hold."""

    # -- transactions -----------------------------------------------------------------------------------

    @contextmanager
    def _change(self) -> Iterator[Transaction]:
        """A change of the store: committed, with its checkpoint, once the block ends without an error."""
        with self._lock, self._begin() as db:
            change = Transaction(db, queries.checkpoint(db, self.writer_id))
            if change.checkpoint.commits != self._checkpointed_commits:
                self._write_checkpoint(change.checkpoint)
            yield change
            if change.changed:
                end = change.checkpoint = replace(change.checkpoint, commits=change.checkpoint.commits + 1)
                db.execute(
                    "UPDATE lane SET commits = ?, position = ?, chain = ? WHERE lane = ?",
                    (end.commits, end.position, end.chain, self.writer_id),
                )
                self._commit(db)
                self._write_checkpoint(end)

    def _write_checkpoint(self, checkpoint: Checkpoint) -> None:
        self._checkpoints.append(checkpoint)
        self._checkpointed_commits = checkpoint.commits

    # -- collections ------------------------------------------------------------------------------------

    def create(self, collection: StoredCollection, *, day: str) -> None:
        """Store a new collection and log it."""
        check_day("day", day)
        with self._change() as change:
            self._lock_for(change.db, LockTarget.LOG)
            if change.db.execute("SELECT 1 FROM collection WHERE id = ?", (collection.id,)).fetchone():
                raise InvalidInput(f"collection {collection.id!r} is there already; one never changes under its id")
            ((number,),) = change.db.execute("SELECT COALESCE(MAX(number), 0) + 1 FROM collection").fetchall()
            change.db.execute(
                "INSERT INTO collection (number, id, declared, law, closed) VALUES (?, ?, ?, ?, 0)",
                (number, collection.id, collection.declared, collection.law),
            )
            self._log(change, "created", collection, day)

    def close(self, collection: str, *, day: str) -> None:
        """Take no more uploads for a collection, and log it; nothing happens to one that is closed."""
        check_day("day", day)
        with self._change() as change:
            self._lock_for(change.db, LockTarget.LOG)
            number, stored = queries.collection(change.db, collection)
            if not stored.closed:
                change.db.execute("UPDATE collection SET closed = 1 WHERE number = ?", (number,))
                self._log(change, "closed", stored, day)

    def _log(self, change: Transaction, kind: str, collection: StoredCollection, day: str) -> None:
        number, before = queries.last_log(change.db)
        entry = log_entry(
            before,
            number=number + 1,
            kind=kind,
            collection=collection.id,
            digest=declaration_digest(collection),
            day=day,
        )
        change.db.execute(
            "INSERT INTO log (number, kind, collection, digest, day, chain) VALUES (?, ?, ?, ?, ?, ?)",
            (entry.number, entry.kind, entry.collection, entry.digest, entry.day, entry.chain),
        )
        change.checkpoint, change.changed = replace(change.checkpoint, log=entry.number, log_chain=entry.chain), True

    def collections(self) -> list[StoredCollection]:
        """All collections, in the order in which they were made."""
        with self._read() as db:
            return queries.collections(db)

    def log(self, *, after: int = 0) -> Iterator[LogEntry]:
        """The public log, in order, after a line."""
        with self._read() as db:
            entries = queries.log(db, after)
        yield from entries

    # -- uploads ----------------------------------------------------------------------------------------

    def add(self, uploads: Sequence[UploadRecord]) -> list[UploadResult]:
        """Store uploads together in one commit; the result of each, in order."""
        for upload in uploads:
            check_day("day", upload.day)
        with self._change() as change:
            self._lock_for(change.db, LockTarget.UPLOADS)
            numbers = {name: queries.collection_state(change.db, name) for name in {u.collection for u in uploads}}
            stored = self._stored_uploads(change.db, [(numbers[u.collection][0], u.upload) for u in uploads])
            results, new = [], []
            for upload in uploads:
                number, closed = numbers[upload.collection]
                result = self._decide(change.db, upload, number, closed, stored.get((number, upload.upload)))
                if result.outcome is UploadOutcome.STORED:
                    stored[number, upload.upload] = upload.digest, upload.answer
                    new.append((number, upload))
                results.append(result)
            if new:
                self._insert(change, new)
            return results

    def _decide(
        self, db: Connection, upload: UploadRecord, number: int, closed: bool, stored: tuple[bytes, str] | None
    ) -> UploadResult:
        """The result of an upload; its invitation is spent if it is to be stored."""
        if stored is not None:
            return _repetition(upload, stored)
        if closed:
            return UploadResult(UploadOutcome.CLOSED, None)
        if upload.invitation is not None:
            spent = db.execute(
                "UPDATE invitation SET spent = 1, seal = ? WHERE collection = ? AND hash = ? AND spent = 0 RETURNING 1",
                (checksum(number, upload.invitation, 1), number, upload.invitation),
            ).fetchall()
            if not spent:  # perhaps by this very upload, in another process, a moment ago
                stored = queries.upload(db, number, upload.upload)
                return UploadResult(UploadOutcome.NOT_INVITED, None) if stored is None else _repetition(upload, stored)
        return UploadResult(UploadOutcome.STORED, upload.answer)

    def _insert(self, change: Transaction, new: Sequence[tuple[int, UploadRecord]]) -> None:
        rows: list[tuple[Any, ...]] = []
        position, chain = change.checkpoint.position, change.checkpoint.chain
        positions = self._new_positions(change.db, position, len(new))
        salts = os.urandom(SALT_BYTES * len(new))
        for at, (position, (number, upload)) in enumerate(zip(positions, new, strict=True)):
            salt = salts[SALT_BYTES * at : SALT_BYTES * (at + 1)]
            name, digest, day, labels = upload.upload, upload.digest, upload.day, queries.labels_text(upload.labels)
            row = row_hash(
                salt,
                upload.reports,
                position=position,
                collection=upload.collection,
                upload=name,
                digest=digest,
                day=day,
                labels=labels,
                count=upload.count,
                answer=upload.answer,
            )
            chain = extend_chain(chain, row)
            columns = (number, name, digest, day, labels, upload.count, upload.answer, salt, upload.reports)
            rows.append((position, self.writer_id, row, chain, *columns))
        self._insert_rows(change.db, rows)
        change.checkpoint, change.changed = replace(change.checkpoint, position=position, chain=chain), True

    def find(self, collection: str, upload: str) -> tuple[bytes, str] | None:
        """The digest and the answer of an upload that was stored; None if there is none."""
        with self._read() as db:
            return queries.upload(db, queries.collection_state(db, collection)[0], upload)

    def batches(self, collection: str, *, after: int = 0) -> Iterator[Batch]:
        """The stored reports of a collection after a position, read in parts, so that nothing waits for the reader."""
        last = self._last_position()
        while True:
            with self._read() as db:
                page = queries.batches(db, collection, after, last)
            yield from page
            if not page:
                return
            after = page[-1].position

    # -- tallies and counts of refusals ------------------------------------------------------------------

    def snapshot(self, collection: str) -> Snapshot | None:
        """The last tallies that were stored."""
        with self._read() as db:
            return queries.snapshot(db, queries.collection_state(db, collection)[0])

    def keep_snapshot(self, collection: str, snapshot: Snapshot) -> None:
        """Store tallies in place of earlier ones; those of days that were forgotten meanwhile are left out."""
        with self._change() as change:
            number, _ = queries.collection_state(change.db, collection)
            self._lock_for(change.db, LockTarget.TALLIES, number)
            forgotten = queries.forgotten_before(change.db)
            wanted = {
                (queries.labels_text(labels), day): counts
                for (labels, day), counts in snapshot.tallies.items()
                if day >= forgotten
            }
            stored = queries.tallies(change.db, number)
            for labels, day in stored.keys() - wanted.keys():
                change.db.execute(
                    "DELETE FROM tally WHERE collection = ? AND labels = ? AND day = ?", (number, labels, day)
                )
            for (labels, day), counts in wanted.items():
                if stored.get((labels, day)) != counts:
                    change.db.execute(
                        "INSERT INTO tally (collection, labels, day, counts, seal) VALUES (?, ?, ?, ?, ?) "
                        "ON CONFLICT (collection, labels, day) "
                        "DO UPDATE SET counts = excluded.counts, seal = excluded.seal",
                        (number, labels, day, counts, checksum(number, labels, day, counts)),
                    )
            change.db.execute(
                "INSERT INTO tallied (collection, position, seal) VALUES (?, ?, ?) "
                "ON CONFLICT (collection) DO UPDATE SET position = excluded.position, seal = excluded.seal",
                (number, snapshot.position, checksum(number, snapshot.position)),
            )
            change.changed = True

    def refuse(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Add to the counts of refused reports, by collection ("" for none) and reason."""
        with self._change() as change:
            for (collection, reason), more in counts.items():
                row = change.db.execute(
                    "SELECT count FROM refusal WHERE lane = ? AND collection = ? AND reason = ?",
                    (self.writer_id, collection, reason),
                ).fetchone()
                count = more + (row[0] if row else 0)
                change.db.execute(
                    "INSERT INTO refusal (lane, collection, reason, count, seal) VALUES (?, ?, ?, ?, ?) "
                    "ON CONFLICT (lane, collection, reason) DO UPDATE SET count = excluded.count, seal = excluded.seal",
                    (self.writer_id, collection, reason, count, checksum(self.writer_id, collection, reason, count)),
                )
                change.changed = True

    def refusals(self) -> dict[tuple[str, str], int]:
        """How many reports or requests were refused, by collection and reason."""
        with self._read() as db:
            return queries.refusals(db)

    # -- invitations and tokens -------------------------------------------------------------------------

    def invite(self, collection: str, hashes: Iterable[bytes]) -> None:
        """Add the hashes of invitations that one upload each may spend; one that is there stays as it is."""
        with self._change() as change:
            number, _ = queries.collection_state(change.db, collection)
            rows = [(number, each, checksum(number, each, 0)) for each in sorted(set(hashes))]
            if rows:
                change.db.executemany(
                    "INSERT INTO invitation (collection, hash, spent, seal) VALUES (?, ?, 0, ?) ON CONFLICT DO NOTHING",
                    rows,
                )
                change.changed = True

    def invitations(self, collection: str) -> tuple[int, int]:
        """How many invitations there are, and how many of them are spent."""
        with self._read() as db:
            return queries.invitations(db, queries.collection_state(db, collection)[0])

    def set_token(self, role: str, digest: bytes) -> None:
        """Store the hash of a role's token in place of an earlier one."""
        with self._change() as change:
            change.db.execute(
                "INSERT INTO token (role, digest, seal) VALUES (?, ?, ?) "
                "ON CONFLICT (role) DO UPDATE SET digest = excluded.digest, seal = excluded.seal",
                (role, digest, checksum(role, digest)),
            )
            change.changed = True

    def token(self, role: str) -> bytes | None:
        """The hash of a role's token."""
        with self._read() as db:
            row = db.execute("SELECT digest FROM token WHERE role = ?", (role,)).fetchone()
        return bytes(row[0]) if row else None

    # -- retention --------------------------------------------------------------------------------------

    def forget(self, *, before: str) -> int:
        """Delete the uploads of days before this one, with their tallies, from the files too; how many reports."""
        check_day("before", before)
        with self._lock:
            with self._change() as change:
                ((count,),) = change.db.execute(
                    "SELECT COALESCE(SUM(count), 0) FROM upload WHERE day < ?", (before,)
                ).fetchall()
                change.db.execute(
                    "UPDATE upload SET collection = NULL, upload = NULL, digest = NULL, day = NULL, labels = NULL, "
                    "count = NULL, answer = NULL, salt = NULL, reports = NULL WHERE day < ?",
                    (before,),
                )
                change.db.execute("DELETE FROM tally WHERE day < ?", (before,))
                self._note(change.db, "forgotten", max(before, queries.forgotten_before(change.db)))
                self._note(change.db, "removing", "yes")
                change.changed = True
            self._finish_erasing()
        return int(count)

    def _finish_erasing(self) -> None:
        """Erase what was forgotten from the files, and note that this is done."""
        self._erase()
        with self._change() as change:
            self._note(change.db, "removing", "no")
            change.changed = True

    def _note(self, db: Connection, name: str, value: str) -> None:
        db.execute(
            "INSERT INTO meta (name, value, seal) VALUES (?, ?, ?) "
            "ON CONFLICT (name) DO UPDATE SET value = excluded.value, seal = excluded.seal",
            (name, value, checksum(name, value)),
        )


def _repetition(upload: UploadRecord, stored: tuple[bytes, str]) -> UploadResult:
    """The result of an upload whose number was stored before, with the same content or another."""
    digest, answer = stored
    return (
        UploadResult(UploadOutcome.REPEATED, answer)
        if digest == upload.digest
        else UploadResult(UploadOutcome.CONFLICT, None)
    )


def check_day(name: str, day: str) -> None:
    """`InvalidInput` unless it is a day of the calendar in the form ``2026-11-17``."""
    try:
        good = date.fromisoformat(day).isoformat() == day
    except (TypeError, ValueError):
        good = False
    if not good:
        raise InvalidInput(f"{name}={shown(day)} must be a day such as 2026-11-17")
