"""What may be shown of a collection: whole batches of at least `minimum` reports.

Reports wait, by their labels, until `minimum` of them are there, and are shown together from then on; a batch never
changes afterwards. Every figure at every time is a sum over whole batches, and so is whatever is computed from figures,
of labels, of days, of today and of yesterday: no set of fewer than `minimum` reports can be told from the others. The
batches follow from the order of the stored uploads alone, so that every process makes the same ones, and makes them
again after a restart; mixing leaves them what they are. Old reports are forgotten by whole batches, and those that
still wait by themselves, so that figures of before and after differ by whole batches too. What is left makes the same
batches as before, since the store keeps how many reports were shown and are gone.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from ..wire.published import Law
from .store.protocol import GoneBatch, Grouping, Labels, Placed, Replay, Store, StoreChanged
from .store.tallies import MAX_TRIES, Cell, CellCounts, count_reports

NO_LABEL = ""
"""Stands for a label that a report does not have; no declared text is empty."""

MIXED = "\x00"
"""Stands for a label of which a batch has several texts; no declared text has it."""


MAX_APART = 10
"""The most combinations of labels whose reports always wait for others like them, until the collection is closed."""


class Shown(NamedTuple):
    """A batch that is shown: the labels whose waiting reports are in it, and those that all of it has."""

    waited: tuple[Labels, ...]
    labels: Labels


class Batches:
    """Which reports are shown together, as uploads come in.

    Reports with the same labels are a batch as soon as they are `minimum`. All that wait are one batch, whatever their
    labels, as soon as they are `MAX_APART` times `minimum` and as many as are shown already: up to `MAX_APART`
    combinations of labels never come so far, and many small ones do not keep more than half of all reports back. With a
    `period`, the name of a label, each text of it is taken for itself, and no batch has two of them. Batches that are
    `gone` count as shown from their positions on.
    """

    def __init__(self, minimum: int, period: str | None = None, gone: Iterable[GoneBatch] = ()) -> None:
        self.minimum, self.period, self._gone = minimum, period, deque(sorted(gone))
        self._waiting: dict[str, dict[Labels, int]] = {}
        self._sizes: dict[str, list[int]] = {}
        """How many reports of each period wait, and how many are shown."""

    def add(self, labels: Labels, count: int, position: int = 0) -> Shown | None:
        """Add the reports of an upload; the batch that is shown now, if one is whole."""
        if not count:
            return None
        while self._gone and self._gone[0].position < position:
            _, period, shown = self._gone.popleft()
            self._sizes.setdefault(period, [0, 0])[1] += shown
        period = period_text(labels, self.period)
        waiting = self._waiting.setdefault(period, {})
        sizes = self._sizes.setdefault(period, [0, 0])
        waiting[labels] = waiting.get(labels, 0) + count
        sizes[0] += count
        if waiting[labels] >= self.minimum:
            return self._show(period, [labels])
        return self._show(period, list(waiting)) if sizes[0] >= max(MAX_APART * self.minimum, sizes[1]) else None

    def rest(self) -> Iterator[Shown]:
        """What still waits as one batch, or one for each period, where it is enough: for a closed collection."""
        for period, (waiting, _) in self._sizes.items():
            if waiting and waiting >= self.minimum:
                yield self._show(period, list(self._waiting[period]))

    def _show(self, period: str, waited: list[Labels]) -> Shown:
        count = sum(self._waiting[period].pop(labels) for labels in waited)
        self._sizes[period][0] -= count
        self._sizes[period][1] += count
        return Shown(tuple(waited), common_labels(waited))


class BatchReplay(Replay):
    """The batches of a collection, as its store needs to know them when it mixes or forgets uploads."""

    def __init__(self, minimum: int, period: str | None, gone: Iterable[GoneBatch]) -> None:
        self._batches, self._waiting = Batches(minimum, period, gone), dict[Labels, list[int]]()

    def add(self, upload: Placed) -> Sequence[int]:
        if upload.reports:
            self._waiting.setdefault(upload.labels, []).append(upload.position)
        batch = self._batches.add(upload.labels, upload.reports, upload.position)
        return [] if batch is None else self._take(batch)

    def rest(self) -> Iterator[Sequence[int]]:
        return map(self._take, self._batches.rest())

    def period(self, labels: Labels) -> str:
        return period_text(labels, self._batches.period)

    def _take(self, batch: Shown) -> list[int]:
        return [position for labels in batch.waited for position in self._waiting.pop(labels)]


def grouping_of(minimum: int, period: str | None) -> Grouping | None:
    """How the uploads of a collection are shown together; None if each report is shown by itself."""
    return partial(BatchReplay, minimum, period) if minimum > 1 else None


def period_text(labels: Labels, period: str | None) -> str:
    """The text of the label that says the period of reports, if there is one."""
    return NO_LABEL if period is None else label_text(labels, period)


def label_text(labels: Labels, name: str) -> str:
    """The text of a label; `NO_LABEL` if the reports do not have it, `MIXED` if they have several."""
    return dict(labels).get(name, NO_LABEL)


def common_labels(together: Iterable[Labels]) -> Labels:
    """The labels of reports that are shown together, `MIXED` where they differ."""
    held = list(together)
    texts = {
        name: {label_text(labels, name) for labels in held} for name in sorted({n for one in held for n, _ in one})
    }
    return tuple((name, found.pop() if len(found) == 1 else MIXED) for name, found in texts.items())


class _Waiting(CellCounts):
    """The reports that wait, by labels; those of a label can be moved to where they are shown."""

    def move(self, labels: Labels, shown: CellCounts, cell: Cell) -> None:
        for part in self._pending.pop((labels, ""), ()):
            self._pending_bytes -= len(part)
            shown.add(cell, part)
        counts = self.counts.pop((labels, ""), None)
        if counts is not None:
            known = shown.counts.get(cell)
            shown.counts[cell] = counts if known is None else known + counts


class ShownCounts:
    """The counts of all batches of a collection that are shown; kept, and continued at the next look."""

    def __init__(self, mechanism: Law, minimum: int, period: str | None = None) -> None:
        self._mechanism, self._minimum, self._period = mechanism, minimum, period
        self._lock = threading.Lock()
        self._begin()

    def _begin(self, gone: Iterable[GoneBatch] = ()) -> None:
        self._batches = Batches(self._minimum, self._period, gone)
        self._shown, self._waiting = CellCounts(self._mechanism), _Waiting(self._mechanism)
        self._newest_day = ""

    def look(self, store: Store, collection: str, *, closed: bool) -> CellCounts:
        """The counts of what is shown now; of a closed collection all that can ever be shown."""
        if self._minimum == 1:
            return count_reports(store, collection, self._mechanism)
        with self._lock:
            for _ in range(MAX_TRIES):
                with suppress(StoreChanged):
                    self._continue(store, collection)
                    break
            else:
                raise StoreChanged("the store changes faster than its reports are counted; ask again")
            if closed:
                for batch in self._batches.rest():
                    self._move(batch, self._newest_day)
            return self._copy()

    def _copy(self) -> CellCounts:
        self._shown.flush()
        return CellCounts(self._mechanism, dict(self._shown.counts), self._shown.position)

    def _continue(self, store: Store, collection: str) -> None:
        """Add what came since the last look, or all of it again if stored uploads were forgotten or mixed."""
        snapshot = store.snapshot(collection)
        if self._shown.revision != (revision := snapshot.revision):
            self._begin(snapshot.gone)
            self._shown.revision = revision
        for upload in store.batches(collection, after=self._shown.position):
            self._waiting.add((upload.labels, ""), upload.reports)
            self._shown.position, self._newest_day = upload.position, max(self._newest_day, upload.day)
            batch = self._batches.add(upload.labels, upload.count, upload.position)
            if batch is not None:
                self._move(batch, upload.day)
        if store.snapshot(collection).revision != revision:
            raise StoreChanged("stored reports were forgotten or mixed while they were read; ask again")

    def _move(self, batch: Shown, day: str) -> None:
        for labels in batch.waited:
            self._waiting.move(labels, self._shown, (batch.labels, day))


def shown_uploads(
    store: Store, collection: str, minimum: int, period: str | None, *, closed: bool
) -> Iterator[tuple[Cell, list[bytes]]]:
    """The reports of every batch that is shown, packed, with its labels and the day on which it was whole.

    `StoreChanged` if stored uploads were forgotten or mixed meanwhile: then these are no batches.
    """
    snapshot = store.snapshot(collection)
    batches, newest = Batches(minimum, period, snapshot.gone), ""
    waiting: dict[Labels, list[bytes]] = {}

    def take(batch: Shown, day: str) -> tuple[Cell, list[bytes]]:
        return (batch.labels, day), [part for labels in batch.waited for part in waiting.pop(labels)]

    for upload in store.batches(collection):
        newest = max(newest, upload.day)
        if upload.count:
            waiting.setdefault(upload.labels, []).append(upload.reports)
        batch = batches.add(upload.labels, upload.count, upload.position)
        if batch is not None:
            yield take(batch, upload.day)
    if closed:
        for batch in batches.rest():
            yield take(batch, newest)
    if store.snapshot(collection).revision != snapshot.revision:
        raise StoreChanged("stored reports were forgotten or mixed while they were read; ask again")
