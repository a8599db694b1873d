"""Connections: HTTP/1.1 by httptools, with limits on what a client sends before its body, and on how slowly.

A client that is slow to send a request, or to read the response, is disconnected. uvicorn waits for ever for headers,
for bodies and for readers. Here every connection notes since when it waits, and one look a second at all of them closes
those that are late; no request pays for a timer of its own.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .response import CHUNK_BYTES, CODES, MEDIA_TYPE, problem_body
from .upload_decoder import SMALL_BODY_BYTES

MAX_TARGET_BYTES = 8_192
MAX_HEADERS = 100
MAX_HEADER_BYTES = 32_768
"""The most bytes of an address with its parameters, the most headers, and the most bytes of both before a body."""

MAX_PIPELINED = 4
"""The most requests of a connection that wait for an earlier one to be answered."""

LINGER_SECONDS = 1.0
"""How long a connection stays open after an answer that came before a large body was read."""

MAX_ARRIVING_BYTES = 1 << 22
"""The most bytes of bodies that are read from all connections before the application takes them."""

MIN_READ_BYTES = 1 << 16
"""The least that a client must take of a response in the time that a request may take, unless it takes all."""

WATCH_SECONDS = 1.0
"""The time between two looks at all connections."""


HEADERS_TOO_LARGE = f"a request must have at most {MAX_HEADERS} headers, and {MAX_HEADER_BYTES} bytes before its body"


class CoalescingTransport:
    """A transport that sends the head and the body of a response in one system call instead of two.

    It holds back the head until the body comes, or it is flushed or closed.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport, self._head, self.written = transport, b"", 0

    def write(self, data: bytes) -> None:
        """Send, or hold back what begins a response."""
        if self._head:
            data, self._head = self._head + data, b""
        elif data.startswith(b"HTTP/1.1 ") and not data.startswith(b"HTTP/1.1 100"):
            self._head = data
            return
        self.written += len(data)
        self._transport.write(data)

    def flush(self) -> None:
        """Send what is held back."""
        if self._head:
            head, self._head = self._head, b""
            self.written += len(head)
            self._transport.write(head)

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class DeadlineProtocol(HttpToolsProtocol):
    """HTTP/1.1 by httptools that notes since when each request is on its way, and how large its headers are."""

    max_connections = 10_000
    arriving_bytes = 0
    """The bytes of bodies that came in this round of the event loop, over all connections of a server."""
    since: float | None = None
    """Since when a request is on its way; None while there is none, or it has arrived."""
    in_head = True
    """True until the headers of a request are whole; what looks like headers after that are trailers."""
    head_bytes = 0
    """The bytes of the address and headers of a request."""
    unused_bytes = 0
    """The bytes that came since headers were whole or a part of a body came: headers, trailers, sizes of chunks."""
    taken: tuple[int, float] | None = None
    """How many bytes of responses the client had taken, and when; None while it has taken all."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Note the time: the first headers are waited for from here on."""
        transport.set_write_buffer_limits(high=CHUNK_BYTES)
        self._coalescing = CoalescingTransport(transport)
        super().connection_made(self._coalescing)  # type: ignore[arg-type]
        self.since = time.monotonic()
        if len(self.connections) > self.max_connections:
            self.refuse("busy", "there are too many connections")

    def data_received(self, data: bytes) -> None:
        """Take what came; uvicorn's own form writes a line to the log for requests that it cannot read."""
        if self.transport.is_closing():
            return
        if self.since is None and (self.cycle is None or self.cycle.response_complete or not self.cycle.more_body):
            self.since = time.monotonic()
        self._unset_keepalive_if_required()
        self.unused_bytes += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:  # no other protocol is spoken: the request is answered, and no more are
            self.cycle.keep_alive = False
        except httptools.HttpParserError:
            self.refuse("header", "this is not a request of HTTP/1.1")
        if self.unused_bytes > MAX_HEADER_BYTES:
            self.refuse("headers_too_large", HEADERS_TOO_LARGE)

    def on_message_begin(self) -> None:
        self.in_head, self.head_bytes = True, 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self.head_bytes += len(url)
        if self.head_bytes > MAX_TARGET_BYTES:
            self._stop("address_too_long", f"the address must have at most {MAX_TARGET_BYTES} bytes")
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header; one that comes after the body is none, and is dropped."""
        if not self.in_head:
            return
        self.head_bytes += len(name) + len(value) + 4
        if self.head_bytes > MAX_HEADER_BYTES or len(self.headers) >= MAX_HEADERS:
            self._stop("headers_too_large", HEADERS_TOO_LARGE)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if len(self.pipeline) >= MAX_PIPELINED:
            self._stop("busy", f"at most {MAX_PIPELINED} requests of a connection may wait")
        self.in_head, self.unused_bytes = False, 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Add to a body, unless more is waiting to be taken than there is room for."""
        self.unused_bytes = 0
        if len(body) > SMALL_BODY_BYTES and not self.cycle.response_complete:
            kind = type(self)
            if not kind.arriving_bytes:
                self.loop.call_soon(setattr, kind, "arriving_bytes", 0)
            kind.arriving_bytes += len(body)
            if self.pipeline or kind.arriving_bytes > MAX_ARRIVING_BYTES:
                self._stop("busy", "too many large bodies come at the moment")
        super().on_body(body)

    def on_message_complete(self) -> None:
        self.since, self.unused_bytes = None, 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The response is whole, even if it is a head alone."""
        self._coalescing.flush()
        if self.cycle.response_complete:
            self.cycle.body = bytearray()  # what came of a body that nobody asked for
        super().on_response_complete()
        if self.cycle.response_complete and self.cycle.more_body and self._announces_much():
            self.flow.pause_reading()  # the rest is not read only to be dropped; the client has time to see the answer
            self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def _announces_much(self) -> bool:
        """True if the body of the request may have more than is worth reading without need."""
        size = dict(self.headers).get(b"content-length", b"")
        return not size.isdigit() or len(size) > 15 or int(size) > MAX_HEADER_BYTES

    def _stop(self, code: str, detail: str) -> None:
        """Refuse a request that is being read, and read no more."""
        self.refuse(code, detail)
        raise httptools.HttpParserError

    def refuse(self, code: str, detail: str) -> None:
        """Answer with a problem, if it can only be understood as the answer to this request, and close."""
        if self.transport.is_closing():
            return
        idle = self.cycle is None or self.cycle.response_complete
        if idle or not (self.in_head or self.pipeline or self.cycle.response_started):
            self.transport.write(raw_problem(code, detail))
        self.transport.close()

    def check_deadline(self, now: float, seconds: float) -> None:
        """Close the connection if the client keeps it waiting for more than so many seconds."""
        if self.since is not None and now - self.since > seconds:
            self.refuse("slow", f"a request must arrive within {seconds:g} seconds")
            self.since = None
        left = self.transport.get_write_buffer_size()
        taken = self._coalescing.written - left
        if not left:
            self.taken = None
        elif self.taken is None or taken - self.taken[0] >= MIN_READ_BYTES:
            self.taken = taken, now
        elif now - self.taken[1] > seconds:
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
