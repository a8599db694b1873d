"""Writes stored reports to a Parquet file, sorted, so that their order of arrival is not in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bulk.report_arrays import reports_from_bytes
from ...bulk.report_files import arrow_sink
from ...mechanisms.mechanism import Mechanism
from .protocol import Labels, Store

DAY_COLUMN = "day"

Place = tuple[Labels | None, str | None]
"""The labels and the day that a report is written with; None where too few share them."""


def write_parquet(
    store: Store, collection: str, mechanism: Mechanism, names: list[str], minimum: int, path: str | Path
) -> int:
    """Write all reports of a collection with their labels and days, and say how many there are.

    No report is left out. Those of a label and day that fewer than `minimum` share are written without the day, and
    if there are still too few, without labels as well.
    """
    batches: dict[tuple[Labels, str], list[bytes]] = {}
    sizes: dict[tuple[Labels, str], int] = {}
    for batch in store.batches(collection):
        cell = batch.labels, batch.day
        batches.setdefault(cell, []).append(batch.reports)
        sizes[cell] = sizes.get(cell, 0) + batch.count
    by_place: dict[Place, list[bytes]] = {}
    for cell, place in publishable_places(sizes, minimum).items():
        by_place.setdefault(place, []).extend(batches.pop(cell))
    count = 0
    with arrow_sink(str(path), mechanism, keep=[DAY_COLUMN, *names], unmarked=False) as write:
        for place in sorted(by_place, key=_order):
            reports = _sort(reports_from_bytes(mechanism, b"".join(by_place.pop(place))))
            labels, day = dict(place[0] or ()), place[1]
            texts = [day, *(labels.get(name) for name in names)]
            write(reports, [[text] * len(reports) for text in texts])
            count += len(reports)
    return count


def publishable_places(sizes: dict[tuple[Labels, str], int], minimum: int) -> dict[tuple[Labels, str], Place]:
    """Where the reports of every cell are written: as they are, without the day, or without anything."""
    few = {cell for cell, size in sizes.items() if size < minimum}
    over_days: dict[Labels, int] = {}
    for labels, day in few:
        over_days[labels] = over_days.get(labels, 0) + sizes[labels, day]
    places: dict[tuple[Labels, str], Place] = {}
    for labels, day in sizes:
        if (labels, day) not in few:
            places[labels, day] = labels, day
        else:
            places[labels, day] = (labels if over_days[labels] >= minimum else None), None
    return places


def _order(place: Place) -> tuple[str, Labels]:
    return place[1] or "", place[0] or ()


def _sort(reports: NDArray[Any]) -> NDArray[Any]:
    """The reports in increasing order: that of the numbers, or of the words of wide ones."""
    if reports.ndim == 1:
        return np.sort(reports)
    return reports[np.lexsort(reports.T)]
