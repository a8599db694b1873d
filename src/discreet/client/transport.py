"""How requests reach a collector: by HTTP, with nothing in them that tells who sent them."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Protocol

from ..core.errors import Unreachable
from .addresses import Address

SECONDS = 30.0
"""How long a collector may take in all to take a request and to answer it."""


@dataclass(frozen=True)
class Request:
    """What is asked of a collector; the headers are all that are sent, but for Host and Content-Length."""

    method: str
    address: Address
    headers: Mapping[str, str]
    body: bytes | None = None


@dataclass(frozen=True)
class Response:
    """What a collector answers: header names in lower case, and as much of the body as was asked for."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    whole: bool = True
    """False if there was more of the body, which was not read."""


class Transport(Protocol):
    """A way to a collector."""

    def send(self, request: Request, *, limit: int) -> Response:
        """The answer, with at most `limit` bytes of its body read; `Unreachable` if there is none."""
        ...


class HttpTransport:
    """HTTP/1.1 by the standard library: no redirects, no proxies, no cookies, certificates checked.

    `seconds` is how long one exchange may take in all; `tls` is a context of `ssl` other than the usual one.
    """

    def __init__(self, *, seconds: float = SECONDS, tls: ssl.SSLContext | None = None) -> None:
        self._seconds, self._tls = seconds, tls

    def send(self, request: Request, *, limit: int) -> Response:
        """The answer, with at most `limit` bytes of its body read; `Unreachable` if there is none in time."""
        address = request.address
        try:
            with closing(self._connection(address)) as connection:
                connection.connect()
                with _Deadline(connection.sock, self._seconds) as late:
                    try:
                        return _exchange(connection, request, limit)
                    finally:
                        if late.is_set():
                            raise TimeoutError(f"no whole answer within {self._seconds:g} seconds") from None
        except (OSError, http.client.HTTPException, ValueError) as problem:
            said = str(problem) or type(problem).__name__
            raise Unreachable(f"{address.origin} could not be reached: {said}") from None

    def _connection(self, address: Address) -> http.client.HTTPConnection:
        host = address.host.strip("[]")
        if address.scheme == "http":
            return http.client.HTTPConnection(host, address.port, timeout=self._seconds)
        tls = ssl.create_default_context() if self._tls is None else self._tls
        return http.client.HTTPSConnection(host, address.port, timeout=self._seconds, context=tls)


def _exchange(connection: http.client.HTTPConnection, request: Request, limit: int) -> Response:
    connection.putrequest(request.method, request.address.target, skip_accept_encoding=True)
    for name, text in request.headers.items():
        connection.putheader(name, text)
    if request.body is not None:
        connection.putheader("Content-Length", str(len(request.body)))
    connection.endheaders(request.body)
    with connection.getresponse() as answer:
        body = answer.read(limit + 1)
        headers = {name.lower(): text for name, text in answer.getheaders()}
        expected = headers.get("content-length", "")
        if len(body) <= limit and expected.isascii() and expected.isdigit() and len(body) < int(expected[:18]):
            raise http.client.IncompleteRead(body)
        return Response(answer.status, headers, body[:limit], len(body) <= limit)


class _Deadline:
    """A ``with`` block at whose end, or after some seconds, nothing more is read: a slow collector is left behind."""

    def __init__(self, sock: socket.socket, seconds: float) -> None:
        self._late = threading.Event()
        self._sock = sock
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def _end(self) -> None:
        self._late.set()
        with suppress(OSError):
            socket.socket.shutdown(self._sock, socket.SHUT_RDWR)  # below TLS, which is not safe between threads

    def __enter__(self) -> threading.Event:
        self._timer.start()
        return self._late

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
