"""What an entry of E means: errors of tests and posterior odds (Theorem 1, Proposition 3)."""

import math
from itertools import product

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidInput

PAIRS = [
    ("1", "1"),
    ("0.5", "2"),
    ("3", "0.1"),
    ("0", "0"),
    ("0", "1"),
    ("2", "0"),
    ("inf", "1"),
    ("1", "inf"),
    ("inf", "inf"),
]


@pytest.mark.parametrize("pair", PAIRS)
def test_tests_on_the_optimal_channel_reach_the_corner_and_none_goes_beyond(pair):
    """All tests on the optimal binary channel, and their mixtures, lie in the region; one is its corner."""
    context = Context.binary("x", "z", pair)
    region = context.error_region("x", "z")
    channel = np.array(dc.mechanism(context, "binary").channel(), dtype=float)
    reached = []
    for says_x in product((0, 1), repeat=channel.shape[1]):
        false_alarm = float(channel[1] @ says_x)
        missed = 1 - float(channel[0] @ says_x)
        reached.append((false_alarm, missed))
        assert region.allows(min(1.0, false_alarm), min(1.0, max(0.0, missed)))
    for one, two in product(reached, repeat=2):
        for share in (0.25, 0.5):
            mixed = [min(1.0, max(0.0, share * a + (1 - share) * b)) for a, b in zip(one, two, strict=True)]
            assert region.allows(*mixed)
    assert min(math.dist(region.corner, at) for at in reached) < 1e-12


@pytest.mark.parametrize("pair", PAIRS)
def test_the_corner_meets_both_bounds_and_a_better_one_is_refused(pair):
    region = Context.binary("x", "z", pair).error_region("x", "z")
    false_alarm, missed = region.corner
    a, b = math.exp(-float(region.forward)), math.exp(-float(region.backward))
    assert false_alarm + a * missed == pytest.approx(a, abs=1e-15)
    assert b * false_alarm + missed == pytest.approx(b, abs=1e-15)
    assert region.allows(false_alarm, missed)
    if false_alarm > 1e-3:
        assert not region.allows(false_alarm - 1e-3, missed)
    if missed > 1e-3:
        assert not region.allows(false_alarm, missed - 1e-3)
    assert region.allows(1 - false_alarm, 1 - missed)
    assert region.corners[0] == (0.0, 1.0)
    assert region.corners[-1] == (1.0, 0.0)


def test_the_second_coordinate_is_the_corrected_one():
    """Acharya2020 (23) must read (e**E12 - 1) / (e**(E12 + E21) - 1)."""
    region = Context.binary("x", "z", ("0.5", "2")).error_region("x", "z")
    assert region.corner[1] == pytest.approx(math.expm1(0.5) / math.expm1(2.5))
    assert region.corner[0] == pytest.approx(math.expm1(2) / math.expm1(2.5))


def test_errors_are_probabilities():
    with pytest.raises(InvalidInput, match="must lie between 0 and 1"):
        Context.uniform([0, 1], 1).error_region(0, 1).allows(-0.1, 0.5)


@pytest.mark.parametrize("prior", [0.01, 1.0, 7.0])
def test_no_report_moves_the_odds_beyond_the_bound(prior):
    context = Context.blocks({0: [0, 1, 2], 1: [3]}, "1")
    mechanism = dc.mechanism(context, "subset")
    channel = mechanism.channel()
    for x, z in product(range(4), repeat=2):
        if x == z:
            continue
        bound = context.posterior_odds_bound(x, z, prior)
        for own, other in zip(channel[x], channel[z], strict=True):
            if own:
                odds = prior * float(own / other) if other else math.inf
                assert odds <= bound * (1 + 1e-12)


def test_odds_stay_zero_and_may_be_infinite():
    context = Context.high_low([0, 1], [0], "1000")
    assert context.posterior_odds_bound(0, 1, 0) == 0
    assert context.posterior_odds_bound(0, 1, 1) == math.inf
    assert context.posterior_odds_bound(1, 0, 1) == math.inf
    assert Context.uniform([0, 1], "1").posterior_odds_bound(0, 1, 2) == pytest.approx(2 * math.e)
    for wrong in (-1, math.nan):
        with pytest.raises(InvalidInput, match="prior_odds"):
            context.posterior_odds_bound(0, 1, wrong)
