"""`AsyncClient`: the client for programs that run on asyncio, with the same methods."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from ..contexts import Context
from ..core.domain import Value
from .client import Client, _now
from .collection import Collection
from .ledger import Ledger, Upload
from .session import Receipt
from .transport import Transport


class AsyncClient:
    """`Client` for asyncio: the same methods, to be awaited, each done in a thread of its own.

    A method that is cancelled while it waits goes on in its thread: what it has begun to store is stored whole, and
    what it has queued can be flushed later.
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
        self._client = Client(ledger=ledger, cap=cap, budgets=budgets, transport=transport, sleep=sleep, now=now)

    @property
    def ledger(self) -> Ledger:
        """The ledger of all answers."""
        return self._client.ledger

    @property
    def queued(self) -> list[Upload]:
        """The uploads that were neither accepted nor refused yet, oldest first."""
        return self._client.queued

    async def open(self, url: str) -> AsyncCollection:
        """The collection at an address, fetched and checked, as `Client.open` gives it."""
        return AsyncCollection(await asyncio.to_thread(self._client.open, url))

    async def flush(self) -> list[Receipt]:
        """Send what is queued, as `Client.flush` does."""
        return await asyncio.to_thread(self._client.flush)


class AsyncCollection:
    """A `Collection` whose `answer` is awaited; everything else about it is that collection's."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._collection, name)

    async def answer(
        self, value: Value, *, labels: Mapping[str, str] | None = None, invitation: str | None = None
    ) -> Receipt:
        """Answer with a value, as `Collection.answer` does."""
        return await asyncio.to_thread(self._collection.answer, value, labels=labels, invitation=invitation)
