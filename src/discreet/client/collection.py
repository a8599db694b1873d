"""`Collection`: a question with a law that was checked, and a way to answer it; `Document`: what it says of itself."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import TypeVar

from ..contexts import Context
from ..core.canonical import canonical, loads
from ..core.domain import Domain, Value
from ..core.errors import BeyondLimits, DiscreetError, InvalidInput, Refused, UnknownValue, Unreachable, named, shown
from ..core.exact import text_of
from ..core.limits import allowed
from ..core.random import EntropySource
from ..mechanisms.mechanism import Mechanism
from ..wire.spec import parse_law
from .addresses import Address, address_beside, address_of, invitation_of
from .ledger.ledger import ACCESS, CHANGES
from .promise import promise, promise_for
from .uploading import ClientSession, Receipt
from .words import check_words

T = TypeVar("T")

VERSION = 1
"""The only version of a collection document."""

MAX_DOCUMENT_BYTES = 65_536
"""The most bytes of a collection document."""

NEEDED = ("version", "title", "question", "fingerprint", "law", "reports", "changes")
OPTIONAL = ("words", "labels", "period", "opens", "closes", "access", "state")
STATES = ("waiting", "open", "closed")
"""How far a collection is: not open yet, open for answers, or closed for good."""
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
    state: str = "open"
    period: str | None = None
    """The label whose texts are times at which the same people may answer again; None if they answer once in all."""

    @property
    def wording(self) -> str:
        """What ledgers know the wording by: the SHA-256 of the canonical JSON of title, question and words."""
        return hashlib.sha256(canonical([self.title, self.question, dict(self.words)]).encode()).hexdigest()

    def check_open(self, now: datetime) -> None:
        """Raise `Refused`, with the reason, unless the collection takes answers, by its own word and by the time."""
        if self.opens is not None and now < self.opens:
            raise Refused(f"this collection opens at {_written(self.opens)}")
        if self.closes is not None and now >= self.closes:
            raise Refused(f"this collection was closed at {_written(self.closes)}")
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
    if data.get("state", "open") not in STATES:
        raise Refused(f"state={shown(data['state'])} must be one of {', '.join(STATES)}")
    labels = _table(data.get("labels", {}), "labels", _texts)
    if "period" in data and (not isinstance(data["period"], str) or data["period"] not in labels):
        raise Refused(f"period={shown(data['period'])} must be the name of a label")
    return Document(
        address=address,
        title=_text(data["title"], "title"),
        question=_text(data["question"], "question"),
        words=_table(data.get("words", {}), "words", _text),
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


class Collection:
    """A collection whose law was fetched, compared with its fingerprint and certified from its integers."""

    document: Document
    """All that the collection says of itself."""
    name: str
    """What ledgers call it: its address, in one form."""
    title: str
    """Its title, as the collector gives it."""
    question: str
    """The question, as the collector puts it."""
    words: Mapping[str, str]
    """How values are shown to people, by their text; for display only."""
    labels: Mapping[str, tuple[str, ...]]
    """The public labels that an answer may carry, each with the texts that it may have."""
    fingerprint: str
    """The SHA-256 of the law."""
    context: Context
    """What is hidden from what: the context that the law was checked against."""
    values: Domain
    """The values that can be answered."""
    epsilon: Fraction
    """What an answer spends: the largest finite entry of E."""
    shows: bool
    """True if some values may be told apart for certain."""

    def __init__(
        self, document: Document, mechanism: Mechanism, session: ClientSession, invitation: str | None = None
    ) -> None:
        self.document, self._session, self._invitation = document, session, invitation
        self.name, self.title, self.question = str(document.address), document.title, document.question
        self.words, self.labels, self.fingerprint = document.words, document.labels, document.fingerprint
        self.mechanism, self.context, self.values = mechanism, mechanism.context, mechanism.context.values
        self.epsilon, self.shows = self.context.largest, self.context.shows

    @property
    def needs_invitation(self) -> bool:
        """True if an answer needs an invitation, and the link that was opened held none."""
        return self.document.access == "invitation" and self._invitation is None

    @property
    def promise(self) -> list[str]:
        """What is promised, in sentences."""
        return promise(self.context, self.document.changes, self.words, access=self.document.access)

    @property
    def warnings(self) -> list[str]:
        """What the ledger knows that speaks against answering: questions with the same values under another law."""
        return self._session.ledger.warnings(self.name, self.mechanism, wording=self.document.wording)

    def promise_for(self, value: Value) -> str:
        """What is promised of one answer, in a sentence that does not repeat it; `UnknownValue` if there is none."""
        return promise_for(self.context, self.values.index(value))

    def value_of(self, text: str) -> Value:
        """The value that is written `text`; `UnknownValue`, which does not repeat it, if there is none."""
        number = self.values.find_text(text)
        if number is None:
            raise UnknownValue(f"{named(text)} must be {self.values.rule}")
        value: Value = self.values[number]
        return value

    def answer(
        self, value: Value, *, labels: Mapping[str, str] | None = None, invitation: str | None = None
    ) -> Receipt:
        """Answer with a value, which stays here: its report is paid for, stored, and then sent.

        `Overspent` and `AlreadyAnswered` if the ledger does not allow it, `UnknownValue` and `Refused` if the
        collection does not, which is asked once more whether it is open; nothing is spent then. A value that was
        answered before, here or in another collection with the same law, question and words, letter by letter, gets
        the same report, which is sent here once, or once in each period where the collection declares one: any other
        answer gets the receipt of the earlier upload, with the labels of that. `invitation` goes along where the
        collection asks for one; without it, that of the link which was opened does.
        """
        self.values.index(value)
        checked = self.document.check_labels({} if labels is None else labels)
        invited = self.document.check_invitation(self._invitation if invitation is None else invitation)
        self._check_still_open()
        upload = self._session.ledger.submit(
            self.mechanism,
            value,
            EntropySource(),
            question=self.name,
            url=str(self.document.reports),
            labels=checked,
            period=self.document.period,
            changes=self.document.changes,
            access=self.document.access,
            invitation=invited,
            wording=self.document.wording,
        )
        return self._session.deliver(upload)

    def _check_still_open(self) -> None:
        """Ask again how far the collection is, before anything is spent; one that is away is as it was."""
        document = self.document
        document.check_open(self._session.now())
        try:
            document = fetch_document(document.address, self._session)
        except Unreachable:
            return
        document.check_open(self._session.now())
        if replace(document, state=self.document.state) != self.document:
            raise Refused("the collection describes itself in another way than when it was opened: open it again")

    def __repr__(self) -> str:
        return f"<Collection {self.title!r} at {self.name}, epsilon={text_of(self.epsilon)}>"


def fetch_document(address: Address, session: ClientSession) -> Document:
    """What the collection at an address says of itself now."""
    return parse_document(session.fetch(address, MAX_DOCUMENT_BYTES, "the description of the collection"), address)


def open_collection(url: str, session: ClientSession) -> Collection:
    """The collection at an address, if it may be answered now and its law keeps its promise; `Refused` if not."""
    address, invitation = address_of(url), invitation_of(url)
    document = fetch_document(address, session)
    document.check_open(session.now())
    content = session.fetch(document.law, allowed().bytes, "the law of the collection")
    if hashlib.sha256(content).hexdigest() != document.fingerprint:
        raise Refused("the law of the collection is not the one that its fingerprint stands for")
    mechanism = _parse_certified(content)
    try:
        check_words(mechanism.context.values, document.words)
    except InvalidInput as problem:
        raise Refused(f"the collection shows one answer as another: {problem}") from None
    session.ledger.check_law(str(address), mechanism, wording=document.wording)
    return Collection(document, mechanism, session, invitation)


def _parse_certified(content: bytes) -> Mechanism:
    try:
        return parse_law(content.decode())
    except UnicodeDecodeError:
        raise Refused("the law of the collection is not text") from None
    except BeyondLimits as problem:
        raise Refused(f"the law of the collection asks for too much: {problem}") from None
    except DiscreetError as problem:
        raise Refused(f"the law of the collection does not keep its promise: {problem}") from None
