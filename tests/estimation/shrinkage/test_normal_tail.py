import math
from statistics import NormalDist

import numpy as np

from discreet.estimation.results.shrinkage.normal_tail import erfcx, log_upper_tail, upper_tail_inverse


def test_erfcx_agrees_with_the_standard_library_where_that_does_not_underflow():
    x = np.linspace(0, 5, 5001)
    expected = np.array([math.exp(v * v) * math.erfc(v) for v in x.tolist()])
    assert np.max(np.abs(erfcx(x) / expected - 1)) < 2e-13


def test_erfcx_follows_its_asymptotic_series_far_out():
    x = np.geomspace(60, 1e8, 500)
    s = 1 / (2 * x * x)
    expected = (1 - s + 3 * s**2 - 15 * s**3) / (x * math.sqrt(math.pi))
    assert np.max(np.abs(erfcx(x) / expected - 1)) < 2e-13
    without_correction = 1 / (x * math.sqrt(math.pi))
    assert np.max(np.abs(erfcx(x) / without_correction - 1)) > 1e-5


def test_the_tail_and_its_inverse_undo_each_other():
    z = np.concatenate([np.linspace(0, 12, 3001), np.geomspace(12, 5000, 500)])
    assert np.allclose(upper_tail_inverse(log_upper_tail(z)), z, rtol=1e-8, atol=1e-9)


def test_the_inverse_agrees_with_the_standard_library():
    levels = np.geomspace(1e-12, 0.5, 400)
    expected = np.array([-NormalDist().inv_cdf(p) for p in levels.tolist()])
    assert np.allclose(upper_tail_inverse(np.log(levels)), expected, atol=1e-8)
