import itertools
import math

import numpy as np
import pytest
from scipy import stats

from discreet.core.errors import InvalidInput
from discreet.theory import (
    binary_kl,
    channel_chernoff_exponent,
    channel_stein_exponent,
    context_kl_contraction,
    error_floor,
    kl,
    pairwise_epsilon,
    phi,
    stein_exponent,
    stein_exponent_context,
    stein_exponent_printed,
    type_two_floor,
    users_enough,
    users_to_tell,
)

P0, P1 = [0.5, 0.5], [0.3, 0.7]


def randomized_response(epsilon):
    e = math.exp(epsilon)
    return np.array([[e, 1], [1, e]]) / (e + 1)


def least_errors(p, q, n):
    """The exact smallest sum of errors, and (alpha, beta) of every likelihood-ratio test, for n coin reports."""
    chances = [stats.binom.pmf(np.arange(n + 1), n, a).tolist() for a in (p, q)]
    order = sorted(range(n + 1), key=lambda s: chances[0][s] / max(chances[1][s], 1e-300))
    tests, alpha, beta = [], 0.0, 1.0
    for s in order:
        alpha, beta = alpha + chances[0][s], beta - chances[1][s]
        tests.append((alpha, beta))
    return sum(min(a, b) for a, b in zip(*chances, strict=True)), tests


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("n", [1, 10, 60])
def test_no_test_of_randomized_responses_beats_the_floors(epsilon, n):
    Q = randomized_response(epsilon)
    total, tests = least_errors((P0 @ Q)[1], (P1 @ Q)[1], n)
    assert error_floor(P0, P1, n, epsilon=epsilon).value <= total + 1e-12
    for alpha, beta in tests:
        if 1e-9 < alpha < 1 - 1e-9:
            assert type_two_floor(P0, P1, n, alpha=alpha, epsilon=epsilon).value <= beta + 1e-9
            if 0 < beta < 1 - alpha - 1e-6:
                assert users_to_tell(P0, P1, alpha=alpha, beta=beta, epsilon=epsilon).value <= n


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_enough_users_are_enough_and_needed_ones_are_fewer(epsilon):
    Q = randomized_response(epsilon)
    enough = int(users_enough(Q, P0, P1, errors=0.1).value)
    total, _ = least_errors((P0 @ Q)[1], (P1 @ Q)[1], enough)
    assert total <= 0.1
    assert users_to_tell(P0, P1, alpha=0.05, beta=0.05, epsilon=epsilon).value <= enough
    assert least_errors((P0 @ Q)[1], (P1 @ Q)[1], max(enough // 20, 1))[0] > 0.1


def test_exponents_are_ordered_the_mechanisms_then_the_bounds():
    for epsilon in (0.2, 1.0, 4.0):
        Q = randomized_response(epsilon)
        exact = channel_stein_exponent(Q, P0, P1)
        assert exact == pytest.approx(kl(P0 @ Q, P1 @ Q))
        sharp = stein_exponent(P0, P1, epsilon=epsilon)
        printed = stein_exponent_printed(P0, P1, epsilon=epsilon)
        assert exact <= sharp.value <= printed.value
        assert printed.value == pytest.approx(phi(epsilon) * kl(P0, P1))
        assert channel_chernoff_exponent(Q, P0, P1) <= exact
        assert not printed.vacuous


def test_the_exact_exponent_is_the_slope_of_the_exact_error():
    Q = randomized_response(1.0)
    a, b = (P0 @ Q)[1], (P1 @ Q)[1]
    logs = [-math.log(least_errors(a, b, n)[0]) for n in (5000, 10_000)]
    assert (logs[1] - logs[0]) / 5000 == pytest.approx(channel_chernoff_exponent(Q, P0, P1), rel=0.05)


def test_a_context_bounds_the_exponent_of_every_channel_that_serves_it():
    rng = np.random.default_rng(24)
    for _ in range(60):
        Q = rng.dirichlet(np.full(5, 1.0), 3)
        p, q = rng.dirichlet(np.ones(3), 2)
        E = pairwise_epsilon(Q)
        bound = stein_exponent_context(p, q, E=E)
        assert channel_stein_exponent(Q, p, q) <= bound.value + 1e-12
        assert bound.value == pytest.approx(context_kl_contraction(E) * kl(p, q))


def test_disjoint_hypotheses_keep_a_finite_exponent_under_privacy():
    assert stein_exponent([1, 0], [0, 1], epsilon=1).value < math.inf
    assert stein_exponent_printed([1, 0], [0, 1], epsilon=1).vacuous
    assert stein_exponent_printed([1, 0], [0, 1], epsilon=0).value == 0
    assert stein_exponent_context([1, 0], [0, 1], E=[[0, 0], [1, 0]]).value == 0


def test_no_users_decide_by_chance():
    assert type_two_floor(P0, P1, 0, alpha=0.1, epsilon=1).value == pytest.approx(0.9)
    assert error_floor(P0, P1, 0, epsilon=1).value == 1
    assert users_to_tell(P0, P1, alpha=0.1, beta=0.1, epsilon=0).value == math.inf
    assert users_enough([[0.5, 0.5], [0.5, 0.5]], P0, P1, errors=0.1).value == math.inf
    assert error_floor([1, 0], [0, 1], 10**6, epsilon=5).value < 1e-9


def test_binary_divergence_is_kl():
    for a, b in itertools.product([0.1, 0.5, 0.8], repeat=2):
        assert binary_kl(a, b) == pytest.approx(kl([a, 1 - a], [b, 1 - b]), abs=1e-15)


@pytest.mark.parametrize(
    "call",
    [
        lambda: type_two_floor(P0, P1, 5, alpha=0.0, epsilon=1),
        lambda: users_to_tell(P0, P1, alpha=0.6, beta=0.6, epsilon=1),
        lambda: channel_stein_exponent([[1, 0], [0, 1]], [1], [1]),
        lambda: users_enough([[1, 0], [0, 1]], P0, P1, errors=1.0),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InvalidInput, match="must"):
        call()
