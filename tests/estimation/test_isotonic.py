"""The nearest sequence that never falls."""

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from discreet.estimation.isotonic import isotonic


@pytest.mark.parametrize("size", [0, 1, 2, 5, 40])
def test_it_rises_and_is_nearest(size):
    rng = np.random.default_rng(size)
    for _ in range(20):
        given = np.linspace(0, 1, size) + rng.normal(size=size)
        found = isotonic(given)
        assert found.shape == given.shape
        assert (np.diff(found) >= 0).all()
        if size:
            assert found == pytest.approx(isotonic_regression(given).x, abs=1e-12)
    assert (isotonic(np.arange(size)) == np.arange(size)).all()
