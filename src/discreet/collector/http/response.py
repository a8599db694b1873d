"""Responses as ASGI sends them: bytes, JSON, or a temporary file in chunks."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

Send = Callable[[Any], Awaitable[None]]

JSON = "application/json"
CHUNK_BYTES = 1 << 18


class HttpResponse:
    """A response of a few bytes: its status, its headers in the order in which they are sent, and its body."""

    def __init__(
        self,
        body: bytes = b"",
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        media_type: str | None = None,
    ) -> None:
        self.body, self.status = body, status
        self.headers = [] if status in (204, 304) else [(b"content-length", b"%d" % len(body))]
        if media_type is not None:
            self.headers.append((b"content-type", media_type.encode()))
        if headers:
            self.headers += [(name.encode(), text.encode("latin-1")) for name, text in headers.items()]

    async def send(self, method: str, send: Send) -> None:
        """Send it; the server leaves out the body where the method is HEAD."""
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body})


class JsonResponse(HttpResponse):
    """Data as JSON; bytes are JSON already."""

    def __init__(self, data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        body = data if isinstance(data, bytes) else msgspec.json.encode(data)
        if status == 200 and not headers:  # the answer to an upload, without the way through `HttpResponse`
            self.body, self.status = body, status
            self.headers = [(b"content-length", b"%d" % len(body)), (b"content-type", b"application/json")]
        else:
            super().__init__(body, status, headers, JSON)


class FileResponse(HttpResponse):
    """The content of a temporary file, which is removed once it was sent, or could not be."""

    def __init__(self, path: Path, *, name: str, media_type: str) -> None:
        super().__init__(headers={"content-disposition": f'attachment; filename="{name}"'}, media_type=media_type)
        self._path = path
        self.headers[0] = (b"content-length", b"%d" % path.stat().st_size)

    async def send(self, method: str, send: Send) -> None:
        """Send the file chunk by chunk."""
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.headers})
            with self._path.open("rb") as file:
                while method != "HEAD" and (chunk := await asyncio.to_thread(file.read, CHUNK_BYTES)):
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            os.unlink(self._path)
