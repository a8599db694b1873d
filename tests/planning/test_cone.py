"""Laws of the cone of columns."""

import numpy as np

from discreet.planning.optimize.master import CAP, Cone, normalize

from .conftest import line, random_entries


def holds(cone, columns):
    return bool((columns[:, :, None] <= columns[:, None, :] * cone.most * (1 + 1e-12)).all())


def test_anything_is_made_a_column_from_below_and_from_above():
    cone = Cone(random_entries(7, 1))
    anything = np.exp(np.random.default_rng(2).normal(0, 3, (50, 7)))
    below, above = cone.below(anything), cone.above(anything)
    assert holds(cone, below)
    assert holds(cone, above)
    assert (below <= anything * (1 + 1e-12)).all()
    assert (above >= anything * (1 - 1e-12)).all()
    assert not holds(cone, anything)  # the control


def test_a_column_stays_as_it_is():
    cone = Cone(line(6))
    column = cone.below(np.exp(np.random.default_rng(3).normal(0, 1, (5, 6))))
    np.testing.assert_allclose(cone.below(column), column, rtol=1e-12)
    np.testing.assert_allclose(cone.above(column), column, rtol=1e-12)


def test_the_greater_and_the_smaller_of_two_columns_are_columns():
    cone = Cone(random_entries(6, 4))
    one, other = cone.below(np.exp(np.random.default_rng(5).normal(0, 1, (2, 30, 6))).reshape(60, 6)).reshape(2, 30, 6)
    assert holds(cone, np.maximum(one, other))
    assert holds(cone, np.minimum(one, other))


def test_infinite_entries_are_capped():
    E = np.array([[0.0, np.inf], [1.0, 0.0]])
    cone = Cone(E)
    assert cone.most[0, 1] == np.exp(CAP)
    assert holds(cone, cone.above(np.array([[1.0, 1e-30]])))
    assert cone.near < CAP


def test_scaled_columns_have_mean_one_under_the_prior():
    prior = np.array([0.2, 0.3, 0.5])
    np.testing.assert_allclose(normalize(np.random.default_rng(6).random((4, 3)), prior) @ prior, 1.0)
