"""Random histories of one person's answers, with crashes anywhere, and what must never happen in them."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from pathlib import Path

import discreet as dc
from discreet.client.ledger import Ledger, Report
from discreet.client.ledger.laws import ledger_law
from discreet.core.errors import AlreadyAnswered, Overspent
from discreet.wire.form import Form

PATH = Path("/home/one/ledger.jsonl")
CAP = Fraction(3)
VALUES = range(40)
MECHANISMS = {  # reports of 40 bits: two draws of one value are hardly ever the same
    "https://a.example/": dc.mechanism(dc.Context.uniform(VALUES, "1"), "unary"),
    "https://b.example/": dc.mechanism(dc.Context.uniform(VALUES, "0.5"), "unary"),
    "https://c.example/": dc.mechanism(dc.Context.uniform(VALUES, "4/3"), "unary"),
}
MECHANISMS["https://d.example/"] = MECHANISMS["https://e.example/"] = MECHANISMS["https://a.example/"]
WORDINGS = dict.fromkeys(MECHANISMS, "a" * 64) | {"https://e.example/": "e" * 64}
"""What questions are known by: those of a and d are one, at two addresses; that of e is another under their law."""


@dataclass(frozen=True)
class Setting:
    """The questions of a history, and what their answers may spend."""

    cap: Fraction
    mechanisms: dict
    budgets: tuple = ()

    @cached_property
    def entries(self):
        """E of every question, and of every budget, written out."""
        asked = {question: _entries(law) for question, law in self.mechanisms.items()}
        return asked, [budget.matrix() for budget in self.budgets]


def _entries(law):
    """What an answer under a law tells of the values of budgets, entry by entry; the parts of a form add up."""
    counted = [part.context.matrix() for part in ledger_law(law).parts if part.context.size == len(VALUES)]
    return [[sum(entries[x][z] for entries in counted) for z in VALUES] for x in VALUES]


DIFFERENT = (0, 19, 20, 29, 30, 39)
"""Two values of every kind that contexts and budgets tell apart here."""

GRADES = dict.fromkeys(range(20), 2) | dict.fromkeys(range(20, 40), "1/2")
OPEN = dict.fromkeys(range(30, 40), "inf")
SCALAR = Setting(CAP, MECHANISMS)
ONE = Setting(CAP, {"https://a.example/": MECHANISMS["https://a.example/"]})
BUDGETS = Setting(  # the cap allows nearly everything, and the budget ends before it for some pairs
    Fraction(8),
    {
        "https://a.example/": MECHANISMS["https://a.example/"],
        "https://b.example/": dc.mechanism(dc.Context.high_low(VALUES, range(30), "0.5"), "unary"),
        "https://c.example/": dc.mechanism(dc.Context.graded(GRADES), "graded_unary"),
        "https://shows.example/": dc.mechanism(dc.Context.high_low(VALUES, range(20), "4/3"), "unary"),
    },
    (dc.Context.graded(dict.fromkeys(range(20), "7/2") | dict.fromkeys(range(20, 30), "5/2") | OPEN),),
)


HALF = dc.mechanism(dc.Context.uniform(VALUES, "0.5"), "unary")
FORMS = Setting(  # reports of at least 40 bits; of a form with one law twice, too
    Fraction(6),
    {
        "https://each.example/": Form({"one": HALF, "two": HALF}, "each"),
        "https://random.example/": Form({"one": HALF, "two": MECHANISMS["https://a.example/"]}, "one at random"),
        "https://together.example/": Form(
            {"one": range(7), "two": range(7)}, "together", epsilon="4/3", choice={"name": "unary"}
        ),
        "https://again.example/": Form({"one": HALF, "two": HALF}, "each"),
        "https://single.example/": HALF,
    },
    (dc.Context.uniform(VALUES, "5/2"),),
)
WORDINGS |= {"https://each.example/": "f" * 64, "https://again.example/": "f" * 64}


class Told:
    """Everything that has left the device: the reports of each value to each question, named by its first address."""

    def __init__(self, setting=SCALAR):
        self.setting, self.reports = setting, defaultdict(set)

    def add(self, question, value, report):
        asked = {name: (law.fingerprint, WORDINGS.get(name, name)) for name, law in self.setting.mechanisms.items()}
        first = next(name for name, known in asked.items() if known == asked[question])
        self.reports[first, value].add(report)

    @property
    def spent(self):
        costs = self.setting.mechanisms
        return sum(ledger_law(costs[name]).epsilon * len(found) for (name, _), found in self.reports.items())

    def over_budget(self):
        """True if some pair of values was told apart by more than a budget allows, entry by entry."""
        contexts, budgets = self.setting.entries
        told = Counter()
        for (question, _), found in self.reports.items():
            told[question] += len(found)
        return any(
            sum(often * contexts[question][x][z] for question, often in told.items()) > budget[x][z]
            for budget in budgets
            for x, z in permutations(DIFFERENT, 2)
        )

    def breaches(self):
        """What went wrong: a value with two reports, two questions with one, or more told than was allowed."""
        twice = [1 for found in self.reports.values() if len(found) > 1]
        seen = Counter(report for found in self.reports.values() for report in found)
        shared = ["shared report"] * sum(times > 1 for times in seen.values())
        over = ["over budget"] * self.over_budget()
        return ["second report"] * len(twice) + shared + ["overspent"] * (self.spent > self.setting.cap) + over


class Releasing(Ledger):
    """A ledger that tells what it releases, at the place where it does so."""

    told: Told

    def randomize(self, mechanism, value, rng, *, question, changes="refuse"):
        wording = WORDINGS.get(question)
        answer = dict.fromkeys(mechanism.names, value) if isinstance(mechanism, Form) else value
        report = super().randomize(mechanism, answer, rng, question=question, changes=changes, wording=wording)
        self.told.add(question, value, report)
        return report


def _value(chosen):
    """The value that was given to all questions of a form, of what stands for the answers."""
    return chosen[-1] if isinstance(chosen, list) else chosen


class BeforeStoring(Releasing):
    """A planted fault: the report is released, and then stored."""

    def _draw(self, journal, answer, tag, labels):
        written = answer.law.draw(answer.value, answer.rng)
        self.told.add(answer.question, _value(answer.value), answer.law.number_of(written))
        journal.append(Report(answer.question, tag, written, dict(labels), wording=answer.wording))
        return journal.account.collections[answer.question].reports[-1]


class Unwritten:
    """A journal to which nothing is added."""

    def __init__(self, journal):
        self.account = journal.account

    def append(self, entry):
        pass


class BeforeDebit(Releasing):
    """A planted fault: the report is released, and then paid for."""

    def _pay(self, journal, answer):
        super()._pay(Unwritten(journal), answer)

    def _draw(self, journal, answer, tag, labels):
        written = answer.law.draw(answer.value, answer.rng)
        self.told.add(answer.question, _value(answer.value), answer.law.number_of(written))
        known = journal.account.collections.get(answer.question)
        if known is None or not known.owed:
            super()._pay(journal, answer)
        journal.append(Report(answer.question, tag, written, dict(labels), wording=answer.wording))
        return journal.account.collections[answer.question].reports[-1]


class ByCollection(Releasing):
    """A planted fault: the same question gets a new report in every collection."""

    def _report_elsewhere(self, journal, answer):
        return None


class OneWording(Releasing):
    """A planted fault: every question under a law gets the report of the first."""

    def randomize(self, mechanism, value, rng, *, question, changes="refuse"):
        report = Ledger.randomize(self, mechanism, value, rng, question=question, changes=changes, wording="a" * 64)
        self.told.add(question, value, report)
        return report


class WithoutBudgets(Releasing):
    """A planted fault: the budgets are written down, and only the cap is kept to."""

    def _pay(self, journal, answer):
        journal.account.budgets.clear()
        super()._pay(journal, answer)


def history(seed, kind, make_disk, crash, *, steps=10, setting=SCALAR):
    """What went wrong in one random history, and how often it crashed in which way."""
    chance = random.Random(seed)
    disk, told, counts = make_disk(chance), Told(setting), Counter()
    rng = dc.random.seeded(seed)
    for _ in range(steps):
        question, value = chance.choice(list(setting.mechanisms)), chance.randrange(2)
        disk.crash_at = disk.steps + chance.randint(1, 16) if chance.random() < 0.7 else None
        counts["steps"] += 1
        try:
            ledger = kind(PATH, setting.cap, budgets=setting.budgets, disk=disk)
            ledger.told = told
            made = setting.mechanisms[question]
            ledger.randomize(made, value, rng, question=question, changes=chance.choice(CHANGES))
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
    ledger = kind(PATH, setting.cap, budgets=setting.budgets, disk=disk)
    breaches = told.breaches() + ["spent more than the cap"] * (ledger.spent > setting.cap)
    breaches += ["spent more than a budget"] * sum(not found.spent.implies(found.budget) for found in ledger.budgets)
    return breaches + ["told more than was debited"] * (told.spent > ledger.spent), counts


CHANGES = ("refuse", "spend")
