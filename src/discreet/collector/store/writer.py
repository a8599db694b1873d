"""One thread that stores what many senders wait for: whatever waits goes into one commit.

A commit costs a few syncs of the disk, however much is in it. While one is under way, the next uploads gather; so a
lone upload waits for nobody, and a thousand at once share a commit.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from threading import Condition, Thread

from ...core.errors import InvalidInput, StoreFailed, StoreFull
from .protocol import Answer, Store, Upload

MOST_UPLOADS = 1000
MOST_BYTES = 1 << 25
"""A commit takes at most so many uploads and bytes of reports, or one upload."""

Result = Answer | BaseException
Waiting = tuple[Upload, asyncio.AbstractEventLoop, "asyncio.Future[Answer]"]


class Writer:
    """Stores uploads of a running event loop; `add` returns once they are durable.

    An upload that was taken is stored even if its sender does not wait for the answer.
    """

    def __init__(self, store: Store, *, most_uploads: int = MOST_UPLOADS, most_bytes: int = MOST_BYTES) -> None:
        self._store, self._most_uploads, self._most_bytes = store, most_uploads, most_bytes
        self._queue: deque[Waiting] = deque()
        self._bytes = 0
        self._changed = Condition()
        self._stopping = False
        self._thread = Thread(target=self._run, name="store writer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> tuple[int, int]:
        """How many uploads wait that no commit has taken yet, and how many bytes of reports they have."""
        with self._changed:
            return len(self._queue), self._bytes

    async def add(self, upload: Upload) -> Answer:
        """What became of an upload, once that is durable.

        `StoreFull` and `StoreFailed` say that it was not acknowledged: the same upload may come again.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        with self._changed:
            if self._stopping:
                raise StoreFailed("the writer is stopping, and takes no more uploads")
            self._queue.append((upload, loop, future))
            self._bytes += len(upload.reports)
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
            results = self._stored([upload for upload, _, _ in group])
            deliveries: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Answer], Result]]] = {}
            for (_, loop, future), result in zip(group, results, strict=True):
                deliveries.setdefault(loop, []).append((future, result))
            for loop, answers in deliveries.items():
                if not loop.is_closed():
                    loop.call_soon_threadsafe(_deliver, answers)

    def _gather(self) -> list[Waiting]:
        """What waits, up to the size of a commit; nothing once the writer is stopping and nothing waits."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._stopping)
            group: list[Waiting] = []
            size = 0
            while self._queue and len(group) < self._most_uploads:
                more = len(self._queue[0][0].reports)
                if group and size + more > self._most_bytes:
                    break
                group.append(self._queue.popleft())
                size += more
            self._bytes -= size
            return group

    def _stored(self, uploads: Sequence[Upload]) -> list[Result]:
        """What became of each; one that cannot be stored, or has no room, does not take the others with it."""
        try:
            return list(self._store.add(uploads))
        except (InvalidInput, StoreFull) as problem:
            return [problem] if len(uploads) == 1 else [self._alone(upload) for upload in uploads]
        except Exception as problem:
            return [problem for _ in uploads]

    def _alone(self, upload: Upload) -> Result:
        return self._stored([upload])[0]


def _deliver(answers: Sequence[tuple[asyncio.Future[Answer], Result]]) -> None:
    for future, result in answers:
        if not future.done():
            give: Callable[..., None] = future.set_exception if isinstance(result, BaseException) else future.set_result
            give(result)
