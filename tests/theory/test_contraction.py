import itertools
import math

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.theory import (
    context_kl_contraction,
    context_tv_contraction,
    eta_gamma,
    eta_kl,
    eta_tv,
    hockey_stick,
    kl,
    kl_contraction,
    over_users,
    pair_kl_contraction,
    pair_tv_contraction,
    pairwise_epsilon,
    phi,
    phi_n,
    total_variation,
    tv_contraction,
)

EPSILONS = (0.0, 0.1, 0.5, 1.0, 3.0, 8.0)


def randomized_response(epsilon):
    e = math.exp(epsilon)
    return np.array([[e, 1], [1, e]]) / (e + 1)


def optimal_binary(first, second):
    """Q* of Acharya et al., Theorem 2, in the form with no 0/0."""
    a, b = math.exp(-first), math.exp(-second)
    return np.array([[1 - b, b * (1 - a)], [a * (1 - b), 1 - a]]) / (1 - a * b)


def corner(epsilon, delta):
    """The channel that is as far apart as (epsilon, delta)-LDP lets two rows be."""
    a, b = (1 - delta) * math.exp(epsilon) / (1 + math.exp(epsilon)), (1 - delta) / (1 + math.exp(epsilon))
    return np.array([[delta, a, b, 0], [0, b, a, delta]])


def test_two_rows_give_the_contraction_of_e_gamma_and_no_pair_of_laws_beats_them():
    rng = np.random.default_rng(5)
    for _ in range(30):
        Q = rng.dirichlet(np.full(4, 0.7), 3)
        gamma = float(rng.uniform(1, 3))
        eta = float(eta_gamma(Q, gamma))
        for _ in range(30):
            p, q = rng.dirichlet(np.full(3, 0.5), 2)
            assert hockey_stick(p @ Q, q @ Q, gamma) <= eta * hockey_stick(p, q, gamma) + 1e-12
        best = max(hockey_stick(Q[x], Q[z], gamma) for x, z in itertools.permutations(range(3), 2))
        assert eta == pytest.approx(max(best, 0))


def test_kl_contraction_is_never_beaten_and_nearly_reached_by_close_laws_on_two_values():
    rng = np.random.default_rng(6)
    for _ in range(8):
        Q = rng.dirichlet(np.full(4, 0.7), 3)
        eta = eta_kl(Q)
        for _ in range(300):
            p, q = rng.dirichlet(np.full(3, 0.5), 2)
            assert kl(p @ Q, q @ Q) <= eta * kl(p, q) + 1e-12
        reached = 0.0
        for x, z in itertools.combinations(range(3), 2):
            for t in np.linspace(0.005, 0.995, 199):
                p, q = np.zeros(3), np.zeros(3)
                p[x], p[z], q[x], q[z] = t, 1 - t, t + 1e-3 * t * (1 - t), 1 - t - 1e-3 * t * (1 - t)
                reached = max(reached, kl(p @ Q, q @ Q) / kl(p, q))
        assert reached == pytest.approx(eta, rel=2e-3)


@pytest.mark.parametrize("epsilon", EPSILONS[1:])
def test_randomized_response_contracts_kl_by_tanh_squared(epsilon):
    assert eta_kl(randomized_response(epsilon)) == pytest.approx(math.tanh(epsilon / 2) ** 2)
    assert kl_contraction(epsilon) == pytest.approx(math.tanh(epsilon / 2) ** 2)
    w = 1 / (1 + math.exp(epsilon))
    assert kl_contraction(epsilon) == pytest.approx((1 - 2 * w) ** 2)
    assert kl_contraction(epsilon) != pytest.approx(1 - 2 * w**2)  # as the paper prints it


@pytest.mark.parametrize(("first", "second"), [(1, 1), (0.2, 3), (math.inf, 1), (2, math.inf), (math.inf, math.inf)])
def test_the_optimal_binary_mechanism_has_both_pair_bounds(first, second):
    Q = optimal_binary(first, second)
    assert float(eta_tv(Q)) == pytest.approx(pair_tv_contraction(first, second))
    assert eta_kl(Q) == pytest.approx(pair_kl_contraction(first, second), abs=1e-9)
    with np.errstate(divide="ignore"):
        assert pairwise_epsilon(Q)[0, 1] == pytest.approx(first)
        assert pairwise_epsilon(Q)[1, 0] == pytest.approx(second)


@pytest.mark.parametrize("other", [0.0, 1.0, math.inf])
def test_a_pair_that_may_not_differ_one_way_may_not_differ_at_all(other):
    assert pair_tv_contraction(0, other) == pair_tv_contraction(other, 0) == 0
    assert pair_kl_contraction(0, other) == pair_kl_contraction(other, 0) == 0


def test_every_channel_obeys_the_bounds_of_the_matrix_it_attains():
    rng = np.random.default_rng(7)
    for _ in range(60):
        Q = rng.dirichlet(np.full(4, rng.uniform(0.3, 5)), 4)
        E = pairwise_epsilon(Q)
        assert float(eta_tv(Q)) <= context_tv_contraction(E) + 1e-12
        assert eta_kl(Q) <= context_kl_contraction(E) + 1e-9
        assert context_kl_contraction(E) <= context_tv_contraction(E) + 1e-12


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", [0.0, 1e-4, 0.2, 1.0])
def test_the_universal_bounds_hold_and_the_sharper_one_is_attained(epsilon, delta):
    Q = corner(epsilon, delta)
    assert float(eta_gamma(Q, math.exp(epsilon))) <= delta + 1e-12
    assert float(eta_tv(Q)) == pytest.approx(tv_contraction(epsilon, delta=delta))
    assert tv_contraction(epsilon, delta=delta) <= phi(epsilon, delta=delta) + 1e-12
    e = math.exp(epsilon)
    assert tv_contraction(epsilon, delta=delta) == pytest.approx((e - 1 + 2 * delta) / (e + 1))
    assert phi(epsilon, delta=delta) == pytest.approx(1 - (1 - delta) / e)


def test_no_f_divergence_contracts_less_than_total_variation():
    rng = np.random.default_rng(8)
    for _ in range(50):
        Q = rng.dirichlet(np.full(3, 0.5), 3)
        assert eta_kl(Q) <= float(eta_tv(Q)) + 1e-9


@pytest.mark.parametrize("n", [0, 1, 5, 20])
def test_n_users_side_by_side_contract_as_the_product(n):
    assert phi_n(0.5, n, delta=0.01) == pytest.approx(1 - math.exp(-0.5 * n) * 0.99**n)
    assert over_users(0.3, n) == pytest.approx(1 - 0.7**n)
    assert over_users(1.0, n) == (1 if n else 0)


def test_the_product_bound_covers_two_users_computed_in_full():
    rng = np.random.default_rng(9)
    for _ in range(50):
        Q = rng.dirichlet(np.full(3, 0.5), 2)
        both = np.kron(Q, Q)
        assert float(eta_tv(both)) <= over_users(float(eta_tv(Q)), 2) + 1e-12
        p, q = rng.dirichlet(np.ones(4), 2)
        assert total_variation(p @ both, q @ both) <= over_users(float(eta_tv(Q)), 2) * total_variation(p, q) + 1e-12


def test_one_value_has_nothing_to_contract():
    assert eta_kl([[0.5, 0.5]]) == 0
    assert context_tv_contraction([[0]]) == context_kl_contraction([[0]]) == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: phi(-1),
        lambda: phi(1, delta=2),
        lambda: eta_gamma([[1, 0], [0, 1]], 0.5),
        lambda: over_users(0.5, -1),
        lambda: context_tv_contraction([[0, -1], [1, 0]]),
        lambda: context_tv_contraction([[0, 1]]),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InvalidInput, match="must"):
        call()
