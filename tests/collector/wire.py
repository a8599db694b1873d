"""A connection to the service without a socket: what is read at once is what a test says."""

from __future__ import annotations

import asyncio
import re

import uvicorn
from uvicorn.server import ServerState

from discreet.collector.http.connection import DeadlineProtocol


class Line(asyncio.Transport):
    """A transport that notes what is written."""

    def __init__(self):
        super().__init__()
        self.sent, self.closed, self.paused = b"", False, False

    def write(self, data):
        self.sent += b"" if self.closed else data

    def close(self):
        self.closed = True

    def is_closing(self):
        return self.closed

    def set_write_buffer_limits(self, high=None, low=None):
        pass

    def pause_reading(self):
        self.paused = True

    def resume_reading(self):
        self.paused = False


class Wire:
    """A connection of a service, which is used inside its event loop."""

    def __init__(self, app, kind=DeadlineProtocol):
        config = uvicorn.Config(app, http=kind, ws="none", lifespan="off", log_config=None, access_log=False)
        config.load()
        self.protocol = kind(config=config, server_state=ServerState(), app_state={})
        self.line = Line()
        self.protocol.connection_made(self.line)

    def read(self, data):
        """Let the protocol have bytes, if it still listens, as one read."""
        if not self.line.closed:
            self.protocol.data_received(data)

    async def settle(self):
        """Wait until every request is answered, or waits for more."""
        for _ in range(200):
            await asyncio.sleep(0.001 if self.protocol.tasks else 0)
            if not self.protocol.tasks:
                return

    async def end(self):
        """Close the connection, and let what waits for it go."""
        self.protocol.connection_lost(None)
        if (timer := self.protocol.timeout_keep_alive_task) is not None:
            timer.cancel()
        await asyncio.gather(*self.protocol.tasks)

    @property
    def statuses(self):
        return [int(status) for status in re.findall(rb"HTTP/1.1 ([0-9]{3}) ", self.line.sent)]


def talk(service, *reads):
    """The statuses of all answers to bytes that come in these reads, and whether the connection was closed."""

    async def run():
        wire = Wire(service.app)
        for data in reads:
            wire.read(data)
            await asyncio.sleep(0)
        await wire.settle()
        found = wire.statuses, wire.line.closed
        await wire.end()
        return found

    return service.run(run())
