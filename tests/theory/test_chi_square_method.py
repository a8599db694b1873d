import itertools
import math

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.theory import (
    Family,
    blocks_family,
    chi_square_risk,
    classical_family,
    cube_chi_square,
    insensitive_family,
    minimax_blocks,
    minimax_classical,
)
from discreet.theory.minimax.chi_square_method import _log_ball


@pytest.mark.parametrize("sizes", [[8], [4, 4], [6, 3, 2]])
def test_no_corner_has_more_neighbours_than_the_count_allows(sizes):
    family = blocks_family(sizes, [1.0] * len(sizes))
    weights = np.concatenate([np.full(pairs, w) for pairs, w in family.groups])
    distances = np.array([np.dot(weights, z) for z in itertools.product([0, 1], repeat=len(weights))])
    for t in np.linspace(0.01, distances.max(), 25):
        assert math.log((distances <= t + 1e-12).sum()) <= _log_ball(family, t) + 1e-9


def test_corners_are_as_far_apart_as_the_family_says():
    sizes = [6, 4]
    family = blocks_family(sizes, [1.0, 1.0])
    masses = np.array([9, 4]) / 13  # squared pairs
    p = np.concatenate([np.full(k, m / k) for k, m in zip(sizes, masses, strict=True)])
    q = p.copy()
    # Radius 1: flipping one pair of a block moves all of its mass from one value to the other.
    for first, (pairs, w) in zip((0, 6), sorted(family.groups, reverse=True), strict=True):
        plus, minus = q.copy(), q.copy()
        unit = q[first]
        plus[first : first + 2] = [2 * unit, 0]
        minus[first : first + 2] = [0, 2 * unit]
        assert np.abs(plus - minus).sum() / 2 == pytest.approx(w)
        assert pairs in (3, 2)


def test_the_information_of_blocks_is_the_mean_over_blocks():
    family = blocks_family([6, 4, 1], [1.0, 2.0, 1.0])
    parts = [cube_chi_square(3, radius=1, epsilon=1.0), cube_chi_square(2, radius=1, epsilon=2.0)]
    assert family.information == pytest.approx((9 * parts[0] + 4 * parts[1]) / 13)


def test_outside_values_tell_what_shows_them():
    family = insensitive_family(20, 4, 1.0)
    assert family.information == pytest.approx(1 - math.exp(-1))
    assert family.groups == ((8, 1 / 8),)


def test_the_bound_is_fano_with_the_best_radius():
    family = classical_family(200, 1.0)
    for n in (10, 1000, 10**5):
        tried = []
        for fraction in np.linspace(0.02, 0.48, 47):
            room = 100 * math.log(2) - _log_ball(family, fraction)
            for radius in np.linspace(0.001, 1, 400):
                spent = (n * radius**2 * family.information + math.log(2)) / room
                tried.append(fraction * radius / 2 * (1 - spent))
        assert chi_square_risk(family, n) == pytest.approx(max(tried), rel=1e-2)
        assert chi_square_risk(family, n) >= max(tried) - 1e-12


def test_it_is_never_above_the_best_bound_known():
    for n in (1, 100, 10**4):
        assert (
            chi_square_risk(classical_family(40, 1.0), n) <= minimax_classical(40, n, epsilon=1).total_variation.value
        )
        found = minimax_blocks([20, 20], n, epsilons=[1, 1]).total_variation.value
        assert chi_square_risk(blocks_family([20, 20], [1, 1]), n) <= found


def test_too_few_pairs_leave_nothing_to_say():
    assert chi_square_risk(classical_family(2, 1.0), 1) == 0
    assert chi_square_risk(Family((), 0.0), 1) == 0
    assert blocks_family([1, 1], [1, 1]).groups == ()


def test_values_hidden_in_full_cost_no_users():
    assert chi_square_risk(classical_family(100, 0), 10**9) == chi_square_risk(classical_family(100, 1), 0)


def test_bad_input_is_refused():
    with pytest.raises(InvalidInput, match="must be"):
        classical_family(1, 1)
    with pytest.raises(InvalidInput, match="must be"):
        insensitive_family(5, 4, 1)
    with pytest.raises(InvalidInput, match="must be"):
        chi_square_risk(classical_family(10, 1), -1)
