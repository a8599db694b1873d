"""Strategies of a form: the closed forms of what each costs, and what is said of them."""

import json
import math

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.questionnaires.strategies import variance
from discreet.wire.form import EACH, ONE, TOGETHER

TABLE = {
    (2, "1"): ("4.17", "2.34", "2.77", "19.5", "2.08"),
    (2, "4"): ("0.43", "0.54", "0.29", "0.40", "0.22"),
    (5, "1"): ("10.05", "4.89", "14.15", "101.8", "3.40"),
    (5, "4"): ("0.51", "0.38", "0.34", "0.30", "0.08"),
    (10, "1"): ("12.7", "6.0", "32.9", "162", "3.62"),
    (20, "4"): ("0.66", "0.18", "1.44", "0.44", "0.08"),
}
"""n times the variance at even shares: of a share by each, one at random, together; of a cell by each, together."""


def printed(number, like):
    """The number with as many decimals as another one has."""
    return f"{number:.{len(like.partition('.')[2])}f}"


@pytest.mark.parametrize(("k", "epsilon"), TABLE)
def test_closed_forms_of_the_variances(k, epsilon):
    """The share of the first answer, which is that of all but where the best mechanism for pairs is not symmetric."""
    form = dc.Form({"a": range(k), "b": range(k)}, ONE, epsilon=epsilon)
    plan = form.plan(n=1)
    even, query = np.full(k * k, 1 / k**2), np.repeat(np.eye(k)[0], k)
    (pairs,) = form.asking(TOGETHER).mechanisms.values()
    share = variance(pairs, query, even)
    found = (
        plan[EACH].shares["a"] ** 2,
        plan[ONE].shares["a"] ** 2,
        share,
        plan[EACH].joint ** 2,
        plan[TOGETHER].joint ** 2,
    )
    expected = TABLE[k, epsilon]
    assert tuple(map(printed, found, expected)) == expected
    assert plan[TOGETHER].shares["a"] ** 2 == pytest.approx(share, rel=0.004)  # the largest of all answers
    assert plan[ONE].joint is None
    assert plan.best_for_shares != EACH  # splitting was never best
    assert plan.best_for_joint == TOGETHER
    assert {row.epsilon for row in plan.strategies} == {int(epsilon)}


def test_the_association_of_two_yes_no_questions():
    plan = dc.Form({"a": range(2), "b": range(2)}, EACH, epsilon="1").plan(n=1)
    assert printed(plan[TOGETHER].association ** 2, "0.69") == "0.69"
    assert printed(plan[EACH].association ** 2, "17.4") == "17.4"


@pytest.mark.parametrize("strategy", [EACH, TOGETHER])
def test_planned_errors_are_those_of_simulated_people(strategy):
    """The squared errors of 400 surveys average to the planned one, its root within 20 %: over five standard errors."""
    form = dc.Form({"a": range(3), "b": ["x", "y"]}, strategy, epsilon="3")
    n, rng = 400, np.random.default_rng(4)
    errors = []
    for seed in range(400):
        answers = {"a": rng.integers(3, size=n), "b": np.array(["x", "y"], dtype=object)[rng.integers(2, size=n)]}
        made = form.randomize_many(answers, dc.random.seeded(seed))
        mechanisms = form.mechanisms
        if strategy == EACH:
            found = dc.crosstab(*((mechanisms[name], made.reports[name]) for name in form.names))
        else:
            (part,) = mechanisms
            found = dc.crosstab((mechanisms[part], made.reports[part]))
        errors.append((found.shares - 1 / 6) ** 2)
    planned = form.plan(n=n)[strategy].joint
    assert math.sqrt(np.mean(errors, axis=0).max()) == pytest.approx(planned, rel=0.2)


def test_contexts_of_their_own_add_up():
    free = dc.Context.high_low(["none", "hiv"], ["hiv"], "1")
    form = dc.Form({"illness": free, "region": dc.Context.uniform(range(3), "2")}, EACH)
    plan = form.plan(n=100)
    assert plan[EACH].epsilon == plan[TOGETHER].epsilon == form.largest
    assert "each question has its own context" in str(plan)
    assert plan[ONE].shares["region"] == pytest.approx(plan[EACH].shares["region"] * math.sqrt(2))


def test_assumed_shares_change_the_plan_and_are_said():
    form = dc.Form({"a": range(2), "b": range(2)}, EACH, epsilon="4")
    rare = form.plan(n=100, prior={"a": [0.99, 0.01]})
    assert "at the given shares" in str(rare)
    assert rare[EACH].shares["a"] < form.plan(n=100)[EACH].shares["a"]
    with pytest.raises(InvalidInput, match="prior of 'c' must be that of one of the questions: a, b"):
        form.plan(n=100, prior={"c": [1, 0]})


def test_too_many_tuples_are_not_compared_and_said_so(tmp_path):
    form = dc.Form({name: range(10) for name in "abcd"}, ONE, epsilon="1")
    plan = form.plan(n=100)
    assert plan[TOGETHER].shares is None
    assert "together: not worked out: 10000 tuples of answers are more than" in str(plan)
    assert plan.best_for_joint == EACH
    plan.plot(tmp_path / "plan.png")
    assert (tmp_path / "plan.png").stat().st_size > 1000
    assert json.loads(json.dumps(plan.to_dict()))["best_for_shares"] == ONE
