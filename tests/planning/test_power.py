"""Planned differences and slopes: reference figures, exact variances, and simulated surveys."""

import math
from statistics import NormalDist

import numpy as np
import pytest

import discreet as dc
from discreet.checks.statistics import enumerate_channel
from discreet.core.errors import InvalidInput
from discreet.planning.power import StudyDesign, Variances, covariate_of, difference_power, slope_power, tilt

YES = dc.Context.uniform(["no", "yes"], "1")
WORDS = dc.Context.high_low(["a", "b", "c", "d"], sensitive=["a", "b"], epsilon="1")


def test_two_shares_take_the_people_that_were_worked_out_elsewhere():
    found = dc.plan(YES, difference=(0.2, 0.3), power=0.8).detection
    assert (found.n, found.without_privacy) == (2 * 1739, 2 * 294)
    assert dc.plan(YES, n=found.n, difference=(0.2, 0.3)).detection.power == pytest.approx(found.power)
    assert dc.plan(YES, n=found.n - 2, difference=(0.2, 0.3)).detection.power < 0.8
    smallest = dc.plan(YES, n=found.n, power=0.8, prior=[0.8, 0.2]).detection
    assert smallest.second == pytest.approx(0.3, abs=1e-4)


def test_tilted_shares_keep_proportions_inside_and_outside_an_event():
    shares, event = np.array([0.1, 0.3, 0.2, 0.4]), np.array([1.0, 0.0, 1.0, 0.0])
    found = tilt(shares, event, 0.6)
    assert found == pytest.approx([0.2, 0.4 * 3 / 7, 0.4, 0.4 * 4 / 7], abs=1e-12)
    assert tilt(shares, np.arange(4.0), 2.5) @ np.arange(4.0) == pytest.approx(2.5, abs=1e-12)
    assert tilt(shares, np.arange(4.0), 3.0) == pytest.approx([0, 0, 0, 1])
    with pytest.raises(InvalidInput, match="from 0 to 3"):
        tilt(shares, np.arange(4.0), 3.5)


@pytest.mark.parametrize("name", ["hadamard", "subset", "unary"])
def test_variances_are_those_of_the_channel(name):
    context = dc.Context.uniform(range(5), "1")
    mechanism, weights = dc.mechanism(context, name), np.array([0.0, 1, 2, 5, 4])
    shares = np.array([0.3, 0.1, 0.2, 0.15, 0.25])
    p = tilt(shares, weights, 1.7)
    channel, _, _ = enumerate_channel(mechanism)
    scores = mechanism.score(mechanism.reports(), weights, shares=np.full(5, 0.2))
    expected = (p @ channel) @ scores**2 - 1.7**2
    assert Variances(mechanism, weights, shares).at(1.7) == pytest.approx(expected, rel=1e-9)
    assert Variances(None, weights, shares).at(1.7) == pytest.approx(p @ weights**2 - 1.7**2, rel=1e-9)


def surveys(mechanism, p, sizes, weights, rounds, rng):
    """The mean score and its standard error in simulated groups, for a mechanism with one cell a report."""
    scores = mechanism.score(mechanism.reports(), weights, shares=np.full(len(weights), 1 / len(weights)))
    law = np.array(p) @ np.array(mechanism.channel(), dtype=float)
    counts = rng.multinomial(sizes, law / law.sum(), size=rounds)
    means = counts @ scores / sizes
    return means, np.sqrt((counts @ scores**2 / sizes - means**2) / sizes)


def test_a_planned_difference_is_found_as_often_as_planned():
    """4,000 surveys: a power of 0.8 is met within 0.02, three standard deviations, once in 400 runs not."""
    weights, shares = np.array([1.0, 1, 0, 0]), np.array([0.15, 0.15, 0.3, 0.4])
    plan = dc.plan(WORDS, difference=(0.3, 0.4), query=weights, prior=shares)
    rng, z = np.random.default_rng(3), NormalDist().inv_cdf(0.975)
    arms = [
        surveys(plan.mechanism, tilt(shares, weights, share), plan.n // 2, weights, 4000, rng) for share in (0.3, 0.4)
    ]
    found = np.abs(arms[1][0] - arms[0][0]) > z * np.hypot(arms[0][1], arms[1][1])
    assert found.mean() == pytest.approx(plan.detection.power, abs=0.02)
    fewer = dc.plan(WORDS, difference=(0.3, 0.42), query=weights, prior=shares).n
    arms = [surveys(plan.mechanism, tilt(shares, weights, s), fewer // 2, weights, 4000, rng) for s in (0.3, 0.4)]
    found = np.abs(arms[1][0] - arms[0][0]) > z * np.hypot(arms[0][1], arms[1][1])
    assert found.mean() < 0.7, "the control: people for a larger difference"


def test_a_planned_slope_is_found_as_often_as_planned():
    """2,000 surveys: a power of 0.8 is met within 0.03, more than three standard deviations, once in 1,000 runs not."""
    covariate = np.repeat([-1.0, 0.0, 2.0], 20)
    plan = dc.plan(YES, slope=0.1, covariate=covariate, prior=[0.6, 0.4])
    mechanism, n = plan.mechanism, plan.n - plan.n % 3
    rng = np.random.default_rng(4)
    points = np.unique(covariate)
    centred = points - points.mean()
    means = np.stack(
        [surveys(mechanism, [0.6 - 0.1 * c, 0.4 + 0.1 * c], n // 3, np.array([0.0, 1]), 2000, rng) for c in centred]
    )
    slopes = np.einsum("c,cs->s", centred, means[:, 0]) / (centred**2).sum()
    errors = np.sqrt(np.einsum("c,cs->s", centred**2, means[:, 1] ** 2)) / (centred**2).sum()
    found = np.abs(slopes) > NormalDist().inv_cdf(0.975) * errors
    assert found.mean() == pytest.approx(plan.detection.power, abs=0.03)
    assert slopes.mean() == pytest.approx(0.1, abs=0.003)


def test_a_slope_between_two_points_is_a_difference():
    ways, design = Variances(dc.mechanism(YES), np.array([0.0, 1]), np.array([0.7, 0.3])), StudyDesign()
    slope = slope_power(ways, 0.3, 0.05, (np.array([-1.0, 1.0]), np.array([0.5, 0.5])), design)
    difference = difference_power(ways, 0.25, 0.35, design)
    assert slope(4000) == pytest.approx(difference(4000), abs=0.002)


def test_the_normal_covariate_has_mean_0_and_variance_1():
    points, masses = covariate_of(None)
    assert masses @ points == pytest.approx(0, abs=1e-12)
    assert masses @ points**2 == pytest.approx(1)
    assert masses @ points**4 == pytest.approx(3)


def test_who_is_compared_changes_the_people():
    def people(**other):
        return dc.plan(YES, difference=0.1, prior=[0.8, 0.2], **other).n

    usual = people()
    assert people(subgroup=0.1) == pytest.approx(10 * usual, rel=0.01)
    assert people(design_effect=2) == pytest.approx(2 * usual, rel=0.01)
    assert people(groups=(0.2, 0.2)) == pytest.approx(2.5 * usual, rel=0.01)
    assert people(groups=(0.9, 0.1)) > 2 * usual
    assert people(groups=(1,)) == pytest.approx(usual / 4, rel=0.05)
    assert people(comparisons=10) > 1.5 * usual
    assert people(power=0.95) > people(power=0.8) == usual


def test_errors_of_a_subgroup_are_those_of_its_people():
    part, whole = dc.plan(YES, n=1000, subgroup=0.25), dc.plan(YES, n=250)
    assert part.expected.stderr == whole.expected.stderr
    assert "of whom 250 are in the subgroup" in str(part)
    assert dc.plan(YES, stderr=0.01, subgroup=0.25).n == 4 * dc.plan(YES, stderr=0.01).n


def test_a_plan_says_what_is_found_how_often():
    plan = dc.plan(YES, difference=(0.2, 0.3))
    assert "0.2 against 0.3, in groups of 1,739 and 1,739, is found in 80 of 100 surveys" in str(plan)
    assert plan.as_dict()["detection"]["groups"] == [0.5, 0.5]
    assert "A slope of 0.1" in str(dc.plan(YES, slope=0.1))
    assert "at 5 % shared by 3 comparisons, with a design effect of 2;" in str(
        dc.plan(YES, difference=(0.2, 0.3), comparisons=3, design_effect=2)
    )
    assert "instead of the known" in str(dc.plan(YES, difference=0.1, groups=(1,)))
    assert math.isclose(dc.plan(YES, difference=(0.2, 0.3)).n, plan.users_needed)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"difference": 0.9}, "from 0 to 1"),
        ({"difference": 0}, "difference=0 must be"),
        ({"difference": "much"}, "difference"),
        ({"difference": (0.2, 0.2)}, "two different numbers"),
        ({"power": 0.8}, "power must go with n"),
        ({"n": 3, "power": 0.8}, "too few"),
        ({"n": 10, "power": 0.8, "slope": 1}, "finds the third"),
        ({"slope": 1, "difference": 0.1}, "one of difference and slope"),
        ({"slope": 1, "tv": 0.1}, "either tv or stderr"),
        ({"slope": 0}, "slope=0"),
        ({"slope": 0.1, "covariate": [1, 1]}, "covariate must be"),
        ({"difference": 0.1, "covariate": [1, 2]}, "go with a slope"),
        ({"n": 10, "comparisons": 3}, "plan needs a difference"),
        ({"difference": 0.1, "groups": (0.6, 0.6)}, "groups="),
        ({"difference": 0.1, "subgroup": 0}, "subgroup=0"),
        ({"difference": 0.1, "alpha": 1}, "alpha=1"),
        ({"difference": 0.1, "power": 0.01}, "above alpha"),
        ({"difference": 0.1, "comparisons": 0}, "comparisons=0"),
        ({"difference": 0.1, "design_effect": 0}, "design_effect=0"),
        ({"difference": 1e-12}, "more than"),
        ({"difference": (0.2, 0.3), "prior": [1, 0]}, "no other value"),
        ({"n": 1000, "power": 0.8, "prior": [1, 0]}, "no other value"),
        ({}, "exactly one of"),
    ],
)
def test_what_cannot_be_planned_is_refused(asked, said):
    with pytest.raises(InvalidInput, match=said):
        dc.plan(YES, **asked)


def test_a_difference_of_many_values_needs_a_query():
    with pytest.raises(InvalidInput, match="query must be one query"):
        dc.plan(WORDS, difference=0.1)
    assert dc.plan(WORDS, difference=0.1, query={"a": 1}).n > 0
