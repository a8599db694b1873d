"""Forms that ask for a number: rounded at random for everybody, by itself, and found again as a mean."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput, UnknownValue
from discreet.estimation.results.figures import figures_of
from discreet.wire.form import EACH, ONE

HOURS = dc.Context.numbers(0, 24, "3", step=6, clip=True)
HELD = [7.5] * 30_000


def form_of(strategy):
    return dc.Form({"smokes": dc.Context.uniform(["no", "yes"], "1"), "hours": HOURS}, strategy)


def answers(hours=HELD):
    return {"smokes": ["no", "yes"] * (len(hours) // 2), "hours": hours}


@pytest.mark.parametrize("strategy", [ONE, EACH])
def test_numbers_of_many_people_are_rounded_at_random(strategy):
    """The interval of the mean holds 7.5, and not 6, which is what rounding to the nearest step gives."""
    form = form_of(strategy)
    found = dc.margins(form.tally(form.randomize_many(answers(), dc.random.seeded(1)))).figures(1 - 1e-6)["hours"]
    assert found["mean"]["low"] < 7.5 < found["mean"]["high"]
    nearest = dc.margins(form.tally(form.randomize_many(answers([6.0] * 30_000), dc.random.seeded(1))))
    assert not nearest.figures(1 - 1e-6)["hours"]["mean"]["high"] > 7.5  # the control: nodes are not rounded


def test_one_person_and_many_are_asked_by_the_same_law():
    form = form_of(EACH)
    reports = [form.randomize({"smokes": "no", "hours": "7.5"}, dc.random.seeded(seed)) for seed in range(3000)]
    mean = dc.margins(form.tally(reports)).figures(1 - 1e-6)["hours"]["mean"]
    assert mean["low"] < 7.5 < mean["high"]


def test_what_is_no_number_is_named_by_its_row_and_question():
    form = form_of(EACH)
    with pytest.raises(UnknownValue, match="row 2: the answer to 'hours' must be a number from 0 to 24"):
        form.randomize_many(answers([1, "x"]), dc.random.seeded(1))
    assert form.randomize_many(answers([1, "x"]), dc.random.seeded(1), unknown="drop").left_out == 1
    assert form.randomize_many(answers([1, 500]), dc.random.seeded(1)).left_out == 0  # it counts as 24


@pytest.mark.parametrize("whole", [True, False])
def test_numbers_are_refused_together_with_other_answers(whole):
    questions = {"smokes": dc.Context.uniform(["no", "yes"], "1"), "hours": HOURS}
    more = {}
    if whole:
        questions, more = {name: one.domain for name, one in questions.items()}, {"epsilon": "2"}
    with pytest.raises(InvalidInput, match="question 'hours' asks for a number, which has a report of its own"):
        dc.Form(questions, "together", **more)


def test_figures_beside_values_outside_are_those_of_the_people_who_gave_a_number():
    domain = dc.NumberDomain(0, 100, clip=True, outside=["rather not"])
    mechanism = dc.mechanism(dc.Context.uniform(domain, "3"))
    rng = np.random.default_rng(1)
    numbers = rng.uniform(20, 120, 30_000).round(1)
    held = [*numbers.tolist(), *["rather not"] * 10_000]
    figures = figures_of(mechanism.tally(mechanism.randomize_many(held, dc.random.seeded(1))), confidence=1 - 1e-6)
    cut = np.minimum(numbers, 100)
    assert figures["mean"]["low"] < cut.mean() < figures["mean"]["high"] < 75
    assert figures["spread"]["low"] < cut.std() < figures["spread"]["high"]
    assert abs(figures["given"] - 0.75) < 0.1
    assert figures["cut"] == "of numbers cut at 0 and 100"
    assert not figures["mean"]["low"] < cut.mean() * 0.75 < figures["mean"]["high"]  # a control: not the sum of all


def test_the_interval_of_a_mean_among_those_who_gave_a_number_covers():
    """In 200 surveys of 2,000 people at 95 %: below 179 or above 199 times with a probability of 1e-5 or less."""
    domain = dc.NumberDomain(0, 10, nodes=9, outside=["rather not"])
    mechanism = dc.mechanism(dc.Context.uniform(domain, "3"))
    held, covered = [*np.linspace(0, 5, 1200).round(3).tolist(), *["rather not"] * 800], 0
    for seed in range(200):
        mean = figures_of(mechanism.tally(mechanism.randomize_many(held, dc.random.seeded(seed))))["mean"]
        covered += mean["low"] < 2.5 < mean["high"]
    assert 179 <= covered <= 200


def test_other_values_and_no_reports_have_no_figures():
    for context in (dc.Context.uniform(["a", "b"], "1"), HOURS):
        assert figures_of(dc.mechanism(context).tally()) is None
    assert Fraction(HOURS.domain.step) == 6
