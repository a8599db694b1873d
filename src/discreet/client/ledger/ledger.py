"""`Ledger`: one person's budget over all collections, and the report that each value has had."""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...contexts import Context
from ...core.canonical import canonical
from ...core.domain import listed_values
from ...core.errors import AlreadyAnswered, InvalidInput, Overspent, Refused, check_type, shown
from ...core.exact import epsilon_of, text_of
from ...core.random import Source, check_source
from ...mechanisms.mechanism import Mechanism
from ...wire.published import Law
from .account import Account, Balance, StoredReport, budget_over, describe_context, same_values
from .disk import SystemDisk
from .entries import (
    FORMS,
    Budget,
    Cap,
    Debit,
    Entry,
    Outcome,
    Parts,
    Report,
    Terms,
    Upload,
    check_invitation,
    decrypt,
    encrypt,
)
from .journal import Journal, OpenJournal, lines_of
from .laws import LedgerLaw, ledger_law

CHANGES = ("refuse", "spend")
"""What becomes of a value that changed: no second report, or a second one that spends again."""

ACCESS = ("open", "invitation")
"""Who may answer: anybody, or whoever has an invitation, which is good for one report."""

MAX_TERMS_BYTES = 65_536
"""The most bytes of a context that is written only to find questions with the same values later."""

BODY_VERSION = 1
"""The version of what is sent."""


@dataclass(frozen=True)
class Spending:
    """What one collection has cost: `epsilon` in all, for so many `reports`; `shows` if it may reveal some values."""

    collection: str
    fingerprint: str
    epsilon: Fraction
    reports: int
    shows: bool
    parts: int = 1
    """How many laws a report is made by: of a questionnaire as many as it has parts."""


class Ledger:
    """What one person has spent, and the report that each value has had, in a file that survives crashes.

    ``Ledger(path, cap)`` makes the file, or opens it and lowers its cap; a cap is never raised. An answer spends the
    largest finite entry of its context of the cap. Each of `budgets` is a context: answers to questions that have all
    of its values spend theirs of it, pair by pair, and none is made unless ``(spent + asked).implies(budget)``.

    Every entry is on the disk before the next step: the debit before the report is drawn, the report before it is
    released. A value that was answered before gets its stored report, at no further cost: in this collection, or in
    another one with the same law and the same `wording`. Another question is paid for and gets a report of its own,
    whatever its law. The value itself is never written. The answers to a form are one debit and one report. `disk` is
    another file system than this machine's.

    >>> import discreet as dc
    >>> import tempfile
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = dc.Ledger(f"{folder}/ledger.jsonl", cap="2")
    ...     reports = [ledger.randomize(mechanism, "yes", dc.random.secure(), question="smoking") for _ in range(2)]
    ...     reports[0] == reports[1], str(ledger.spent), str(ledger.left)
    (True, '1', '1')

    References: Erlingsson2014 (one stored report per value); Acharya2020 (Proposition 2: contexts add up).
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        cap: object,
        *,
        budgets: Iterable[Context] = (),
        disk: SystemDisk | None = None,
    ) -> None:
        self._open(path, disk)
        new_cap = epsilon_of(cap, name="cap")
        if not isinstance(new_cap, Fraction):
            raise InvalidInput("cap=inf must be finite: it is what all answers together may spend")
        limits = _budgets_of(budgets)
        with self._journal.open(Cap(text_of(new_cap)), *(entry for _, entry in limits)) as journal:
            if new_cap > journal.account.cap:
                raise InvalidInput(
                    f"cap={text_of(new_cap)} must be at most {text_of(journal.account.cap)}, the cap of {self.path}: "
                    "a cap is never raised"
                )
            if new_cap < journal.account.cap:
                journal.append(Cap(text_of(new_cap)))
            for budget, entry in limits:
                self._limit(journal, budget, entry)

    @classmethod
    def existing(cls, path: str | os.PathLike[str], *, disk: SystemDisk | None = None) -> Ledger:
        """The ledger that is already there, with the cap that it has; `InvalidInput` if there is none."""
        ledger = cls.__new__(cls)
        ledger._open(path, disk)
        ledger._account()
        return ledger

    def _open(self, path: str | os.PathLike[str], disk: SystemDisk | None) -> None:
        check_type("path", path, (str, os.PathLike), "the name of a file")
        self.path = Path(os.path.abspath(path))
        self._journal = Journal(self.path, SystemDisk() if disk is None else disk)

    # -- what was spent ---------------------------------------------------------------------------
    @property
    def cap(self) -> Fraction:
        """The most that all answers together may spend."""
        return self._account().cap

    @property
    def spent(self) -> Fraction:
        """What all answers together have spent."""
        return self._account().spent

    @property
    def left(self) -> Fraction:
        """What may still be spent."""
        account = self._account()
        return max(account.cap - account.spent, Fraction(0))

    @property
    def budgets(self) -> list[Balance]:
        """What was spent and is left of each budget, pair by pair, in the order they were first set."""
        account = self._account()
        return [budget.balance(account.paid, account.terms) for budget in account.budgets]

    def limit(self, budget: Context, *, laws: Iterable[Law] = ()) -> None:
        """Set a budget, or lower the one over the same values: it is never raised.

        What was answered before counts. The ledger does not know the contexts of answers that it paid for while it had
        no budget over their values: each of them counts for every pair, unless its mechanism or form is among `laws`.
        """
        check_type("budget", budget, Context, "a context")
        entry = Budget(**describe_context(budget))
        listed: list[Any] = listed_values(laws, "laws")
        known = [ledger_law(law, f"laws[{number}]") for number, law in enumerate(listed)]
        with self._journal.open() as journal:
            for law in known:
                if law.fingerprint in journal.account.paid:
                    self._write_terms(journal, law, law.parts)
            self._limit(journal, budget, entry)

    def _write_terms(self, journal: OpenJournal, law: LedgerLaw, parts: Iterable[Mechanism]) -> None:
        """Write what `parts` of a law promise, and which parts it has, unless that is written already."""
        for part in parts:
            if part.fingerprint not in journal.account.terms.contexts:
                journal.append(Terms(part.fingerprint, **describe_context(part.context)))
        if law.is_form and law.fingerprint not in journal.account.terms.parts:
            journal.append(Parts(law.fingerprint, [part.fingerprint for part in law.parts]))

    def _limit(self, journal: OpenJournal, budget: Context, entry: Budget) -> None:
        account = journal.account
        before = budget_over(account.budgets, budget.domain)
        if before is None:
            unknown = [
                name
                for name, known in account.collections.items()
                if known.shows and not account.terms.are_written(known.fingerprint)
            ]
            if unknown:
                raise InvalidInput(
                    f"budget over {budget.size} values must be set before answers that may show values, such as to "
                    f"{unknown[0]}; or give `limit` the mechanisms of these answers as `laws`"
                )
            journal.append(entry)
        elif not budget.implies(before.over(budget.domain)):
            raise InvalidInput(
                f"budget over {budget.size} values must imply the one that {self.path} has: a budget is never raised"
            )
        elif not before.over(budget.domain).implies(budget):
            journal.append(entry)

    @property
    def collections(self) -> list[Spending]:
        """What each collection has cost, in the order they were first answered."""
        account = self._account()
        return [
            Spending(
                name,
                known.fingerprint,
                known.spent,
                len(known.reports),
                known.shows,
                len(account.terms.parts_of(known.fingerprint)),
            )
            for name, known in account.collections.items()
        ]

    @property
    def entries(self) -> list[Entry]:
        """Every entry, in order: `Cap`, `Budget`, `Terms`, `Parts`, `Debit`, `Report`, `Upload` and `Outcome`."""
        return list(self._account().entries)

    def export(self) -> str:
        """The lines of the journal as text; neither answers nor the key are in it, and invitations are encrypted."""
        return b"".join(lines_of(self._account().entries)).decode()

    def check_law(self, question: str, law: Law, *, wording: str | None = None) -> None:
        """Raise `Refused` if the collection called `question` was answered under another law, or in other words."""
        _check_law(self._account(), question, law.fingerprint, wording)

    def check_budget(self, question: str, law: Law, *, wording: str | None = None) -> None:
        """Raise `Overspent` if a first answer to `question` cannot be paid for, before anybody is asked.

        Of a collection that was answered, here or elsewhere with the same law and wording, the same answer is free.
        """
        asked, account = ledger_law(law), self._account()
        if question not in account.collections and not account.reports_to(asked.fingerprint, wording):
            _check_budget(account, asked)

    def asked(self, law: Law, *, wording: str | None = None) -> tuple[str, ...]:
        """The names of the questions that this person is asked: all of them, or the one that the key chooses."""
        asked = ledger_law(law)
        with self._journal.open() as journal:
            return asked.asked(journal.key, wording)

    def warnings(self, question: str, law: Law, *, wording: str | None = None) -> list[str]:
        """A sentence for each collection that was answered and whose values are among those of this one.

        The ledger cannot know whether two questions ask the same; it knows their answers. There is none for a question
        that was answered already, here or with the same law and wording.
        """
        asked, account = ledger_law(law), self._account()
        if question in account.collections or account.reports_to(asked.fingerprint, wording):
            return []
        sentences = []
        for place, part in enumerate(asked.parts, 1):
            those = f"{part.context.size} answers" + (f" to question {place}" if len(asked.parts) > 1 else "")
            sentences += [
                f"{count} of these {those} were also answers to {name}, which you answered before: "
                "if both ask the same of you, what they show adds up."
                for name, count in account.overlaps(part.context.domain)
            ]
        return sentences

    def _account(self) -> Account:
        return self._journal.view()

    # -- answers ----------------------------------------------------------------------------------
    def randomize(
        self,
        law: Law,
        answer: Any,
        rng: Source,
        *,
        question: str,
        changes: str = "refuse",
        wording: str | None = None,
    ) -> int:
        """The report of an answer to the collection called `question`: the stored one, or a new one that is paid for.

        `law` is a mechanism, of which the answer is a value, or a form, with answers by the names of its questions,
        of which those count that are `asked`; its report is packed into one number.
        With a `wording`, the SHA-256 that `Document.wording` gives, the stored one may be that of another collection
        with this law and wording; without, it is for this collection alone.
        `Overspent` if the cap or a budget does not allow it; `AlreadyAnswered` if something else was answered and
        `changes` is "refuse" ("spend" makes a second report, which costs as much again).
        """
        given = _check_answer(law, answer, rng, question, changes, wording)
        with self._journal.open() as journal:
            stored = self._report_of(journal, given.chosen(journal), {})
            return given.law.number_of(stored.entry.report)

    def submit(
        self,
        law: Law,
        answer: Any,
        rng: Source,
        *,
        question: str,
        url: str,
        labels: Mapping[str, str],
        period: str | None = None,
        changes: str = "refuse",
        access: str = "open",
        invitation: str | None = None,
        wording: str | None = None,
    ) -> Upload:
        """The upload that carries the report of an answer to `url`, stored with all that it rests on.

        The report is that of `randomize`. It is sent once, or once under each text of the label called `period`, a
        missing one among them: an upload that carries it already, and was not refused, is given again, with the labels
        and the invitation that it has. A new one where `access` is "invitation" needs one, and is `Refused` before
        anything is spent.
        """
        given = _check_answer(law, answer, rng, question, changes, wording)
        if invitation is not None:
            check_invitation(invitation)
        with self._journal.open() as journal:
            given = given.chosen(journal)
            stored = self._stored_report(journal, given)
            if stored is not None and (sent := journal.account.sent(stored, labels, period)) is not None:
                return sent
            if access == "invitation" and invitation is None:
                raise Refused(f"{question} needs an invitation, and none was given; no report was made")
            stored = self._report_of(journal, given, labels)
            batch = [stored.entry] if invitation is not None else journal.account.batch(stored, labels)
            reports = [entry.report for entry in batch]
            body = {"version": BODY_VERSION, "fingerprint": given.law.fingerprint, "reports": reports}
            text, number = canonical(body | ({"labels": dict(labels)} if labels else {})), secrets.token_hex(16)
            encrypted = None if invitation is None else encrypt(journal.key(), number, invitation)
            upload = Upload(number, question, url, text, encrypted)
            journal.append(upload)
            return upload

    def invitation(self, upload: Upload) -> str | None:
        """The invitation that goes along with an upload; None if it has none, or the key is lost."""
        if upload.invitation is None:
            return None
        with self._journal.open() as journal:
            return decrypt(journal.key(), upload.upload, upload.invitation)

    def queued(self) -> list[Upload]:
        """The uploads that were neither accepted nor refused yet, oldest first; they are durable, and may be sent."""
        with self._journal.open() as journal:
            return journal.account.queued()

    def state(self, upload: Upload) -> tuple[str, int | None]:
        """How far an upload is, "queued", "accepted" or "refused", and the status that the collector gave."""
        account = self._account()
        outcome = account.outcomes.get(upload.upload)
        return account.state(upload), None if outcome is None else outcome.status

    def settle(self, upload: Upload, state: str, status: int) -> None:
        """Note how an upload ended; only the first time counts."""
        with self._journal.open() as journal:
            if upload.upload not in journal.account.outcomes:
                journal.append(Outcome(upload.upload, state, status))

    def _report_of(self, journal: OpenJournal, answer: _Answer, labels: Mapping[str, str]) -> StoredReport:
        """The stored report of a value, or a new one: debit, draw, store, each durable before the next."""
        if (stored := self._stored_report(journal, answer)) is not None:
            return stored
        tag = _tag(journal.key(), answer.question, answer.value)
        other = self._report_elsewhere(journal, answer)
        if other is not None:
            copied = Report(answer.question, tag, other.report, dict(labels), other.collection, answer.wording)
            journal.append(copied)
            return journal.account.collections[answer.question].reports[-1]
        known = journal.account.collections.get(answer.question)
        if known is None or not known.owed:
            self._pay(journal, answer)
        return self._draw(journal, answer, tag, labels)

    def _draw(self, journal: OpenJournal, answer: _Answer, tag: str, labels: Mapping[str, str]) -> StoredReport:
        written = answer.law.draw(answer.value, answer.rng)
        journal.append(Report(answer.question, tag, written, dict(labels), wording=answer.wording))
        return journal.account.collections[answer.question].reports[-1]

    def _report_elsewhere(self, journal: OpenJournal, answer: _Answer) -> Report | None:
        """The report that this value has had in another collection with the same law and wording.

        By the law alone, two questions would get equal reports for equal answers, and show whether these differ.
        """
        key, asked = journal.key(), journal.account.reports_to(answer.law.fingerprint, answer.wording)
        return next((entry for entry in asked if entry.tag == _tag(key, entry.collection, answer.value)), None)

    def _stored_report(self, journal: OpenJournal, answer: _Answer) -> StoredReport | None:
        """The stored report of a value; `AlreadyAnswered` if another value has one, and no change is taken."""
        known = journal.account.collections.get(answer.question)
        if known is None:
            return None
        _check_law(journal.account, answer.question, answer.law.fingerprint, answer.wording)
        tag = _tag(journal.key(), answer.question, answer.value)
        stored = next((report for report in known.reports if report.entry.tag == tag), None)
        if stored is None and known.reports and answer.changes == "refuse":
            raise AlreadyAnswered(
                f"you have already given {answer.question} another answer, and answers there cannot be changed; "
                "no report was made"
            )
        return stored

    def _pay(self, journal: OpenJournal, answer: _Answer) -> None:
        law, account = answer.law, journal.account
        _check_budget(account, law)
        counts = [part for part in law.parts if any(budget.counts(part.context) for budget in account.budgets)]
        self._write_terms(journal, law, [part for part in law.parts if part in counts or _is_short(part.context)])
        journal.append(Debit(answer.question, law.fingerprint, text_of(law.epsilon), law.shows))

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r}, spent={text_of(self.spent)} of {text_of(self.cap)})"


@dataclass(frozen=True, repr=False)
class _Answer:
    """An answer whose parts were checked; it has no text, so that no error repeats its value."""

    law: LedgerLaw
    value: Any
    """The answer as it was read, and once it is `chosen` what stands for it."""
    rng: Source
    question: str
    changes: str
    wording: str | None

    def chosen(self, journal: OpenJournal) -> _Answer:
        """The answer to what the key of a journal asks."""
        asked = self.law.asked(journal.key, self.wording)
        return replace(self, value=self.law.chosen(self.value, asked))


def _check_answer(law: Law, answer: Any, rng: Source, question: str, changes: str, wording: str | None) -> _Answer:
    read = ledger_law(law)
    check_type("question", question, str, "the name of a collection")
    check_source(rng)
    if changes not in CHANGES:
        raise InvalidInput(f"changes={changes!r} must be one of {', '.join(CHANGES)}")
    if wording is not None and not FORMS["wording"](wording):
        raise InvalidInput(f"wording={shown(wording)} must be a SHA-256 in hexadecimal digits")
    return _Answer(read, read.read(answer), rng, question, changes, wording)


def _check_law(account: Account, question: str, fingerprint: str, wording: str | None) -> None:
    known = account.collections.get(question)
    if known is None:
        return
    if known.fingerprint != fingerprint:
        raise Refused(
            f"{question} was answered under another law, and a collection must keep its own: "
            "it may be asking for more than it did"
        )
    before = {stored.entry.wording for stored in known.reports} - {None}
    if wording is not None and before - {wording}:
        raise Refused(f"{question} asked something else when it was answered, and a collection must keep its question")


def _check_budget(account: Account, law: LedgerLaw) -> None:
    """Raise `Overspent` unless the cap and every budget allow one more answer."""
    if account.spent + law.epsilon > account.cap:
        raise Overspent(
            f"this answer costs {text_of(law.epsilon)}, more than the "
            f"{text_of(max(account.cap - account.spent, Fraction(0)))} that remains of your privacy budget of "
            f"{text_of(account.cap)}; no report was made"
        )
    contexts = {part.fingerprint: part.context for part in law.parts}
    fingerprints = [part.fingerprint for part in law.parts]
    terms = account.terms.also(law.fingerprint, contexts, fingerprints)
    asked = [part.context for part in law.parts]
    for budget in account.budgets:
        if any(map(budget.counts, asked)):
            budget.check(account.paid, terms, asked)


def _tag(key: bytes, question: str, value: Any) -> str:
    """What stands for a value in the journal: equal for equal values, and meaningless without the key."""
    return hmac.new(key, canonical([question, value]).encode(), "sha256").hexdigest()


def _is_short(context: Context) -> bool:
    """True for a context that is written down although no budget counts it."""
    if context.domain.stored_range is None and context.size > MAX_TERMS_BYTES:
        return False
    written = canonical({"context": context.describe(), "domain": context.domain.describe()})
    return len(written) <= MAX_TERMS_BYTES


def _budgets_of(budgets: Iterable[Context]) -> list[tuple[Context, Budget]]:
    """Some budgets with their entries; each must have values of its own."""
    entries: list[tuple[Context, Budget]] = []
    given: list[Any] = listed_values(budgets, "budgets")
    for number, budget in enumerate(given):
        check_type(f"budgets[{number}]", budget, Context, "a context")
        if any(same_values(budget.domain, other.domain) for other, _ in entries):
            raise InvalidInput(f"budgets[{number}] must be over other values than those before it")
        entries.append((budget, Budget(**describe_context(budget))))
    return entries
