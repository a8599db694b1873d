"""`Document`: what a collection says of itself, read strictly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from ..core.canonical import loads
from ..core.errors import InvalidInput, Refused, shown
from .addresses import Address, address_beside
from .ledger.ledger import ACCESS, CHANGES

T = TypeVar("T")

VERSION = 1
"""The only version of a collection document."""

MAX_DOCUMENT_BYTES = 65_536
"""The most bytes of a collection document."""

NEEDED = ("version", "title", "question", "fingerprint", "law", "reports", "changes")
OPTIONAL = ("words", "labels", "opens", "closes", "access")
FINGERPRINT = re.compile(r"[0-9a-f]{64}")
MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", re.ASCII)


@dataclass(frozen=True)
class Document:
    """What a collection says of itself: nothing in it is believed before the law is checked."""

    address: Address
    title: str
    question: str
    words: Mapping[str, str]
    fingerprint: str
    law: Address
    reports: Address
    changes: str
    labels: Mapping[str, tuple[str, ...]]
    opens: datetime | None
    closes: datetime | None
    access: str = "open"

    def check_open(self, now: datetime) -> None:
        """Raise `Refused` before the collection opens and from when it closes."""
        if self.opens is not None and now < self.opens:
            raise Refused(f"this collection opens at {_written(self.opens)}")
        if self.closes is not None and now >= self.closes:
            raise Refused(f"this collection was closed at {_written(self.closes)}")

    def check_labels(self, labels: Mapping[str, str]) -> dict[str, str]:
        """The labels of an answer; `Refused` for one that was not declared: whoever sees a report sees its labels."""
        if not isinstance(labels, Mapping):
            raise InvalidInput("labels must map the names of labels to texts")
        for name, text in labels.items():
            if name not in self.labels:
                known = ", ".join(map(repr, self.labels)) or "none"
                raise Refused(f"label {shown(name)} must be one that the collection declares: {known}")
            if text not in self.labels[name]:
                raise Refused(f"label {shown(name)} must be one of {', '.join(map(repr, self.labels[name]))}")
        return dict(labels)

    def check_invitation(self, invitation: str | None) -> str | None:
        """The invitation of an answer; `Refused` where none is asked for, since it would tell who answers."""
        if invitation is not None and self.access == "open":
            raise Refused("this collection is open, and an invitation would only tell who answers: leave it out")
        return invitation


def parse_document(content: bytes, address: Address) -> Document:
    """The document of the collection at `address`; `Refused`, with the reason, for anything else."""
    try:
        data = loads(content, InvalidInput)
    except InvalidInput as problem:
        raise Refused(f"the description of the collection cannot be read: {problem}") from None
    if not isinstance(data, dict):
        raise Refused("a collection must be described by a JSON object")
    for key in NEEDED:
        if key not in data:
            raise Refused(f"{key} is missing from the description of the collection")
    for key in data:
        if key not in (*NEEDED, *OPTIONAL):
            raise Refused(f"{shown(key)} in the description of the collection is not known to this version")
    if isinstance(data["version"], bool) or data["version"] != VERSION:
        raise Refused(f"version={shown(data['version'])} must be {VERSION}, the only known version")
    if not isinstance(data["fingerprint"], str) or not FINGERPRINT.fullmatch(data["fingerprint"]):
        raise Refused(f"fingerprint={shown(data['fingerprint'])} must be 64 hexadecimal digits")
    if data["changes"] not in CHANGES:
        raise Refused(f"changes={shown(data['changes'])} must be one of {', '.join(CHANGES)}")
    if data.get("access", "open") not in ACCESS:
        raise Refused(f"access={shown(data['access'])} must be one of {', '.join(ACCESS)}")
    return Document(
        address=address,
        title=_text(data["title"], "title"),
        question=_text(data["question"], "question"),
        words=_table(data.get("words", {}), "words", _text),
        fingerprint=data["fingerprint"],
        law=address_beside(data["law"], address, "law"),
        reports=address_beside(data["reports"], address, "reports"),
        changes=data["changes"],
        labels=_table(data.get("labels", {}), "labels", _texts),
        opens=_moment(data["opens"], "opens") if "opens" in data else None,
        closes=_moment(data["closes"], "closes") if "closes" in data else None,
        access=data.get("access", "open"),
    )


def _moment(entry: object, name: str) -> datetime:
    try:
        if not isinstance(entry, str) or not MOMENT.fullmatch(entry):
            raise ValueError
        return datetime.fromisoformat(entry)
    except ValueError:
        raise Refused(f"{name}={shown(entry)} must be a time in UTC such as 2026-11-17T00:00:00Z") from None


def _written(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")


def _text(entry: object, name: str) -> str:
    if not isinstance(entry, str) or not entry.strip():
        raise Refused(f"{name} must be a text")
    return entry


def _texts(entry: object, name: str) -> tuple[str, ...]:
    if not isinstance(entry, list) or not entry or not all(isinstance(text, str) for text in entry):
        raise Refused(f"{name} must list the texts that are allowed")
    if len(set(entry)) != len(entry):
        raise Refused(f"{name} must list distinct texts")
    return tuple(entry)


def _table(entry: object, name: str, read: Callable[[object, str], T]) -> dict[str, T]:
    if not isinstance(entry, dict):
        raise Refused(f"{name} must be a table")
    return {key: read(inside, f"{name}[{shown(key)}]") for key, inside in entry.items()}
