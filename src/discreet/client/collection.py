"""`Collection`: a question with a law that was checked, and the way to answer it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction

from ..contexts import Context
from ..core.domain import Domain, Value
from ..core.errors import BeyondLimits, DiscreetError, Refused, UnknownValue, named
from ..core.exact import text_of
from ..core.limits import allowed
from ..core.random import EntropySource
from ..mechanisms.mechanism import Mechanism
from ..wire.laws import parse_law
from .addresses import address_of, invitation_of
from .document import MAX_DOCUMENT_BYTES, Document, parse_document
from .promise import promise
from .uploading import ClientSession, Receipt


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
        collection does not; nothing is spent then. A value that was answered before gets the same report, and one that
        was accepted is not sent again. `invitation` goes along where the collection asks for one; without it, that of
        the link which was opened does.
        """
        self.document.check_open(self._session.now())
        upload = self._session.ledger.submit(
            self.mechanism,
            value,
            EntropySource(),
            question=self.name,
            url=str(self.document.reports),
            labels=self.document.check_labels({} if labels is None else labels),
            changes=self.document.changes,
            access=self.document.access,
            invitation=self.document.check_invitation(self._invitation if invitation is None else invitation),
        )
        return self._session.deliver(upload)

    def __repr__(self) -> str:
        return f"<Collection {self.title!r} at {self.name}, epsilon={text_of(self.epsilon)}>"


def open_collection(url: str, session: ClientSession) -> Collection:
    """The collection at an address, if it may be answered now and its law keeps its promise; `Refused` if not."""
    address, invitation = address_of(url), invitation_of(url)
    document = parse_document(session.fetch(address, MAX_DOCUMENT_BYTES, "the description of the collection"), address)
    document.check_open(session.now())
    content = session.fetch(document.law, allowed().bytes, "the law of the collection")
    if hashlib.sha256(content).hexdigest() != document.fingerprint:
        raise Refused("the law of the collection is not the one that its fingerprint stands for")
    mechanism = _parse_certified(content)
    session.ledger.check_law(str(address), mechanism)
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
