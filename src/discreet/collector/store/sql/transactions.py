"""Transactions of a store in SQL tables, each followed by a checkpoint in a file beside the database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import RLock
from typing import Any, ClassVar

from ....core.errors import StoreFailed
from ..disk import LocalDisk
from . import queries
from .check import true_announcement
from .checkpoints import (
    Checkpoint,
    CheckpointFile,
    CheckpointLines,
    announced_checkpoint,
    read_checkpoints,
    valid_lines,
)
from .schema import Connection, ReaderPool


@dataclass
class Transaction:
    """A transaction that writes: its connection, its checkpoint, whether anything was changed, and the chain too."""

    db: Connection
    checkpoint: Checkpoint
    changed: bool = False
    anew: bool = False


class SQLTransactions(ABC):
    """A store in which every change is one transaction, followed by a checkpoint in a file beside the database.

    The checkpoint is written after the commit and before anything else: whoever has an answer has it on the disk
    twice. If that fails, the change is not acknowledged, and the next change first makes up for it.
    """

    writer_id: int
    begin_sql: ClassVar[str]
    collisions: ClassVar[tuple[type[Exception], ...]] = ()
    """Errors that say that another process was faster, after which a change is made again."""
    _readers: ReaderPool
    _checkpoints: CheckpointFile
    _checkpointed_commits: int

    def __init__(self, disk: LocalDisk | None) -> None:
        self._lock = RLock()
        self._disk = disk or LocalDisk()
        self._db: Any = None

    # -- what a database implements ----------------------------------------------------------------------

    @abstractmethod
    def _translate_errors(self) -> AbstractContextManager[None]:
        """A block in which errors of the driver and of files become `StoreFull` and `StoreFailed`."""

    @abstractmethod
    def _open(self) -> None:
        """Create the tables, or bring them to this version, and `_resume`."""

    @abstractmethod
    def _resume_problems(self, db: Connection, lines: CheckpointLines | None, now: Checkpoint, name: str) -> str:
        """Why the store cannot go on from the checkpoints in the file of this name; "" if it can."""

    @abstractmethod
    def _connect(self) -> Any:
        """A new connection for writing."""

    @abstractmethod
    def _is_lost(self, db: Any, problem: BaseException) -> bool:
        """True if a connection cannot be used again after this error."""

    def _resume(self, path: Path) -> None:
        """Go on from the last checkpoint in a file; `StoreFailed` if the database is behind it, or another one."""
        db = self._writer()
        now = queries.checkpoint(db, self.writer_id)
        anew = true_announcement(db, self.writer_id, announced_checkpoint(path, self._disk))
        written = read_checkpoints(path, self._disk)
        lines = valid_lines(written, anew, now.commits)
        if problems := self._resume_problems(db, lines, now, path.name):
            raise StoreFailed(problems)
        if lines is None or lines != written or lines.last != now or lines.torn or lines.checkpoints[-1] is None:
            # new, or a crash came between a commit and its checkpoint, or a mixing and its new file
            self._checkpoints = CheckpointFile.begin(path, self._disk, now)
        else:
            self._checkpoints = CheckpointFile(path, self._disk, len(lines.checkpoints))
        self._checkpointed_commits = now.commits

    def _writer(self) -> Any:
        if self._db is None:
            self._db = self._connect()
        return self._db

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        """A connection for reading that sees one state of the database."""
        with self._translate_errors(), self._readers.connection() as db:
            yield db

    @contextmanager
    def _change(self) -> Iterator[Transaction]:
        """A change of the store: committed, with its checkpoint, once the block ends without an error."""
        with self._lock, self._translate_errors():
            db = self._writer()
            try:
                db.execute(self.begin_sql)
                change = Transaction(db, queries.checkpoint(db, self.writer_id))
                if change.checkpoint.commits != self._checkpointed_commits:
                    self._write_checkpoint(change.checkpoint)
                yield change
                if change.changed:
                    end = change.checkpoint = replace(change.checkpoint, commits=change.checkpoint.commits + 1)
                    db.execute(
                        "UPDATE lane SET commits = ?, position = ?, chain = ? WHERE lane = ?",
                        (end.commits, end.position, end.chain, self.writer_id),
                    )
                    if change.anew:
                        self._checkpoints.announce(end)
                    db.execute("COMMIT")
                    self._write_checkpoint(end, anew=change.anew)
                else:
                    db.execute("ROLLBACK")
            except BaseException as problem:
                self._undo(db, problem)
                raise

    def _undo(self, db: Any, problem: BaseException) -> None:
        """End a transaction that failed; the next one has a new connection if this one is lost."""
        with suppress(Exception):
            db.execute("ROLLBACK")
        if self._is_lost(db, problem):
            self._db = None
            with suppress(Exception):
                db.close()

    def _write_checkpoint(self, checkpoint: Checkpoint, *, anew: bool = False) -> None:
        (self._checkpoints.begin_anew if anew else self._checkpoints.append)(checkpoint)
        self._checkpointed_commits = checkpoint.commits

    def shut(self) -> None:
        with self._lock:
            self._readers.close()
            if self._db is not None:
                with suppress(Exception):
                    self._db.close()
                self._db = None
            if hasattr(self, "_checkpoints"):
                self._checkpoints.close()

    def ready(self) -> None:
        with self._change():
            """It is undone, since nothing was changed; but it had the writer's connection, and all locks."""
