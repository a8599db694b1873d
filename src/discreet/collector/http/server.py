"""The server: starts a collector, listens, and at a signal stops after storing what was taken."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import uvicorn

from ..logs import log_event, set_up_logs
from ..service import Service
from ..settings import Settings
from ..store.opening import open_store
from ..store.protocol import Store
from ..store.writer import GroupCommitWriter
from ..tokens import first_tokens
from .app import App
from .connection import DeadlineProtocol, watch

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
    _return_large_blocks()
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
            for one in self.servers[0].sockets:
                _limit_buffers(one.fileno())
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


SOCKET_BUFFER_BYTES = 1 << 17
"""What the system may hold of a connection in each direction; by itself it lets this grow to megabytes."""


def _limit_buffers(listening: int) -> None:
    """Limit the buffers of all connections that a listening socket will accept."""
    with socket.socket(fileno=os.dup(listening)) as same:
        for buffer in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            same.setsockopt(socket.SOL_SOCKET, buffer, SOCKET_BUFFER_BYTES)


M_MMAP_THRESHOLD = -3
LARGE_BLOCK_BYTES = 1 << 16


def _return_large_blocks() -> None:
    """Let the C library give the memory of large bodies back to the system at once, where it can be told to.

    By itself glibc keeps blocks of up to 32 MiB once such a block was freed, and bodies that grow side by side leave
    holes in what it keeps.
    """
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES)


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
