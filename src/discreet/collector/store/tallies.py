"""Counts of stored reports by labels and day, from the last snapshot and the reports after it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...bulk.report_files import reports_from_bytes
from ...estimation.decoders import decoder_of
from ...estimation.tally import Tally
from ...mechanisms.mechanism import Mechanism
from ...wire.reports import byte_width
from .protocol import Labels, Snapshot, Store, StoreChanged

TAIL_REPORTS = 100_000
TAIL_BATCHES = 10_000
"""A tail of more reports, or of more uploads, is worth a new snapshot."""

MAX_PENDING_BYTES = 1 << 20
"""The bytes of reports that are gathered before they are counts."""

CHUNK_REPORTS = 1 << 16
"""The reports that are counted together: more would take memory, and the interpreter from those who answer senders."""

MAX_TRIES = 5
"""How often reports are counted again because some were forgotten or mixed meanwhile."""

Counts = NDArray[np.int64]
Cell = tuple[Labels, str]
"""Labels and a day."""


@dataclass
class CellCounts:
    """The counts of every cell up to a position, and how many of the reports no snapshot had."""

    mechanism: Mechanism
    counts: dict[Cell, Counts] = field(default_factory=dict)
    position: int = 0
    reports: int = 0
    batches: int = 0
    revision: int = 0
    """The revision of the store that they are of."""
    _pending: dict[Cell, list[bytes]] = field(default_factory=dict)
    _pending_bytes: int = 0

    def add(self, cell: Cell, reports: bytes) -> None:
        """Add the reports of one upload, which `flush` counts."""
        self._pending.setdefault(cell, []).append(reports)
        self._pending_bytes += len(reports)
        if self._pending_bytes > MAX_PENDING_BYTES:
            self.flush()

    def flush(self) -> None:
        """Count the reports that were added."""
        step = CHUNK_REPORTS * byte_width(self.mechanism)
        for cell, parts in self._pending.items():
            packed = memoryview(b"".join(parts))
            for start in range(0, len(packed), step):
                batch = Tally.of(self.mechanism, reports_from_bytes(self.mechanism, packed[start : start + step]))
                known = self.counts.get(cell)
                self.counts[cell] = batch.counts if known is None else known + batch.counts
        self._pending, self._pending_bytes = {}, 0

    def tally(self) -> Tally:
        """The tally of all cells together."""
        total = np.zeros(decoder_of(self.mechanism).cells, dtype=np.int64)
        for counts in self.counts.values():
            total += counts
        return tally_of(self.mechanism, total)

    def groups(self, key: Callable[[Cell], Cell]) -> dict[Cell, Tally]:
        """The tally of every group of cells with the same key, in the order of the keys."""
        totals: dict[Cell, Counts] = {}
        for cell, counts in self.counts.items():
            group = key(cell)
            totals[group] = totals[group] + counts if group in totals else counts
        return {group: tally_of(self.mechanism, totals[group]) for group in sorted(totals)}


def tally_of(mechanism: Mechanism, counts: Counts) -> Tally:
    """The tally with these counts, which say themselves how many reports there are."""
    return Tally(mechanism, counts, int(np.sum(decoder_of(mechanism).total(counts))))


def count_reports(store: Store, collection: str, mechanism: Mechanism) -> CellCounts:
    """The counts of all stored reports; many since the last snapshot make a new one."""
    for _ in range(MAX_TRIES):
        with suppress(StoreChanged):
            return _count(store, collection, mechanism)
    raise StoreChanged("the store changes faster than its reports are counted; ask again")


def _count(store: Store, collection: str, mechanism: Mechanism) -> CellCounts:
    snapshot = store.snapshot(collection)
    tallies = {cell: np.frombuffer(packed, dtype="<i8").astype(np.int64) for cell, packed in snapshot.tallies.items()}
    counts = CellCounts(mechanism, tallies, snapshot.position, revision=snapshot.revision)
    for batch in store.batches(collection, after=counts.position):
        counts.add((batch.labels, batch.day), batch.reports)
        counts.position = batch.position
        counts.reports += batch.count
        counts.batches += 1
    counts.flush()
    if counts.reports > TAIL_REPORTS or counts.batches > TAIL_BATCHES:
        packed = {cell: numbers.astype("<i8").tobytes() for cell, numbers in counts.counts.items()}
        store.keep_snapshot(collection, Snapshot(counts.position, packed, snapshot.revision))
    return counts
