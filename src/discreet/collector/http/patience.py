"""Slow clients: whoever takes too long to send a request, or to take the answer, is closed.

The server below waits for ever for headers, for bodies and for readers. Here every connection notes since when it
waits, and one look a second at all of them closes those that are late; no request pays for a timer of its own.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .joined import Joined
from .problems import CODES, MEDIA_TYPE, body

MOST_HEADERS = 32_768
"""The most bytes of a request before its body."""

LOOK = 1.0
"""The seconds between two looks at all connections."""


class PatientProtocol(HttpToolsProtocol):
    """HTTP/1.1 by httptools, with a note since when each request is on its way and how large its headers are."""

    most_connections = 10_000
    since: float | None = None
    """Since when a request is on its way; None while there is none, or it has arrived."""
    heads = 0
    """The bytes of headers that have come so far; 0 once they are whole."""
    stuck: tuple[int, float] | None = None
    """How much of the answers the client has not taken, and since when it is not less."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Note the time: the first headers are waited for from here on."""
        self._joined = Joined(transport)
        super().connection_made(self._joined)  # type: ignore[arg-type]
        self.since, self.heads = time.monotonic(), 1
        if len(self.connections) > self.most_connections:
            self.refuse("busy", "there are too many connections")

    def data_received(self, data: bytes) -> None:
        """Take what came, unless there are more headers than any client needs."""
        if self.since is None and (self.cycle is None or self.cycle.response_complete or not self.cycle.more_body):
            self.since, self.heads = time.monotonic(), 1
        if self.heads:
            self.heads += len(data)
        super().data_received(data)
        if self.heads > MOST_HEADERS:
            self.refuse("headers_too_large", f"the headers must have at most {MOST_HEADERS} bytes")

    def on_headers_complete(self) -> None:
        """The headers are whole."""
        self.heads = 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request has arrived."""
        self.since = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The answer is whole, were it a head alone."""
        self._joined.flush()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        self.refuse("header", "this is not a request of HTTP/1.1")

    def refuse(self, code: str, detail: str) -> None:
        """Answer with a problem, if no answer has begun, and close."""
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(answer(code, detail))
        self.transport.close()

    def look(self, now: float, seconds: float) -> None:
        """Close the connection if it keeps us waiting for more than so many seconds."""
        if self.since is not None and now - self.since > seconds:
            self.refuse("slow", f"a request must arrive within {seconds:g} seconds")
            self.since = None
        left = self.transport.get_write_buffer_size()
        if not left or self.stuck is None or left < self.stuck[0]:
            self.stuck = (left, now) if left else None
        elif now - self.stuck[1] > seconds:
            self.transport.abort()


def answer(code: str, detail: str) -> bytes:
    """A whole answer as it goes over the line."""
    content = body(code, detail)
    status, title = CODES[code]
    retry = "retry-after: 1\r\n" if status == 503 else ""
    head = (
        f"HTTP/1.1 {status} {title}\r\ncontent-type: {MEDIA_TYPE}\r\ncontent-length: {len(content)}\r\n"
        f"cache-control: no-store\r\nx-content-type-options: nosniff\r\n{retry}connection: close\r\n\r\n"
    )
    return head.encode() + content


async def watch(connections: Iterable[Any], seconds: float) -> None:
    """Look at all connections, again and again, and close the slow ones."""
    while True:
        await asyncio.sleep(LOOK)
        now = time.monotonic()
        for connection in list(connections):
            if isinstance(connection, PatientProtocol):
                connection.look(now, seconds)
