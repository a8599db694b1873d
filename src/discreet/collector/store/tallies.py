"""Counts of stored reports by labels and day, from the last snapshot and the reports after it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...bulk.report_files import numbers_from_bytes
from ...core.errors import StoreFull
from ...estimation.tally import Tally
from ...questionnaires.tally import FormTally
from ...wire.published import Law
from ..instrument import instrument_of
from .protocol import Labels, Snapshot, Store, StoreChanged

TAIL_REPORTS = 100_000
TAIL_BATCHES = 10_000
"""A tail of more reports, or of more uploads, is worth a new snapshot."""

MAX_PENDING_BYTES = 1 << 20
"""The bytes of reports that are gathered before they are counts."""

CHUNK_REPORTS, CHUNK_BYTES = 1 << 16, 1 << 17
"""The reports that are counted together: more would take memory, and the interpreter from those who answer senders."""

MAX_TRIES = 5
"""How often reports are counted again because some were forgotten or mixed meanwhile."""

Counts = NDArray[np.int64]
Cell = tuple[Labels, str]
"""Labels and a day."""


@dataclass
class CellCounts:
    """The counts of every cell up to a position, and how many of the reports no snapshot had.

    They are those of the reports of a question or of a form, as `law` says.
    """

    law: Law
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
        instrument = instrument_of(self.law)
        step = reports_at_once(instrument.width) * instrument.width
        for cell, parts in self._pending.items():
            packed = memoryview(b"".join(parts))
            for start in range(0, len(packed), step):
                more = instrument.count(numbers_from_bytes(packed[start : start + step], instrument.width))
                known = self.counts.get(cell)
                self.counts[cell] = more if known is None else known + more
        self._pending, self._pending_bytes = {}, 0

    def tally(self) -> Tally | FormTally:
        """The tally of all cells together."""
        instrument = instrument_of(self.law)
        total = np.zeros(instrument.cells, dtype=np.int64)
        for counts in self.counts.values():
            total += counts
        return instrument.tally(total)

    def groups(self, key: Callable[[Cell], Cell]) -> dict[Cell, Tally | FormTally]:
        """The tally of every group of cells with the same key, in the order of the keys."""
        totals: dict[Cell, Counts] = {}
        for cell, counts in self.counts.items():
            group = key(cell)
            totals[group] = totals[group] + counts if group in totals else counts
        instrument = instrument_of(self.law)
        return {group: instrument.tally(totals[group]) for group in sorted(totals)}


def reports_at_once(width: int) -> int:
    """How many reports of `width` bytes are counted together."""
    return max(1, min(CHUNK_REPORTS, CHUNK_BYTES // width))


def count_reports(store: Store, collection: str, law: Law) -> CellCounts:
    """The counts of all stored reports; many since the last snapshot make a new one."""
    for _ in range(MAX_TRIES):
        with suppress(StoreChanged):
            return _count(store, collection, law)
    raise StoreChanged("the store changes faster than its reports are counted; ask again")


def _count(store: Store, collection: str, law: Law) -> CellCounts:
    snapshot = store.snapshot(collection)
    tallies = {cell: np.frombuffer(packed, dtype="<i8").astype(np.int64) for cell, packed in snapshot.tallies.items()}
    counts = CellCounts(law, tallies, snapshot.position, revision=snapshot.revision)
    for batch in store.batches(collection, after=counts.position):
        counts.add((batch.labels, batch.day), batch.reports)
        counts.position = batch.position
        counts.reports += batch.count
        counts.batches += 1
    counts.flush()
    if counts.reports > TAIL_REPORTS or counts.batches > TAIL_BATCHES:
        packed = {cell: numbers.astype("<i8").tobytes() for cell, numbers in counts.counts.items()}
        with suppress(StoreFull):  # what is shown needs no room
            store.keep_snapshot(collection, Snapshot(counts.position, packed, snapshot.revision))
    return counts
