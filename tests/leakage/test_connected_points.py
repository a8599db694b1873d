"""Connected points are above the curve at every epsilon, on both sides."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.leakage.divergence import composed_delta, connect_points


def response(e):
    """The divergence of binary randomized response with ratio e**1, both ways alike."""
    g = math.e / (1 + math.e)
    return max(0.0, g - math.exp(e) * (1 - g)) if e <= 1 else 0.0


def test_the_points_of_randomized_response_are_its_law():
    law = connect_points(response, response, (1.0, 1.0), 1.0)
    assert law.masses.sum() + law.disclosed == pytest.approx(1, abs=1e-9)
    for epsilon in np.linspace(0, 0.99, 12):
        found = composed_delta([(law, 1)], float(epsilon))
        assert response(epsilon) <= found <= response(epsilon) + 1e-9


def test_the_points_lie_above_a_curve_between_them():
    def normal(e, width=0.5):
        from scipy.stats import norm

        return float(norm.cdf(width / 2 - e / width) - math.exp(e) * norm.cdf(-width / 2 - e / width))

    law = connect_points(normal, normal, (4.0, 4.0), math.inf)
    for epsilon in np.linspace(0, 3, 37):
        assert normal(epsilon) <= composed_delta([(law, 1)], float(epsilon)) <= normal(epsilon) * 1.1 + 1e-8
