"""Copies an SQLite store while it runs: one state of the database, compact, with its checkpoint beside it."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from ....core.errors import InvalidInput
from ..disk import StoreDisk, sync_folder
from ..sql import queries
from ..sql.checkpoints import CheckpointFile
from .connections import Driver


def copy(driver: Driver, disk: StoreDisk, source: Path, target: Path, writer_id: int) -> None:
    """Copy a store to a new file, which appears with its checkpoint when it is whole."""
    checkpoints = target.with_name(f"{target.name}.heads")
    if target.exists() or checkpoints.exists():
        raise InvalidInput(f"{target.name} is there already; a copy replaces nothing")
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        db = driver.connect_read_only(source)
        try:
            draft.touch(0o600)
            db.execute("VACUUM INTO ?", (str(draft),)).fetchall()
        finally:
            db.close()
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        db = driver.connect_read_only(draft)
        try:
            checkpoint = queries.checkpoint(db, writer_id)
        finally:
            db.close()
        CheckpointFile.begin(checkpoints, disk, checkpoint).close()
        os.replace(draft, target)
        sync_folder(target.parent)
    finally:
        draft.unlink(missing_ok=True)
