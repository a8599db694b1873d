"""The state of a running collector, and what it does by itself: counts of refusals, snapshots, forgetting."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Protocol

from ..core.errors import StoreFailed
from .catalogue import Catalogue, Served
from .http.bodies import Bodies
from .http.buckets import Bucket
from .logs import event, failure
from .metrics import Metrics
from .settings import Settings
from .store.protocol import Answer, Store, Upload
from .tallies import TAIL_REPORTS, count

BEAT = 1.0
"""The seconds between two rounds of what a collector does by itself."""

REPORTED = 60
"""The rounds between two lines of the log about traffic."""

FORGETTING = 600
"""The rounds between two looks for days that are to be forgotten."""


class Adds(Protocol):
    """What keeps uploads, many at a time."""

    async def add(self, upload: Upload) -> Answer:
        """What became of an upload, once it is durable."""
        ...


class Service:
    """Everything that endpoints share. Used in an ``async with`` statement, around all requests."""

    def __init__(self, settings: Settings, store: Store, writer: Adds) -> None:
        self.settings, self.store, self.writer = settings, store, writer
        self.catalogue = Catalogue(store, prefix=settings.prefix)
        self.bodies = Bodies(settings.body_bytes, settings.bodies_bytes)
        self.uploads = Bucket(settings.uploads_per_second, 2 * settings.uploads_per_second)
        self.wrong_tokens = Bucket(settings.wrong_tokens_per_second, 10 * settings.wrong_tokens_per_second)
        self.readers = asyncio.Semaphore(2)
        self.metrics = Metrics()
        self.waiting = 0
        self._forgotten = ""
        self._refused: Counter[tuple[str, str]] = Counter()
        self._grown: Counter[str] = Counter()
        self._reported: Counter[int] = Counter()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Service:
        await asyncio.to_thread(self.catalogue.refresh)
        self._task = asyncio.create_task(self._live())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        await asyncio.to_thread(self._keep_refusals)

    # -- what endpoints tell it -------------------------------------------------------------------
    def refused(self, collection: str, reason: str, number: int = 1) -> None:
        """Note that reports or requests were refused."""
        self._refused[collection, reason] += number
        self.metrics.refused[collection, reason] += number

    def accepted(self, collection: str, reports: int) -> None:
        """Note that reports were stored."""
        self._grown[collection] += reports
        self.metrics.accepted[collection] += reports

    async def find(self, name: str) -> Served | None:
        """The collection of this id, even if another process made it a moment ago."""
        found = self.catalogue.get(name)
        if found is None and self.catalogue.stale:
            await asyncio.to_thread(self.catalogue.refresh)
            found = self.catalogue.get(name)
        return found

    # -- what it does by itself -------------------------------------------------------------------
    async def _live(self) -> None:
        for round_ in range(1, 1 << 62):
            await asyncio.sleep(BEAT)
            try:
                await asyncio.to_thread(self._keep_refusals)
                await asyncio.to_thread(self._keep_snapshots)
                if round_ % REPORTED == 0:
                    self._report()
                if self.settings.forget_after and round_ % FORGETTING == 1:
                    await asyncio.to_thread(self.forget)
            except (StoreFailed, OSError) as problem:
                failure("the store failed; this is tried again", problem)

    def _keep_refusals(self) -> None:
        counts, self._refused = self._refused, Counter()
        if counts:
            try:
                self.store.refuse(counts)
            except BaseException:
                self._refused.update(counts)
                raise

    def _keep_snapshots(self) -> None:
        for name, grown in list(self._grown.items()):
            served = self.catalogue.get(name)
            if grown > TAIL_REPORTS and served is not None:
                count(self.store, name, served.mechanism)
                self._grown[name] -= grown

    def forget(self) -> int:
        """Delete the reports of days that are old enough, and say how many; once a day, since it copies the files."""
        before = (datetime.now(UTC).date() - timedelta(days=self.settings.forget_after)).isoformat()
        if before == self._forgotten:
            return 0
        gone = self.store.forget(before=before)
        self._forgotten = before
        if gone:
            event("reports were forgotten", before=before, reports=gone)
        return gone

    def _report(self) -> None:
        """One line of the log for all requests of the last minute."""
        now: Counter[int] = Counter()
        for (_, _, status), number in self.metrics.requests.items():
            now[status] += number
        news = {str(status): number for status, number in sorted((now - self._reported).items())}
        self._reported = now
        if news:
            event("requests of the last minute", statuses=news)
