"""Many rows of uploads in few statements: the interpreter's lock is let go of and taken again for each of them.

While a thread steps through a statement, another one answers requests; to get the lock back it may wait for a while,
which for a commit of a hundred uploads should happen a few times, and not two hundred times. There are few sizes of
statements, so that SQLite has each of them ready.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from ..schema import Connection
from ..sql import INTO, ROW

T = TypeVar("T")

SIZES = (64, 16, 4, 1)
"""The rows of a statement; SQLite takes 999 parameters at least."""


def add_rows(db: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Add uploads, in order. What fails ends the transaction, so SQLite need not be able to undo a part of one."""
    for part in parts(rows):
        values = ", ".join([ROW] * len(part))
        db.execute(f"INSERT OR FAIL {INTO} {values}", [entry for row in part for entry in row]).fetchall()


def known(db: Connection, number: int, names: Sequence[str]) -> Iterator[tuple[str, bytes, str]]:
    """Name, digest and answer of those of the named uploads of a collection that are stored."""
    for part in parts(names):
        marks = ", ".join("?" * len(part))
        where = f"collection = ? AND upload IN ({marks})"
        yield from db.execute(f"SELECT upload, digest, answer FROM upload WHERE {where}", (number, *part)).fetchall()


def parts(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """The rows in parts of a few sizes, in order."""
    at = 0
    for size in SIZES:
        while len(rows) - at >= size:
            yield rows[at : at + size]
            at += size
