"""What the laws of a store are checked with: a collection, uploads, their tallies, and how a broken law is said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..bulk.report_files import reports_from_bytes
from ..collector.store.protocol import Batch, Labels, Snapshot, Store, StoredCollection, UploadOutcome, UploadRecord
from ..contexts import Context
from ..core.errors import CheckFailed
from ..estimation.tally import Tally
from ..mechanisms.build import mechanism
from ..wire.spec import law_text

DAY = "2026-01-05"
ODD = 'it\'s "50 %" -- ?; DROP TABLE upload; ü\u2028'
"""Text that a careless statement stumbles over."""

RESPONSE = mechanism(Context.uniform(range(5), "1"), "randomized_response")


@contextmanager
def shut_after(store: Store) -> Iterator[Store]:
    """The store, which is shut afterwards."""
    try:
        yield store
    finally:
        store.shut()


def collection(name: str = "c") -> StoredCollection:
    """A collection with a law that reports can be counted by."""
    return StoredCollection(name, f'{{"title":"{name}, of {ODD!r}"}}', law_text(RESPONSE))


def upload(
    number: int,
    *,
    name: str = "c",
    day: str = DAY,
    labels: Labels = (("week", "1"),),
    count: int = 3,
    invitation: bytes | None = None,
) -> UploadRecord:
    """An upload with reports, a digest and an answer of its own."""
    reports = (bytes(range(5)) * (count // 5 + 2))[number % 5 :][:count]
    digest = sha256(f"{name}/{number}/{day}/{labels}/{count}".encode()).digest()
    return UploadRecord(
        name, f"upload-{number}", digest, day, labels, reports, count, f'{{"accepted":{count}}}', invitation
    )


def conflict_with(of: UploadRecord) -> UploadRecord:
    """An upload with the same number and other reports, which a store must refuse."""
    reports = bytes(of.reports).translate(bytes([1, 2, 3, 4, 0, *range(5, 256)]))
    return replace(of, digest=sha256(of.digest).digest(), reports=reports, answer="{}")


def tallies(batches: list[Batch], revision: int = 0) -> Snapshot:
    """The tallies of batches, all of a collection's, in a revision of the store."""
    counts: dict[tuple[Labels, str], NDArray[np.int64]] = {}
    for batch in batches:
        more = Tally.of(RESPONSE, reports_from_bytes(RESPONSE, batch.reports)).counts
        cell = (batch.labels, batch.day)
        counts[cell] = counts[cell] + more if cell in counts else more
    packed = {cell: each.astype("<i8").tobytes() for cell, each in counts.items()}
    return Snapshot(batches[-1].position, packed, revision)


def require(law: str, holds: bool) -> None:
    """Raise `CheckFailed` unless the law holds."""
    if not holds:
        raise CheckFailed(f"the store breaks the law: {law}")


def outcomes_of(store: Store, uploads: list[UploadRecord]) -> list[UploadOutcome]:
    """What becomes of each of these uploads, which are added in one call."""
    return [each.outcome for each in store.add(uploads)]


def require_stored(store: Store, uploads: list[UploadRecord], *, name: str = "c") -> None:
    """Raise `CheckFailed` unless a collection has exactly these uploads, in their order, each once."""
    batches = list(store.batches(name))
    stored = [(batch.labels, batch.day, batch.reports, batch.count) for batch in batches]
    expected = [(each.labels, each.day, each.reports, each.count) for each in uploads]
    require("the stored reports are those that were acknowledged, each once", stored == expected)
    require("positions rise", all(one.position < next_one.position for one, next_one in pairwise(batches)))
    require("a store that nothing happened to has no damage", store.check() == [])


EARLY, LATE = "2026-01-02", "2026-01-09"
