"""How uploads are sent: each at its own pace, again when that may help, and with the same bytes each time."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from fractions import Fraction

from ..core.errors import InvalidInput, Unreachable
from ..core.strict_json import loads
from .addresses import address_of
from .ledger.entries import ACCEPTED, REFUSED, Upload
from .transport import Request, Response, Transport

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
    "not_invited": "the invitation is missing, unknown or used up; the report is kept, and the same answer with "
    "another invitation sends it at no further cost"
}
"""Codes of refusals that a person can do something about, and what."""

MAX_PROBLEM_BYTES = 65_536
"""The most bytes that are read of the answer to an upload."""


@dataclass(frozen=True)
class UploadResult:
    """How an upload went: "accepted", "refused" or still "queued", with the collector's status and code, or why not."""

    state: str
    status: int | None = None
    code: str | None = None
    reason: str | None = None


class Uploader:
    """Sends uploads by a transport; `sleep` waits for some seconds and `now` is the time."""

    def __init__(self, transport: Transport, sleep: Callable[[float], object], now: Callable[[], datetime]) -> None:
        self._transport, self._sleep, self._now = transport, sleep, now

    def send(self, upload: Upload, invitation: str | None = None) -> UploadResult:
        """How it went after as many tries as are allowed in one call, each with the invitation, if there is one."""
        for attempt in range(MAX_TRIES):
            response, reason = self._try(upload, invitation)
            if response is not None and (ended := outcome(response)) is not None:
                return ended
            pause = wait(attempt, response, self._now())
            if attempt == MAX_TRIES - 1 or pause > MAX_PATIENCE_SECONDS:
                break
            self._sleep(pause)
        return UploadResult("queued", None if response is None else response.status, None, reason)

    def _try(self, upload: Upload, invitation: str | None) -> tuple[Response | None, str]:
        address = address_of(upload.url)
        headers = {
            "Accept": "application/json",
            "Content-Type": "application/json",
            "Idempotency-Key": upload.upload,
            **({} if invitation is None else {"Invitation": invitation}),
        }
        try:
            response = self._transport.send(
                Request("POST", address, headers, upload.body.encode()), limit=MAX_PROBLEM_BYTES
            )
        except Unreachable as problem:
            return None, str(problem)
        return response, f"{address.origin} answered with status {response.status}"


def outcome(response: Response) -> UploadResult | None:
    """How an upload ended with this answer; None if trying again may help."""
    if 200 <= response.status < 300:
        return UploadResult(ACCEPTED, response.status)
    if response.status in TRANSIENT or response.status >= 500:
        return None
    code = problem_code(response)
    return UploadResult(REFUSED, response.status, code, REASONS.get(code or ""))


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
    asked = None if response is None else _asked(response.headers.get("retry-after", ""), now)
    if asked is not None:
        return min(asked, MAX_RETRY_AFTER_SECONDS)
    factor = Fraction(2**32 + secrets.randbelow(2**32), 2**33)
    return float(min(2**attempt, MAX_WAIT_SECONDS) * factor)


def _asked(text: str, now: datetime) -> float | None:
    """The seconds that Retry-After asks for, as a number or a date; None if it says neither."""
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0)
