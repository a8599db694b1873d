"""Random histories of one person's answers, with crashes anywhere, and what must never happen in them."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import discreet as dc
from discreet.accounting import Ledger, Report
from discreet.accounting.ledger import report_to_json
from discreet.errors import AlreadyAnswered, Overspent

PATH = Path("/home/one/ledger.jsonl")
CAP = Fraction(3)
VALUES = range(40)
MECHANISMS = {  # reports of 40 bits: two draws of one value are hardly ever the same
    "https://a.example/": dc.mechanism(dc.Context.uniform(VALUES, "1"), "unary"),
    "https://b.example/": dc.mechanism(dc.Context.uniform(VALUES, "0.5"), "unary"),
    "https://c.example/": dc.mechanism(dc.Context.uniform(VALUES, "4/3"), "unary"),
}


class Told:
    """Everything that has left the device: the reports of each value of each collection."""

    def __init__(self):
        self.reports = defaultdict(set)

    def add(self, question, value, report):
        self.reports[question, value].add(report)

    @property
    def spent(self):
        return sum(MECHANISMS[question].context.largest * len(found) for (question, _), found in self.reports.items())

    def breaches(self):
        """What went wrong: a value with two reports, or more told than was allowed."""
        twice = [1 for found in self.reports.values() if len(found) > 1]
        return ["second report"] * len(twice) + ["overspent"] * (self.spent > CAP)


class Releasing(Ledger):
    """A ledger that tells what it releases, at the place where it does so."""

    told: Told

    def randomize(self, mechanism, value, rng, *, question, changes="refuse"):
        report = super().randomize(mechanism, value, rng, question=question, changes=changes)
        self.told.add(question, value, report)
        return report


class BeforeStoring(Releasing):
    """A planted fault: the report is released, and then stored."""

    def _draw(self, journal, tell, tag, labels):
        report = tell.mechanism.randomize(tell.value, tell.rng)
        self.told.add(tell.question, tell.value, report)
        journal.append(Report(tell.question, tag, report_to_json(tell.mechanism, report), dict(labels)))
        return journal.account.collections[tell.question].reports[-1]


class BeforeDebit(Releasing):
    """A planted fault: the report is released, and then paid for."""

    def _pay(self, journal, tell):
        spent, cap = journal.account.spent, journal.account.cap
        if spent + tell.mechanism.context.largest > cap:
            raise Overspent("no")

    def _draw(self, journal, tell, tag, labels):
        report = tell.mechanism.randomize(tell.value, tell.rng)
        self.told.add(tell.question, tell.value, report)
        known = journal.account.collections.get(tell.question)
        if known is None or not known.owed:
            super()._pay(journal, tell)
        journal.append(Report(tell.question, tag, report_to_json(tell.mechanism, report), dict(labels)))
        return journal.account.collections[tell.question].reports[-1]


def history(seed, kind, make_disk, crash, *, steps=10):
    """What went wrong in one random history, and how often it crashed in which way."""
    chance = random.Random(seed)
    disk, told, counts = make_disk(chance), Told(), Counter()
    rng = dc.random.seeded(seed)
    for _ in range(steps):
        question, value = chance.choice(list(MECHANISMS)), chance.randrange(2)
        disk.crash_at = disk.steps + chance.randint(1, 16) if chance.random() < 0.7 else None
        counts["steps"] += 1
        try:
            ledger = kind(PATH, CAP, disk=disk)
            ledger.told = told
            ledger.randomize(MECHANISMS[question], value, rng, question=question, changes=chance.choice(CHANGES))
            counts["answered"] += 1
        except crash:
            counts["crashes"] += 1
            if chance.random() < 0.5:
                disk.killed()
            else:
                disk.lose_power()
                counts["power"] += 1
        except (Overspent, AlreadyAnswered) as refused:
            counts[type(refused).__name__] += 1
        if chance.random() < 0.2:
            disk.lose_power()
            counts["power"] += 1
    disk.crash_at = None
    ledger = kind(PATH, CAP, disk=disk)
    breaches = told.breaches() + ["spent more than the cap"] * (ledger.spent > CAP)
    return breaches + ["told more than was debited"] * (told.spent > ledger.spent), counts


CHANGES = ("refuse", "spend")
