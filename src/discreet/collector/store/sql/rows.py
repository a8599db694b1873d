"""Small parts of a change: a row with its checksum, a repeated upload, a day, and a change that is tried again."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from typing import Any, TypeVar

from ....core.errors import InvalidInput, StoreFailed, shown
from ..protocol import UploadOutcome, UploadRecord, UploadResult
from .checkpoints import checksum
from .schema import Connection

MAX_TRIES = 20
"""How often a change is tried that collides with another one."""

Change = TypeVar("Change", bound=Callable[..., Any])


def retried(change: Change) -> Change:
    """The change, made again while it collides with that of another process, which the errors `collisions` say."""

    @functools.wraps(change)
    def tried(self: Any, *given: Any, **named: Any) -> Any:
        for _ in range(MAX_TRIES):
            with suppress(*self.collisions):
                return change(self, *given, **named)
        raise StoreFailed("other processes change the same rows at the same time")

    return tried  # type: ignore[return-value]


def put(db: Connection, table: str, key: Mapping[str, Any], **columns: Any) -> None:
    """Insert a row with its checksum, or update the one that has this key."""
    row = {**key, **columns}
    row["seal"] = checksum(*row.values())
    updates = ", ".join(f"{name} = excluded.{name}" for name in (*columns, "seal"))
    db.execute(
        f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))}) "
        f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET {updates}",
        tuple(row.values()),
    )


def put_note(db: Connection, name: str, value: str) -> None:
    """Write a note in place of an earlier one of its name."""
    put(db, "meta", {"name": name}, value=value)


def repetition(upload: UploadRecord, stored: tuple[bytes, str]) -> UploadResult:
    """The result of an upload whose number was stored before, with the same content or another."""
    digest, answer = stored
    if digest != upload.digest:
        return UploadResult(UploadOutcome.CONFLICT, None)
    return UploadResult(UploadOutcome.REPEATED, answer)


def check_day(name: str, day: str) -> None:
    """`InvalidInput` unless it is a day of the calendar in the form ``2026-11-17``."""
    try:
        good = date.fromisoformat(day).isoformat() == day
    except (TypeError, ValueError):
        good = False
    if not good:
        raise InvalidInput(f"{name}={shown(day)} must be a day such as 2026-11-17")
