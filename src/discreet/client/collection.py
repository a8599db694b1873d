"""`Collection`: questions with laws that were checked, and a way to answer them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from ..contexts import Context
from ..core.domain import Domain, Value
from ..core.errors import BeyondLimits, DiscreetError, InvalidInput, Refused, UnknownValue, Unreachable, named, shown
from ..core.exact import text_of
from ..core.limits import allowed
from ..core.random import EntropySource
from ..mechanisms.mechanism import Mechanism
from ..wire.form import Form
from ..wire.published import Law, parse_published
from ..wire.spec import parse_law
from ..wire.texts import LabelTexts, QuestionTexts, Texts
from .addresses import Address, address_of, invitation_of
from .document import MAX_DOCUMENT_BYTES, MOMENT, STATES, VERSION, Document, parse_document
from .form_promise import form_promise, form_promise_for
from .ledger.laws import SINGLE, ledger_law
from .promise import promise, promise_for
from .uploading import ClientSession, Receipt
from .words import check_blocks, check_words

__all__ = [
    "MAX_DOCUMENT_BYTES",
    "MOMENT",
    "STATES",
    "VERSION",
    "Collection",
    "Document",
    "Question",
    "fetch_document",
    "open_collection",
    "parse_document",
]


@dataclass(frozen=True)
class Question:
    """One question of a collection: what people read of it, and the context that its law was checked against."""

    name: str
    """Its name in a questionnaire; ``""`` for a single question."""
    texts: QuestionTexts
    context: Context
    """What is hidden from what: of one report about all answers, with the other answers as they are."""

    @property
    def question(self) -> str:
        """The question, as the collector puts it."""
        return self.texts.question

    @property
    def help(self) -> str:
        """What helps to answer it, or nothing."""
        return self.texts.help

    @property
    def words(self) -> Mapping[str, str]:
        """How values are shown to people, by their text; for display only."""
        return self.texts.words

    @property
    def unit(self) -> str:
        """The unit of its numbers, or nothing."""
        return self.texts.unit

    @property
    def group(self) -> str:
        """The heading that a box shares with others, or nothing."""
        return self.texts.group

    @property
    def kind(self) -> str:
        """How it is to be shown, one of `discreet.wire.texts.KINDS`, or nothing."""
        return self.texts.kind

    @property
    def values(self) -> Domain:
        """The values that can be answered."""
        return self.context.values

    def value_of(self, text: str) -> Value:
        """The value that is written `text`; `UnknownValue`, which does not repeat it, if there is none."""
        value = self.values.held(text)
        if value is None:
            where = f"the answer to {self.name!r}: " if self.name else ""
            raise UnknownValue(f"{where}{named(text)} must be {self.values.rule}")
        return value


class Collection:
    """A collection whose laws were fetched, compared with their fingerprint and certified from their integers.

    It asks a single question, which has the name ``""`` among its `questions`, or several: a questionnaire, which is
    answered, paid for and sent as one. `question`, `words`, `context`, `values` and `mechanism` are those of a single
    question, and `InvalidInput` where there are several.
    """

    document: Document
    """All that the collection says of itself."""
    name: str
    """What ledgers call it: its address, in one form."""
    texts: Texts
    """All that people read, in the language that was chosen."""
    law: Law
    """The mechanism of a single question, or the form of several, as it was checked."""
    questions: Mapping[str, Question]
    """Its questions by name, in order."""
    labels: Mapping[str, tuple[str, ...]]
    """The public labels that an answer may carry, each with the texts that it may have."""
    fingerprint: str
    """The SHA-256 of the law, or that of a questionnaire."""
    epsilon: Fraction
    """What an answer spends: the largest finite entry of E; of a questionnaire that of all that is asked."""
    shows: bool
    """True if some values may be told apart for certain."""

    def __init__(
        self,
        document: Document,
        law: Law,
        session: ClientSession,
        invitation: str | None = None,
        *,
        language: str | None = None,
    ) -> None:
        self.document, self.law, self._session, self._invitation = document, law, session, invitation
        self.texts = document.texts if language is None else document.texts.in_language(language)
        self.name, self.labels, self.fingerprint = str(document.address), document.labels, document.fingerprint
        contexts = _contexts_of(law)
        self.questions = {name: Question(name, texts, contexts[name]) for name, texts in self.texts.questions.items()}
        known = ledger_law(law)
        self.epsilon, self.shows = known.epsilon, known.shows

    # -- what it says --------------------------------------------------------------------------------
    @property
    def title(self) -> str:
        """Its title, as the collector gives it."""
        return self.texts.title

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that it can be read in, its own first."""
        return self.document.texts.languages

    def in_language(self, language: str) -> Collection:
        """This collection with its texts in another of its `languages`."""
        return Collection(self.document, self.law, self._session, self._invitation, language=language)

    @property
    def background(self) -> Mapping[str, LabelTexts]:
        """How public labels are asked for, in order."""
        return self.texts.background

    @property
    def strategy(self) -> str | None:
        """The strategy of a questionnaire, one of `discreet.wire.form.STRATEGIES`; None for a single question."""
        return self.law.strategy if isinstance(self.law, Form) else None

    @property
    def _only(self) -> Question:
        """The single question."""
        if SINGLE not in self.questions:
            raise InvalidInput(f"{self.name} asks {len(self.questions)} questions; take one of its questions by name")
        return self.questions[SINGLE]

    @property
    def question(self) -> str:
        """The question, as the collector puts it."""
        return self._only.question

    @property
    def words(self) -> Mapping[str, str]:
        """How values are shown to people, by their text; for display only."""
        return self._only.words

    @property
    def context(self) -> Context:
        """What is hidden from what: the context that the law was checked against."""
        return self._only.context

    @property
    def values(self) -> Domain:
        """The values that can be answered."""
        return self._only.values

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of the single question."""
        _ = self._only
        assert isinstance(self.law, Mechanism)
        return self.law

    def value_of(self, text: str) -> Value:
        """The value that is written `text`; `UnknownValue`, which does not repeat it, if there is none."""
        return self._only.value_of(text)

    # -- what is promised ----------------------------------------------------------------------------
    @property
    def needs_invitation(self) -> bool:
        """True if an answer needs an invitation, and the link that was opened held none."""
        return self.document.access == "invitation" and self._invitation is None

    @property
    def promise(self) -> list[str]:
        """What is promised, in sentences."""
        changes, access = self.document.changes, self.document.access
        if isinstance(self.law, Form):
            words = {name: question.words for name, question in self.questions.items()}
            units = {name: question.unit for name, question in self.questions.items()}
            return form_promise(self.law, self.epsilon, changes, words, access=access, units=units)
        return promise(self.law.context, changes, self.words, access=access, unit=self._only.unit)

    def promise_for(self, *answer: Value) -> str:
        """What is promised of one answer, in a sentence that does not repeat it; `UnknownValue` if there is none.

        It takes the value; of a questionnaire the name of the question and the value.
        """
        wanted = 2 if isinstance(self.law, Form) else 1
        if len(answer) != wanted:
            raise InvalidInput("promise_for takes a value, and of a questionnaire the name of a question and a value")
        *_, value = answer
        if not isinstance(self.law, Form):
            return promise_for(self.law.context, self.values.around(value), self._only.unit)
        name = answer[0]
        if name not in self.questions:
            raise InvalidInput(f"question={shown(name)} must be one of {', '.join(self.questions)}")
        question = self.questions[str(name)]
        return form_promise_for(self.law, question.name, question.values.around(value), question.unit)

    @property
    def warnings(self) -> list[str]:
        """What the ledger knows that speaks against answering: questions with the same values that were answered."""
        return self._session.ledger.warnings(self.name, self.law, wording=self.document.wording)

    def check_budget(self) -> None:
        """Raise `Overspent` if an answer would cost more than the ledger has left, so that it need not be asked for.

        A collection that was answered already costs nothing as long as the answer is the same.
        """
        self._session.ledger.check_budget(self.name, self.law, wording=self.document.wording)

    # -- answering -----------------------------------------------------------------------------------
    @property
    def asked(self) -> tuple[str, ...]:
        """The names of the questions that this person is asked: all of them, or the one that is drawn at random.

        The draw follows from the key of the ledger, so it is the same whenever the collection is opened again, and has
        nothing to do with any answer.
        """
        return self._session.ledger.asked(self.law, wording=self.document.wording)

    def answer(
        self,
        answer: Value | Mapping[str, Value],
        *,
        labels: Mapping[str, str] | None = None,
        invitation: str | None = None,
    ) -> Receipt:
        """Answer with a value, which stays here: its report is paid for, stored, and then sent.

        A questionnaire takes answers by the names of its questions, of which those count that are `asked`.
        `Overspent` and `AlreadyAnswered` if the ledger does not allow it, `UnknownValue` and `Refused` if the
        collection does not, which is asked once more whether it is open; nothing is spent then. A value that was
        answered before, here or in another collection with the same law, question and words, letter by letter, gets
        the same report, which is sent here once, or once in each period where the collection declares one: any other
        answer gets the receipt of the earlier upload, with the labels of that. `invitation` goes along where the
        collection asks for one; without it, that of the link which was opened does.
        """
        ledger_law(self.law).read(answer)
        checked = self.document.check_labels({} if labels is None else labels)
        invited = self.document.check_invitation(self._invitation if invitation is None else invitation)
        self._check_still_open()
        upload = self._session.ledger.submit(
            self.law,
            answer,
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
            raise Refused("the collection has changed since it was opened: open it again to see what it says now")

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
    law = _certified(content, document)
    _check_words(document, law)
    session.ledger.check_law(str(address), law, wording=document.wording)
    return Collection(document, law, session, invitation)


def _contexts_of(law: Law) -> dict[str, Context]:
    """The context of every question by its name."""
    if isinstance(law, Mechanism):
        return {SINGLE: law.context}
    return {name: spec.context for name, spec in law.questions.items()}


def _check_words(document: Document, law: Law) -> None:
    """Raise `Refused` if in any language the words for an answer, or a public label, can be taken for another one."""
    read = [document.texts.in_language(language) for language in document.texts.languages]
    contexts = _contexts_of(law)
    shown_as = [(contexts[name].values, [one.questions[name].words for one in read]) for name in contexts]
    shown_as += [
        (Domain(document.labels[name]), [one.background[name].words for one in read])
        for name in document.texts.background
    ]
    try:
        for context in contexts.values():
            check_blocks(context)
        for values, words in shown_as:
            for place, some in enumerate(words):
                if some not in words[:place]:
                    check_words(values, some)
    except InvalidInput as problem:
        raise Refused(f"the collection shows one answer as another: {problem}") from None


def _certified(content: bytes, document: Document) -> Law:
    """The law in a law file, if it is the one that the document is about and keeps its promise; else `Refused`."""
    if not document.is_form:
        if hashlib.sha256(content).hexdigest() != document.fingerprint:
            raise Refused("the law of the collection is not the one that its fingerprint stands for")
        return _parsed(content, of_form=False)
    law = _parsed(content, of_form=True)
    if not isinstance(law, Form):
        raise Refused("the collection asks several questions, and its law is that of one")
    if law.fingerprint != document.fingerprint:
        raise Refused("the law of the collection is not the one that its fingerprint stands for")
    if law.names != tuple(document.texts.questions):
        raise Refused("the collection must ask the questions that its law is about, in the same order")
    return law


def _parsed(content: bytes, *, of_form: bool) -> Law:
    try:
        return parse_published(content.decode()) if of_form else parse_law(content.decode())
    except UnicodeDecodeError:
        raise Refused("the law of the collection is not text") from None
    except BeyondLimits as problem:
        raise Refused(f"the law of the collection asks for too much: {problem}") from None
    except DiscreetError as problem:
        raise Refused(f"the law of the collection does not keep its promise: {problem}") from None
