"""Laws of the search for columns."""

import numpy as np

from discreet.planning.optimize.generation import Price, climb, drag
from discreet.planning.optimize.master import Cone
from discreet.planning.optimize.proof import rays

from .conftest import random_entries


def case(k, seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(k, k))
    return Cone(random_entries(k, seed)), Price(root @ root.T, rng.random(k), np.full(k, 1 / k)), rng


def test_a_search_never_loses_and_stays_in_the_cone():
    cone, price, rng = case(7, 1)
    start = cone.below(np.exp(rng.normal(0, 1, (40, 7))))
    high = climb(cone, price, start, rng)
    higher = drag(cone, price, high, rng)
    assert (price(high) >= price(start) - 1e-9).all()
    assert (price(higher) >= price(high) - 1e-9).all()
    for columns in (high, higher):
        np.testing.assert_allclose(cone.below(columns), columns, rtol=1e-9)


def test_a_search_finds_the_best_ray_of_all():
    for seed in range(3):
        cone, price, rng = case(6, seed)
        listed = price(rays(cone.E)).max()
        starts = cone.below(np.exp(rng.normal(0, 1, (200, 6))))
        ends = climb(cone, price, drag(cone, price, climb(cone, price, starts, rng), rng), rng)
        assert price(ends).max() >= listed - 1e-7 * abs(listed)
        assert price(starts).max() < listed  # the control: it was not there to begin with


def test_the_price_does_not_depend_on_the_scale_of_a_column():
    _, price, rng = case(5, 4)
    columns = rng.random((6, 5))
    np.testing.assert_allclose(price(7.5 * columns), price(columns), rtol=1e-9)
