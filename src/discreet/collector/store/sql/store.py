"""A store in SQL tables: all that SQLite and PostgreSQL have in common."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any, Literal

from ....core.errors import InvalidInput, StoreFailed
from ...logs import log_event
from ..protocol import (
    Batch,
    Grouping,
    Groupings,
    LogEntry,
    Snapshot,
    StoreChanged,
    StoredCollection,
    UploadOutcome,
    UploadRecord,
    UploadResult,
    each_alone,
)
from . import queries
from .checkpoints import SALT_BYTES, checksum, declaration_digest, extend_chain, log_entry, row_hash
from .forgetting import CLEAR, forget_batches
from .mixing import NewPlaces, mix, new_places, tallied_to, unmixed
from .rows import check_day, put, put_note, repetition, retried
from .schema import Connection
from .transactions import SQLTransactions, Transaction

UPLOAD_COLUMNS = (
    "position", "lane", "row_hash", "chain", "collection", "upload", "digest", "day", "labels", "count", "answer",
    "salt", "reports",
)  # fmt: skip
"""The columns of the table of uploads."""

INTO_UPLOAD = f"INTO upload ({', '.join(UPLOAD_COLUMNS)}) VALUES"
UPLOAD_VALUES = f"({', '.join('?' for _ in UPLOAD_COLUMNS)})"

MAX_TRIES = 5
"""How often uploads are mixed again because stored ones changed meanwhile."""

LockTarget = Literal["uploads", "log", "tallies", "stored uploads"]
"""What a transaction locks where several processes write: new uploads, against changes of collections and readers; the
log with all collections; the tallies of one collection; or all uploads that are stored, against new tallies."""


class SQLStore(SQLTransactions):
    """What a store keeps, in tables, and how it is changed."""

    # -- what a database implements ----------------------------------------------------------------------

    @abstractmethod
    def _stored_uploads(
        self, db: Connection, wanted: Sequence[tuple[int, str]]
    ) -> dict[tuple[int, str], tuple[bytes, str]]:
        """The digests and answers of those of the wanted uploads, by collection and name, that are stored."""

    @abstractmethod
    def _insert_rows(self, db: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add rows of uploads, each with what `UPLOAD_COLUMNS` says."""

    @abstractmethod
    def _new_positions(self, db: Connection, last: int, count: int) -> Sequence[int]:
        """So many new positions, in increasing order."""

    def _last_position(self) -> int:
        """The last position before which no upload can still appear."""
        return 1 << 62

    @abstractmethod
    def _lock_for(self, db: Connection, what: LockTarget, number: int = 0) -> None:
        """Lock something against other processes until the transaction ends."""

    def _make_room(self) -> None:
        """Give back the room beside the tables in which their earlier rows still are, if that can be done at once."""

    @abstractmethod
    def _erase(self) -> None:
        """Erase from the files what the tables no longer hold."""

    # -- opening --------------------------------------------------------------------------------------

    def _start(self) -> None:
        """Open the store, and finish an erasure that was cut short, if that can be done now."""
        try:
            with self._translate_errors():
                self._open()
            try:
                self.erase()
            except StoreFailed as problem:
                log_event("forgotten reports are still in the files; this is tried again", reason=str(problem))
        except BaseException:
            self.shut()
            raise

    # -- collections ------------------------------------------------------------------------------------

    @retried
    def create(self, collection: StoredCollection, *, day: str) -> None:
        check_day("day", day)
        with self._change() as change:
            self._lock_for(change.db, "log")
            if change.db.execute("SELECT 1 FROM collection WHERE id = ?", (collection.id,)).fetchone():
                raise InvalidInput(f"collection {collection.id!r} is there already; one never changes under its id")
            ((number,),) = change.db.execute("SELECT COALESCE(MAX(number), 0) + 1 FROM collection").fetchall()
            change.db.execute(
                "INSERT INTO collection (number, id, declared, law, closed) VALUES (?, ?, ?, ?, 0)",
                (number, collection.id, collection.declared, collection.law),
            )
            self._log(change, "created", collection, day)

    @retried
    def close(self, collection: str, *, day: str) -> None:
        check_day("day", day)
        with self._change() as change:
            self._lock_for(change.db, "log")
            number, closed = queries.collection_state(change.db, collection)
            if not closed:
                ((declared, law),) = change.db.execute(
                    "UPDATE collection SET closed = 1 WHERE number = ? RETURNING declared, law", (number,)
                ).fetchall()
                self._log(change, "closed", StoredCollection(collection, declared, law), day)

    def _log(self, change: Transaction, kind: str, collection: StoredCollection, day: str) -> None:
        number, before = queries.last_log(change.db)
        entry = log_entry(before, number + 1, kind, collection.id, declaration_digest(collection), day)
        change.db.execute(
            "INSERT INTO log (number, kind, collection, digest, day, chain) VALUES (?, ?, ?, ?, ?, ?)", astuple(entry)
        )
        change.checkpoint, change.changed = replace(change.checkpoint, log=entry.number, log_chain=entry.chain), True

    def collections(self) -> list[StoredCollection]:
        with self._read() as db:
            return queries.collections(db)

    def log(self, *, after: int = 0) -> Iterator[LogEntry]:
        with self._read() as db:
            entries = queries.log(db, after)
        yield from entries

    # -- uploads ----------------------------------------------------------------------------------------

    @retried
    def add(self, uploads: Sequence[UploadRecord]) -> list[UploadResult]:
        for upload in uploads:
            check_day("day", upload.day)
        with self._change() as change:
            self._lock_for(change.db, "uploads")
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
            return repetition(upload, stored)
        if closed:
            return UploadResult(UploadOutcome.CLOSED, None)
        if upload.invitation is not None:
            spent = db.execute(
                "UPDATE invitation SET spent = 1, seal = ? WHERE collection = ? AND hash = ? AND spent = 0 RETURNING 1",
                (checksum(number, upload.invitation, 1), number, upload.invitation),
            ).fetchall()
            if not spent:  # perhaps by this very upload, in another process, a moment ago
                stored = queries.upload(db, number, upload.upload)
                return UploadResult(UploadOutcome.NOT_INVITED, None) if stored is None else repetition(upload, stored)
        return UploadResult(UploadOutcome.STORED, upload.answer)

    def _insert(self, change: Transaction, new: Sequence[tuple[int, UploadRecord]]) -> None:
        rows: list[tuple[Any, ...]] = []
        position, chain = change.checkpoint.position, change.checkpoint.chain
        positions = self._new_positions(change.db, position, len(new))
        noted = queries.note_value(change.db, "day") or ""
        salts = os.urandom(SALT_BYTES * len(new))
        for at, (position, (number, upload)) in enumerate(zip(positions, new, strict=True)):
            salt, labels = salts[SALT_BYTES * at : SALT_BYTES * (at + 1)], queries.labels_text(upload.labels)
            day = max(upload.day, noted)
            columns = (
                upload.upload, upload.digest, day, labels, upload.count, upload.answer, salt, upload.reports,
            )  # fmt: skip
            row = row_hash(position, upload.collection, *columns)
            chain = extend_chain(chain, row)
            rows.append((position, self.writer_id, row, chain, number, *columns))
        self._insert_rows(change.db, rows)
        change.checkpoint, change.changed = replace(change.checkpoint, position=position, chain=chain), True

    def find(self, collection: str, upload: str) -> tuple[bytes, str] | None:
        with self._read() as db:
            return queries.upload(db, queries.collection_state(db, collection)[0], upload)

    def batches(self, collection: str, *, after: int = 0) -> Iterator[Batch]:
        """The stored reports of a collection after a position, read in parts, so that nothing waits for the reader."""
        last, revision = self._last_position(), None
        while True:
            with self._read() as db:
                now = queries.revision(db)
                page = queries.batches(db, collection, after, last)
            if revision not in (None, now):
                raise StoreChanged("stored reports were forgotten or mixed while they were read; ask again")
            revision = now
            yield from page
            if not page:
                return
            after = page[-1].position

    def mix(self, *, least: int = 1, day: str | None = None, groupings: Groupings = each_alone) -> None:
        for _ in range(MAX_TRIES):
            last = self._last_position()
            with self._read() as db:
                if unmixed(db, self.writer_id, day) < least:
                    return
                seen, places = _seen(db), new_places(db, self.writer_id, last, groupings)
            if not places.sources:
                return
            if self._mix(places, seen, day):
                self._make_room()
                return
        raise StoreChanged("stored uploads change faster than they are mixed")

    @retried
    def _mix(self, places: NewPlaces, seen: tuple[int, dict[int, int]], day: str | None) -> bool:
        """Mix uploads; False if others were forgotten, mixed or tallied since it was seen which may change places."""
        with self._change() as change:
            self._lock_for(change.db, "stored uploads")
            if _seen(change.db) != seen:
                return False
            change.checkpoint = replace(change.checkpoint, chain=mix(change.db, self.writer_id, places, day))
            put_note(change.db, "revision", str(seen[0] + 1))
            change.changed = change.anew = True
        return True

    # -- tallies and counts of refusals ------------------------------------------------------------------

    def snapshot(self, collection: str) -> Snapshot:
        with self._read() as db:
            return queries.snapshot(db, queries.collection_state(db, collection)[0])

    @retried
    def keep_snapshot(self, collection: str, snapshot: Snapshot) -> None:
        """Store tallies in place of earlier ones, unless reports were forgotten since these were counted."""
        with self._change() as change:
            number, _ = queries.collection_state(change.db, collection)
            self._lock_for(change.db, "tallies", number)
            if snapshot.revision != queries.revision(change.db):
                return
            wanted = {(queries.labels_text(labels), day): counts for (labels, day), counts in snapshot.tallies.items()}
            stored = queries.tallies(change.db, number)
            for labels, day in stored.keys() - wanted.keys():
                change.db.execute(
                    "DELETE FROM tally WHERE collection = ? AND labels = ? AND day = ?", (number, labels, day)
                )
            for (labels, day), counts in wanted.items():
                if stored.get((labels, day)) != counts:
                    key = {"collection": number, "labels": labels, "day": day}
                    put(change.db, "tally", key, counts=counts)
            put(change.db, "tallied", {"collection": number}, position=snapshot.position)
            change.changed = True

    @retried
    def refuse(self, counts: Mapping[tuple[str, str], int]) -> None:
        with self._change() as change:
            for (collection, reason), more in counts.items():
                row = change.db.execute(
                    "SELECT count FROM refusal WHERE lane = ? AND collection = ? AND reason = ?",
                    (self.writer_id, collection, reason),
                ).fetchone()
                count = more + (row[0] if row else 0)
                key = {"lane": self.writer_id, "collection": collection, "reason": reason}
                put(change.db, "refusal", key, count=count)
                change.changed = True

    def refusals(self) -> dict[tuple[str, str], int]:
        with self._read() as db:
            rows = db.execute(
                "SELECT collection, reason, SUM(count) FROM refusal GROUP BY collection, reason"
            ).fetchall()
        return {(name, reason): int(count) for name, reason, count in rows}

    # -- invitations and tokens -------------------------------------------------------------------------

    def invite(self, collection: str, hashes: Iterable[bytes]) -> None:
        """Add the hashes of invitations that one upload each may spend; one that is there stays as it is."""
        self._invite(collection, sorted(set(hashes)))

    @retried
    def _invite(self, collection: str, hashes: Sequence[bytes]) -> None:
        with self._change() as change:
            number, _ = queries.collection_state(change.db, collection)
            rows = [(number, each, checksum(number, each, 0)) for each in hashes]
            if rows:
                change.db.executemany(
                    "INSERT INTO invitation (collection, hash, spent, seal) VALUES (?, ?, 0, ?) ON CONFLICT DO NOTHING",
                    rows,
                )
                change.changed = True

    def invitations(self, collection: str) -> tuple[int, int]:
        with self._read() as db:
            ((count, spent),) = db.execute(
                "SELECT COUNT(*), COALESCE(SUM(spent), 0) FROM invitation WHERE collection = ?",
                (queries.collection_state(db, collection)[0],),
            ).fetchall()
        return int(count), int(spent)

    @retried
    def set_token(self, role: str, digest: bytes) -> None:
        with self._change() as change:
            put(change.db, "token", {"role": role}, digest=digest)
            change.changed = True

    def token(self, role: str) -> bytes | None:
        with self._read() as db:
            row = db.execute("SELECT digest FROM token WHERE role = ?", (role,)).fetchone()
        return bytes(row[0]) if row else None

    # -- retention --------------------------------------------------------------------------------------

    def last_day(self) -> str | None:
        with self._read() as db:
            return queries.last_day(db)

    @retried
    def note_day(self, day: str) -> None:
        check_day("day", day)
        with self._change() as change:
            put_note(change.db, "day", day)
            change.changed = True

    def forget(self, *, before: str, groupings: Groupings = each_alone) -> int:
        check_day("before", before)
        with self._read() as db:
            days = db.execute("SELECT DISTINCT day FROM upload WHERE day < ? ORDER BY day", (before,)).fetchall()
            names = dict(db.execute("SELECT number, id FROM collection ORDER BY number").fetchall())
        count, together = 0, {number: grouping for number, name in names.items() if (grouping := groupings(name))}
        alone = [number for number in names if number not in together]
        for (day,) in days:
            count += self._forget_day(day, alone)
            self._make_room()
        for number, grouping in together.items() if days else ():
            is_all = False
            while not is_all:
                some, is_all = self._forget_batches(number, grouping, before)
                count += some
                self._make_room()
        self.erase()
        return count

    @retried
    def _forget_day(self, day: str, alone: Sequence[int]) -> int:
        """Forget the uploads of a day to collections that show each by itself, with their tallies; the reports."""
        of_day = f"day = ? AND collection IN ({', '.join('?' * len(alone))})" if alone else "day = ? AND 1 = 0"
        with self._change() as change:
            self._lock_for(change.db, "stored uploads")
            ((uploads, count),) = change.db.execute(
                f"SELECT COUNT(*), COALESCE(SUM(count), 0) FROM upload WHERE {of_day}", (day, *alone)
            ).fetchall()
            if uploads:
                change.db.execute(f"{CLEAR} WHERE {of_day}", (day, *alone))
                change.db.execute(f"DELETE FROM tally WHERE {of_day}", (day, *alone))
                self._note_forgotten(change)
        return int(count)

    @retried
    def _forget_batches(self, number: int, grouping: Grouping, before: str) -> tuple[int, bool]:
        """Forget old batches of a collection; the number of reports, and whether there are no more of them."""
        with self._change() as change:
            self._lock_for(change.db, "stored uploads")
            self._lock_for(change.db, "log")  # while it is seen what waits, no upload comes, and nothing is closed
            ((closed,),) = change.db.execute("SELECT closed FROM collection WHERE number = ?", (number,)).fetchall()
            old = forget_batches(change.db, number, grouping, before, closed=bool(closed))
            if old.positions:
                self._note_forgotten(change)
        return old.reports, old.is_all

    def _note_forgotten(self, change: Transaction) -> None:
        put_note(change.db, "revision", str(queries.revision(change.db) + 1))
        put_note(change.db, "removing", "yes")
        change.changed = True

    def erase(self) -> None:
        with self._read() as db:
            unfinished = queries.note_value(db, "removing") == "yes"
        if unfinished:
            self._finish_erasing()

    @retried
    def _finish_erasing(self) -> None:
        """Erase what was forgotten from the files, and note that this is done."""
        with self._lock:
            self._erase()
            with self._change() as change:
                put_note(change.db, "removing", "no")
                change.changed = True


def _seen(db: Connection) -> tuple[int, dict[int, int]]:
    """What mixing rests on: how often uploads were forgotten or mixed, and up to where collections are tallied."""
    return queries.revision(db), tallied_to(db)
