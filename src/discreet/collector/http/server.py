"""The server: an event loop, signals, and a stop that first commits what was acknowledged."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import uvicorn

from ..logs import event
from ..service import Service
from ..settings import Settings
from .app import App
from .patience import PatientProtocol, watch

KEEP_ALIVE = 20
"""The seconds that a connection without a request stays open."""


class Server(uvicorn.Server):
    """The server below, which says when it listens and stops at a signal without ending the process."""

    def __init__(self, config: uvicorn.Config, listening: Callable[[str], None]) -> None:
        super().__init__(config)
        self._listening = listening

    async def startup(self, sockets: Any = None) -> None:
        """Listen, and say where."""
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


async def serve(settings: Settings, service: Service, listening: Callable[[str], None]) -> None:
    """Answer requests until a signal comes."""
    raise_file_limit()
    protocol = type("Protocol", (PatientProtocol,), {"most_connections": settings.connections})
    config = uvicorn.Config(
        App(service),
        host=settings.host,
        port=settings.port,
        http=protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=settings.stop_seconds,
        backlog=4096,
    )
    server = Server(config, listening)
    async with service:
        watching = asyncio.create_task(watch(server.server_state.connections, settings.seconds))
        event("the collector starts")
        try:
            await server.serve()
        finally:
            watching.cancel()
            event("the collector stops")


def raise_file_limit() -> None:
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
    found: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return found
