"""The protocol of a store: what a collector keeps, and how it asks for it.

A new store implements `Store`, passes `discreet.checks.check_store`, and is opened in `opening.py`; nothing else knows
which store it is. A store keeps collections as they were declared, uploads with their packed reports, counts of what
was refused, the hashes of tokens and of invitations, and tallies that are derived from the uploads. It never sees an
address, a token or a time of day.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple, Protocol

from ...core.errors import StoreFailed

Packed = bytes | bytearray | memoryview
"""Packed reports that are to be stored; a view of a large body, so that there is one copy of it."""

Labels = tuple[tuple[str, str], ...]
"""Public labels of a report with their values, sorted by name."""


class Placed(NamedTuple):
    """A stored upload as whoever decides which uploads are shown together sees it."""

    position: int
    labels: Labels
    reports: int
    day: str


class GoneBatch(NamedTuple):
    """Reports that were shown together, and forgotten: where the last upload of them was, of what period, how many."""

    position: int
    period: str
    reports: int


class Replay(Protocol):
    """The uploads of a collection, one after the other, and which of them are shown together."""

    def add(self, upload: Placed) -> Sequence[int]:
        """The positions of the uploads that are shown together from this one on; none if no batch is whole with it."""

    def rest(self) -> Iterator[Sequence[int]]:
        """Those that are shown together because the collection is closed."""

    def period(self, labels: Labels) -> str:
        """What all uploads of a batch have in common by their labels."""


Grouping = Callable[[Sequence[GoneBatch]], Replay]
"""Begins a replay of the uploads of a collection, of which some batches are gone."""

Groupings = Callable[[str], Grouping | None]
"""How the uploads of a collection are shown together; None if each is shown by itself."""


def each_alone(collection: str) -> None:
    """No uploads are shown together only."""


@dataclass(frozen=True)
class StoredCollection:
    """A collection as it was declared; nothing of it changes under its id, but that it is closed."""

    id: str
    declared: str
    """Title, question, labels, rules and so on: canonical JSON, which the store does not look into."""
    law: str
    """The published law."""
    closed: bool = False


@dataclass(frozen=True)
class LogEntry:
    """A line of the public log of collections: ``chain = SHA-256(chain before + canonical JSON of the rest)``."""

    number: int
    kind: str
    """``created`` or ``closed``."""
    collection: str
    digest: str
    """The SHA-256 of the canonical JSON of ``[declared, law]``."""
    day: str
    chain: str


@dataclass(frozen=True)
class UploadRecord:
    """An upload to be stored: its reports, and the answer that its sender gets once they are."""

    collection: str
    upload: str
    """The number that the sender gave it."""
    digest: bytes
    """The SHA-256 of what was sent, by which a repetition is recognised."""
    day: str
    """The day it came, such as ``2026-11-17``, in UTC."""
    labels: Labels
    reports: Packed
    """The accepted reports, packed one after the other as `wire.reports` says; may be empty."""
    count: int
    answer: str
    """What the sender is told, now and whenever the same upload comes again."""
    invitation: bytes | None = None
    """The hash of the invitation that it spends; kept apart from the reports."""


class UploadOutcome(Enum):
    """Whether an upload was stored, or why not."""

    STORED = "stored"
    REPEATED = "repeated"
    """The same number and digest came before: nothing changed, and the first answer is given again."""
    CONFLICT = "conflict"
    """The number came before with something else: nothing changed."""
    NOT_INVITED = "not invited"
    """Its invitation is unknown, or was spent by another upload: nothing changed."""
    CLOSED = "closed"
    """The collection is closed: nothing changed."""


@dataclass(frozen=True)
class UploadResult:
    """The outcome of an upload, and the answer that was stored first, if there is one."""

    outcome: UploadOutcome
    answer: str | None


@dataclass(frozen=True)
class Batch:
    """The stored reports of one upload."""

    position: int
    """Increases from batch to batch of a collection; a reader that has seen it goes on after it."""
    labels: Labels
    day: str
    reports: bytes
    count: int


@dataclass(frozen=True)
class Snapshot:
    """The tallies of a collection up to a position, derived from its uploads and computed again at any time."""

    position: int
    tallies: Mapping[tuple[Labels, str], bytes]
    """For every label and day, the counts of the cells of its tally as 64-bit numbers, the lowest byte first."""
    revision: int = 0
    """How often stored uploads had been forgotten or mixed when the reports were counted."""
    gone: tuple[GoneBatch, ...] = ()
    """What of the collection was shown, and forgotten."""


class StoreChanged(StoreFailed):
    """Stored uploads were forgotten or mixed while they were read: this is no state of the store, and is read again."""


class Store(Protocol):
    """Where collections and reports are kept. Whatever returns is durable: it survives the loss of power.

    Its methods may be called from several threads. A collection that is not there is `InvalidInput`; `StoreFull` and
    `StoreFailed` say that nothing was acknowledged, and that the same may be asked again.
    """

    def create(self, collection: StoredCollection, *, day: str) -> None:
        """Store a new collection and log it; `InvalidInput` if there is one of its id."""

    def collections(self) -> list[StoredCollection]:
        """All collections, in the order in which they were created."""

    def close(self, collection: str, *, day: str) -> None:
        """Take no more uploads for a collection, and log it; nothing happens to one that is closed."""

    def log(self, *, after: int = 0) -> Iterator[LogEntry]:
        """The public log, in order, after a line."""

    def add(self, uploads: Sequence[UploadRecord]) -> list[UploadResult]:
        """Store uploads together in one commit; the result of each, in order. Each is stored whole or not at all.

        One of a day before the day noted last came by a clock that is behind, and is stored with the day noted last.
        """

    def find(self, collection: str, upload: str) -> tuple[bytes, str] | None:
        """The digest and the answer of an upload that was stored; None if there is none."""

    def batches(self, collection: str, *, after: int = 0) -> Iterator[Batch]:
        """The stored reports of a collection after a position; `StoreChanged` if some are moved meanwhile."""

    def mix(self, *, least: int = 1, day: str | None = None, groupings: Groupings = each_alone) -> None:
        """Mix the uploads that this process stored, if so many came since the last time.

        Those of one collection get positions that tell nothing of the other collections, and nothing of the order in
        which they came but what the batches need; the batches stay what they are. Uploads of a `day` that is not over,
        and later ones, are mixed now and again the next time, with what comes until then.
        """

    def snapshot(self, collection: str) -> Snapshot:
        """The last tallies that were stored, with the revision of now; none at position 0 before any were."""

    def keep_snapshot(self, collection: str, snapshot: Snapshot) -> None:
        """Store tallies in place of earlier ones; nothing happens if they are of another revision than that of now."""

    def refuse(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Add to the counts of refused reports, by collection ("" for none) and reason."""

    def refusals(self) -> dict[tuple[str, str], int]:
        """How many reports or requests were refused, by collection and reason."""

    def invite(self, collection: str, hashes: Iterable[bytes]) -> None:
        """Add the hashes of invitations that one upload each may spend."""

    def invitations(self, collection: str) -> tuple[int, int]:
        """How many invitations there are, and how many of them are spent."""

    def set_token(self, role: str, digest: bytes) -> None:
        """Store the hash of a role's token ("admin", "analyst") in place of an earlier one."""

    def token(self, role: str) -> bytes | None:
        """The hash of a role's token."""

    def last_day(self) -> str | None:
        """The day that was noted last; before any was, the newest of the log and the uploads; None if there is none."""

    def note_day(self, day: str) -> None:
        """Note that a day has come, by a clock that is believed."""

    def forget(self, *, before: str, groupings: Groupings = each_alone) -> int:
        """Delete all uploads of earlier days and their tallies, from the files too; the number of reports deleted.

        Those that are shown together are deleted together, when the newest of them is of an earlier day. It is done in
        steps. The log stays whole, and so do the chains. An upload that comes again after it was forgotten is new.
        """

    def erase(self) -> None:
        """Erase from the files what was forgotten, if that was cut short."""

    def ready(self) -> None:
        """Return if uploads can be written; `StoreFailed` if not."""

    def check(self) -> list[str]:
        """What is damaged, a sentence each; nothing if all chains and all derived tallies are as they should be."""

    def back_up(self, path: Path) -> None:
        """A copy of everything, as of now, while uploads go on."""

    def shut(self) -> None:
        """Close files and connections."""
