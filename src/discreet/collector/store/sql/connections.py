"""Database connections as a store uses them, and a pool of those that read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any, Protocol


class Connection(Protocol):
    """What a store asks of a connection; the drivers of both databases have it, with ``?`` for a parameter."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Any:
        """Run one statement; its rows."""

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]], /) -> Any:
        """Run one statement for each of several rows."""

    def close(self) -> None:
        """Close it."""


class ReaderPool:
    """Connections for reading, opened when they are needed and used again."""

    def __init__(self, connect: Callable[[], Connection], begin: str) -> None:
        self._connect, self._begin = connect, begin
        self._idle: list[Connection] = []
        self._lock = Lock()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection in a transaction that sees one state of the database."""
        with self._lock:
            idle = self._idle.pop() if self._idle else None
        db = idle or self._connect()
        try:
            db.execute(self._begin)
            yield db
            db.execute("COMMIT")
        except BaseException:
            with suppress(Exception):
                db.close()
            raise
        with self._lock:
            self._idle.append(db)

    def close(self) -> None:
        """Close the connections that nobody uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()
