import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.core.errors import InvalidInput
from discreet.theory import eta_gamma, pair_curve, pairwise_delta, pairwise_epsilon, privacy_curve

rows = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any)
channels = st.lists(rows, min_size=2, max_size=3).map(lambda m: [[Fraction(v, sum(r)) for v in r] for r in m])
gammas = st.fractions(1, 12, max_denominator=30)


def delta_by_events(p, q, gamma):
    events = itertools.product([0, 1], repeat=len(p))
    return max(sum((a - gamma * b) * bit for a, b, bit in zip(p, q, event, strict=True)) for event in events)


@settings(max_examples=60, deadline=None)
@given(channels, gammas)
def test_delta_is_the_largest_over_pairs_and_events(Q, gamma):
    expected = max(delta_by_events(p, q, gamma) for p in Q for q in Q)
    assert privacy_curve(Q).delta_at(gamma) == expected
    assert eta_gamma(Q, gamma) == expected


@settings(max_examples=60, deadline=None)
@given(channels, gammas)
def test_a_pair_has_its_own_curve(Q, gamma):
    assert pair_curve(Q, 0, 1).delta_at(gamma) == delta_by_events(Q[0], Q[1], gamma)
    assert pair_curve(Q, 1, 0).delta_at(gamma) == delta_by_events(Q[1], Q[0], gamma)


@settings(max_examples=60, deadline=None)
@given(channels, st.fractions(0, 1, max_denominator=30))
def test_the_smallest_gamma_at_a_delta_is_enough_and_no_smaller_is(Q, delta):
    curve = privacy_curve(Q)
    gamma = curve.gamma_at(delta)
    if gamma == math.inf:
        assert all(delta_by_events(p, q, 10**9) <= 1 for p in Q for q in Q)
        assert max(delta_by_events(p, q, 10**9) for p in Q for q in Q) > delta
    else:
        assert curve.delta_at(gamma) <= delta
        if gamma > 1:
            assert curve.delta_at(gamma - (gamma - 1) / 1000) > delta


@settings(max_examples=60, deadline=None)
@given(channels)
def test_breakpoints_increase_and_the_curve_is_convex(Q):
    curve = privacy_curve(Q)
    assert curve.gammas[0] == 1
    assert list(curve.gammas) == sorted(set(curve.gammas))
    points = list(zip(curve.gammas, curve.deltas, strict=True))
    slopes = [(d1 - d0) / (g1 - g0) for (g0, d0), (g1, d1) in itertools.pairwise(points)]
    assert slopes == sorted(slopes)
    assert all(s < 0 for s in slopes)


def test_randomized_response_has_its_epsilon_at_delta_zero_exactly():
    Q = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    curve = privacy_curve(Q)
    assert curve.gammas == (1, 3)
    assert curve.deltas == (Fraction(1, 2), 0)
    assert curve.gamma_at(0) == 3
    assert curve.epsilon() == pytest.approx(math.log(3))
    assert curve.delta(math.log(2)) == pytest.approx(1 / 4)
    assert curve.delta(math.inf) == 0
    assert curve.epsilon(delta=Fraction(1, 2)) == 0


def test_a_report_only_one_value_gives_leaves_a_delta_at_every_epsilon():
    Q = [[0.9, 0.1, 0.0], [0.9, 0.0, 0.1]]
    curve = privacy_curve(Q)
    assert curve.delta(math.inf) == pytest.approx(0.1)
    assert curve.epsilon(delta=0.05) == math.inf
    assert curve.epsilon(delta=0.1) == 0


def test_floats_and_fractions_give_the_same_curve():
    rng = np.random.default_rng(3)
    counts = rng.integers(1, 50, (4, 6))
    exact = [[Fraction(int(v), int(r.sum())) for v in r] for r in counts]
    floats = counts / counts.sum(axis=1, keepdims=True)
    for epsilon in (0.0, 0.3, 1.0, 2.5):
        assert privacy_curve(floats).delta(epsilon) == pytest.approx(privacy_curve(exact).delta(epsilon), abs=1e-12)
    assert privacy_curve(floats).epsilon(delta=0.01) == pytest.approx(privacy_curve(exact).epsilon(delta=0.01))


def test_the_matrix_a_channel_attains_leaves_no_delta_and_any_less_does():
    rng = np.random.default_rng(4)
    Q = rng.dirichlet(np.ones(5), 4)
    E = pairwise_epsilon(Q)
    assert pairwise_delta(Q, E).max() <= 1e-12
    for x, z in itertools.permutations(range(4), 2):
        less = E.copy()
        less[x, z] *= 0.99
        assert pairwise_delta(Q, less)[x, z] > 1e-6
        assert E[x, z] == pytest.approx(pair_curve(Q, x, z).epsilon())


def test_infinite_entries_ask_for_nothing():
    Q = [[1, 0], [0, 1]]
    assert pairwise_epsilon(Q)[0, 1] == math.inf
    assert pairwise_delta(Q, [[0, math.inf], [math.inf, 0]]).max() == 0
    assert pairwise_delta(Q, [[0, math.inf], [800, 0]])[1, 0] == 1


def test_one_value_is_perfectly_private():
    assert privacy_curve([[0.3, 0.7]]).epsilon() == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: pair_curve([[1, 0], [0, 1]], 0, 2),
        lambda: privacy_curve([[1, 0], [0, 1]]).delta_at(Fraction(1, 2)),
        lambda: privacy_curve([[1, 0], [0, 1]]).gamma_at(2),
        lambda: privacy_curve([[1, 0], [0, 1]]).delta(-1),
        lambda: pairwise_delta([[1, 0], [0, 1]], [[0]]),
        lambda: privacy_curve([[0.5, 0.4]]),
        lambda: privacy_curve([[1.5, -0.5]]),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InvalidInput, match="must"):
        call()
