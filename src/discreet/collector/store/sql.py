"""A store in a database of tables: what SQLite and PostgreSQL do alike."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from threading import RLock
from typing import Any

from ...core.errors import InvalidInput
from . import reading
from .chain import SALT, declaration_digest, follow, log_entry, row_hash, seal
from .days import check_day
from .heads import Head, Heads
from .protocol import Answer, Batch, Collection, LogEntry, Outcome, Snapshot, Upload
from .schema import Connection

COLUMNS = (
    "position", "lane", "row_hash", "chain", "collection", "upload", "digest", "day", "labels", "count", "answer",
    "salt", "reports",
)  # fmt: skip
"""What is stored of an upload."""

INTO = f"INTO upload ({', '.join(COLUMNS)}) VALUES"
ROW = f"({', '.join('?' for _ in COLUMNS)})"


class Claim(Enum):
    """What a transaction keeps for itself where several processes write."""

    UPLOADS = "collections stay as they are, and readers wait; other uploads do not"
    LOG = "the log, and all collections"
    TALLIES = "the tallies of a collection"


@dataclass
class Change:
    """A transaction that writes: its connection, and where the chains end in it."""

    db: Connection
    head: Head
    made: bool = False


class SQLStore(ABC):
    """A store whose changes are one transaction each, after which the heads of the chains are kept beside it.

    The file of heads is written after its commit and before anything else: whoever has an answer has it on the disk
    twice. If that fails, the change is not acknowledged, and the next change first makes up for it.
    """

    lane: int
    _heads: Heads
    _kept: int

    def __init__(self) -> None:
        self._lock = RLock()

    # -- what a database adds ---------------------------------------------------------------------------

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Connection]:
        """A connection that sees one state of the database, apart from the one that writes."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[Connection]:
        """The connection that writes, in a transaction; errors of the driver become `StoreFull` and `StoreFailed`."""

    @abstractmethod
    def _commit(self, db: Connection) -> None:
        """Make the transaction durable."""

    @abstractmethod
    def _known(self, db: Connection, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], tuple[bytes, str]]:
        """The digests and answers of those of the wanted uploads, by collection and name, that are stored."""

    @abstractmethod
    def _add_rows(self, db: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add rows of uploads, each with what `COLUMNS` says."""

    @abstractmethod
    def _positions(self, db: Connection, last: int, count: int) -> list[int]:
        """So many new positions, rising."""

    def _settled(self) -> int:
        """A position up to which no upload can still appear."""
        return 1 << 62

    @abstractmethod
    def _claim(self, db: Connection, what: Claim, number: int = 0) -> None:
        """Keep other processes away from something until the transaction ends."""

    @abstractmethod
    def _remove(self) -> None:
        """Remove from the files what the tables no longer hold."""

    # -- transactions -----------------------------------------------------------------------------------

    @contextmanager
    def _change(self) -> Iterator[Change]:
        """A change of the store: committed, with its head kept, once the block ends without an error."""
        with self._lock, self._transaction() as db:
            change = Change(db, reading.head(db, self.lane))
            if change.head.commits != self._kept:
                self._keep(change.head)
            yield change
            if change.made:
                head = change.head = replace(change.head, commits=change.head.commits + 1)
                db.execute(
                    "UPDATE lane SET commits = ?, position = ?, chain = ? WHERE lane = ?",
                    (head.commits, head.position, head.chain, self.lane),
                )
                self._commit(db)
                self._keep(head)

    def _keep(self, head: Head) -> None:
        self._heads.keep(head)
        self._kept = head.commits

    # -- collections ------------------------------------------------------------------------------------

    def create(self, collection: Collection, *, day: str) -> None:
        """Keep a new collection and log it."""
        check_day("day", day)
        with self._change() as change:
            self._claim(change.db, Claim.LOG)
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
            self._claim(change.db, Claim.LOG)
            number, kept = reading.collection(change.db, collection)
            if not kept.closed:
                change.db.execute("UPDATE collection SET closed = 1 WHERE number = ?", (number,))
                self._log(change, "closed", kept, day)

    def _log(self, change: Change, kind: str, collection: Collection, day: str) -> None:
        number, before = reading.last_log(change.db)
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
        change.head, change.made = replace(change.head, log=entry.number, log_chain=entry.chain), True

    def collections(self) -> list[Collection]:
        """All collections, in the order in which they were made."""
        with self._reading() as db:
            return reading.collections(db)

    def log(self, *, after: int = 0) -> Iterator[LogEntry]:
        """The public log, in order, after a line."""
        with self._reading() as db:
            entries = reading.log(db, after)
        yield from entries

    # -- uploads ----------------------------------------------------------------------------------------

    def add(self, uploads: Sequence[Upload]) -> list[Answer]:
        """Keep uploads together, in one commit; what became of each, in order."""
        for upload in uploads:
            check_day("day", upload.day)
        with self._change() as change:
            self._claim(change.db, Claim.UPLOADS)
            numbers = {name: reading.collection_state(change.db, name) for name in {u.collection for u in uploads}}
            known = self._known(change.db, [(numbers[u.collection][0], u.upload) for u in uploads])
            answers, fresh = [], []
            for upload in uploads:
                number, closed = numbers[upload.collection]
                answer = self._answer(change.db, upload, number, closed, known.get((number, upload.upload)))
                if answer.outcome is Outcome.STORED:
                    known[number, upload.upload] = upload.digest, upload.answer
                    fresh.append((number, upload))
                answers.append(answer)
            if fresh:
                self._insert(change, fresh)
            return answers

    def _answer(
        self, db: Connection, upload: Upload, number: int, closed: bool, kept: tuple[bytes, str] | None
    ) -> Answer:
        """What becomes of an upload; its invitation is spent if it is to be stored."""
        if kept is not None:
            return _repetition(upload, kept)
        if closed:
            return Answer(Outcome.CLOSED, None)
        if upload.invitation is not None:
            spent = db.execute(
                "UPDATE invitation SET spent = 1, seal = ? WHERE collection = ? AND hash = ? AND spent = 0 RETURNING 1",
                (seal(number, upload.invitation, 1), number, upload.invitation),
            ).fetchall()
            if not spent:  # perhaps by this very upload, in another process, a moment ago
                kept = reading.upload(db, number, upload.upload)
                return Answer(Outcome.NOT_INVITED, None) if kept is None else _repetition(upload, kept)
        return Answer(Outcome.STORED, upload.answer)

    def _insert(self, change: Change, fresh: Sequence[tuple[int, Upload]]) -> None:
        rows: list[tuple[Any, ...]] = []
        position, chain = change.head.position, change.head.chain
        positions = self._positions(change.db, position, len(fresh))
        salts = os.urandom(SALT * len(fresh))
        for at, (position, (number, upload)) in enumerate(zip(positions, fresh, strict=True)):
            salt = salts[SALT * at : SALT * at + SALT]
            name, digest, day, labels = upload.upload, upload.digest, upload.day, reading.labels_text(upload.labels)
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
            chain = follow(chain, row)
            kept = (number, name, digest, day, labels, upload.count, upload.answer, salt, upload.reports)
            rows.append((position, self.lane, row, chain, *kept))
        self._add_rows(change.db, rows)
        change.head, change.made = replace(change.head, position=position, chain=chain), True

    def find(self, collection: str, upload: str) -> tuple[bytes, str] | None:
        """The digest and the answer of an upload that was stored; None if there is none."""
        with self._reading() as db:
            return reading.upload(db, reading.collection_state(db, collection)[0], upload)

    def batches(self, collection: str, *, after: int = 0) -> Iterator[Batch]:
        """The stored reports of a collection after a position, read in parts, so that nothing waits for the reader."""
        settled = self._settled()
        while True:
            with self._reading() as db:
                page = reading.batches(db, collection, after, settled)
            yield from page
            if not page:
                return
            after = page[-1].position

    # -- what is derived, and what is counted -----------------------------------------------------------

    def snapshot(self, collection: str) -> Snapshot | None:
        """The last tallies that were kept."""
        with self._reading() as db:
            return reading.snapshot(db, reading.collection_state(db, collection)[0])

    def keep_snapshot(self, collection: str, snapshot: Snapshot) -> None:
        """Keep tallies in place of earlier ones; those of days that were forgotten meanwhile are left out."""
        with self._change() as change:
            number, _ = reading.collection_state(change.db, collection)
            self._claim(change.db, Claim.TALLIES, number)
            forgotten = reading.forgotten(change.db)
            wanted = {
                (reading.labels_text(labels), day): counts
                for (labels, day), counts in snapshot.tallies.items()
                if day >= forgotten
            }
            kept = reading.tallies(change.db, number)
            for labels, day in kept.keys() - wanted.keys():
                change.db.execute(
                    "DELETE FROM tally WHERE collection = ? AND labels = ? AND day = ?", (number, labels, day)
                )
            for (labels, day), counts in wanted.items():
                if kept.get((labels, day)) != counts:
                    change.db.execute(
                        "INSERT INTO tally (collection, labels, day, counts, seal) VALUES (?, ?, ?, ?, ?) "
                        "ON CONFLICT (collection, labels, day) "
                        "DO UPDATE SET counts = excluded.counts, seal = excluded.seal",
                        (number, labels, day, counts, seal(number, labels, day, counts)),
                    )
            change.db.execute(
                "INSERT INTO tallied (collection, position, seal) VALUES (?, ?, ?) "
                "ON CONFLICT (collection) DO UPDATE SET position = excluded.position, seal = excluded.seal",
                (number, snapshot.position, seal(number, snapshot.position)),
            )
            change.made = True

    def refuse(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Add to the counts of refused reports, by collection ("" for none) and reason."""
        with self._change() as change:
            for (collection, reason), more in counts.items():
                found = change.db.execute(
                    "SELECT count FROM refusal WHERE lane = ? AND collection = ? AND reason = ?",
                    (self.lane, collection, reason),
                ).fetchone()
                count = more + (found[0] if found else 0)
                change.db.execute(
                    "INSERT INTO refusal (lane, collection, reason, count, seal) VALUES (?, ?, ?, ?, ?) "
                    "ON CONFLICT (lane, collection, reason) DO UPDATE SET count = excluded.count, seal = excluded.seal",
                    (self.lane, collection, reason, count, seal(self.lane, collection, reason, count)),
                )
                change.made = True

    def refusals(self) -> dict[tuple[str, str], int]:
        """How many reports or requests were refused, by collection and reason."""
        with self._reading() as db:
            return reading.refusals(db)

    # -- invitations and tokens -------------------------------------------------------------------------

    def invite(self, collection: str, hashes: Iterable[bytes]) -> None:
        """Add the hashes of invitations that one upload each may spend; one that is there stays as it is."""
        with self._change() as change:
            number, _ = reading.collection_state(change.db, collection)
            rows = [(number, each, seal(number, each, 0)) for each in sorted(set(hashes))]
            if rows:
                change.db.executemany(
                    "INSERT INTO invitation (collection, hash, spent, seal) VALUES (?, ?, 0, ?) ON CONFLICT DO NOTHING",
                    rows,
                )
                change.made = True

    def invitations(self, collection: str) -> tuple[int, int]:
        """How many invitations there are, and how many of them are spent."""
        with self._reading() as db:
            return reading.invitations(db, reading.collection_state(db, collection)[0])

    def set_token(self, role: str, digest: bytes) -> None:
        """Keep the hash of a role's token in place of an earlier one."""
        with self._change() as change:
            change.db.execute(
                "INSERT INTO token (role, digest, seal) VALUES (?, ?, ?) "
                "ON CONFLICT (role) DO UPDATE SET digest = excluded.digest, seal = excluded.seal",
                (role, digest, seal(role, digest)),
            )
            change.made = True

    def token(self, role: str) -> bytes | None:
        """The hash of a role's token."""
        with self._reading() as db:
            found = db.execute("SELECT digest FROM token WHERE role = ?", (role,)).fetchone()
        return bytes(found[0]) if found else None

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
                self._note(change.db, "forgotten", max(before, reading.forgotten(change.db)))
                self._note(change.db, "removing", "yes")
                change.made = True
            self._finish_removing()
        return int(count)

    def _finish_removing(self) -> None:
        """Remove the forgotten from the files, and note that this is done."""
        self._remove()
        with self._change() as change:
            self._note(change.db, "removing", "no")
            change.made = True

    def _note(self, db: Connection, name: str, value: str) -> None:
        db.execute(
            "INSERT INTO meta (name, value, seal) VALUES (?, ?, ?) "
            "ON CONFLICT (name) DO UPDATE SET value = excluded.value, seal = excluded.seal",
            (name, value, seal(name, value)),
        )


def _repetition(upload: Upload, kept: tuple[bytes, str]) -> Answer:
    """The answer to an upload whose number is taken, by itself or by another."""
    digest, answer = kept
    return Answer(Outcome.REPEATED, answer) if digest == upload.digest else Answer(Outcome.CONFLICT, None)
