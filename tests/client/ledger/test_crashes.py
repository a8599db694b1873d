"""No crash makes the ledger overspend, or gives one value a second report; faults that do are noticed."""

import random
from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from discreet.bulk.words import seeded
from discreet.client.ledger import Ledger
from discreet.core.errors import AlreadyAnswered, Overspent


def run(histories, lossy, kind, disk, seeds, setting="SCALAR"):
    """What went wrong in each of many histories, and what happened in all of them."""
    wrong, counts = [], Counter()
    for seed in seeds:
        found, happened = histories.history(seed, kind, disk, lossy.Crash, setting=getattr(histories, setting))
        counts += happened
        if found:
            wrong.append((seed, found))
    return wrong, counts


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["SCALAR", "BUDGETS", "FORMS"])
def test_3000_histories_with_crashes_have_no_breach(histories, lossy, setting):
    wrong, counts = run(histories, lossy, histories.Releasing, lossy.LossyDisk, range(3000), setting)
    assert wrong == []
    assert counts["steps"] == 30_000
    assert counts["crashes"] > 8_000
    assert counts["power"] > 8_000
    assert min(counts["answered"], counts["Overspent"], counts["AlreadyAnswered"]) > 1_000


@pytest.mark.parametrize("setting", ["SCALAR", "BUDGETS", "FORMS"])
@pytest.mark.parametrize("fault", ["BeforeStoring", "BeforeDebit"])
def test_a_planted_fault_is_caught(histories, lossy, fault, setting):
    wrong, _ = run(histories, lossy, getattr(histories, fault), lossy.LossyDisk, range(100), setting)
    assert len(wrong) >= (5 if setting == "FORMS" else 10)


def test_one_report_for_two_questions_under_one_law_is_caught(histories, lossy):
    wrong, _ = run(histories, lossy, histories.OneWording, lossy.LossyDisk, range(24))
    assert sum("shared report" in found for _, found in wrong) >= 4


def test_a_new_report_to_a_question_that_was_answered_elsewhere_is_caught(histories, lossy):
    wrong, _ = run(histories, lossy, histories.ByCollection, lossy.LossyDisk, range(26, 50))
    assert sum("second report" in found for _, found in wrong) >= 4


@pytest.mark.parametrize(("setting", "often"), [("BUDGETS", 20), ("FORMS", 10)])
def test_a_budget_that_is_not_kept_to_is_caught(histories, lossy, setting, often):
    wrong, _ = run(histories, lossy, histories.WithoutBudgets, lossy.LossyDisk, range(40), setting)
    assert len(wrong) >= often
    assert all("over budget" in found or "spent more than a budget" in found for _, found in wrong)


def test_a_disk_that_forgets_what_a_dead_process_wrote_is_caught(histories, lossy):
    wrong, _ = run(histories, lossy, histories.Releasing, lossy.ForgetfulDisk, range(140, 240), "ONE")
    assert wrong


@pytest.mark.parametrize("of_forms", [False, True])
def test_after_a_crash_at_each_step_of_every_answer_the_promise_holds(histories, lossy, of_forms):
    """One history, crashed once at each of its steps in each way, and then carried on to its end."""
    laws = histories.FORMS.mechanisms if of_forms else histories.MECHANISMS
    questions, setting = list(laws), histories.Setting(6, laws)
    script = [
        (questions[0], 1, "refuse"),
        (questions[1], 2, "refuse"),
        (questions[0], 1, "spend"),
        (questions[0], 2, "spend"),
        (questions[3], 1, "refuse"),  # the question of the first
        (questions[4], 1, "refuse"),  # another one, under its law
    ]

    def go(disk, told, rng, crash=()):
        for question, value, changes in script:
            try:
                ledger = histories.Releasing(histories.PATH, setting.cap, disk=disk)
                ledger.told = told
                ledger.randomize(laws[question], value, rng, question=question, changes=changes)
            except crash:
                return True
        return False

    whole = lossy.LossyDisk(random.Random(0))
    assert not go(whole, histories.Told(setting), seeded(0))
    assert whole.steps > 30
    tried = 0
    for step in range(1, whole.steps + 1):
        for seed in range(3 if of_forms else 12):
            disk, told, rng = lossy.LossyDisk(random.Random(seed)), histories.Told(setting), seeded(seed)
            disk.crash_at = step
            assert go(disk, told, rng, lossy.Crash)
            disk.killed() if seed % 2 else disk.lose_power()
            assert not go(disk, told, rng)
            assert told.breaches() == []
            assert len(told.reports) == 4
            assert Ledger.existing(histories.PATH, disk=disk).spent == told.spent
            tried += 1
    assert tried > (150 if of_forms else 400)


def test_the_ledger_keeps_its_promise_in_any_order_of_events(histories, lossy):
    class Person(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            self.disk, self.told, self.rng = lossy.LossyDisk(random.Random(1)), histories.Told(), seeded(1)
            self.cap = histories.CAP

        @rule(
            question=st.sampled_from(list(histories.MECHANISMS)),
            value=st.integers(0, 2),
            changes=st.sampled_from(["refuse", "spend"]),
            crash=st.none() | st.integers(1, 30),
            power=st.booleans(),
        )
        def answers(self, question, value, changes, crash, power):
            self.disk.crash_at = None if crash is None else self.disk.steps + crash
            try:
                ledger = histories.Releasing(histories.PATH, self.cap, disk=self.disk)
                ledger.told = self.told
                ledger.randomize(histories.MECHANISMS[question], value, self.rng, question=question, changes=changes)
            except lossy.Crash:
                self.disk.lose_power() if power else self.disk.killed()
            except (Overspent, AlreadyAnswered):
                pass
            self.disk.crash_at = None

        @rule()
        def loses_power_while_idle(self):
            self.disk.lose_power()

        @rule()
        def lowers_the_cap(self):
            if self.cap > 2:
                Ledger(histories.PATH, self.cap - 1, disk=self.disk)
                self.cap -= 1

        @invariant()
        def keeps_the_promise(self):
            assert self.told.breaches() == []
            if self.disk.read(histories.PATH) is not None:
                ledger = Ledger.existing(histories.PATH, disk=self.disk)
                assert self.told.spent <= ledger.spent <= histories.CAP

    Person.TestCase.settings = settings(max_examples=100, stateful_step_count=20, deadline=None)
    Person.TestCase().runTest()
