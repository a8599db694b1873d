"""The state of a running collector, and its background work: counts of refusals, snapshots, forgetting."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Protocol

from ..core.errors import StoreFailed
from .catalogue import Catalogue, ServedCollection
from .http.limits import BodyReader, RateLimiter
from .logs import log_event, log_failure
from .metrics import Metrics
from .settings import Settings
from .store.protocol import Store, UploadRecord, UploadResult
from .store.tallies import TAIL_REPORTS, count_reports

TICK_SECONDS = 1.0
"""The time between two rounds of background work."""

LOG_TICKS = 60
"""The rounds between two lines of the log about traffic."""

FORGET_TICKS = 600
"""The rounds between two looks for days that are to be forgotten."""


class UploadWriter(Protocol):
    """Stores uploads, many at a time."""

    async def add(self, upload: UploadRecord) -> UploadResult:
        """What became of an upload, once it is durable."""
        ...


class Service:
    """Everything that endpoints share. Used in an ``async with`` statement, around all requests."""

    def __init__(self, settings: Settings, store: Store, writer: UploadWriter) -> None:
        self.settings, self.store, self.writer = settings, store, writer
        self.catalogue = Catalogue(store, prefix=settings.prefix)
        self.bodies = BodyReader(settings.body_bytes, settings.bodies_bytes)
        self.uploads = RateLimiter(settings.uploads_per_second, 2 * settings.uploads_per_second)
        self.wrong_tokens = RateLimiter(settings.wrong_tokens_per_second, 10 * settings.wrong_tokens_per_second)
        self.readers = asyncio.Semaphore(2)
        self.metrics = Metrics()
        self.waiting_uploads = 0
        self._forgotten_before = ""
        self._new_refusals: Counter[tuple[str, str]] = Counter()
        self._new_reports: Counter[str] = Counter()
        self._logged_requests: Counter[int] = Counter()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Service:
        await asyncio.to_thread(self.catalogue.refresh)
        self._task = asyncio.create_task(self._work())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        await asyncio.to_thread(self._keep_refusals)

    # -- called by endpoints ----------------------------------------------------------------------
    def count_refused(self, collection: str, reason: str, number: int = 1) -> None:
        """Note that reports or requests were refused."""
        self._new_refusals[collection, reason] += number
        self.metrics.refused[collection, reason] += number

    def count_accepted(self, collection: str, reports: int) -> None:
        """Note that reports were stored."""
        self._new_reports[collection] += reports
        self.metrics.accepted[collection] += reports

    async def find(self, name: str) -> ServedCollection | None:
        """The collection of this id, even if another process made it a moment ago."""
        served = self.catalogue.get(name)
        if served is None and self.catalogue.is_stale:
            await asyncio.to_thread(self.catalogue.refresh)
            served = self.catalogue.get(name)
        return served

    # -- background work -------------------------------------------------------------------------
    async def _work(self) -> None:
        for tick in range(1, 1 << 62):
            await asyncio.sleep(TICK_SECONDS)
            try:
                await asyncio.to_thread(self._keep_refusals)
                await asyncio.to_thread(self._keep_snapshots)
                if tick % LOG_TICKS == 0:
                    self._log_requests()
                if self.settings.forget_after and tick % FORGET_TICKS == 1:
                    await asyncio.to_thread(self.forget)
            except (StoreFailed, OSError) as problem:
                log_failure("the store failed; this is tried again", problem)

    def _keep_refusals(self) -> None:
        counts, self._new_refusals = self._new_refusals, Counter()
        if counts:
            try:
                self.store.refuse(counts)
            except BaseException:
                self._new_refusals.update(counts)
                raise

    def _keep_snapshots(self) -> None:
        for name, reports in list(self._new_reports.items()):
            served = self.catalogue.get(name)
            if reports > TAIL_REPORTS and served is not None:
                count_reports(self.store, name, served.mechanism)
                self._new_reports[name] -= reports

    def forget(self) -> int:
        """Delete the reports of days that are old enough, and say how many; once a day, since it copies the files."""
        before = (datetime.now(UTC).date() - timedelta(days=self.settings.forget_after)).isoformat()
        if before == self._forgotten_before:
            return 0
        count = self.store.forget(before=before)
        self._forgotten_before = before
        if count:
            log_event("reports were forgotten", before=before, reports=count)
        return count

    def _log_requests(self) -> None:
        """One line of the log for all requests of the last minute."""
        now: Counter[int] = Counter()
        for (_, _, status), number in self.metrics.requests.items():
            now[status] += number
        news = {str(status): number for status, number in sorted((now - self._logged_requests).items())}
        self._logged_requests = now
        if news:
            log_event("requests of the last minute", statuses=news)
