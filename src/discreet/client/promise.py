"""What a collection promises, in words that a person can check: numbers are rounded against the collection.

`ClientSession`: what answering needs of a client, and the `Receipt` that it gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_UP, Decimal, localcontext
from fractions import Fraction
from typing import Any

from ..contexts import Context
from ..core.errors import Refused, Unreachable
from ..core.exact import text_of
from .addresses import Address
from .ledger import Ledger, Upload
from .uploading import TRANSIENT, Request, Transport, Uploader, UploadResult

SHOWN = 8
"""The most values or blocks that a sentence lists."""

INVITED = "Your invitation goes along with your report: whoever noted who got it can tell that the report is yours."
"""What a collection that asks for invitations can see."""

LARGE = Fraction(14)
"""The epsilon from which on a ratio is no number that means anything to a reader."""


def promise(context: Context, changes: str, words: Mapping[str, str], *, access: str = "open") -> list[str]:
    """Sentences that say how far an answer is hidden, what may show, and what it costs."""
    again = "is not taken" if changes == "refuse" else "spends as much again"
    return [
        _hiding(context),
        *_showing(context, words),
        *([INVITED] if access == "invitation" else []),
        f"This answer spends {text_of(context.largest)} of your budget. The same answer again costs nothing; "
        f"a changed one {again}.",
    ]


def worded(value: object, words: Mapping[str, str]) -> str:
    """A value as people read it: the collection's words for it, or its own text."""
    return words.get(str(value), str(value))


def _hiding(context: Context) -> str:
    if context.tightest is None:
        return "Nothing is hidden here: whoever gets your report may learn your answer from it."
    if context.smallest == context.largest:
        other = "one that it is hidden from" if context.shows else "any other"
        return (
            f"Your report is at most {ratio(context.largest)} times as likely with your answer as with {other} "
            f"(epsilon {text_of(context.largest)})."
        )
    return (
        f"Your report is at most {ratio(Fraction(context.smallest))} to {ratio(context.largest)} times as likely with "
        f"your answer as with one that it is hidden from (epsilon {text_of(context.smallest)} to "
        f"{text_of(context.largest)}, by the two answers)."
    )


def _showing(context: Context, words: Mapping[str, str]) -> list[str]:
    if not context.shows or context.tightest is None:
        return []
    parts = context.parts or ()
    if len(parts) > 1:
        return [
            f"It shows which of {len(parts)} groups your answer is in, and hides it inside: {_names(parts, words)}."
        ]
    if parts:
        hidden = [worded(context.values[x], words) for x in parts[0].sensitive[:SHOWN]]
        return [f"Hidden from all others: {_listed(hidden, len(parts[0].sensitive))}. Every other answer may show."]
    return ["Some answers may be told from some others for certain."]


def _names(parts: tuple[object, ...], words: Mapping[str, str]) -> str:
    return _listed([worded(getattr(part, "name", ""), words) for part in parts[:SHOWN]], len(parts))


def _listed(shown: Iterable[str], count: int) -> str:
    named = list(shown)
    return ", ".join(named) + (f" and {count - len(named)} more" if count > len(named) else "")


def ratio(epsilon: Fraction) -> str:
    """e to the power of epsilon in three digits, rounded up; as a power where it is beyond a million."""
    if epsilon >= LARGE:
        return f"e^{text_of(epsilon)}"
    with localcontext() as exact:
        exact.prec = 60
        power = (Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
        return f"{power.quantize(Decimal(1).scaleb(power.adjusted() - 2), ROUND_UP).normalize():f}"


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
