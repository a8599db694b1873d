"""A collector from start to stop: its store and its tokens, the writer, the server, and all of them closed in order."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable

from .http.server import loop_factory, serve
from .logs import set_up
from .service import Service
from .settings import Settings
from .store.opening import open_store
from .store.protocol import Store
from .store.writer import Writer
from .tokens import first_tokens

Listening = Callable[[str, dict[str, str]], None]
"""Told the address once there is one, and the tokens that were made at this start."""


SWITCH = 0.0005
"""The seconds after which a thread that answers requests lets the one that stores them go on; usual are ten times that.

The thread that stores waits for the interpreter after each statement, and with it everybody whose upload it has."""


def run(settings: Settings, listening: Listening) -> None:
    """Serve until a signal comes; what was taken is stored before this returns."""
    set_up()
    store = open_store(settings.store, heads=settings.heads)
    gc.freeze()  # what is there by now stays, and need not be looked at again and again
    gc.set_threshold(10_000, 20, 50)
    sys.setswitchinterval(SWITCH)
    try:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(_run(settings, store, listening))
    finally:
        store.shut()


async def _run(settings: Settings, store: Store, listening: Listening) -> None:
    tokens = await asyncio.to_thread(first_tokens, store)
    writer = Writer(store)
    try:
        await serve(settings, Service(settings, store, writer), lambda address: listening(address, tokens))
    finally:
        await writer.stop()
