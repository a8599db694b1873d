import math

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.theory import assouad_best, assouad_cube


def at_least(sample, bound):
    """Whether the sample's mean is not below the bound; wrongly false with probability below 1e-6."""
    return sample.mean() + 5 * sample.std() / math.sqrt(len(sample)) >= bound


@pytest.mark.parametrize("n", [100, 10_000])
def test_corners_of_a_cube_are_found_no_better_than_the_bound(channels, n):
    rng = np.random.default_rng(13)
    k, epsilon = 6, 1.0
    best, _ = assouad_best(k // 2, n, epsilon=epsilon)
    signs = rng.choice([-1, 1], (4000, best.pairs))
    shares = np.zeros((4000, k))
    shares[:, 0 : 2 * best.pairs : 2] = (1 + best.radius * signs) / (2 * best.pairs)
    shares[:, 1 : 2 * best.pairs : 2] = (1 - best.radius * signs) / (2 * best.pairs)
    measured, _ = channels.simulate(channels.subset(k, 2, epsilon), shares, n, rng)
    assert at_least(measured, best.total_variation)


def test_a_cube_without_users_leaves_every_pair_open():
    cube = assouad_cube(4, 0, radius=0.6, epsilon=1)
    assert cube.total_variation == pytest.approx(0.3)
    assert cube.squared_error == pytest.approx(0.36 / 8)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("n", [1, 8, 40])
def test_one_pair_is_below_the_exact_risk_of_randomized_response(epsilon, n):
    """Two corners, so the least mean risk is explicit: each count is decided for the likelier."""
    flip = 1 / (1 + math.exp(epsilon))
    for radius in (0.1, 0.5, 1.0):
        shares = [(1 + s * radius) / 2 for s in (1, -1)]
        first, second = (x + flip - 2 * x * flip for x in shares)
        overlap = sum(
            math.comb(n, s) * min(first**s * (1 - first) ** (n - s), second**s * (1 - second) ** (n - s))
            for s in range(n + 1)
        )
        risk = assouad_cube(1, n, radius=radius, epsilon=epsilon)
        assert risk.total_variation <= radius * overlap / 2 + 1e-12
        assert risk.squared_error <= radius**2 * overlap / 2 + 1e-12


def test_the_best_cube_is_the_best_of_those_tried():
    distance, squared = assouad_best(8, 500, epsilon=1)
    for pairs in (8, 4, 2, 1):
        for radius in (0.01, 0.1, 0.5, 1.0):
            cube = assouad_cube(pairs, 500, radius=radius, epsilon=1)
            assert cube.total_variation <= distance.total_variation * 1.02
            assert cube.squared_error <= squared.squared_error * 1.02


def test_bad_input_is_refused():
    with pytest.raises(InvalidInput, match="n=-1 must be"):
        assouad_cube(3, -1, radius=0.5, epsilon=1)
    with pytest.raises(InvalidInput, match="pairs=0 must be"):
        assouad_best(0, 10, epsilon=1)
