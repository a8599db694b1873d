"""`ClientSession`: what answering needs of a client, and the `Receipt` that it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from ..core.errors import Refused, Unreachable
from ..core.exact import text_of
from .addresses import Address
from .ledger import Ledger, Upload
from .transport import Request, Transport
from .uploading import TRANSIENT, Uploader, UploadResult


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
    """What answering needs: the ledger, the way to the collector and the time."""

    ledger: Ledger
    transport: Transport
    uploader: Uploader
    now: Callable[[], datetime]

    def deliver(self, upload: Upload) -> Receipt:
        """Send an upload that has no outcome yet, and note what becomes of it."""
        state, status = self.ledger.state(upload)
        sent = UploadResult(state, status)
        if state == "queued":
            sent = self.uploader.send(upload, self.ledger.invitation(upload))
            if sent.state != "queued" and sent.status is not None:
                self.ledger.settle(upload, sent.state, sent.status)
        cost = next(entry.epsilon for entry in self.ledger.collections if entry.collection == upload.collection)
        return Receipt(
            upload.collection, sent.state, sent.status, sent.code, sent.reason, cost, upload.upload, upload.body
        )

    def fetch(self, address: Address, limit: int, what: str) -> bytes:
        """The bytes at an address; `Refused` unless the collector gives all of them at once, and not too many."""
        answer = self.transport.send(Request("GET", address, {"Accept": "application/json"}), limit=limit)
        if 300 <= answer.status < 400:
            raise Refused(f"{what} is said to be elsewhere (status {answer.status}), and redirects are not followed")
        if answer.status in TRANSIENT or answer.status >= 500:
            raise Unreachable(f"{address.origin} answered with status {answer.status}; try again later")
        if answer.status != 200:
            raise Refused(f"{what} was not given: {address.origin} answered with status {answer.status}")
        if not answer.whole:
            raise Refused(f"{what} must have at most {limit} bytes")
        return answer.body
