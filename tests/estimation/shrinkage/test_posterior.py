from itertools import pairwise

import numpy as np
import pytest

from discreet.estimation.results.shrinkage.dictionary import bin_edges, gamma_masses, gamma_shapes
from discreet.estimation.results.shrinkage.posterior import (
    Prior,
    Quantiles,
    Readings,
    balanced_quantiles,
    between,
    evidence,
    moments,
)

K, N = 40, 5000.0
EDGES = bin_edges(np.array([float(K)]), np.array([N]), np.array([3.7]))
TABLE = gamma_masses(EDGES, gamma_shapes(K), np.array([0, 5]), np.array([len(EDGES) - 1] * 2))
UNIT = N / K


def readings(counts, sigmas):
    counts = np.asarray(counts, dtype=float)
    sigmas = np.broadcast_to(np.asarray(sigmas, dtype=float), counts.shape).copy()
    return Readings(counts, sigmas, np.full(len(counts), UNIT), np.full(len(counts), EDGES[-1]))


def brute_force(count, sigma, masses):
    """A fine grid of counts and the posterior probability of each, by summation."""
    middles, weights = [], []
    for low, high, mass in zip(EDGES[:-1], EDGES[1:], masses, strict=True):
        x = UNIT * (low + (np.arange(4000) + 0.5) * (high - low) / 4000)
        middles.append(x)
        weights.append(mass / 4000 * np.exp(-0.5 * ((x - count) / sigma) ** 2 + 0.5 * (min(count, 0) / sigma) ** 2))
    return np.concatenate(middles), np.concatenate(weights)


CASES = [
    (0.0, 130.0),
    (-300.0, 130.0),
    (-1500.0, 130.0),
    (90.0, 130.0),
    (700.0, 60.0),
    (4800.0, 130.0),
    (5600.0, 150.0),
]


@pytest.mark.parametrize(("count", "sigma"), CASES)
def test_moments_agree_with_summation(count, sigma):
    masses = TABLE[0, 4]
    x, weight = brute_force(count, sigma, masses)
    mean = np.sum(x * weight) / weight.sum()
    variance = np.sum((x - mean) ** 2 * weight) / weight.sum()
    found, spread = moments(EDGES, readings([count], sigma), Prior((masses[None],), (np.zeros(1, dtype=np.int64),)))
    assert found[0] == pytest.approx(mean, rel=2e-4)
    assert spread[0] * sigma**2 == pytest.approx(variance, rel=2e-3)


def test_evidence_agrees_with_summation_up_to_a_factor_per_value():
    counts = np.array([0.0, -300.0, 90.0, 700.0, 2000.0])
    index = np.array([0, 1, 1, 0, 0])
    found = evidence(EDGES, readings(counts, 130.0), [(TABLE, index)])
    for row, count, entry in zip(found, counts, index, strict=True):
        expected = np.array([brute_force(count, 130.0, masses)[1].sum() for masses in TABLE[entry]])
        assert np.allclose(row / row.max(), expected / expected.max(), rtol=2e-4, atol=1e-12)


def test_evidence_of_several_tables_stands_side_by_side():
    part = readings(np.linspace(-300, 2000, 50), 130.0)
    first, second = np.zeros(50, dtype=np.int64), np.arange(50) % 2
    both = evidence(EDGES, part, [(TABLE, first), (TABLE, second)])
    assert np.allclose(both[:, :12], evidence(EDGES, part, [(TABLE, first)]))
    assert np.allclose(both[:, 12:], evidence(EDGES, part, [(TABLE, second)]))


def test_a_prior_of_several_tables_is_their_sum():
    prior = Prior((TABLE[:, 0], TABLE[:, 3]), (np.array([0, 1]), np.array([1, 1])))
    expected = TABLE[[0, 1], 0] + TABLE[1, 3]
    assert np.allclose(prior.masses(np.arange(2), slice(0, len(EDGES) - 1)), expected)


def test_means_stay_finite_and_within_the_support_however_far_the_count():
    counts = np.array([-1e6, -1e4, 1e4, 1e6])
    prior = Prior((TABLE[0, 4][None],), (np.zeros(4, dtype=np.int64),))
    means, spread = moments(EDGES, readings(counts, 100.0), prior)
    assert np.all(np.isfinite(means))
    assert np.all(np.isfinite(spread))
    assert np.all((means >= 0) & (means <= N * (1 + 1e-9)))
    assert np.all(np.diff(means) > 0)


@pytest.mark.parametrize(("count", "sigma"), CASES)
@pytest.mark.parametrize("level", [0.05, 0.5, 0.9, 0.999])
def test_quantiles_agree_with_summation(count, sigma, level):
    masses = TABLE[0, 4]
    x, weight = brute_force(count, sigma, masses)
    below = np.cumsum(weight) / weight.sum()
    prior = Prior((masses[None],), (np.zeros(1, dtype=np.int64),))
    found = Quantiles.of(EDGES, readings([count], sigma), prior).at(np.array([level]), np.array([0]))
    assert np.interp(found[0], x, below) == pytest.approx(level, abs=3e-3)


def test_a_normal_law_held_between_two_ends_is_inverted_in_either_tail():
    rng = np.random.default_rng(1)
    lower = rng.uniform(-9, 8, 500)
    upper = lower + rng.uniform(0.01, 5, 500)
    z = np.sort(
        between(np.repeat(lower, 9), np.repeat(upper, 9), np.tile(np.linspace(0.1, 0.9, 9), 500)).reshape(-1, 9)
    )
    assert np.all((z > lower[:, None]) & (z < upper[:, None]))
    steps = np.array([[_normal_mass(a, b) for a, b in pairwise(row)] for row in z])
    assert np.allclose(steps / steps.mean(axis=1, keepdims=True), 1, rtol=1e-5)


def _normal_mass(a, b):
    """Pr(a < Z < b) by 200 midpoints, scaled by exp(a^2 / 2) to stay clear of underflow."""
    x = a + (np.arange(200) + 0.5) * (b - a) / 200
    return np.exp(-0.5 * (x * x - a * a)).mean() * (b - a) * np.exp(-0.5 * a * a)


def test_one_level_per_block_makes_the_quantiles_add_up():
    rng = np.random.default_rng(2)
    part = readings(rng.normal(100, 150, 80), 130.0)
    prior = Prior((TABLE[0, 4][None],), (np.zeros(80, dtype=np.int64),))
    law = Quantiles.of(EDGES, part, prior)
    block, totals = np.repeat([0, 1], 40), np.array([4000.0, 6000.0])
    level, counts = balanced_quantiles(law, block, totals)
    assert np.allclose(np.bincount(block, counts), totals)
    assert np.allclose(law.at(level[block], np.arange(80)), counts, rtol=1e-3)
