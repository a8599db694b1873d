"""Tallies of a collection: the last ones kept, and the reports that came after them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..bulk.report_arrays import reports_from_bytes
from ..estimation.decoders import decoder_of
from ..estimation.tally import Tally
from ..mechanisms.mechanism import Mechanism
from .store.protocol import Labels, Snapshot, Store

TAIL_REPORTS = 100_000
TAIL_BATCHES = 10_000
"""A tail of more reports, or of more uploads, is worth a new snapshot."""

GATHERED = 1 << 24
"""The bytes of reports that are gathered before they are counted."""

Counts = NDArray[np.int64]
Cell = tuple[Labels, str]
"""Labels and a day."""


@dataclass
class Counted:
    """The counts of every cell up to a position, and how long the tail was that no snapshot held."""

    mechanism: Mechanism
    counts: dict[Cell, Counts]
    position: int = 0
    reports: int = 0
    batches: int = 0
    _waiting: dict[Cell, list[bytes]] = field(default_factory=dict)
    _size: int = 0

    def add(self, cell: Cell, reports: bytes) -> None:
        """Count the reports of one upload, sooner or later."""
        self._waiting.setdefault(cell, []).append(reports)
        self._size += len(reports)
        if self._size > GATHERED:
            self.settle()

    def settle(self) -> None:
        """Count what waits."""
        for cell, parts in self._waiting.items():
            batch = Tally.of(self.mechanism, reports_from_bytes(self.mechanism, b"".join(parts)))
            known = self.counts.get(cell)
            self.counts[cell] = batch.counts if known is None else known + batch.counts
        self._waiting, self._size = {}, 0

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


def count(store: Store, collection: str, mechanism: Mechanism) -> Counted:
    """The counts of all stored reports; a long tail makes a new snapshot, so that the next one is short."""
    kept = store.snapshot(collection)
    counted = Counted(mechanism, {} if kept is None else _read(kept.tallies), 0 if kept is None else kept.position)
    for batch in store.batches(collection, after=counted.position):
        counted.add((batch.labels, batch.day), batch.reports)
        counted.position = batch.position
        counted.reports += batch.count
        counted.batches += 1
    counted.settle()
    if counted.reports > TAIL_REPORTS or counted.batches > TAIL_BATCHES:
        store.keep_snapshot(collection, Snapshot(counted.position, _written(counted.counts)))
    return counted


def _read(tallies: Mapping[Cell, bytes]) -> dict[Cell, Counts]:
    return {cell: np.frombuffer(packed, dtype="<i8").astype(np.int64) for cell, packed in tallies.items()}


def _written(counts: Mapping[Cell, Counts]) -> dict[Cell, bytes]:
    return {cell: numbers.astype("<i8").tobytes() for cell, numbers in counts.items()}
