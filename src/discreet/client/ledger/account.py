"""`Account`: what the entries of a journal add up to, and what they have spent of budgets, pair by pair."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from ...contexts import Context
from ...contexts.structure.entrywise import among, rest, total, unprotected, worst_pair
from ...core.canonical import canonical, loads
from ...core.domain import Domain, Value
from ...core.errors import InvalidInput, Overspent, shown
from ...core.exact import Epsilon, text_of
from ...core.fields import Fields
from ...core.limits import LIFTED, under
from ...wire.contexts import context_of as context_in_spec
from ...wire.contexts import domain_of
from .entries import REFUSED, Budget, Cap, Debit, Entry, Outcome, Parts, Report, Terms, Upload


class Payments(NamedTuple):
    """What the debits under one law come to."""

    debits: int = 0
    epsilon: Fraction = Fraction(0)
    shows: bool = False


Paid = Mapping[str, Payments]
"""Payments by the fingerprints of their laws."""

NOT_WRITTEN = ""
"""Stands for a context that was never written down."""


@dataclass
class KnownTerms:
    """What the laws of answers are known to promise, by their fingerprints."""

    contexts: dict[str, Context | None] = field(default_factory=dict)
    """Contexts of laws; None for one that was written and cannot be read here."""
    parts: dict[str, Sequence[str]] = field(default_factory=dict)
    """The laws of the parts of a form."""

    def parts_of(self, fingerprint: str) -> Sequence[str]:
        """The laws that a debit under this one is about: those of its parts, or itself."""
        return self.parts.get(fingerprint, (fingerprint,))

    def are_written(self, fingerprint: str) -> bool:
        """True if the context of a law, or of every part of a form, was written down."""
        return all(part in self.contexts for part in self.parts_of(fingerprint))

    def are_readable(self, fingerprint: str) -> bool:
        """True unless a context was written that cannot be counted here."""
        return all(self.contexts.get(part, NOT_WRITTEN) is not None for part in self.parts_of(fingerprint))

    def also(self, fingerprint: str, contexts: Mapping[str, Context], parts: Sequence[str]) -> KnownTerms:
        """These terms and those of one more law with its parts."""
        return KnownTerms({**self.contexts, **contexts}, {**self.parts, fingerprint: parts})


@dataclass(frozen=True)
class Balance:
    """A budget, what answers have spent of it and what is left, as contexts over its values."""

    budget: Context
    spent: Context
    left: Context

    def tightest(self) -> tuple[Value, Value, Epsilon, Epsilon] | None:
        """The two values between which least is left, with the budget there and what was spent; None without any."""
        x, z, _ = worst_pair(self.budget, self.spent)
        values = self.budget.values
        return None if x == z else (values[x], values[z], self.budget.at(x, z), self.spent.at(x, z))


@dataclass
class PairBudget:
    """A budget as a journal has it, with what was paid under each law before it was first set."""

    context: Context
    before: Paid

    def over(self, domain: Domain) -> Context:
        """The context of the budget with its values in the order of another domain."""
        context = among(self.context, domain)
        assert context is not None
        return context

    def spent(self, paid: Paid, terms: KnownTerms, asked: Sequence[Context] = ()) -> Context:
        """What the debits of a journal have spent of it, and one more answer under the contexts that are `asked`.

        Debits whose terms are known count exactly for each part whose question has all values of the budget, else not
        at all. One without terms, made before there was a budget to write them for, may have been about these values,
        and so may one whose terms cannot be read: it counts with its epsilon for every pair, and tells all apart if it
        may show any.
        """
        domain = self.context.domain
        releases: list[tuple[Context | None, int]] = []
        for fingerprint, payments in paid.items():
            for part in terms.parts_of(fingerprint):
                if (known := terms.contexts.get(part)) is not None:
                    releases.append((told_of(known, domain), payments.debits))
            if not terms.are_readable(fingerprint):
                releases.append((_anything(domain, payments), 1))
            elif not terms.are_written(fingerprint):
                releases.append((_anything(domain, self.before.get(fingerprint, Payments())), 1))
        releases += [(told_of(context, domain), 1) for context in asked]
        return total(domain, [(context, times) for context, times in releases if context is not None])

    def counts(self, context: Context) -> bool:
        """True if it counts answers under this context: they, or those to one of several questions, have its values."""
        return told_of(context, self.context.domain) is not None

    def balance(self, paid: Paid, terms: KnownTerms) -> Balance:
        """What was spent and what is left."""
        spent = self.spent(paid, terms)
        return Balance(self.context, spent, rest(self.context, spent))

    def check(self, paid: Paid, terms: KnownTerms, asked: Sequence[Context]) -> None:
        """`Overspent` unless ``(spent + asked).implies(budget)``, naming the pair of values that is furthest beyond.

        That is the same pair whatever value is answered.
        """
        after = self.spent(paid, terms, asked)
        if after.implies(self.context):
            return
        x, z, over = worst_pair(self.context, after)
        values, before = self.context.values, self.spent(paid, terms).at(x, z)
        if not isinstance(over, Fraction) and isinstance(before, Fraction):
            raise Overspent(
                f"this answer may tell {shown(values[x])} from {shown(values[z])} for certain, where the budget allows "
                f"{text_of(self.context.at(x, z))} only; no report was made"
            )
        allowed, more = self.context.at(x, z), self.spent({}, KnownTerms(), asked)
        left = max(allowed - before, Fraction(0)) if isinstance(before, Fraction) else Fraction(0)
        raise Overspent(
            f"this answer costs {text_of(more.at(x, z))} for telling {shown(values[x])} from {shown(values[z])}, more "
            f"than the {text_of(left)} that remains of the budget of {text_of(allowed)} there; no report was made"
        )


def told_of(context: Context, domain: Domain) -> Context | None:
    """What an answer under a context tells of the values in `domain`; None if it has not all of them.

    Several answers may be one value, a tuple: then it is what they tell of each answer that has all of the values. In a
    product that is the sum over the factors that do, and where all tuples are alike what they tell of any two.
    """
    if (found := among(context, domain)) is not None:
        return found
    if context.factors is not None:
        told = [one for factor in context.factors if (one := told_of(factor, domain)) is not None]
        return total(domain, [(one, 1) for one in told]) if told else None
    if not isinstance(context.values[0], tuple) or context.shows or context.smallest != context.largest:
        return None
    several = [value if isinstance(value, tuple) else () for value in context.values]
    places = [{value[i] for value in several if len(value) > i} for i in range(max(map(len, several)))]
    is_one = any(all(value in answers for value in domain) for answers in places)
    return Context.uniform(domain, context.largest) if is_one else None


def _anything(domain: Domain, paid: Payments) -> Context | None:
    """What answers under an unknown law may have revealed about values."""
    if paid.shows:
        return unprotected(domain)
    return Context.uniform(domain, paid.epsilon) if paid.epsilon else None


def budget_over(budgets: Iterable[PairBudget], domain: Domain) -> PairBudget | None:
    """The budget over just these values, in any order."""
    return next((budget for budget in budgets if same_values(budget.context.domain, domain)), None)


def same_values(domain: Domain, other: Domain) -> bool:
    """True if two domains have the same values, in any order."""
    return domain == other or (len(domain) == len(other) and all(value in domain for value in other))


# -- contexts as entries -----------------------------------------------------------------------------
def describe_context(context: Context) -> dict[str, Any]:
    """The context and the domain of an entry, as lines hold them; `InvalidInput` where they are not read back alike."""
    data: dict[str, Any] = json.loads(canonical({"context": context.describe(), "domain": context.domain.describe()}))
    _read(canonical(data))
    return data


def context_of(entry: Budget | Terms) -> Context:
    """The context of an entry; `InvalidInput` unless it is as `describe_context` writes it."""
    return _read(canonical({"context": dict(entry.context), "domain": dict(entry.domain)}))


@lru_cache(maxsize=16)
def _read(written: str) -> Context:
    data = loads(written, InvalidInput)
    with under(LIFTED):
        domain, _ = domain_of(Fields(data["domain"], "domain"), None)
        context = context_in_spec(data["context"], domain)
    if canonical({"context": context.describe(), "domain": context.domain.describe()}) != written:
        raise InvalidInput("a context must be written as the ledger writes it")
    return context


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
        return self.debits > sum(stored.entry.source is None for stored in self.reports)


class Account:
    """What the entries of a journal add up to; `InvalidInput` for an entry that cannot follow those before it."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries: list[Entry] = []
        self.cap = Fraction(0)
        self.budgets: list[PairBudget] = []
        self.terms = KnownTerms()
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
        try:
            context = context_of(terms)
        except InvalidInput:  # that of a law which another client took
            context = None
        self.terms.contexts.setdefault(terms.fingerprint, context)

    def _add_parts(self, parts: Parts) -> None:
        self.terms.parts.setdefault(parts.fingerprint, parts.parts)

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
        if report.source is not None:
            answered = self._copied(report, report.source, answered)
        elif answered is None or not answered.owed:
            raise InvalidInput("a report must follow its debit")
        answered.reports.append(StoredReport(report))

    def _copied(self, report: Report, source: str, answered: AnsweredCollection | None) -> AnsweredCollection:
        """The collection that gets a report which another one with the same law and wording has had."""
        first = self.collections.get(source)
        if first is None or all(
            (entry.collection, entry.report) != (source, report.report)
            for entry in self.reports_to(first.fingerprint, report.wording)
        ):
            raise InvalidInput("a report with a source must be one that its source has, to the same wording")
        known = answered or AnsweredCollection(first.fingerprint, first.shows)
        if known.fingerprint != first.fingerprint:
            raise InvalidInput("a report and its source must have one law")
        return self.collections.setdefault(report.collection, known)

    def _add_upload(self, upload: Upload) -> None:
        if upload.upload in self.uploads:
            raise InvalidInput("an upload must have a number of its own")
        contents = upload.contents()
        labels, answered = canonical(contents["labels"]), self.collections.get(upload.collection)
        reports = [] if answered is None else answered.reports
        waiting = [stored for stored in reports if not self.carries(stored, labels)]
        for report in contents["reports"]:
            equal = [stored for stored in waiting if stored.entry.report == report]
            if equal:
                stored = next((stored for stored in equal if not self.carriers(stored)), equal[0])
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

    def carriers(self, stored: StoredReport) -> list[Upload]:
        """The uploads that carry a report under any labels, but for those that were refused."""
        return [upload for labels in stored.carried if (upload := self.carries(stored, labels)) is not None]

    def sent(self, stored: StoredReport, labels: Mapping[str, str], period: str | None) -> Upload | None:
        """The first upload that carries a report in the period of these labels, or at all without periods.

        An upload does not say which of two equal reports it carries: one that was sent before counts as sent with the
        other.
        """
        if not (uploads := self.carriers(stored)) or period is None:
            return next(iter(uploads), None)
        reports = self.collections[stored.entry.collection].reports
        equal = (other for other in reports if other.entry.report == stored.entry.report)
        found = (upload for other in equal for upload in self.carriers(other))
        return next((one for one in found if one.contents()["labels"].get(period) == labels.get(period)), None)

    def reports_to(self, fingerprint: str, wording: str | None) -> list[Report]:
        """The reports of all collections with this law and wording; none where the wording is not known."""
        return [
            stored.entry
            for known in self.collections.values()
            if wording is not None and known.fingerprint == fingerprint
            for stored in known.reports
            if stored.entry.wording == wording
        ]

    def overlaps(self, domain: Domain) -> list[tuple[str, int]]:
        """The collections that were answered and share values with this domain, and how many."""
        shared = {
            other: sum(value in domain for value in context.domain)
            for other, context in self.terms.contexts.items()
            if context is not None
        }
        found = (
            (name, max(shared.get(part, 0) for part in self.terms.parts_of(known.fingerprint)))
            for name, known in self.collections.items()
        )
        return [(name, count) for name, count in found if count]

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
