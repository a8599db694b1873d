"""Group commit: one thread stores the uploads of all senders, and those that wait share a commit.

A commit costs a few syncs of the disk, however much is in it. While one is under way, the next uploads gather; so a
lone upload waits for nobody, and a thousand at once share a commit.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from threading import Condition, Thread

from ...core.errors import InvalidInput, StoreFailed, StoreFull
from .protocol import Store, UploadRecord, UploadResult

MAX_UPLOADS = 1000
MAX_BYTES = 1 << 22
"""A commit takes at most so many uploads and bytes of reports, or one upload."""

Result = UploadResult | BaseException
Pending = tuple[UploadRecord, asyncio.AbstractEventLoop, "asyncio.Future[UploadResult]"]


class GroupCommitWriter:
    """Stores uploads of a running event loop; `add` returns once they are durable.

    An upload that was taken is stored even if its sender does not wait for the answer.
    """

    def __init__(self, store: Store, *, max_uploads: int = MAX_UPLOADS, max_bytes: int = MAX_BYTES) -> None:
        self._store, self._max_uploads, self._max_bytes = store, max_uploads, max_bytes
        self._queue: deque[Pending] = deque()
        self._changed = Condition()
        self._stopping = False
        self._thread = Thread(target=self._run, name="store writer", daemon=True)
        self._thread.start()

    async def add(self, upload: UploadRecord) -> UploadResult:
        """The result of an upload, once it is durable.

        `StoreFull` and `StoreFailed` say that it was not acknowledged: the same upload may come again.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[UploadResult] = loop.create_future()
        with self._changed:
            if self._stopping:
                raise StoreFailed("the writer is stopping, and takes no more uploads")
            self._queue.append((upload, loop, future))
            if len(self._queue) == 1:  # else the thread is at work, or was told already
                self._changed.notify()
        return await future

    async def stop(self) -> None:
        """Take no more uploads, store those that were taken, and end."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    def _run(self) -> None:
        while group := self._gather():
            results = self._store_group([upload for upload, _, _ in group])
            deliveries: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[UploadResult], Result]]] = {}
            for (_, loop, future), result in zip(group, results, strict=True):
                deliveries.setdefault(loop, []).append((future, result))
            for loop, answers in deliveries.items():
                if not loop.is_closed():
                    loop.call_soon_threadsafe(_deliver, answers)

    def _gather(self) -> list[Pending]:
        """The uploads of the next commit; none once the writer is stopping and nothing waits."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._stopping)
            group: list[Pending] = []
            size = 0
            while self._queue and len(group) < self._max_uploads:
                more = len(self._queue[0][0].reports)
                if group and size + more > self._max_bytes:
                    break
                group.append(self._queue.popleft())
                size += more
            return group

    def _store_group(self, uploads: Sequence[UploadRecord]) -> list[Result]:
        """The result of each; one that cannot be stored does not take the others with it."""
        try:
            return list(self._store.add(uploads))
        except (InvalidInput, StoreFull) as problem:
            return [problem] if len(uploads) == 1 else [self._store_group([upload])[0] for upload in uploads]
        except Exception as problem:
            return [problem for _ in uploads]


def _deliver(answers: Sequence[tuple[asyncio.Future[UploadResult], Result]]) -> None:
    for future, result in answers:
        if not future.done():
            give: Callable[..., None] = future.set_exception if isinstance(result, BaseException) else future.set_result
            give(result)
