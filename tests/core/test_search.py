"""Laws of the search for the least value of a function that falls and then rises."""

import pytest

from discreet.mechanisms.composed.two_sizes import least_between


@pytest.mark.parametrize("place", [0.0, 0.1, 0.5, 0.77, 1.0])
def test_the_least_value_is_found_to_the_stated_width(place):
    assert abs(least_between(lambda t: abs(t - place), 0.0, 1.0, steps=60) - place) <= (2 / 3) ** 60 + 1e-15
    assert abs(least_between(lambda t: (t - place) ** 2, 0.0, 1.0, steps=5) - place) <= (2 / 3) ** 5


def test_few_steps_are_not_enough_for_a_narrow_place():
    assert abs(least_between(lambda t: abs(t - 0.9), 0.0, 1.0, steps=1) - 0.9) > 0.05
