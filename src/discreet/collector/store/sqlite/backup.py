"""Copies of an SQLite store while it runs: one state of the database, compact, with its head beside it."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from ....core.errors import InvalidInput
from .. import reading
from ..disk import Disk, sync_folder
from ..heads import Heads
from .connections import Driver


def copy(driver: Driver, disk: Disk, source: Path, target: Path, lane: int) -> None:
    """Copy a store to a new file, which appears with its head when it is whole."""
    heads = target.with_name(f"{target.name}.heads")
    if target.exists() or heads.exists():
        raise InvalidInput(f"{target.name} is there already; a copy replaces nothing")
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        db = driver.reading(source)
        try:
            draft.touch(0o600)
            db.execute("VACUUM INTO ?", (str(draft),)).fetchall()
        finally:
            db.close()
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        made = driver.reading(draft)
        try:
            head = reading.head(made, lane)
        finally:
            made.close()
        Heads.begin(heads, disk, head).shut()
        os.replace(draft, target)
        sync_folder(target.parent)
    finally:
        draft.unlink(missing_ok=True)
