import numpy as np

from discreet.estimation.results.shrinkage.blocks import lay_out


def noise(size):
    return np.full(size, 2.0), np.full(size, 0.5)


def test_only_values_in_doubt_are_live():
    layout = lay_out(
        np.array([5.0, 1.0, -2.0, 4.0, 8.0, 0.5]), np.array([0, 1, 1, 2, 3, 3]), np.array([7, 9, 4, 0]), *noise(6)
    )
    assert np.array_equal(layout.live, [1, 2])
    assert np.array_equal(layout.known, [7, 0, 0, 4, 0, 0])
    assert np.array_equal(layout.totals, [9])


def test_the_variance_follows_the_clipped_count():
    layout = lay_out(np.array([-2.0, 3.0, 30.0]), np.zeros(3, dtype=np.int64), np.array([10]), *noise(3))
    assert np.allclose(layout.readings.sigma**2, [20, 21.5, 25])
    assert np.allclose(layout.direction, 20)
    assert np.allclose(layout.readings.unit, 10 / 3)
