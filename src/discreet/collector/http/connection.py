"""Connections with deadlines: a client that is slow to send a request, or to read the response, is disconnected.

uvicorn waits for ever for headers, for bodies and for readers. Here every connection notes since when it waits, and
one look a second at all of them closes those that are late; no request pays for a timer of its own.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .problems import CODES, MEDIA_TYPE, problem_body

MAX_HEADER_BYTES = 32_768
"""The most bytes of a request before its body."""

WATCH_SECONDS = 1.0
"""The time between two looks at all connections."""


class CoalescingTransport:
    """A transport that sends the head and the body of a response in one system call instead of two.

    It holds back the head until the body comes, or it is flushed or closed.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport, self._head = transport, b""

    def write(self, data: bytes) -> None:
        """Send, or hold back what begins a response."""
        if self._head:
            data, self._head = self._head + data, b""
        elif data.startswith(b"HTTP/1.1 ") and not data.startswith(b"HTTP/1.1 100"):
            self._head = data
            return
        self._transport.write(data)

    def flush(self) -> None:
        """Send what is held back."""
        if self._head:
            head, self._head = self._head, b""
            self._transport.write(head)

    def close(self) -> None:
        """Send what is held back, and close."""
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class DeadlineProtocol(HttpToolsProtocol):
    """HTTP/1.1 by httptools that notes since when each request is on its way, and how large its headers are."""

    max_connections = 10_000
    since: float | None = None
    """Since when a request is on its way; None while there is none, or it has arrived."""
    header_bytes = 0
    """The bytes of headers that have come so far; 0 once they are whole."""
    unread: tuple[int, float] | None = None
    """How many bytes of the responses the client has not read, and since when it is not less."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Note the time: the first headers are waited for from here on."""
        self._coalescing = CoalescingTransport(transport)
        super().connection_made(self._coalescing)  # type: ignore[arg-type]
        self.since, self.header_bytes = time.monotonic(), 1
        if len(self.connections) > self.max_connections:
            self.refuse("busy", "there are too many connections")

    def data_received(self, data: bytes) -> None:
        """Take what came, unless there are more headers than any client needs."""
        if self.since is None and (self.cycle is None or self.cycle.response_complete or not self.cycle.more_body):
            self.since, self.header_bytes = time.monotonic(), 1
        if self.header_bytes:
            self.header_bytes += len(data)
        super().data_received(data)
        if self.header_bytes > MAX_HEADER_BYTES:
            self.refuse("headers_too_large", f"the headers must have at most {MAX_HEADER_BYTES} bytes")

    def on_headers_complete(self) -> None:
        """The headers are whole."""
        self.header_bytes = 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request has arrived."""
        self.since = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The response is whole, even if it is a head alone."""
        self._coalescing.flush()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP."""
        self.refuse("header", "this is not a request of HTTP/1.1")

    def refuse(self, code: str, detail: str) -> None:
        """Answer with a problem, if no response has begun, and close."""
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(raw_problem(code, detail))
        self.transport.close()

    def check_deadline(self, now: float, seconds: float) -> None:
        """Close the connection if the client keeps it waiting for more than so many seconds."""
        if self.since is not None and now - self.since > seconds:
            self.refuse("slow", f"a request must arrive within {seconds:g} seconds")
            self.since = None
        left = self.transport.get_write_buffer_size()
        if not left or self.unread is None or left < self.unread[0]:
            self.unread = (left, now) if left else None
        elif now - self.unread[1] > seconds:
            self.transport.abort()


def raw_problem(code: str, detail: str) -> bytes:
    """A whole response with a problem, as it goes over the line."""
    content = problem_body(code, detail)
    status, title = CODES[code]
    retry = "retry-after: 1\r\n" if status == 503 else ""
    head = (
        f"HTTP/1.1 {status} {title}\r\ncontent-type: {MEDIA_TYPE}\r\ncontent-length: {len(content)}\r\n"
        f"cache-control: no-store\r\nx-content-type-options: nosniff\r\n{retry}connection: close\r\n\r\n"
    )
    return head.encode() + content


async def watch(connections: Iterable[Any], seconds: float) -> None:
    """Look at all connections again and again, and close the slow ones."""
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        now = time.monotonic()
        for connection in list(connections):
            if isinstance(connection, DeadlineProtocol):
                connection.check_deadline(now, seconds)
