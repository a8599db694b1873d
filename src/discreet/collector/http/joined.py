"""An answer's head and body in one write: the server below makes two, and each is a call of the system."""

from __future__ import annotations

import asyncio
from typing import Any

HEAD = b"HTTP/1.1 "
CONTINUE = b"HTTP/1.1 100"


class Joined:
    """A transport that holds back the head of an answer until its body comes, or it is flushed or closed."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport, self._held = transport, b""

    def write(self, data: bytes) -> None:
        """Send, or hold what begins an answer."""
        if not self._held and data.startswith(HEAD) and not data.startswith(CONTINUE):
            self._held = data
        elif self._held:
            data, self._held = self._held + data, b""
            self._transport.write(data)
        else:
            self._transport.write(data)

    def flush(self) -> None:
        """Send what is held."""
        if self._held:
            held, self._held = self._held, b""
            self._transport.write(held)

    def close(self) -> None:
        """Send what is held, and close."""
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
