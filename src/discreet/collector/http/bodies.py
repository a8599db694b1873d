"""Bodies: read to their end within a limit, and never more of them at once than memory was set aside for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import ClientDisconnect

from .problems import Problem, later

Receive = Callable[[], Awaitable[Any]]

SMALL = 65_536
"""A body up to this size is not counted: connections are limited in number."""


class Bodies:
    """Reads bodies of at most `most` bytes each, and of `together` bytes at any time."""

    def __init__(self, most: int, together: int) -> None:
        self._most, self._together, self._held = most, together, 0

    async def read(self, headers: Mapping[bytes, bytes], receive: Receive) -> bytes:
        """The whole body; `Problem` for one that is too large, or that there is no room for now."""
        announced = headers.get(b"content-length", b"0")
        if not announced.isdigit() or len(announced) > 15 or int(announced) > self._most:
            raise self._too_large()
        message = await receive()
        if message["type"] == "http.request" and not message.get("more_body", False):
            whole: bytes = message.get("body", b"")
            if len(whole) > self._most:
                raise self._too_large()
            return whole
        return await self._gather(message, receive)

    async def _gather(self, message: Any, receive: Receive) -> bytes:
        parts: list[bytes] = []
        size = counted = 0
        try:
            while True:
                if message["type"] != "http.request":
                    raise ClientDisconnect
                part: bytes = message.get("body", b"")
                size += len(part)
                if size <= self._most:
                    parts.append(part)
                elif size > 2 * self._most or not message.get("more_body", False):
                    raise self._too_large()  # what is little beyond is read first, so that the answer is seen
                else:
                    parts.clear()
                if min(size, self._most) > max(SMALL, counted):
                    self._held += min(size, self._most) - counted
                    counted = min(size, self._most)
                    if self._held > self._together:
                        raise later("busy", "too many large bodies are on their way at the moment")
                if not message.get("more_body", False):
                    return b"".join(parts)
                message = await receive()
        finally:
            self._held -= counted

    def _too_large(self) -> Problem:
        return Problem("too_large", f"a body must have at most {self._most} bytes", {"connection": "close"})


def once(pairs: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by name; `Problem` if one that matters here comes twice."""
    found: dict[bytes, bytes] = {}
    for name, text in pairs:
        if name in found and name in SINGLE:
            raise Problem("header", f"the header {name.decode()} must come once")
        found[name] = text
    return found


SINGLE = frozenset(
    (b"authorization", b"content-length", b"content-type", b"content-encoding", b"idempotency-key", b"invitation")
)


def media_type(headers: Mapping[bytes, bytes], known: tuple[str, ...]) -> str:
    """What a body is said to be; `Problem` unless it is one of the known types, as it is."""
    written = headers.get(b"content-type", b"").decode("latin-1")
    if written in known and b"content-encoding" not in headers:
        return written
    said, _, parameters = written.partition(";")
    found = said.strip().lower()
    utf8 = parameters.strip().lower().replace('"', "") in ("", "charset=utf-8")
    if found not in known or not utf8 or b"content-encoding" in headers:
        raise Problem("media_type", f"content-type must be {' or '.join(known)}, without content-encoding")
    return found
