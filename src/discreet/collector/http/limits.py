"""Limits on what a process takes in: requests a second, bytes of bodies at once, and bytes of a commit."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from .response import HttpProblem, retry_later
from .upload_decoder import SMALL_BODY_BYTES, Body

Receive = Callable[[], Awaitable[Any]]


class ClientDisconnect(Exception):
    """The client went away before its request was complete."""


class RateLimiter:
    """A token bucket: lets `rate` requests pass per second and up to `burst` at once; a rate of 0 lets all pass.

    There is one for the whole process, because counting by address would mean keeping addresses.
    """

    def __init__(self, rate: float, burst: float, *, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._now = rate, max(burst, 1.0), now
        self._tokens, self._updated = self._burst, now()

    def take(self) -> bool:
        """True if one more request may pass now."""
        if not self._rate:
            return True
        now = self._now()
        self._tokens = min(self._burst, self._tokens + (now - self._updated) * self._rate)
        self._updated = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class TurnGate:
    """Lets large uploads be decoded and stored in turn: at most `max_bytes` at any time, or one that has more.

    What a body is decoded to may take more memory than the body. And a commit takes as long as what is in it: whoever
    comes meanwhile waits for it and for the next one. Small uploads do not wait here.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes, self._held_bytes = max_bytes, 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def turn(self, size: int) -> AsyncIterator[None]:
        """A block of code that waits for its turn."""
        await self._enter(size)
        try:
            yield
        finally:
            self._leave(size)

    async def _enter(self, size: int) -> None:
        if not self._waiting and self._has_room(size):
            self._held_bytes += size
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((size, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave(size)
            raise

    def _leave(self, size: int) -> None:
        self._held_bytes -= size
        while self._waiting and (self._waiting[0][1].cancelled() or self._has_room(self._waiting[0][0])):
            size, turn = self._waiting.popleft()
            if not turn.cancelled():
                self._held_bytes += size
                turn.set_result(None)

    def _has_room(self, size: int) -> bool:
        return not self._held_bytes or self._held_bytes + size <= self._max_bytes


class BodyReader:
    """Reads request bodies of at most `max_bytes` each, and of at most `max_total_bytes` at any time.

    A body counts from its first bytes until it is released, which is when its request was answered: decoded and waiting
    for the disk it takes as much memory as on its way. Small ones do not count: connections are limited in number.
    """

    def __init__(self, max_bytes: int, max_total_bytes: int) -> None:
        self._max_bytes, self._max_total_bytes, self._held_bytes = max_bytes, max_total_bytes, 0

    async def read(self, headers: Mapping[bytes, bytes], receive: Receive) -> Body:
        """The whole body, to be released; `HttpProblem` for one that is too large, or that there is no room for now."""
        announced = headers.get(b"content-length", b"0")
        if not announced.isdigit() or len(announced) > 15 or int(announced) > self._max_bytes:
            raise self._too_large()
        if int(announced) > SMALL_BODY_BYTES:
            self._check_room(int(announced))
        message = await receive()
        if message["type"] == "http.request" and not message.get("more_body", False):
            whole: bytes = message.get("body", b"")
            if len(whole) > self._max_bytes:
                raise self._too_large()
            if len(whole) > SMALL_BODY_BYTES:
                self._claim(len(whole))
            return whole
        return await self._gather(message, receive)

    def release(self, body: Body) -> None:
        """Let go of the room of a body."""
        if len(body) > SMALL_BODY_BYTES:
            self._held_bytes -= len(body)

    async def _gather(self, message: Any, receive: Receive) -> Body:
        body = bytearray()
        size = claimed = 0
        try:
            while True:
                if message["type"] != "http.request":
                    raise ClientDisconnect
                part: bytes = message.get("body", b"")
                more: bool = message.get("more_body", False)
                size += len(part)
                if SMALL_BODY_BYTES < size <= self._max_bytes:
                    self._claim(size - claimed)
                    claimed = size
                if size <= self._max_bytes:
                    body += part
                elif size > 2 * self._max_bytes or not more:
                    raise self._too_large()  # what is little beyond is read first, so that the answer is seen
                else:
                    body.clear()
                if not more:
                    return body
                message, part = None, b""  # so that a part is not held a second time while the next one is awaited
                message = await receive()
        except BaseException:
            self._held_bytes -= claimed
            raise

    def _claim(self, size: int) -> None:
        self._check_room(size)
        self._held_bytes += size

    def _check_room(self, size: int) -> None:
        if self._held_bytes + size > self._max_total_bytes:
            raise retry_later("busy", "too many large bodies are being received or stored at the moment")

    def _too_large(self) -> HttpProblem:
        return HttpProblem("too_large", f"a body must have at most {self._max_bytes} bytes", {"connection": "close"})
