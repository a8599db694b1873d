"""The server: starts a collector, listens, and at a signal stops after storing what was taken.

A client that is slow to send a request, or to read the response, is disconnected. uvicorn waits for ever for headers,
for bodies and for readers. Here every connection notes since when it waits, and one look a second at all of them closes
those that are late; no request pays for a timer of its own.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..catalogue import first_tokens
from ..logs import log_event, set_up_logs
from ..service import Service
from ..settings import Settings
from ..store.opening import open_store
from ..store.protocol import Store
from ..store.writer import GroupCommitWriter
from .app import App
from .response import CHUNK_BYTES, CODES, MEDIA_TYPE, problem_body

MAX_HEADER_BYTES = 32_768
"""The most bytes of a request before its body."""

MIN_READ_BYTES = 1 << 16
"""The least that a client must take of a response in the time that a request may take, unless it takes all."""

WATCH_SECONDS = 1.0
"""The time between two looks at all connections."""


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
    since: float | None = None
    """Since when a request is on its way; None while there is none, or it has arrived."""
    header_bytes = 0
    """The bytes of headers that have come so far; 0 once they are whole."""
    taken: tuple[int, float] | None = None
    """How many bytes of responses the client had taken, and when; None while it has taken all."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Note the time: the first headers are waited for from here on."""
        transport.set_write_buffer_limits(high=CHUNK_BYTES)
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
        self.header_bytes = 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self.since = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The response is whole, even if it is a head alone."""
        self._coalescing.flush()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
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


KEEP_ALIVE_SECONDS = 20
"""How long a connection without a request stays open."""

SWITCH_SECONDS = 0.0005
"""How long the thread that answers requests may keep the thread that stores them waiting; Python's default is 0.005.

The storing thread waits for the interpreter after each statement, and with it everybody whose upload it has."""

Listening = Callable[[str, dict[str, str]], None]
"""Called with the address once there is one, and with the tokens that were made at this start."""


def run(settings: Settings, listening: Listening) -> None:
    """Run a collector until a signal comes; what was taken is stored before this returns."""
    set_up_logs()
    store = open_store(settings.store, checkpoints=settings.heads)
    gc.freeze()  # what is there by now stays, and need not be looked at again and again
    gc.set_threshold(10_000, 20, 50)
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(_run(settings, store, listening))
    finally:
        store.shut()


class CollectorServer(uvicorn.Server):
    """A uvicorn server that says when it listens and stops at a signal without ending the process."""

    def __init__(self, config: uvicorn.Config, listening: Callable[[str], None]) -> None:
        super().__init__(config)
        self._listening = listening

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.started:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            self._listening(f"http://{f'[{host}]' if ':' in host else host}:{port}")

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at SIGINT and SIGTERM; the first one waits for what is under way, the second does not."""
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError, RuntimeError, ValueError):  # not on Windows, not in other threads
            for one in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(one, self.handle_exit, one, None)
        yield


async def _run(settings: Settings, store: Store, listening: Listening) -> None:
    """Answer requests until a signal comes, and store what was taken."""
    _raise_file_limit()
    tokens = await asyncio.to_thread(first_tokens, store)
    writer = GroupCommitWriter(store)
    service = Service(settings, store, writer)
    config = uvicorn.Config(
        App(service),
        host=settings.host,
        port=settings.port,
        http=type("Protocol", (DeadlineProtocol,), {"max_connections": settings.connections}),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=settings.stop_seconds,
        backlog=4096,
    )
    server = CollectorServer(config, lambda address: listening(address, tokens))
    try:
        async with service:
            watching = asyncio.create_task(watch(server.server_state.connections, settings.seconds))
            log_event("the collector starts")
            try:
                await server.serve()
            finally:
                watching.cancel()
                log_event("the collector stops")
    finally:
        await writer.stop()


def _raise_file_limit() -> None:
    """Let the process open as many connections as the system grants."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop's event loop where it is installed; None for the usual one."""
    try:
        import uvloop
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory
