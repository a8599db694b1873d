"""Connections for reading, made when they are needed and used again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock

from .schema import Connection


class Readers:
    """As many connections as there are readers at a time, apart from the one that writes."""

    def __init__(self, make: Callable[[], Connection], begin: str) -> None:
        self._make, self._begin = make, begin
        self._idle: list[Connection] = []
        self._lock = Lock()

    @contextmanager
    def one(self) -> Iterator[Connection]:
        """A connection in a transaction that sees one state of the database."""
        with self._lock:
            known = self._idle.pop() if self._idle else None
        db = known or self._make()
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

    def shut(self) -> None:
        """Close those that nobody uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()
