"""Laws of the weights of given columns."""

import numpy as np
import pytest

from discreet.planning.optimize.master import (
    Cone,
    feasible_weights,
    gradient,
    improve_weights,
    newton_weights,
    normalize,
)
from discreet.planning.optimize.proof import rays

from .conftest import problem, random_entries, ring


def all_rays(E, of):
    return normalize(rays(E), of.prior)


@pytest.mark.parametrize("seed", [1, 2])
def test_rows_stay_at_one_and_the_value_falls(seed):
    E = random_entries(5, seed)
    of = problem(E, np.random.default_rng(seed).dirichlet(np.full(5, 5.0)))
    columns = all_rays(E, of)
    start = feasible_weights(of, columns)
    np.testing.assert_allclose(start @ columns, 1.0, atol=1e-9)
    few = improve_weights(of, columns, start, np.ones(5), rounds=3)
    many = improve_weights(of, columns, start, np.ones(5), rounds=300)
    np.testing.assert_allclose(many.weights @ columns, 1.0, atol=1e-9)
    assert many.value < few.value
    assert many.gap < few.gap


def test_the_interior_point_agrees_with_many_steps():
    E = random_entries(5, 3)
    of = problem(E)
    columns = all_rays(E, of)
    start = improve_weights(of, columns, feasible_weights(of, columns), np.ones(5), rounds=12)
    exact = newton_weights(of, columns, start, gap=1e-9)
    slow = improve_weights(of, columns, start.weights, start.multipliers, rounds=3000)
    assert exact.gap < 1e-8
    assert exact.value <= slow.value * (1 + 1e-8)
    assert exact.value == pytest.approx(slow.value, rel=1e-4)
    np.testing.assert_allclose(exact.weights @ columns, 1.0, atol=1e-7)


def test_the_interior_point_is_the_same_by_images_and_by_orbits():
    from discreet.planning.optimize.master import _by_orbits, _curvature

    E = ring(6)
    of = problem(E)
    columns = normalize(Cone(E).below(np.exp(np.random.default_rng(4).normal(0, 1, (3, 6)))), of.prior)
    weights = feasible_weights(of, columns)
    _, K, inverse = gradient(of, columns, weights)
    by_orbits = _by_orbits(columns, K, inverse, of.group)
    np.testing.assert_allclose(by_orbits + by_orbits.T, _curvature(columns, K, inverse, of.group), rtol=1e-9)


def test_the_gradient_is_the_slope_of_the_value():
    E = random_entries(4, 5)
    of = problem(E)
    columns = all_rays(E, of)
    weights = feasible_weights(of, columns)
    value, K, _ = gradient(of, columns, weights)
    more = weights.copy()
    more[3] += 1e-6
    slope = (gradient(of, columns, more)[0] - value) / 1e-6
    assert slope == pytest.approx(-columns[3] @ K @ columns[3], rel=1e-3)
