import numpy as np

from discreet.estimation.results.shrinkage.blocks import _step, fit_weights


def mixed(weights, size, seed):
    """Evidence of values drawn from normal laws around 0, 3 and 6 mixed with these weights."""
    rng = np.random.default_rng(seed)
    centres = np.array([0.0, 3.0, 6.0])
    values = centres[rng.choice(3, size, p=weights)] + rng.normal(size=size)
    return np.exp(-0.5 * (values[:, None] - centres) ** 2)


def test_weights_are_a_distribution_near_the_truth():
    """Sampling error of each weight is below .01; .05 is five times that (false alarm below 1e-6)."""
    weights = fit_weights(mixed([0.5, 0.2, 0.3], 4000, 3))
    assert np.isclose(weights.sum(), 1)
    assert np.all(weights >= 0)
    assert np.max(np.abs(weights - [0.5, 0.2, 0.3])) < 0.05
    assert np.max(np.abs(weights - [0.3, 0.2, 0.5])) > 0.05


def test_a_step_never_lowers_the_likelihood():
    evidence = mixed([0.1, 0.6, 0.3], 5000, 4)
    weights = np.array([0.9, 0.05, 0.05])
    reached = -np.inf
    for _ in range(50):
        likelihood, weights = _step(evidence, weights)
        assert likelihood >= reached - 1e-9
        reached = likelihood


def test_a_factor_per_value_changes_nothing():
    evidence = mixed([0.5, 0.2, 0.3], 300, 5)
    factors = np.random.default_rng(6).uniform(1e-200, 1e-190, (300, 1))
    assert np.allclose(fit_weights(evidence * factors), fit_weights(evidence))
