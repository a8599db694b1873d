"""`Document`: what a collection says of itself, read strictly; nothing in it is believed before the law is checked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from ..core.canonical import canonical, loads
from ..core.errors import InvalidInput, InvalidSpec, Refused, shown
from ..core.fields import Fields
from ..wire.texts import QuestionTexts, Texts, read_texts
from .addresses import Address, address_beside
from .ledger.laws import SINGLE
from .ledger.ledger import ACCESS, CHANGES

T = TypeVar("T")

VERSION = 1
"""The only version of a collection document."""

MAX_DOCUMENT_BYTES = 65_536
"""The most bytes of a collection document."""

NEEDED = ("version", "title", "fingerprint", "law", "reports", "changes")
OPTIONAL = ("labels", "period", "opens", "closes", "access", "state")
STATES = ("waiting", "open", "full", "closed")
"""How far a collection is: not open yet, open for answers, open but without room for them now, or closed for good."""
FINGERPRINT = re.compile(r"[0-9a-f]{64}")
MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", re.ASCII)


@dataclass(frozen=True)
class Document:
    """What a collection says of itself: nothing in it is believed before the law is checked."""

    address: Address
    texts: Texts
    """All that people read; a single question is called ``""``."""
    fingerprint: str
    law: Address
    reports: Address
    changes: str
    labels: Mapping[str, tuple[str, ...]]
    opens: datetime | None
    closes: datetime | None
    access: str = "open"
    state: str = "open"
    period: str | None = None
    """The label whose texts are times at which the same people may answer again; None if they answer once in all."""

    @property
    def title(self) -> str:
        """The title of the collection."""
        return self.texts.title

    @property
    def single(self) -> QuestionTexts:
        """The texts of a single question; `InvalidInput` if there are several."""
        if self.is_form:
            raise InvalidInput(f"{self.address} asks several questions; see its questions")
        return self.texts.questions[SINGLE]

    @property
    def question(self) -> str:
        """The single question."""
        return self.single.question

    @property
    def words(self) -> Mapping[str, str]:
        """The words for the answers to a single question."""
        return self.single.words

    @property
    def is_form(self) -> bool:
        """True if it asks several questions."""
        return SINGLE not in self.texts.questions

    @property
    def wording(self) -> str:
        """What ledgers know the wording by: the SHA-256 of the canonical JSON of all that was asked.

        Of a single question in one language that is its title, question and words.
        """
        return hashlib.sha256(canonical(self.texts.wording).encode()).hexdigest()

    def check_open(self, now: datetime) -> None:
        """Raise `Refused`, with the reason, unless the collection takes answers, by its own word and by the time."""
        if self.opens is not None and now < self.opens:
            raise Refused(f"this collection opens at {_written(self.opens)}")
        if self.closes is not None and now >= self.closes:
            raise Refused(f"this collection was closed at {_written(self.closes)}")
        if self.state == "full":
            raise Refused("this collection has no room for answers now; try again later")
        if self.state != "open":
            why = "is not open yet" if self.state == "waiting" else "was closed by its owner"
            raise Refused(f"this collection {why}, and takes no answers")

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
    if isinstance(data["version"], bool) or data["version"] != VERSION:
        raise Refused(f"version={shown(data['version'])} must be {VERSION}, the only known version")
    if not isinstance(data["fingerprint"], str) or not FINGERPRINT.fullmatch(data["fingerprint"]):
        raise Refused(f"fingerprint={shown(data['fingerprint'])} must be 64 hexadecimal digits")
    if data["changes"] not in CHANGES:
        raise Refused(f"changes={shown(data['changes'])} must be one of {', '.join(CHANGES)}")
    if data.get("access", "open") not in ACCESS:
        raise Refused(f"access={shown(data['access'])} must be one of {', '.join(ACCESS)}")
    if data.get("state", "open") not in STATES:
        raise Refused(f"state={shown(data['state'])} must be one of {', '.join(STATES)}")
    labels = _table(data.get("labels", {}), "labels", _label_texts)
    if "period" in data and (not isinstance(data["period"], str) or data["period"] not in labels):
        raise Refused(f"period={shown(data['period'])} must be the name of a label")
    return Document(
        address=address,
        texts=_texts_of(data, labels),
        fingerprint=data["fingerprint"],
        law=address_beside(data["law"], address, "law"),
        reports=address_beside(data["reports"], address, "reports"),
        changes=data["changes"],
        labels=labels,
        opens=_moment(data["opens"], "opens") if "opens" in data else None,
        closes=_moment(data["closes"], "closes") if "closes" in data else None,
        access=data.get("access", "open"),
        state=data.get("state", "open"),
        period=data.get("period"),
    )


def _texts_of(data: Mapping[str, Any], labels: Mapping[str, object]) -> Texts:
    """What people read: all other entries of a description; `Refused` if there are any more."""
    fields = Fields(
        {key: entry for key, entry in data.items() if key not in (*NEEDED, *OPTIONAL) or key == "title"}, ""
    )
    names = _names_of(data["questions"]) if "questions" in data else None
    try:
        texts = read_texts(fields, names=names, labels=tuple(labels))
    except InvalidSpec as problem:
        raise Refused(f"the description of the collection: {problem}") from None
    for key in fields.rest():
        raise Refused(f"{shown(key)} in the description of the collection is not known to this version")
    return texts


def _names_of(listing: object) -> list[Any]:
    """The names of the questions of a form, as they are said; what reads the texts checks them."""
    entries = listing if isinstance(listing, list) else []
    return [entry.get("name") if isinstance(entry, dict) else None for entry in entries]


def _moment(entry: object, name: str) -> datetime:
    try:
        if not isinstance(entry, str) or not MOMENT.fullmatch(entry):
            raise ValueError
        return datetime.fromisoformat(entry)
    except ValueError:
        raise Refused(f"{name}={shown(entry)} must be a time in UTC such as 2026-11-17T00:00:00Z") from None


def _written(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")


def _label_texts(entry: object, name: str) -> tuple[str, ...]:
    if not isinstance(entry, list) or not entry or not all(isinstance(text, str) for text in entry):
        raise Refused(f"{name} must list the texts that are allowed")
    if len(set(entry)) != len(entry):
        raise Refused(f"{name} must list distinct texts")
    return tuple(entry)


def _table(entry: object, name: str, read: Callable[[object, str], T]) -> dict[str, T]:
    if not isinstance(entry, dict):
        raise Refused(f"{name} must be a table")
    return {key: read(inside, f"{name}[{shown(key)}]") for key, inside in entry.items()}
