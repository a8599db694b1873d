import math

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.theory import (
    attained_blocks,
    attained_high_low,
    attained_subset,
    dirichlet_best,
    dirichlet_risk,
    minimax_binary,
    minimax_blocks,
    minimax_classical,
    minimax_high_low,
    minimax_matrix,
)

INF = math.inf
EPSILONS = (0.1, 1.0, 4.0)


def at_least(sample, bound):
    """Whether the sample's mean is not below the bound; wrongly false with probability below 1e-6."""
    return sample.mean() + 5 * sample.std() / math.sqrt(len(sample)) >= bound


@pytest.mark.parametrize("k", [2, 3, 10, 50, 1000])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("n", [1, 100, 10**4, 10**7])
def test_classical_lower_bounds_are_below_what_the_subset_mechanism_attains(k, epsilon, n):
    least, most = minimax_classical(k, n, epsilon=epsilon), attained_subset(k, n, epsilon=epsilon)
    assert 0 < least.total_variation.value <= most.total_variation.value
    assert 0 < least.squared_error.value <= most.squared_error.value
    assert not least.total_variation.vacuous
    if n == 10**7 and k <= 50 and epsilon >= 1:
        assert least.squared_error.value >= 0.8 * most.squared_error.value
        assert least.total_variation.value >= 0.6 * most.total_variation.value


@pytest.mark.parametrize("sizes", [[3, 3, 4], [1, 1, 20], [25] * 40, [1] * 7, [2, 30, 5, 5]])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("n", [1, 10**3, 10**6])
def test_block_lower_bounds_are_below_what_hadamard_blocks_attain(sizes, epsilon, n):
    least = minimax_blocks(sizes, n, epsilons=[epsilon] * len(sizes))
    most = attained_blocks(sizes, n, epsilons=[epsilon] * len(sizes))
    assert 0 < least.total_variation.value <= most.total_variation.value
    assert 0 < least.squared_error.value <= most.squared_error.value


@pytest.mark.parametrize(("k", "s"), [(2, 1), (10, 3), (100, 10), (100, 99), (30, 1)])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("n", [1, 10**3, 10**6])
def test_high_low_lower_bounds_are_below_what_high_low_hadamard_attains(k, s, epsilon, n):
    least = minimax_high_low(k, s, n, epsilon=epsilon)
    most = attained_high_low(k, s, n, epsilon=epsilon)
    assert 0 < least.total_variation.value <= most.total_variation.value
    assert 0 < least.squared_error.value <= most.squared_error.value


@pytest.mark.parametrize(("k", "m", "epsilon"), [(2, 1, 0.5), (4, 2, 0.5), (5, 1, 2.0), (6, 2, 1.0)])
@pytest.mark.parametrize("n", [50, 2000, 50_000])
def test_estimates_of_shares_drawn_from_the_prior_err_no_less_than_the_bound(channels, k, m, epsilon, n):
    rng = np.random.default_rng(k * n)
    Q = channels.subset(k, m, epsilon)
    for which, best in enumerate(dirichlet_best(k, n, epsilon=epsilon)):
        shares = np.zeros((4000, k))
        shares[:, : best.k] = rng.dirichlet(np.full(best.k, best.concentration[0]), 4000)
        measured = channels.simulate(Q, shares, n, rng)[which]
        bound = (best.total_variation, best.squared_error)[which]
        assert at_least(measured, bound)
        if n == 50_000 and best.k == k:
            assert not at_least(measured, 2.5 * bound)


def test_reports_without_privacy_break_the_private_bound(channels):
    rng = np.random.default_rng(12)
    best, _ = dirichlet_best(6, 5000, epsilon=1.0)
    shares = rng.dirichlet(np.full(6, best.concentration[0]), 2000)
    measured, _ = channels.simulate(np.eye(6), shares, 5000, rng)
    assert not at_least(measured, best.total_variation)


@pytest.mark.parametrize("n", [200, 20_000])
def test_given_the_block_masses_the_blocks_err_as_problems_of_their_own(channels, n):
    rng = np.random.default_rng(14)
    sizes, masses, epsilon, a = [4, 3, 2], [0.5, 0.3, 0.2], 1.0, 4.0
    Q = channels.blocks([channels.subset(k, 1, epsilon) for k in sizes])
    shares = np.hstack([m * rng.dirichlet(np.full(k, a), 4000) for k, m in zip(sizes, masses, strict=True)])
    distance, squared = channels.simulate(Q, shares, n, rng)
    parts = [
        (m, dirichlet_risk(k, n * m, epsilon=epsilon, concentration=a)) for k, m in zip(sizes, masses, strict=True)
    ]
    assert at_least(distance, sum(m * r.total_variation for m, r in parts))
    assert at_least(squared, sum(m**2 * r.squared_error for m, r in parts))
    everyone = [(m, dirichlet_risk(k, n, epsilon=epsilon, concentration=a)) for k, m in zip(sizes, masses, strict=True)]
    assert sum(m * r.total_variation for m, r in everyone) < sum(m * r.total_variation for m, r in parts)


@pytest.mark.parametrize("n", [200, 20_000])
@pytest.mark.parametrize("mass", [0.2, 0.7])
def test_given_the_sensitive_mass_the_two_kinds_of_value_err_apart(channels, n, mass):
    rng = np.random.default_rng(15)
    s, t, epsilon, a = 4, 5, 1.0, 4.0
    Q = channels.high_low(s, t, 1, epsilon)
    shares = np.hstack([mass * rng.dirichlet(np.full(s, a), 4000), (1 - mass) * rng.dirichlet(np.full(t, a), 4000)])
    distance, squared = channels.simulate(Q, shares, n, rng)
    inside = dirichlet_risk(s, n, epsilon=epsilon, concentration=a, mass=mass)
    users = n * (1 - mass) * (1 - math.exp(-epsilon))
    outside = dirichlet_risk(t, users, epsilon=INF, concentration=a)
    assert at_least(distance, inside.total_variation + (1 - mass) * outside.total_variation)
    assert at_least(squared, inside.squared_error + (1 - mass) ** 2 * outside.squared_error)


@pytest.mark.parametrize("n", [10, 10**5])
def test_the_forms_agree_where_they_meet(n):
    one = minimax_classical(8, n, epsilon=1)
    for other in (minimax_blocks([8], n, epsilons=[1]), minimax_high_low(8, 8, n, epsilon=1)):
        assert other.total_variation.value == pytest.approx(one.total_variation.value)
        assert other.squared_error.value == pytest.approx(one.squared_error.value)
    E = [[0 if x == z else 1 for x in range(8)] for z in range(8)]
    assert minimax_matrix(E, n).squared_error.value == pytest.approx(one.squared_error.value)
    public = minimax_classical(5, n, epsilon=INF)
    assert minimax_blocks([1] * 5, n, epsilons=[1] * 5).total_variation.value == public.total_variation.value
    pair = minimax_binary(n, epsilon_xz=1, epsilon_zx=1)
    assert pair.squared_error.value == pytest.approx(minimax_classical(2, n, epsilon=1).squared_error.value)
    inf = [[0 if x == z else INF for x in range(5)] for z in range(5)]
    assert minimax_matrix(inf, n).total_variation.value == pytest.approx(public.total_variation.value)


def test_a_matrix_of_blocks_has_the_bound_of_its_blocks():
    block_of = [0, 0, 0, 1, 1, 2]
    E = [[0 if x == z else 0.7 if a == b else INF for z, b in enumerate(block_of)] for x, a in enumerate(block_of)]
    for n in (10, 10**4):
        found, expected = minimax_matrix(E, n), minimax_blocks([3, 2, 1], n, epsilons=[0.7] * 3)
        assert found.total_variation.value >= expected.total_variation.value
        assert found.squared_error.value >= expected.squared_error.value
        assert found.squared_error.value <= attained_blocks([3, 2, 1], n, epsilons=[0.7] * 3).squared_error.value


def test_a_large_matrix_is_served_by_a_few_levels():
    rng = np.random.default_rng(16)
    points = rng.random((12, 2))
    E = np.abs(points[:, None] - points[None]).sum(axis=2)
    found = minimax_matrix(E, 1000)
    weaker = minimax_classical(12, 1000, epsilon=float(E.max()))
    assert found.total_variation.value >= weaker.total_variation.value > 0


@pytest.mark.parametrize(
    "bound",
    [
        lambda n: minimax_classical(20, n, epsilon=1).total_variation.value,
        lambda n: minimax_classical(20, n, epsilon=1).squared_error.value,
        lambda n: minimax_blocks([5, 9, 2], n, epsilons=[1, 2, 0.5]).total_variation.value,
        lambda n: minimax_high_low(30, 5, n, epsilon=1).total_variation.value,
        lambda n: minimax_binary(n, epsilon_xz=2, epsilon_zx=INF).total_variation.value,
    ],
)
def test_more_users_never_raise_a_bound(bound):
    values = [bound(n) for n in (0, 1, 10, 100, 1000, 10**5, 10**7)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < values[0]


def test_more_epsilon_never_raises_a_bound():
    values = [minimax_classical(20, 1000, epsilon=e).total_variation.value for e in (0, 0.1, 0.5, 1, 2, 5, 10, INF)]
    assert values == sorted(values, reverse=True)


def test_values_that_may_not_differ_are_never_told_apart():
    found = minimax_blocks([4, 2], 10**9, epsilons=[0, 1])
    assert found.total_variation.value >= 0.5
    assert minimax_binary(10**9, epsilon_xz=0, epsilon_zx=INF).total_variation.value > 0.1


def test_one_value_leaves_nothing_to_bound_and_says_so():
    found = minimax_classical(1, 10, epsilon=1)
    assert found.total_variation.vacuous
    assert found.squared_error.vacuous
    assert minimax_matrix([[0]], 10).squared_error.vacuous


def test_the_note_names_the_hard_family():
    assert "Dirichlet" in minimax_classical(10, 10**6, epsilon=1).total_variation.note
    assert "cube" in minimax_classical(1000, 10, epsilon=1).total_variation.note
    assert "blocks" in minimax_blocks([5, 5], 10**6, epsilons=[1, 1]).total_variation.note
    assert "sensitive mass" in minimax_high_low(10, 3, 10**4, epsilon=1).total_variation.note


@pytest.mark.parametrize(
    "call",
    [
        lambda: minimax_classical(0, 10, epsilon=1),
        lambda: minimax_classical(3, -1, epsilon=1),
        lambda: minimax_classical(3, 10, epsilon=-1),
        lambda: minimax_blocks([], 10, epsilons=[]),
        lambda: minimax_blocks([3], 10, epsilons=[1, 1]),
        lambda: minimax_blocks([0], 10, epsilons=[1]),
        lambda: minimax_high_low(3, 4, 10, epsilon=1),
        lambda: minimax_high_low(3, 0, 10, epsilon=1),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InvalidInput, match="must be"):
        call()
