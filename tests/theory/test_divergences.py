import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.core.errors import InvalidInput
from discreet.theory import (
    bhattacharyya,
    chernoff_information,
    chi_square,
    f_divergence,
    hellinger_squared,
    hockey_stick,
    kl,
    total_variation,
)

P = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
Q = [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]

weights = st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(any)


def law(counts):
    return [Fraction(c, sum(counts)) for c in counts]


def best_event(p, q, gamma):
    """The largest p(A) - gamma q(A) over all 2^n events."""
    events = itertools.product([0, 1], repeat=len(p))
    return max(sum((a - gamma * b) * bit for a, b, bit in zip(p, q, event, strict=True)) for event in events)


@settings(deadline=None)
@given(weights, weights, st.fractions(0, 5, max_denominator=20))
def test_the_hockey_stick_is_the_best_event_less_what_equal_laws_have(first, second, gamma):
    p, q = law(first), law(second)
    assert hockey_stick(p, q, gamma) == best_event(p, q, gamma) - max(1 - gamma, 0)
    assert hockey_stick(p, p, gamma) == 0


@settings(deadline=None)
@given(weights, weights)
def test_total_variation_is_the_hockey_stick_at_one(first, second):
    p, q = law(first), law(second)
    assert total_variation(p, q) == hockey_stick(p, q, 1) == best_event(p, q, 1)


@settings(deadline=None)
@given(weights, weights)
def test_every_named_divergence_is_an_f_divergence(first, second):
    p, q = law(first), law(second)
    log = lambda t: t * math.log(t) if t > 0 else 0.0  # noqa: E731
    assert f_divergence(p, q, log) == pytest.approx(kl(p, q), abs=1e-12)
    assert f_divergence(p, q, lambda t: (t - 1) ** 2) == pytest.approx(float(chi_square(p, q)), abs=1e-12)
    assert f_divergence(p, q, lambda t: abs(t - 1) / 2, slope=0.5) == pytest.approx(float(total_variation(p, q)))
    assert f_divergence(p, q, lambda t: (math.sqrt(t) - 1) ** 2, slope=1) == pytest.approx(
        hellinger_squared(p, q), abs=1e-12
    )
    assert f_divergence(p, q, lambda t: max(t - 1.7, 0), slope=1) == pytest.approx(
        float(hockey_stick(p, q, Fraction(17, 10))), abs=1e-12
    )


def test_fractions_stay_exact_and_floats_agree():
    assert total_variation(P, Q) == Fraction(1, 3)
    assert chi_square(P, Q) == Fraction(1, 4) + Fraction(1, 36) + Fraction(2, 9)
    assert hockey_stick(P, Q, Fraction(3, 2)) == Fraction(1, 8)
    floats = [float(v) for v in P], [float(v) for v in Q]
    assert total_variation(*floats) == pytest.approx(1 / 3)
    assert isinstance(total_variation(P, Q), Fraction)
    assert isinstance(total_variation(*floats), float)


def test_mass_where_the_other_has_none_is_infinite_or_counted():
    assert kl([1, 0], [0, 1]) == math.inf
    assert chi_square([0.5, 0.5], [1.0, 0.0]) == math.inf
    assert hockey_stick([1, 0], [0, 1], 7) == 1
    assert kl([1, 0], [0.5, 0.5]) == pytest.approx(math.log(2))
    assert chernoff_information([1, 0], [0, 1]) == math.inf


def test_pinsker_and_bretagnolle_and_huber_hold():
    rng = np.random.default_rng(1)
    for _ in range(200):
        p, q = rng.dirichlet(np.full(5, 0.5), 2)
        t, d = float(total_variation(p, q)), kl(p, q)
        assert t <= math.sqrt(d / 2) + 1e-12
        assert t <= math.sqrt(1 - math.exp(-d)) + 1e-12
        assert hellinger_squared(p, q) == pytest.approx(2 - 2 * bhattacharyya(p, q))


def test_chernoff_information_is_the_best_exponent_on_a_grid():
    rng = np.random.default_rng(2)
    for _ in range(20):
        p, q = rng.dirichlet(np.ones(4), 2)
        grid = max(-math.log((p**s * q ** (1 - s)).sum()) for s in np.linspace(0, 1, 2001))
        assert chernoff_information(p, q) == pytest.approx(grid, abs=1e-6)
        assert chernoff_information(p, q) >= grid - 1e-12


@pytest.mark.parametrize(
    ("p", "q"), [([0.5, 0.6], [0.5, 0.5]), ([0.5, 0.5], [1.0]), ([1.5, -0.5], [0.5, 0.5]), ([], [])]
)
def test_what_is_no_pair_of_distributions_is_refused(p, q):
    with pytest.raises(InvalidInput, match="must"):
        total_variation(p, q)


def test_fractions_that_miss_one_by_a_hair_are_refused():
    with pytest.raises(InvalidInput, match="must sum to 1"):
        total_variation([Fraction(1, 3), Fraction(2, 3) + Fraction(1, 10**15)], Q[:2])
