"""The way to a collector: requests by HTTP that do not tell who sent them, and uploads that are tried again.

An upload is sent with the same bytes each time, and again when that may help.
"""

from __future__ import annotations

import http.client
import secrets
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from fractions import Fraction
from typing import Any, Protocol

from ..core.canonical import loads
from ..core.errors import InvalidInput, Refused, Unreachable
from ..core.exact import text_of
from .addresses import Address, address_of
from .ledger import Ledger, Upload
from .ledger.entries import ACCEPTED, REFUSED

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
                with _deadline(connection.sock, self._seconds) as late:
                    try:
                        return _exchange(connection, request, limit)
                    finally:
                        if late.is_set():
                            raise TimeoutError(f"no whole answer within {self._seconds:g} seconds") from None
        except (OSError, http.client.HTTPException, ValueError) as problem:
            message = str(problem) or type(problem).__name__
            raise Unreachable(f"{address.origin} could not be reached: {message}") from None

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


@contextmanager
def _deadline(sock: socket.socket, seconds: float) -> Iterator[threading.Event]:
    """Shut a socket after some seconds, and set the event: a slow collector is left behind."""
    late = threading.Event()

    def end() -> None:
        late.set()
        with suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)  # below TLS, which is not safe between threads

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


MAX_TRIES = 5
"""How often an upload is tried in one call."""

MAX_WAIT_SECONDS = 60
"""The most seconds between two tries, unless the collector asks for more."""

MAX_RETRY_AFTER_SECONDS = 3600
"""The most seconds that a collector can ask for."""

MAX_PATIENCE_SECONDS = 60
"""The most seconds that one call waits for its next try; what would take longer stays queued."""

TRANSIENT = {408, 425, 429}
"""Statuses below 500 after which trying again may help."""

REASONS = {
    "closed": "the collection was closed before the report came, and did not count it; what it spent stays spent",
    "not_invited": "the invitation is missing, unknown or used up; the report is kept, and the same answer with "
    "another invitation sends it at no further cost",
}
"""Codes of refusals that people should understand, and what they mean or what can be done."""

MAX_PROBLEM_BYTES = 65_536
"""The most bytes that are read of the answer to an upload."""


@dataclass(frozen=True)
class Delivery:
    """How an upload went: "accepted", "refused" or still "queued", with the collector's status and code, or why not."""

    state: str
    status: int | None = None
    code: str | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Receipt:
    """What became of an answer: "accepted", "queued" until the collector can be reached, or "refused" by it.

    `sent` is the exact text that leaves, or left, this device; `epsilon` is what the collection has cost so far.
    """

    collection: str
    state: str
    status: int | None
    code: str | None
    reason: str | None
    epsilon: Fraction
    upload: str
    sent: str

    def as_dict(self) -> dict[str, Any]:
        """The receipt as plain data."""
        return {**vars(self), "epsilon": text_of(self.epsilon)}


@dataclass(frozen=True)
class ClientSession:
    """What answering needs: the ledger and the way to the collector; `sleep` waits some seconds, `now` is the time."""

    ledger: Ledger
    transport: Transport
    sleep: Callable[[float], object]
    now: Callable[[], datetime]

    def fetch(self, address: Address, limit: int, what: str) -> bytes:
        """The bytes at an address; `Refused` unless the collector gives all of them at once, and not too many."""
        answer = self.transport.send(Request("GET", address, {"Accept": "application/json"}), limit=limit)
        if 300 <= answer.status < 400:
            raise Refused(f"{what} is said to be elsewhere (status {answer.status}), and redirects are not followed")
        if answer.status in TRANSIENT or answer.status >= 500:
            raise Unreachable(f"{address.origin} answered with status {answer.status}; try again later")
        if answer.status == 404:
            raise Refused(f"{what} was not found: {address.origin} answered with status 404; check the link")
        if answer.status != 200:
            raise Refused(f"{what} was not given: {address.origin} answered with status {answer.status}")
        if not answer.whole:
            raise Refused(f"{what} must have at most {limit} bytes")
        return answer.body

    def deliver(self, upload: Upload) -> Receipt:
        """Send an upload that has no outcome yet, and note what becomes of it."""
        delivery = Delivery(*self.ledger.state(upload))
        if delivery.state == "queued":
            delivery = self.send(upload, self.ledger.invitation(upload))
            if delivery.state != "queued" and delivery.status is not None:
                self.ledger.settle(upload, delivery.state, delivery.status)
        cost = next(entry.epsilon for entry in self.ledger.collections if entry.collection == upload.collection)
        return Receipt(upload.collection, **vars(delivery), epsilon=cost, upload=upload.upload, sent=upload.body)

    def send(self, upload: Upload, invitation: str | None = None) -> Delivery:
        """How it went after as many tries as are allowed in one call, each with the invitation, if there is one."""
        for attempt in range(MAX_TRIES):
            response, reason = self._try(upload, invitation)
            if response is not None and (delivery := outcome(response)) is not None:
                return delivery
            pause = wait(attempt, response, self.now())
            if attempt == MAX_TRIES - 1 or pause > MAX_PATIENCE_SECONDS:
                break
            self.sleep(pause)
        return Delivery("queued", None if response is None else response.status, None, reason)

    def _try(self, upload: Upload, invitation: str | None) -> tuple[Response | None, str]:
        address, kind = address_of(upload.url), "application/json"
        headers = {"Accept": kind, "Content-Type": kind, "Idempotency-Key": upload.upload}
        headers |= {} if invitation is None else {"Invitation": invitation}
        request = Request("POST", address, headers, upload.body.encode())
        try:
            response = self.transport.send(request, limit=MAX_PROBLEM_BYTES)
        except Unreachable as problem:
            return None, str(problem)
        return response, f"{address.origin} answered with status {response.status}"


def outcome(response: Response) -> Delivery | None:
    """How an upload ended with this answer; None if trying again may help."""
    if 200 <= response.status < 300:
        return Delivery(ACCEPTED, response.status)
    if response.status in TRANSIENT or response.status >= 500:
        return None
    code = problem_code(response)
    return Delivery(REFUSED, response.status, code, REASONS.get(code or ""))


def problem_code(response: Response) -> str | None:
    """The code that a collector gives for its refusal, if it gives one."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/problem+json" or not response.whole:
        return None
    try:
        data = loads(response.body, InvalidInput)
    except InvalidInput:
        return None
    code = data.get("code") if isinstance(data, dict) else None
    return code if isinstance(code, str) and len(code) <= 100 and code.isprintable() else None


def wait(attempt: int, response: Response | None, now: datetime) -> float:
    """The seconds until the next try: 1, 2, 4, ..., times a random factor from a half to 1, or what was asked for."""
    seconds = None if response is None else _retry_after(response.headers.get("retry-after", ""), now)
    if seconds is not None:
        return min(seconds, MAX_RETRY_AFTER_SECONDS)
    factor = Fraction(2**32 + secrets.randbelow(2**32), 2**33)
    return float(min(2**attempt, MAX_WAIT_SECONDS) * factor)


def _retry_after(text: str, now: datetime) -> float | None:
    """The seconds that Retry-After asks for, as a number or a date; None if it says neither."""
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0)
