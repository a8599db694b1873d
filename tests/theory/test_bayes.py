import math

import numpy as np
import pytest
from scipy import stats

from discreet.core.errors import InvalidInput
from discreet.theory import (
    bernoulli_e_gamma,
    bernoulli_information,
    corollary_3,
    e_gamma_information,
    e_gamma_risk,
    information_risk,
    mutual_information,
    theorem_2,
    theorem_2_best_gamma,
    theorem_2_sharp,
    uniform_ball,
)

# Figure 1 of Asoodeh et al., n = 20 and delta = 1e-4, read from the formulas.
FIGURE_1 = {
    0.01: (0.0444, 0.0967, 0.0976),
    0.1: (0.0135, 0.0255, 0.0282),
    0.3: (0.0109, 0.0197, 0.0264),
    0.5: (0.0109, 0.0216, 0.0264),
    1.0: (0.0109, 0.0258, 0.0264),
    1.5: (0.0109, 0.0237, 0.0264),
    2.0: (0.0109, 0.0160, 0.0264),
    3.0: (0.0109, 0.0062, 0.0264),
}


@pytest.mark.parametrize("epsilon", FIGURE_1)
def test_figure_1_is_reproduced(epsilon):
    found = [f(epsilon, 20, delta=1e-4).value for f in (corollary_3, theorem_2, theorem_2_best_gamma)]
    assert found == pytest.approx(FIGURE_1[epsilon], abs=6e-5)


def test_the_curves_of_figure_1_cross_between_2_41_and_2_42():
    gap = [theorem_2(e, 20, delta=1e-4).value - corollary_3(e, 20, delta=1e-4).value for e in (2.41, 2.42)]
    assert gap[0] > 0 > gap[1]


def test_remark_1_is_reproduced_as_corrected():
    assert information_risk(bernoulli_information(1)) == pytest.approx(0.0457, abs=5e-5)
    best = max(e_gamma_risk(bernoulli_e_gamma(1, g), g) for g in np.linspace(0, 2, 301).tolist())
    assert best == pytest.approx(2 / 27, rel=1e-4)
    assert e_gamma_risk(bernoulli_e_gamma(1, 4 / 3), 4 / 3) == pytest.approx(2 / 27)


def bayes_risk(epsilon, n):
    """The exact Bayes risk of a uniform share from n answers by randomized response, in absolute error."""
    flip = 1 / (1 + math.exp(epsilon))
    x = (np.arange(5000) + 0.5) / 5000
    chance = x + flip - 2 * x * flip
    risk = 0.0
    for s in range(n + 1):
        joint = stats.binom.pmf(s, n, chance) / 5000
        median = x[np.searchsorted(joint.cumsum(), joint.sum() / 2)]
        risk += joint @ np.abs(x - median)
    return risk


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("n", [1, 2, 20])
def test_no_bound_is_above_the_exact_bayes_risk_of_randomized_response(epsilon, n):
    exact = bayes_risk(epsilon, n)
    for f in (corollary_3, theorem_2, theorem_2_best_gamma, theorem_2_sharp):
        assert f(epsilon, n).value <= exact
    assert bayes_risk(math.inf, n) <= exact


@pytest.mark.parametrize("epsilon", [0.01, 0.2, 1.0, 4.0])
@pytest.mark.parametrize("n", [2, 5, 20])
def test_the_best_gamma_dominates_and_the_sharp_contraction_dominates_that(epsilon, n):
    best = theorem_2_best_gamma(epsilon, n, delta=1e-4).value
    assert best >= theorem_2(epsilon, n, delta=1e-4).value - 1e-9
    assert best >= corollary_3(epsilon, n, delta=1e-4).value
    assert theorem_2_sharp(epsilon, n, delta=1e-4).value >= best - 1e-9


def test_one_user_under_pure_privacy_is_bounded_without_any_information():
    assert theorem_2(1.0, 1).value == pytest.approx(1 / (8 * math.e))
    assert theorem_2(1000, 5).vacuous


@pytest.mark.parametrize("gamma", [0.5, 1.0, 1.7, 3.0])
def test_quadrature_over_the_parameter_agrees_with_the_exact_sums(gamma):
    n = 6
    nodes, weights = np.polynomial.legendre.leggauss(400)
    x, w = (nodes + 1) / 2, weights / 2
    likelihood = stats.binom.pmf(np.arange(n + 1), n, x[:, None])
    assert e_gamma_information(w, likelihood, gamma) == pytest.approx(bernoulli_e_gamma(n, gamma), abs=2e-5)
    assert mutual_information(likelihood, w) == pytest.approx(bernoulli_information(n), abs=1e-6)


def test_e_gamma_information_of_a_finite_parameter_is_that_of_its_joint_table():
    rng = np.random.default_rng(23)
    prior, likelihood = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(5), 4)
    joint, product = prior[:, None] * likelihood, np.outer(prior, prior @ likelihood)
    for gamma in (0.4, 1.0, 1.3, 2.0):
        exact = np.maximum(joint - gamma * product, 0).sum() - max(1 - gamma, 0)
        assert e_gamma_information(prior, likelihood, gamma) == pytest.approx(exact, abs=1e-15)


def test_the_search_over_radii_finds_the_explicit_best():
    for room, gamma in [(0.5, 1.0), (0.9, 1.5), (0.1, 3.0)]:
        assert e_gamma_risk(1 - room, gamma) == pytest.approx(room**2 / (8 * gamma))
    assert information_risk(10.0) >= 0
    assert e_gamma_risk(1.0, 1.0) == 0


def test_another_small_ball_function_may_be_given():
    wide = information_risk(0.5, ball=lambda z: min(z / 5, 1.0), largest=5.0)  # uniform on [0, 10]
    assert wide == pytest.approx(10 * information_risk(0.5), rel=1e-9)
    assert uniform_ball(0.2) == pytest.approx(0.4)


@pytest.mark.parametrize(
    "call",
    [
        lambda: theorem_2(1.0, 0),
        lambda: theorem_2_best_gamma(1.0, 0),
        lambda: information_risk(-1.0),
        lambda: e_gamma_risk(0.1, -1.0),
        lambda: corollary_3(-1, 20),
        lambda: e_gamma_information([0.5, 0.5], [[1.0]], 1.0),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InvalidInput, match=r"must be|needed"):
        call()
