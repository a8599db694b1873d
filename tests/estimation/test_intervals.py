"""Intervals: what is cut off could not be true, and what is added holds the share."""

import numpy as np
import pytest

from discreet.estimation.results.intervals import move_inside, quantile


def test_the_quantile_is_the_one_of_the_table():
    assert quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
    assert quantile(0.9) == pytest.approx(1.644854, abs=1e-6)


def test_a_moved_interval_holds_its_share_and_everything_possible_in_the_old_one():
    rng = np.random.default_rng(1)
    value = rng.normal(size=1000)
    low, high = value - rng.exponential(size=1000), value + rng.exponential(size=1000)
    own, truth = rng.uniform(size=(2, 1000))
    new_low, new_high = move_inside(low, high, value=value, around=own, limits=(0.0, 1.0))
    assert ((new_low <= own) & (own <= new_high)).all()
    assert ((new_low >= 0) & (new_high <= 1)).all()
    inside = (low <= truth) & (truth <= high)
    assert ((new_low <= truth) & (truth <= new_high))[inside].all()
    assert inside.sum() > 50
