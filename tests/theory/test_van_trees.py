import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.optimize import linprog

from discreet.core.errors import InvalidInput
from discreet.theory import dirichlet_best, dirichlet_risk, pair_best, pair_risk
from discreet.theory.minimax.van_trees import (
    beta_information,
    beta_mean,
    dirichlet_information,
    fisher_trace,
    mean_reciprocal,
    reciprocal_ceiling,
)


@pytest.mark.parametrize(("first", "second"), [(2.5, 2.5), (4, 400), (300, 900), (3.3, 1e6)])
@pytest.mark.parametrize("t", [0.1, 3.0, 1000.0])
def test_the_mean_reciprocal_is_the_integral_over_quantiles_and_below_its_ceiling(first, second, t):
    law = stats.beta(first, second)
    exact = integrate.quad(lambda u: 1 / (1 + t * law.ppf(u)), 0, 1, epsabs=1e-12, limit=200)[0]
    assert mean_reciprocal(first, second, 1.0, t) == pytest.approx(exact, rel=1e-9)
    ceiling = reciprocal_ceiling(np.array([first]), first + second, 1.0, t)[0]
    assert exact <= ceiling * (1 + 1e-9)


def test_the_mean_reciprocal_reaches_zero_and_tiny_floors():
    assert mean_reciprocal(4, 12, 0.0, 2.0) == pytest.approx(15 / 3 / 2)
    assert mean_reciprocal(4, 12, 1e-30, 2.0) == pytest.approx(15 / 3 / 2)
    assert beta_mean(3, 5, lambda x: x) == pytest.approx(3 / 8)


@pytest.mark.parametrize(("first", "second"), [(3.0, 3.0), (4.5, 9.0)])
def test_the_information_of_a_beta_prior_is_the_integral_of_its_squared_score(first, second):
    def integrand(x):
        score = (first - 1) / x - (second - 1) / (1 - x)
        return score**2 * stats.beta.pdf(x, first, second)

    assert beta_information(first, second) == pytest.approx(integrate.quad(integrand, 0, 1)[0], rel=1e-6)


def test_the_information_of_a_dirichlet_prior_is_the_mean_squared_score_on_the_simplex():
    rng = np.random.default_rng(11)
    k, a = 4, 8.0
    p = rng.dirichlet(np.full(k, a), 400_000)
    score = (a - 1) / p
    score -= score.mean(axis=1, keepdims=True)
    sample = (score**2).sum(axis=1)
    z = (sample.mean() - dirichlet_information(k, a)) / (sample.std() / math.sqrt(len(sample)))
    assert abs(z) < 6
    assert 2 * dirichlet_information(2, a) == pytest.approx(beta_information(a, a))


@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("a", [2.5, 6.0])
def test_the_trace_is_the_best_over_all_private_channels(k, epsilon, a):
    b = math.exp(-epsilon)
    levels = np.array(list(itertools.product([b, 1.0], repeat=k)))
    gains = []
    for r in levels:
        m = int((r == 1).sum())
        if 0 < m < k:
            law = stats.beta(m * a, (k - m) * a)
            mean = integrate.quad(lambda x, law=law: law.pdf(x) / (b + (1 - b) * x), 0, 1)[0]
        else:
            mean = 1 / r[0]
        gains.append((r @ r - r.sum() ** 2 / k) * mean)
    found = linprog(-np.array(gains), A_eq=levels.T, b_eq=np.ones(k))
    assert fisher_trace(k, b, a, 1.0) == pytest.approx(-found.fun, rel=1e-6)


def test_the_search_over_subset_sizes_misses_none():
    for k, epsilon, a, mass in [(31, 0.2, 2.3, 1.0), (40, 2.0, 4.0, 1.0), (57, 5.0, 2.6, 0.3), (20, 9.0, 3.0, 1.0)]:
        b = math.exp(-epsilon)
        every = max(
            mass**2
            * m
            * (k - m)
            * (1 - b) ** 2
            / (m + (k - m) * b)
            * mean_reciprocal(m * a, (k - m) * a, b, mass * (1 - b))
            for m in range(1, k)
        )
        assert fisher_trace(k, b, a, mass) == pytest.approx(every, rel=1e-12)


def bayes_risk_of_a_coin(epsilon, n, first, second):
    """The exact least mean absolute and squared error of a Beta share from randomized response."""
    flip = 1 / (1 + math.exp(epsilon))
    x = (np.arange(4000) + 0.5) / 4000
    prior = stats.beta.pdf(x, first, second) / 4000
    chance = x + flip - 2 * x * flip
    absolute = squared = 0.0
    for s in range(n + 1):
        joint = prior * stats.binom.pmf(s, n, chance)
        total = joint.sum()
        median = x[np.searchsorted(joint.cumsum(), total / 2)]
        mean = (joint @ x) / total
        absolute += joint @ np.abs(x - median)
        squared += joint @ (x - mean) ** 2
    return absolute, squared


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("n", [1, 20, 200])
@pytest.mark.parametrize("a", [2.5, 4.0, 11.0])
def test_two_values_the_bounds_are_below_the_exact_bayes_risk_and_close(epsilon, n, a):
    absolute, squared = bayes_risk_of_a_coin(epsilon, n, a, a)
    bound = dirichlet_risk(2, n, epsilon=epsilon, concentration=a)
    assert absolute * 0.6 <= bound.total_variation <= absolute
    assert 2 * squared * 0.4 <= bound.squared_error <= 2 * squared
    pair = pair_risk(n, epsilon_xz=epsilon, epsilon_zx=epsilon, first=a, second=a)
    assert pair.total_variation == pytest.approx(bound.total_variation)
    assert pair.squared_error == pytest.approx(bound.squared_error)


def test_an_uneven_pair_is_below_the_exact_bayes_risk_of_the_optimal_channel():
    """Mangat's channel: the first value is always reported as itself, the second as the first with chance b."""
    b, n, first, second = math.exp(-1.0), 60, 4.0, 9.0
    x = (np.arange(4000) + 0.5) / 4000
    prior = stats.beta.pdf(x, first, second) / 4000
    chance = x + (1 - x) * b
    absolute = squared = 0.0
    for s in range(n + 1):
        joint = prior * stats.binom.pmf(s, n, chance)
        total = joint.sum()
        absolute += joint @ np.abs(x - x[np.searchsorted(joint.cumsum(), total / 2)])
        squared += joint @ (x - (joint @ x) / total) ** 2
    bound = pair_risk(n, epsilon_xz=1, epsilon_zx=math.inf, first=first, second=second)
    assert absolute * 0.85 <= bound.total_variation <= absolute
    assert 2 * squared * 0.75 <= bound.squared_error <= 2 * squared


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_three_values_the_bounds_are_below_the_exact_bayes_risk(epsilon):
    n, a, e = 12, 4.0, math.exp(epsilon)
    Q = (np.ones((3, 3)) + (e - 1) * np.eye(3)) / (e + 2)
    grid = np.array([(i, j, 60 - i - j) for i in range(1, 60) for j in range(1, 60 - i)]) / 60
    prior = np.prod(grid ** (a - 1), axis=1)
    prior /= prior.sum()
    squared = distance = 0.0
    for i, j in itertools.product(range(n + 1), repeat=2):
        if i + j <= n:
            joint = prior * stats.multinomial.pmf([i, j, n - i - j], n, grid @ Q)
            mean = joint @ grid / joint.sum()
            squared += joint @ ((grid - mean) ** 2).sum(axis=1)
            for x in range(3):
                order = np.argsort(grid[:, x])
                median = grid[order[np.searchsorted(joint[order].cumsum(), joint.sum() / 2)], x]
                distance += joint @ np.abs(grid[:, x] - median) / 2
    bound = dirichlet_risk(3, n, epsilon=epsilon, concentration=a)
    assert squared * 0.6 <= bound.squared_error <= squared
    assert distance * 0.7 <= bound.total_variation <= distance


@pytest.mark.parametrize("k", [2, 7, 50])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, math.inf])
def test_with_many_users_the_squared_bound_is_what_the_subset_mechanism_has(k, epsilon):
    b = math.exp(-epsilon)
    trace = max(k * m * (k - m) * (1 - b) ** 2 / (m + (k - m) * b) ** 2 for m in range(1, k))
    n = 10**10
    _, best = dirichlet_best(k, n, epsilon=epsilon)
    attained = (k - 1) ** 2 / trace / n
    assert attained * 0.99 <= best.squared_error <= attained


def test_fewer_values_carry_the_bound_while_users_are_few():
    _, best = dirichlet_best(1000, 100, epsilon=1.0)
    assert best.k < 1000
    assert best.squared_error > dirichlet_risk(1000, 100, epsilon=1.0, concentration=4.0).squared_error


def test_the_best_pair_prior_leans_to_the_value_that_is_harder_to_see():
    distance, squared = pair_best(10**6, epsilon_xz=1.0, epsilon_zx=math.inf)
    # Mangat's variance (x + (1-x)b)(1-x)/(1-b) is largest at x = (1 - 2b)/(2(1-b)), b = 1/e.
    b = math.exp(-1)
    worst = (1 - 2 * b) / (2 * (1 - b))
    top = (worst + (1 - worst) * b) * (1 - worst) / (1 - b)
    assert squared.squared_error == pytest.approx(2 * top / 10**6, rel=0.02)
    assert squared.squared_error <= 2 * top / 10**6
    assert distance.concentration[0] < distance.concentration[1]


def test_total_protection_leaves_the_prior_alone():
    bound = dirichlet_risk(5, 10**9, epsilon=0, concentration=4.0)
    assert bound == dirichlet_risk(5, 0, epsilon=1, concentration=4.0)
    assert pair_risk(10**9, epsilon_xz=0, epsilon_zx=5, first=3, second=3).squared_error > 0.01


@pytest.mark.parametrize(
    "call",
    [
        lambda: dirichlet_risk(1, 10, epsilon=1, concentration=4),
        lambda: dirichlet_risk(3, 10, epsilon=1, concentration=2),
        lambda: dirichlet_risk(3, -1, epsilon=1, concentration=4),
        lambda: dirichlet_risk(3, 10, epsilon=1, concentration=4, mass=0),
        lambda: pair_risk(10, epsilon_xz=1, epsilon_zx=1, first=2, second=3),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InvalidInput, match="must be"):
        call()
