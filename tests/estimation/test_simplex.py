import numpy as np

from discreet.estimation.simplex import peak_of_squares, peak_on_simplex, project_blocks


def test_projection_is_non_negative_and_adds_up():
    rng = np.random.default_rng(0)
    block = rng.integers(0, 7, 200)
    totals = rng.uniform(1, 50, 7)
    projected = project_blocks(rng.normal(0, 10, 200), block, totals)
    assert np.all(projected >= 0)
    assert np.allclose(np.bincount(block, projected), totals)


def test_projection_is_nearer_than_other_points_of_the_simplex():
    rng = np.random.default_rng(1)
    counts, block, totals = rng.normal(2, 10, 30), np.repeat([0, 1, 2], 10), np.array([5.0, 20.0, 80.0])
    projected = project_blocks(counts, block, totals)
    own = np.sum((projected - counts) ** 2)
    for _ in range(500):
        other = rng.dirichlet(np.full(10, 0.3), 3) * totals[:, None]
        for mix in (1.0, 0.01):
            assert np.sum(((1 - mix) * projected + mix * other.ravel() - counts) ** 2) >= own - 1e-9


def test_counts_already_in_place_stay_there():
    counts = np.array([3.0, 0.0, 7.0, 4.0, 4.0])
    block = np.array([0, 0, 0, 1, 1])
    assert np.allclose(project_blocks(counts, block, np.array([10.0, 8.0])), counts)


def test_a_block_without_reports_is_all_zero():
    assert np.array_equal(
        project_blocks(np.array([3.0, -1.0, 5.0]), np.array([0, 0, 1]), np.array([0.0, 5.0])), [0, 0, 5]
    )


def test_the_largest_value_on_the_simplex_is_not_below_any_and_near_the_best():
    rng = np.random.default_rng(2)
    for rows in (1, 3, 5):
        linear, weights = rng.uniform(1, 3, 5), rng.normal(0, 1, (rows, 5))
        _, bound = peak_on_simplex(linear, weights)
        points = rng.dirichlet(np.full(5, 0.5), 20_000)
        found = points @ linear - ((points @ weights.T) ** 2).sum(axis=1)
        assert found.max() <= bound * (1 + 1e-12)
        assert found.max() > 0.95 * bound, "the control: no bound far above"


def test_the_largest_value_with_the_identity_is_that_of_the_projection():
    linear = np.random.default_rng(3).uniform(0, 2, 20)
    p, value = peak_of_squares(linear)
    assert np.isclose(p.sum(), 1)
    assert np.isclose(value, linear @ p - p @ p, rtol=1e-12)
    assert np.isclose(peak_on_simplex(linear, np.eye(20))[1], value, rtol=1e-8)


def test_equal_entries_have_even_shares_however_large_they_are():
    p, value = peak_of_squares(np.full(100_000, 3e9))
    assert np.ptp(p) == 0
    assert value == 3e9 - 1e-5
