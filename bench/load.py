"""Load for a server on this machine: many connections that each send the next request once the last was answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass
class Load:
    """What came back: how many answers of status 200, how many others, and the seconds that each took."""

    good: int = 0
    bad: int = 0
    seconds: float = 0.0
    times: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Good answers per second."""
        return self.good / self.seconds

    def quantile(self, share: float) -> float:
        """The time within which this share of the requests was answered."""
        return sorted(self.times)[min(int(share * len(self.times)), len(self.times) - 1)]


class _Sender(asyncio.Protocol):
    """One connection; an answer is whole when as much of it has come as its content-length says."""

    def __init__(
        self, requests: Iterator[bytes], load: Load, pause: Callable[[], float], done: asyncio.Future[None]
    ) -> None:
        self._requests, self._load, self._pause, self._done = requests, load, pause, done
        self._buffer, self._sent = b"", 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._later()

    def _later(self) -> None:
        wait = self._pause()
        if wait > 0:
            asyncio.get_running_loop().call_later(wait, self._next)
        else:
            self._next()

    def _next(self) -> None:
        request = next(self._requests, None)
        if request is None or self._done.done():
            self._transport.close()
            return
        self._sent = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        at = self._buffer.lower().find(b"content-length:", 0, head)
        size = int(self._buffer[at + 15 : self._buffer.find(b"\r\n", at)])
        if len(self._buffer) < head + 4 + size:
            return
        good = self._buffer.startswith(b"HTTP/1.1 200")
        self._load.good += good
        self._load.bad += not good
        self._load.times.append(time.perf_counter() - self._sent)
        self._buffer = self._buffer[head + 4 + size :]
        self._later()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._done.done():
            self._done.set_result(None)


async def load(port: int, requests: Iterator[bytes], *, connections: int, rate: float = 0.0) -> Load:
    """Send all requests over so many connections; `rate` spreads them over time, at so many per second."""
    found, loop = Load(), asyncio.get_running_loop()
    due = loop.time()

    def pause() -> float:
        nonlocal due
        if not rate:
            return 0.0
        due = max(due + 1 / rate, loop.time() - 1.0)
        return due - loop.time()

    started = time.perf_counter()
    ends: list[asyncio.Future[None]] = [loop.create_future() for _ in range(connections)]
    for end in ends:
        await loop.create_connection(lambda end=end: _Sender(requests, found, pause, end), "127.0.0.1", port)  # type: ignore[misc]
    await asyncio.gather(*ends)
    found.seconds = time.perf_counter() - started
    return found
