"""A file that is made for one answer, sent piece by piece, and removed."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from starlette.responses import Response

PIECE = 1 << 18


class Download(Response):
    """The content of a file, which is removed once it was sent, or could not be."""

    def __init__(self, path: Path, *, name: str, media_type: str) -> None:
        self._path = path
        headers = {
            "content-length": str(path.stat().st_size),
            "content-disposition": f'attachment; filename="{name}"',
        }
        super().__init__(None, 200, headers, media_type)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send it."""
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            with self._path.open("rb") as file:
                while piece := await asyncio.to_thread(file.read, PIECE):
                    if scope["method"] == "HEAD":
                        break
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            os.unlink(self._path)
