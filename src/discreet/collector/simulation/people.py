"""Simulated people as clients: each with a ledger in memory, over keep-alive connections."""

from __future__ import annotations

import http.client
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from ...client.addresses import Address, address_of
from ...client.collection import Collection, open_collection
from ...client.document import MAX_DOCUMENT_BYTES, Document, parse_document
from ...client.ledger import Ledger, Upload
from ...client.session import ClientSession
from ...client.transport import Request, Response
from ...client.uploading import Uploader
from ...core.errors import Unreachable
from ...core.exact import text_of
from ...mechanisms.mechanism import Mechanism

REQUEST_SECONDS = 30.0
"""How long one request may take."""


class MemoryDisk:
    """The disk of one simulated person, in memory."""

    def __init__(self) -> None:
        self._files: dict[Path, bytes] = {}

    @contextmanager
    def locked(self, path: Path) -> Iterator[None]:
        """A ``with`` block; nobody else has this disk."""
        yield

    def read(self, path: Path) -> bytes | None:
        """The bytes of a file; None if there is none."""
        return self._files.get(path)

    def create(self, path: Path, content: bytes) -> None:
        """A file of these bytes."""
        self._files[path] = content

    def append(self, path: Path, content: bytes) -> None:
        """More bytes at the end of a file."""
        self._files[path] += content

    def cut(self, path: Path, length: int) -> None:
        """Only the first `length` bytes of a file."""
        self._files[path] = self._files[path][:length]

    def rename(self, old: Path, new: Path) -> None:
        """A file under another name."""
        self._files[new] = self._files.pop(old)

    def sync(self, path: Path) -> None:
        """Nothing here is durable."""

    def sync_folder(self, path: Path) -> None:
        """Nothing here is durable."""


class KeepAliveTransport:
    """HTTP/1.1 over one connection for each thread, which many people share as if a proxy stood before them."""

    def __init__(self) -> None:
        self._threads = threading.local()

    def send(self, request: Request, *, limit: int) -> Response:
        """The answer, with at most `limit` bytes of its body read; `Unreachable` if there is none."""
        try:
            return self._exchange(request, limit)
        except (OSError, http.client.HTTPException) as problem:
            self._connection(request.address).close()
            raise Unreachable(f"{request.address.origin} could not be reached: {type(problem).__name__}") from None

    def _exchange(self, request: Request, limit: int) -> Response:
        connection = self._connection(request.address)
        connection.request(request.method, request.address.target, request.body, dict(request.headers))
        with connection.getresponse() as answer:
            body = answer.read()
            headers = {name.lower(): text for name, text in answer.getheaders()}
            return Response(answer.status, headers, body[:limit], len(body) <= limit)

    def _connection(self, address: Address) -> http.client.HTTPConnection:
        connections: dict[str, http.client.HTTPConnection] = self._threads.__dict__.setdefault("connections", {})
        if address.origin not in connections:
            kind = http.client.HTTPConnection if address.scheme == "http" else http.client.HTTPSConnection
            connections[address.origin] = kind(address.host.strip("[]"), address.port, timeout=REQUEST_SECONDS)
        return connections[address.origin]


class People:
    """Makes people who may answer one collection; its law is fetched and certified once for all of them."""

    def __init__(self, url: str) -> None:
        self._transport = KeepAliveTransport()
        self._uploader = Uploader(self._transport, threading.Event().wait, _now)
        first = self._session("0")
        opened = open_collection(url, first)
        self.mechanism: Mechanism = opened.mechanism
        self.document: Document = parse_document(
            first.fetch(address_of(url), MAX_DOCUMENT_BYTES, "the description of the collection"), address_of(url)
        )
        self._cap = text_of(opened.epsilon)

    def one(self, invitation: str | None = None) -> Collection:
        """The collection as a new person sees it, who has spent nothing yet and may answer once."""
        return Collection(self.document, self.mechanism, self._session(self._cap), invitation)

    def send(self, body: str, invitation: str | None = None) -> str:
        """What becomes of a crafted body: "accepted", "refused" or "queued"."""
        upload = Upload(secrets.token_hex(16), str(self.document.address), str(self.document.reports), body)
        return self._uploader.send(upload, invitation).state

    def _session(self, cap: str) -> ClientSession:
        return ClientSession(Ledger("/ledger", cap, disk=MemoryDisk()), self._transport, self._uploader, _now)


def _now() -> datetime:
    return datetime.now(UTC)
