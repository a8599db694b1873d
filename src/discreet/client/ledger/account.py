"""`Account`: what the entries of a journal add up to, one entry at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from ...contexts import Context
from ...core.canonical import canonical
from ...core.errors import InvalidInput
from .budgets import PairBudget, Payments, budget_over, context_of
from .entries import REFUSED, Budget, Cap, Debit, Entry, Outcome, Report, Terms, Upload

MAX_BATCH_REPORTS = 1000
"""The most reports of one upload."""


@dataclass
class StoredReport:
    """A stored report, and the upload that carries it under each choice of labels."""

    entry: Report
    carried: dict[str, str] = field(default_factory=dict)


@dataclass
class AnsweredCollection:
    """What is known of one collection: its law, what it has cost, and its reports in the order they were made."""

    fingerprint: str
    shows: bool
    spent: Fraction = Fraction(0)
    debits: int = 0
    reports: list[StoredReport] = field(default_factory=list)

    @property
    def owed(self) -> bool:
        """True if a debit has no report: nothing was released under it, and one may be drawn."""
        return self.debits > len(self.reports)

    def with_tag(self, tag: str) -> StoredReport | None:
        """The stored report of the value that has this tag."""
        return next((stored for stored in self.reports if stored.entry.tag == tag), None)


class Account:
    """Cap, budgets, debits, reports, uploads and outcomes of a journal; `InvalidInput` for one that cannot follow."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries: list[Entry] = []
        self.cap = Fraction(0)
        self.budgets: list[PairBudget] = []
        self.terms: dict[str, Context] = {}
        self.paid: dict[str, Payments] = {}
        self.collections: dict[str, AnsweredCollection] = {}
        self.uploads: dict[str, Upload] = {}
        self.outcomes: dict[str, Outcome] = {}
        for entry in entries:
            self.add(entry)

    @property
    def spent(self) -> Fraction:
        """The sum of all debits."""
        return sum((answered.spent for answered in self.collections.values()), Fraction(0))

    def add(self, entry: Entry) -> None:
        """Take the next entry into account."""
        if not self.entries and not isinstance(entry, Cap):
            raise InvalidInput("the first line must be a cap")
        getattr(self, f"_add_{entry.kind}")(entry)
        self.entries.append(entry)

    def _add_cap(self, cap: Cap) -> None:
        if self.entries and Fraction(cap.epsilon) > self.cap:
            raise InvalidInput(f"cap={cap.epsilon} must be at most the cap before it: a cap is never raised")
        self.cap = Fraction(cap.epsilon)

    def _add_budget(self, entry: Budget) -> None:
        context = context_of(entry)
        before = budget_over(self.budgets, context.domain)
        if before is None:
            self.budgets.append(PairBudget(context, dict(self.paid)))
        elif not context.implies(before.over(context.domain)):
            raise InvalidInput("a budget must imply the one before it over the same values: a budget is never raised")
        else:
            before.context = context

    def _add_terms(self, terms: Terms) -> None:
        self.terms.setdefault(terms.fingerprint, context_of(terms))

    def _add_debit(self, debit: Debit) -> None:
        answered = self.collections.setdefault(debit.collection, AnsweredCollection(debit.fingerprint, debit.shows))
        if answered.fingerprint != debit.fingerprint:
            raise InvalidInput("a collection must keep its fingerprint")
        answered.spent += Fraction(debit.epsilon)
        answered.debits += 1
        debits, epsilon, shows = self.paid.get(debit.fingerprint, Payments())
        self.paid[debit.fingerprint] = Payments(debits + 1, epsilon + Fraction(debit.epsilon), shows or debit.shows)

    def _add_report(self, report: Report) -> None:
        answered = self.collections.get(report.collection)
        if answered is None or not answered.owed:
            raise InvalidInput("a report must follow its debit")
        answered.reports.append(StoredReport(report))

    def _add_upload(self, upload: Upload) -> None:
        if upload.upload in self.uploads:
            raise InvalidInput("an upload must have a number of its own")
        contents = upload.contents()
        labels, answered = canonical(contents["labels"]), self.collections.get(upload.collection)
        reports = [] if answered is None else answered.reports
        waiting = [stored for stored in reports if not self.carries(stored, labels)]
        for report in contents["reports"]:
            stored = next((stored for stored in waiting if stored.entry.report == report), None)
            if stored is not None:
                waiting.remove(stored)
                stored.carried[labels] = upload.upload
        self.uploads[upload.upload] = upload

    def _add_outcome(self, outcome: Outcome) -> None:
        if outcome.upload not in self.uploads:
            raise InvalidInput("an outcome must follow its upload")
        self.outcomes.setdefault(outcome.upload, outcome)

    def carries(self, stored: StoredReport, labels: str) -> Upload | None:
        """The upload that carries a report under these labels, unless it was refused."""
        upload = self.uploads.get(stored.carried.get(labels, ""))
        return None if upload is None or self.state(upload) == REFUSED else upload

    def batch(self, stored: StoredReport, labels: Mapping[str, str]) -> list[Report]:
        """The reports of one upload: this one, and others of its collection that were never sent, labelled alike."""
        others = [
            other.entry
            for other in self.collections[stored.entry.collection].reports
            if other is not stored and not other.carried and other.entry.labels == labels
        ]
        return [*others[: MAX_BATCH_REPORTS - 1], stored.entry]

    def queued(self) -> list[Upload]:
        """The uploads without an outcome, in the order they were made."""
        return [upload for number, upload in self.uploads.items() if number not in self.outcomes]

    def state(self, upload: Upload) -> str:
        """How far an upload is: "queued", "accepted" or "refused"."""
        outcome = self.outcomes.get(upload.upload)
        return "queued" if outcome is None else outcome.state
