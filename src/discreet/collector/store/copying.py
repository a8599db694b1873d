"""Copies of a store by where it is, while another process uses it."""

from __future__ import annotations

from pathlib import Path

from ...core.errors import StoreFailed
from .disk import LocalDisk
from .opening import ADDRESSES, open_store
from .sqlite import backup as sqlite_backup
from .sqlite.connections import Sqlite3, translated
from .sqlite.store import LANE


def copy_place(place: str, target: Path, *, heads: str | Path | None = None) -> None:
    """Copy the store at a place to a new file, as it is now."""
    if place.startswith(ADDRESSES):
        store = open_store(place, heads=heads)
        try:
            store.back_up(target)
        finally:
            store.shut()
        return
    source, driver = Path(place), Sqlite3()
    if not source.is_file():
        raise StoreFailed(f"{source.name}: there is no such file")
    with translated(driver, source):
        sqlite_backup.copy(driver, LocalDisk(), source, target, LANE)
