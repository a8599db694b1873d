"""Tallies that were kept, held against the stored reports counted again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...bulk.report_arrays import reports_from_bytes
from ...core import limits
from ...core.errors import DiscreetError
from ...estimation.decoders import decoder_of
from ...estimation.tally import Tally
from ...mechanisms.mechanism import Mechanism
from ...wire.laws import parse_law
from . import reading
from .protocol import Collection, Labels, Snapshot
from .schema import Connection

GATHERED = 1 << 24
"""Bytes of reports that are counted at once."""

Cell = tuple[Labels, str]
Counts = NDArray[np.int64]


def recount(db: Connection, collection: Collection, snapshot: Snapshot, forgotten: str) -> Iterator[str]:
    """Where the tallies of a collection are not what its reports up to that position count."""
    try:
        with limits.under(limits.LIFTED):
            mechanism = parse_law(collection.law)
        found = _counted(db, collection.id, mechanism, snapshot.position)
    except DiscreetError as problem:
        yield f"collection {collection.id}: its reports cannot be counted again: {problem}"
        return
    nothing = np.zeros(decoder_of(mechanism).cells, dtype=np.int64)
    for labels, day in sorted(snapshot.tallies.keys() | {cell for cell in found if cell[1] >= forgotten}):
        counts = found.get((labels, day), nothing).astype("<i8").tobytes()
        if snapshot.tallies.get((labels, day), nothing.tobytes()) != counts:
            yield f"collection {collection.id}: the tally of {day}{_written(labels)} is not what its reports count"


def _counted(db: Connection, name: str, mechanism: Mechanism, position: int) -> dict[Cell, Counts]:
    """The counts of all reports up to a position, by labels and day."""
    counts: dict[Cell, Counts] = {}
    waiting: dict[Cell, list[bytes]] = {}
    size = after = 0
    while page := reading.batches(db, name, after, position):
        for batch in page:
            waiting.setdefault((batch.labels, batch.day), []).append(batch.reports)
            size += len(batch.reports)
        after = page[-1].position
        if size > GATHERED:
            _settle(mechanism, counts, waiting)
            size = 0
    _settle(mechanism, counts, waiting)
    return counts


def _settle(mechanism: Mechanism, counts: dict[Cell, Counts], waiting: dict[Cell, list[bytes]]) -> None:
    for cell, parts in waiting.items():
        more = Tally.of(mechanism, reports_from_bytes(mechanism, b"".join(parts))).counts
        counts[cell] = counts[cell] + more if cell in counts else more
    waiting.clear()


def _written(labels: Labels) -> str:
    return "".join(f", {name} {value}" for name, value in labels)
