"""Responses as ASGI sends them: bytes, JSON, a temporary file in chunks, or a problem with a stable code."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ...core.canonical import canonical

Send = Callable[[Any], Awaitable[None]]

JSON = "application/json"
CHUNK_BYTES = 1 << 14
"""The bytes of a response that are handed to the connection at once; what a slow reader makes the process hold."""


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

    @property
    def is_large(self) -> bool:
        """True if it is sent in pieces, as fast as they are taken."""
        return len(self.body) > CHUNK_BYTES

    async def send(self, method: str, send: Send) -> None:
        """Send it; the server leaves out the body where the method is HEAD."""
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        if not self.is_large or method == "HEAD":
            await send({"type": "http.response.body", "body": self.body})
            return
        for start in range(0, len(self.body), CHUNK_BYTES):
            end = start + CHUNK_BYTES
            more = end < len(self.body)
            await send({"type": "http.response.body", "body": self.body[start:end], "more_body": more})
            await asyncio.sleep(0)  # others are answered in between


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


MEDIA_TYPE = "application/problem+json"


CODES = {
    "json": (400, "The body is not what this address takes"),
    "header": (400, "A header is missing or malformed"),
    "parameter": (400, "A parameter of the address is malformed"),
    "token": (401, "This needs a token"),
    "closed": (403, "The collection takes no reports now"),
    "not_invited": (403, "This needs an invitation that is not spent"),
    "not_found": (404, "There is nothing at this address"),
    "method": (405, "This address does not take that method"),
    "slow": (408, "The request took too long to arrive"),
    "conflict": (409, "The upload's number was used for something else"),
    "below_minimum": (409, "There are too few reports yet"),
    "too_large": (413, "The request is too large"),
    "address_too_long": (414, "The address is too long"),
    "media_type": (415, "The body is of a type that this address does not take"),
    "declaration": (422, "The collection cannot be declared like this"),
    "other_law": (422, "The reports were written by another law"),
    "label": (422, "A label was not declared"),
    "impossible": (422, "The law cannot have written these reports"),
    "count": (422, "The upload holds too few or too many reports"),
    "unavailable": (422, "This cannot be given honestly"),
    "too_fast": (429, "There are too many requests at the moment"),
    "headers_too_large": (431, "The headers are too large"),
    "failed": (500, "The collector failed"),
    "busy": (503, "The collector is busy"),
    "full": (507, "The collector's disk is full"),
}
"""Every code that a problem may have, with its status and its title; a code never changes its meaning."""


class HttpProblem(Exception):
    """Raised where a request is to be answered with a problem; `detail` is a sentence and repeats no value."""

    def __init__(self, code: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(code)
        self.code, self.detail, self.headers = code, detail, dict(headers or {})
        self.status = CODES[code][0]

    def response(self) -> HttpResponse:
        """The response that says it."""
        return HttpResponse(problem_body(self.code, self.detail), self.status, self.headers, MEDIA_TYPE)


def problem_body(code: str, detail: str) -> bytes:
    """The JSON of a problem."""
    status, title = CODES[code]
    data = {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail}
    return canonical(data).encode()


def retry_later(code: str, detail: str, *, seconds: int = 1) -> HttpProblem:
    """A problem that may be gone after some seconds."""
    return HttpProblem(code, detail, {"retry-after": str(seconds)})
