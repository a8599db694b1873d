"""Laws of the permutations that a search uses."""

import numpy as np
import pytest

from discreet.planning.optimize.symmetry import symmetries, trivial

from .conftest import line, problem, random_entries, ring, summed, uniform

SHUFFLED = np.random.default_rng(7).permutation(12)

CASES = {
    "line": (line(9), 2),
    "shuffled line": (line(12)[np.ix_(SHUFFLED, SHUFFLED)], 2),
    "ring": (ring(10), 20),
    "grid": (summed(line(4), line(4)), 8),
    "torus": (summed(ring(5), ring(5)), 200),
    "yes and no, three times": (summed(summed(uniform(2, 1), uniform(2, 1)), uniform(2, 1)), 48),
    "arbitrary": (random_entries(8, 1), 1),
}


@pytest.mark.parametrize("case", CASES)
def test_every_permutation_keeps_the_entries_and_all_products_are_there(case):
    E, order = CASES[case]
    group = symmetries([E], [])
    assert group.order == order
    known = {element.tobytes() for element in group.elements}
    assert len(known) == order
    for g in group.elements[:30]:
        np.testing.assert_allclose(E[np.ix_(g, g)], E, atol=1e-12)
        assert all(g[h].tobytes() in known for h in group.elements[:30])


def test_a_prior_or_a_query_takes_symmetries_away():
    E = ring(8)
    skewed = np.array([0.3, *[0.1] * 7])
    assert symmetries([E], [skewed]).order == 2  # only the flip that keeps the first value
    assert symmetries([E], [np.full(8, 1 / 8)]).order == 16


def test_alike_values_are_rotated():
    E = uniform(5, 1.0)
    E[0] = 2.0
    E[0, 0] = 0.0
    assert symmetries([E], []).sizes.tolist() == [1, 4]


def test_a_group_stays_below_the_limit():
    assert symmetries([ring(10)], [], largest=10).order == 10
    assert symmetries([ring(10)], [], largest=9).order < 10


def test_the_mean_over_orbits_of_pairs_is_the_mean_over_the_group():
    group = symmetries([summed(line(3), ring(4))], [])
    matrix = np.random.default_rng(8).random((12, 12))
    mean = np.mean([matrix[np.ix_(g, g)] for g in group.elements], axis=0)
    np.testing.assert_allclose(group.average(matrix), mean)
    assert np.abs(mean - matrix).max() > 0.1  # the control
    np.testing.assert_array_equal(trivial(12).average(matrix), matrix)


def test_the_images_of_a_column_are_all_different_ones():
    group = symmetries([ring(6)], [])
    assert len(group.images(np.array([2.0, 1, 1, 1, 1, 1]))) == 6
    assert len(group.images(np.ones(6))) == 1
    assert len(group.images(np.array([1.0, 2, 3, 4, 5, 7]))) == 12


def test_symmetry_changes_no_optimum():
    from .conftest import found

    E = ring(6)
    with_it, without = (found(E, problem(E, symmetric=symmetric)) for symmetric in (True, False))
    assert with_it.state.value == pytest.approx(without.state.value, rel=1e-5)
