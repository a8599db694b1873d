"""`Client`, one person's side of every collection, and `AsyncClient`, the same for programs that run on asyncio."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..contexts import Context
from ..core.domain import Value
from .addresses import address_of
from .collection import Collection, open_collection
from .ledger import Ledger, Upload
from .uploading import ClientSession, HttpTransport, Receipt, Transport


def default_ledger() -> Path:
    """Where a ledger is kept unless told otherwise: ``$XDG_DATA_HOME/discreet/ledger.jsonl``."""
    home = os.environ.get("XDG_DATA_HOME", "")
    folder = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "share"
    return folder / "discreet" / "ledger.jsonl"


def _now() -> datetime:
    return datetime.now(UTC)


class Client:
    """One person's side of every collection, with one ledger for all of them.

    `ledger` is the file of the ledger, `cap` what all answers together may spend: needed for a new ledger, lowered for
    one that is there, never raised. `budgets` are contexts that limit it pair by pair, as in `Ledger`. `transport`,
    `sleep` and `now` are the ways to the network and the clock.

    >>> import discreet as dc
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     client = dc.client.Client(ledger=f"{folder}/ledger.jsonl", cap="2")
    ...     str(client.ledger.cap), str(client.ledger.left), client.queued
    ('2', '2', [])
    """

    def __init__(
        self,
        *,
        ledger: str | os.PathLike[str] | None = None,
        cap: object = None,
        budgets: Iterable[Context] = (),
        transport: Transport | None = None,
        sleep: Callable[[float], object] = time.sleep,
        now: Callable[[], datetime] = _now,
    ) -> None:
        path = default_ledger() if ledger is None else ledger
        if cap is None:
            self.ledger = Ledger.existing(path)
            for budget in budgets:
                self.ledger.limit(budget)
        else:
            self.ledger = Ledger(path, cap, budgets=budgets)
        self._session = ClientSession(self.ledger, HttpTransport() if transport is None else transport, sleep, now)

    def open(self, url: str) -> Collection:
        """The collection at an address, fetched and checked; `Refused`, with the reason, if it cannot be trusted.

        Its law must be the one of its fingerprint, be certified from its integers alone, and lie at the same origin;
        `Unreachable` if the collector gives no answer. A link that ends in ``#invitation=...`` holds an invitation,
        which is kept for the answer.
        """
        return open_collection(url, self._session)

    @property
    def queued(self) -> list[Upload]:
        """The uploads that were neither accepted nor refused yet, oldest first."""
        return self.ledger.queued()

    def flush(self) -> list[Receipt]:
        """Send what is queued, oldest first, and say what became of it; a collector that is away is not tried twice."""
        receipts: list[Receipt] = []
        away: set[str] = set()
        for upload in self.ledger.queued():
            origin = address_of(upload.url).origin
            if origin not in away:
                receipts.append(self._session.deliver(upload))
                if receipts[-1].state == "queued":
                    away.add(origin)
        return receipts

    def __repr__(self) -> str:
        return f"<{type(self).__name__} with {self.ledger!r}>"


class AsyncClient(Client):
    """`Client` for asyncio: `open`, `flush` and `answer` are to be awaited, and each is done in a thread of its own.

    A method that is cancelled while it waits goes on in its thread: what it has begun to store is stored whole, and
    what it has queued can be flushed later.
    """

    async def open(self, url: str) -> AsyncCollection:  # type: ignore[override]
        """The collection at an address, fetched and checked, as `Client.open` gives it."""
        return AsyncCollection(await asyncio.to_thread(super().open, url))

    async def flush(self) -> list[Receipt]:  # type: ignore[override]
        """Send what is queued, as `Client.flush` does."""
        return await asyncio.to_thread(super().flush)


class AsyncCollection:
    """A `Collection` whose `answer` is awaited; everything else about it is that collection's."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._collection, name)

    def in_language(self, language: str) -> AsyncCollection:
        """This collection with its texts in another of its `languages`."""
        return AsyncCollection(self._collection.in_language(language))

    async def answer(
        self,
        answer: Value | Mapping[str, Value],
        *,
        labels: Mapping[str, str] | None = None,
        invitation: str | None = None,
    ) -> Receipt:
        """Answer, as `Collection.answer` does."""
        return await asyncio.to_thread(self._collection.answer, answer, labels=labels, invitation=invitation)
