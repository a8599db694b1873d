"""Coverage of intervals and size of tests, by simulation: a short form here, the long one where SOAK is set.

The long form has 1,000 surveys for every mechanism, and coverage must be within 0.02 of 0.95; and 3,000 for every test,
with few clusters 9,000, whose size must be within 0.015 of 0.05. By chance an exact interval misses the first bound
with probability 0.004 (its standard deviation is 0.0069), an exact test the second with 0.0002 (0.0040); seeds are
fixed, so that either is seen once or never. It takes some 25 minutes on one core. The short form has so few surveys
that only gross errors show, and its bounds are missed by right intervals at most once in a million runs.
"""

import os
from math import comb

import numpy as np
import pytest

import discreet as dc

from . import clustered, sizes
from .populations import MECHANISMS, TRUTHS, Drawn, analyses, coverage, joint_cell

LONG = "SOAK" in os.environ
PEOPLE = 10_000 if LONG else 3000
"""Fewer are not enough for log-odds under Hadamard on 50 values or more at epsilon 1: with 3,000 people their intervals
cover 0.97, and tests reject 2 % of true hypotheses (Wald's are blunt where shares of 0 or 1 are within reach)."""
FIGURES = len(MECHANISMS) * len(TRUTHS) + 90
"""How many figures are held against bounds of the short form, at the most."""


def times_of(name):
    """How many surveys: those of large domains take longest."""
    return 1000 if LONG else 30 if "1000" in name else 60


def most_missed(times, rate, alarm=1e-6 / FIGURES):
    """The most of so many events of this rate that come about, but for a probability of `alarm`."""
    tail = 1.0
    for count in range(times + 1):
        tail -= comb(times, count) * rate**count * (1 - rate) ** (times - count)
        if tail < alarm:
            return count
    raise AssertionError


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
def test_intervals_hold_the_truth_as_often_as_they_say(name):
    times = times_of(name)
    found = coverage(MECHANISMS[name](), times, seed=1, n=PEOPLE)
    print(name, found)
    assert found.keys() == TRUTHS.keys()
    for figure, rate in found.items():
        assert times * (1 - rate) <= most_missed(times, 0.05), figure
    if LONG:
        wrong = {figure: rate for figure, rate in found.items() if abs(rate - 0.95) > 0.02}
        assert not wrong, wrong


def test_the_joint_cell_is_that_of_the_joint_table():
    drawn = Drawn(MECHANISMS["randomized response 5"](), 3)
    table = dc.crosstab(drawn.survey, drawn.second)
    assert joint_cell(drawn) == pytest.approx((table.shares[0, 1], table.stderr[0, 1]))


@pytest.mark.slow
def test_scores_are_no_answers():
    """The control: least squares on scores, as if these were what people hold, misses the slope every time."""
    missed, right = 0, 0
    for number in range(30):
        drawn = Drawn(MECHANISMS["randomized response 5"](), 5_000_000 + number)
        sample = drawn.survey
        x = np.stack([np.ones(sample.n), sample.label("c"), sample.scores(drawn.indicator)], axis=1)
        b, rest, *_ = np.linalg.lstsq(x, sample.label("outcome"), rcond=None)
        error = np.sqrt(rest[0] / sample.n * np.linalg.inv(x.T @ x)[2, 2])
        missed += abs(b[2] - TRUTHS["predictor slope"]) > 1.96 * error
        estimate, stderr = analyses(drawn)["predictor slope"]
        right += abs(estimate - TRUTHS["predictor slope"]) < 1.96 * stderr
    assert missed == 30
    assert 30 - right <= most_missed(30, 0.05)


@pytest.mark.slow
def test_nothing_is_projected_before_differencing():
    """The control: shares made non-negative in each group first have differences that their spread does not explain."""
    mechanism, times, truth = MECHANISMS["hadamard 1000"](), 40, TRUTHS["difference"]
    projected, plain, right = [], [], 0
    for number in range(times):
        drawn = Drawn(mechanism, 6_000_000 + number, n=400)
        sample, half = drawn.survey, drawn.survey.label("half")
        groups = [mechanism.tally(sample.waves[0].reports[half == level]) for level in (0, 1)]
        low, high = (dc.project(tally).query(drawn.indicator).value for tally in groups)
        projected.append(high - low)
        apart = dc.compare(sample, by="half", query=drawn.indicator)
        plain.append(apart.difference[0, 0])
        right += abs(plain[-1] - truth) < 1.96 * apart.stderr[0, 0]
    away = [(np.mean(found) - truth) / (np.std(found) / np.sqrt(times)) for found in (projected, plain)]
    assert away[0] < -5
    assert abs(away[1]) < 5
    held = np.mean(np.abs(np.array(projected) - truth) < 1.96 * np.std(projected))
    assert times * (1 - held) > most_missed(times, 0.05)
    assert times - right <= most_missed(times, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", sizes.MECHANISMS)
def test_tests_reject_what_is_true_as_often_as_they_say(name):
    times = 3000 if LONG else 25
    found = sizes.rejected(sizes.MECHANISMS[name](), times, seed=2, n=PEOPLE)
    print(name, found)
    check_sizes(found, times)


@pytest.mark.slow
@pytest.mark.parametrize("name", clustered.CASES)
def test_tests_of_few_clusters_reject_what_is_true_as_often_as_they_say(name):
    times = 9000 if LONG else 25
    found = clustered.rejected(clustered.CASES[name], times, seed=3)
    print(name, found)
    control = found.pop("normal reference")
    check_sizes(found, times, least=0.015 if "30 %" in name else 0.035)
    if LONG:
        assert control > 0.065, "the control: the normal distribution lets errors from few clusters reject too often"


def check_sizes(found, times, least=0.035):
    """Hold how often each test rejected against how often it says that it does.

    Where one cluster counts for much the tests of log-odds are cautious, and may reject as rarely as `least`.
    """
    far = (lambda rate: not least < rate < 0.065) if LONG else (lambda rate: times * rate > most_missed(times, 0.05))
    wrong = {test: rate for test, rate in found.items() if far(rate)}
    assert not wrong, wrong


def test_a_difference_is_not_passed_by_the_tests():
    """The control: where labels and answers do go together, the same tests reject."""
    drawn = Drawn(sizes.MECHANISMS["randomized response 5"](), 7, slope=3.0, linked=(0.95, 0.05))
    sample, event = drawn.survey, drawn.indicator
    assert dc.compare(sample, by="half").omnibus.p < 1e-4
    assert dc.regress(sample, event, on=["c"]).p[1] < 1e-4
    assert dc.regress(sample, event, on=["c"], link="logit").p[1] < 1e-4
    assert dc.crosstab(sample, drawn.second).independence.p < 1e-4
    assert dc.multinomial(sample, on=["c"]).test("c").p < 1e-4
