"""Opens, checks and copies the store at a place: a path (SQLite) or ``postgresql://host/name`` (PostgreSQL).

Writes stored reports to a Parquet file, sorted, so that their order of arrival is not in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from ...bulk.report_files import arrow_sink, reports_from_bytes
from ...core.errors import StoreFailed
from ...mechanisms.mechanism import Mechanism
from .disk import LocalDisk
from .protocol import Labels, Store
from .sqlite import check as sqlite_check
from .sqlite.connections import Sqlite3Driver, translate_errors
from .sqlite.store import WRITER_ID, SQLiteStore
from .sqlite.store import copy as copy_sqlite

POSTGRES_SCHEMES = ("postgresql://", "postgres://")


def open_store(place: str | Path, *, checkpoints: str | Path | None = None) -> Store:
    """The store at a place; `checkpoints` is the folder of this machine for those of a PostgreSQL store."""
    if not str(place).startswith(POSTGRES_SCHEMES):
        return SQLiteStore(place)
    from .postgres.store import PostgresStore

    if checkpoints is None:
        raise StoreFailed("a store in PostgreSQL needs a folder of this machine for its checkpoints")
    return PostgresStore(str(place), checkpoints=checkpoints)


def redact_place(place: str | Path) -> str:
    """A place as logs may show it: a path as it is, an address without the user and the password."""
    if not str(place).startswith(POSTGRES_SCHEMES):
        return str(place)
    parts = urlsplit(str(place))
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def check_place(place: str | Path, *, checkpoints: str | Path | None = None) -> list[str]:
    """What is damaged in the store at a place, a sentence each.

    An SQLite file is only read: it may be in use, may be damaged so that no collector would start with it, and nothing
    in it is repaired.
    """
    if not str(place).startswith(POSTGRES_SCHEMES):
        path = Path(place)
        if not path.is_file():
            raise StoreFailed(f"{path.name}: there is no such file")
        return sqlite_check.finish(sqlite_check.begin(Sqlite3Driver(), LocalDisk(), path), WRITER_ID)
    store = open_store(place, checkpoints=checkpoints)
    try:
        return store.check()
    finally:
        store.shut()


def copy_place(place: str, target: Path, *, checkpoints: str | Path | None = None) -> None:
    """Copy the store at a place to a new file, as it is now, even while another process uses it."""
    if place.startswith(POSTGRES_SCHEMES):
        store = open_store(place, checkpoints=checkpoints)
        try:
            store.back_up(target)
        finally:
            store.shut()
        return
    source, driver = Path(place), Sqlite3Driver()
    if not source.is_file():
        raise StoreFailed(f"{source.name}: there is no such file")
    with translate_errors(driver, source):
        copy_sqlite(driver, LocalDisk(), source, target, WRITER_ID)


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
