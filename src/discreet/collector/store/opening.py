"""Open, check or copy the store at a place: a path (SQLite) or ``postgresql://host/name`` (PostgreSQL)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from ...core.errors import InvalidInput, StoreFailed
from .disk import DraftFolder, LocalDisk
from .protocol import Store
from .sqlite.store import Driver, SQLiteStore, check_files, translate_errors
from .sqlite.store import copy as copy_sqlite
from .sqlite.store import restore as restore_sqlite

POSTGRES_SCHEMES = ("postgresql://", "postgres://")


def open_store(place: str | Path, *, checkpoints: str | Path | None = None) -> Store:
    """The store at a place; `checkpoints` is the folder of this machine for those of a PostgreSQL store."""
    if not str(place).startswith(POSTGRES_SCHEMES):
        return SQLiteStore(place)
    from .postgres.store import PostgresStore

    if checkpoints is None:
        raise StoreFailed("a store in PostgreSQL needs a folder of this machine for its checkpoints")
    return PostgresStore(str(place), checkpoints=checkpoints)


@contextmanager
def opened(place: str | Path, checkpoints: str | Path | None) -> Iterator[Store]:
    """The store at a place, shut at the end of the block."""
    store = open_store(place, checkpoints=checkpoints)
    try:
        yield store
    finally:
        store.shut()


def draft_folder(place: str | Path, checkpoints: str | Path) -> DraftFolder:
    """Where drafts of a store are: beside its SQLite file, or in the folder of its checkpoints."""
    is_address = str(place).startswith(POSTGRES_SCHEMES)
    return DraftFolder(Path(checkpoints) / "exports" if is_address else Path(place).resolve())


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
        return check_files(Driver(), LocalDisk(), path)
    with opened(place, checkpoints) as store:
        return store.check()


def copy_place(place: str, target: Path, *, checkpoints: str | Path | None = None) -> None:
    """Copy the store at a place to a new file, as it is now, even while another process uses it."""
    if place.startswith(POSTGRES_SCHEMES):
        with opened(place, checkpoints) as store:
            store.back_up(target)
        return
    source, driver = Path(place), Driver()
    if not source.is_file():
        raise StoreFailed(f"{source.name}: there is no such file")
    with translate_errors(driver, source):
        copy_sqlite(driver, LocalDisk(), source, target)


def restore_place(backup: Path, place: str, *, checkpoints: str | Path) -> None:
    """Make the store at a place of a copy that `copy_place` made; nothing may be there, and the copy must be whole."""
    if not place.startswith(POSTGRES_SCHEMES):
        restore_sqlite(backup, Path(place))
        return
    from .postgres.store import restore

    if left := sorted(Path(checkpoints).glob("lane-*.heads")):
        raise InvalidInput(f"{left[0]} is of another state of the store: move the folder {checkpoints} away first")
    restore(backup, place)
