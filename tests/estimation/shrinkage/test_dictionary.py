import math

import numpy as np
import pytest

from discreet.estimation.results.shrinkage.dictionary import (
    RHO,
    bin_edges,
    gamma_masses,
    gamma_shapes,
    nearest_levels,
    support_tops,
)

ONE = np.ones(1)


def test_edges_start_at_zero_end_at_the_largest_block_and_grow_by_a_constant_factor():
    edges = bin_edges(np.array([50.0, 20.0]), np.array([1000.0, 10.0]), np.array([3.7, 3.7]))
    assert edges[0] == 0
    assert edges[-1] == pytest.approx(50)
    assert np.allclose(edges[2:] / edges[1:-1], RHO)


@pytest.mark.parametrize(("total", "lowest"), [(1e2, 0.02), (1e8, 0.05 * 50 * math.sqrt(3.7 / 1e8)), (1e30, 1e-5)])
def test_the_lowest_edge_follows_the_noise(total, lowest):
    edges = bin_edges(50 * ONE, total * ONE, 3.7 * ONE)
    assert lowest / RHO < edges[1] <= lowest * (1 + 1e-12)


def test_every_prior_is_a_distribution_with_the_asked_mean_and_nothing_above_its_top():
    edges = bin_edges(200 * ONE, 1e5 * ONE, 3.7 * ONE)
    levels = np.array([-20, -3, 0, 0, 7, 15])
    tops = np.array([len(edges) - 1, len(edges) - 1, len(edges) - 1, len(edges) - 20, len(edges) - 1, len(edges) - 10])
    masses = gamma_masses(edges, gamma_shapes(200), levels, tops)
    middles = 0.5 * (edges[1:] + edges[:-1])
    assert np.allclose(masses.sum(axis=2), 1)
    assert np.all(masses >= 0)
    assert np.allclose(masses @ middles, (RHO ** (levels / 2))[:, None], rtol=2e-6)
    for prior, top in zip(masses, tops, strict=True):
        assert np.all(prior[:, top:] == 0)
        assert np.all(prior[:3, top - 1] > 0)


def test_a_mean_beyond_the_support_is_moved_inside_it():
    edges = bin_edges(10 * ONE, 1e5 * ONE, 3.7 * ONE)
    low = nearest_levels(edges[1:2] / 2)[0]
    masses = gamma_masses(edges, gamma_shapes(10), np.array([60, low]), np.array([len(edges) - 1] * 2))
    means = masses @ (0.5 * (edges[1:] + edges[:-1]))
    assert np.all(np.isfinite(masses))
    assert np.all(means[0] < edges[-1])
    assert np.allclose(means[1], edges[1], rtol=1e-3)


def test_shape_one_is_the_exponential_distribution():
    edges = bin_edges(1e4 * ONE, 1e5 * ONE, 3.7 * ONE)
    mean = RHO**2
    [[masses]] = gamma_masses(edges, ONE, np.array([4]), np.array([len(edges) - 1]))
    expected = -np.diff(np.exp(-edges / mean))
    assert np.max(np.abs(masses - expected)) < 5e-3 * expected.max()
    assert np.max(np.abs(masses - np.roll(expected, 1))) > 2e-2 * expected.max()


def test_levels_are_nearest_on_a_logarithmic_scale():
    levels = np.arange(-30, 31)
    assert np.array_equal(nearest_levels(RHO ** (levels / 2) * RHO**0.2), levels)
    assert np.array_equal(nearest_levels(RHO ** (levels / 2) * RHO**0.3), levels + 1)


def test_a_support_ends_at_the_first_edge_not_below_the_size():
    edges = bin_edges(50 * ONE, 1e5 * ONE, 3.7 * ONE)
    tops = support_tops(edges, np.array([50.0, 30.0, 2.0]))
    assert tops[0] == len(edges) - 1
    assert np.all(edges[tops] >= [50 * (1 - 1e-9), 30, 2])
    assert np.all(edges[tops - 1] < [50, 30, 2])
