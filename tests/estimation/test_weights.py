"""Weights: one finite number a value, in order or by value."""

import math

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput, UnknownValue
from discreet.estimation.results.weights import weights_of

DOMAIN = dc.Domain(["a", "b", "c"])


def test_weights_are_read_in_order_or_by_value():
    for weights in ([1, 0, -2], (1, 0, -2), np.array([1, 0, -2]), {"c": -2, "a": 1}, {"a": 1, "b": 0, "c": -2.0}):
        assert weights_of(DOMAIN, weights).tolist() == [1, 0, -2]
    assert weights_of(DOMAIN, {}).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "weights",
    [[1], np.ones((3, 1)), [1, 2, math.nan], {"a": math.inf}, {"a": "one"}, {"a": [1, 2]}, ["x", "y", "z"], 1, None],
    ids=repr,
)
def test_other_weights_are_refused_in_one_line(weights):
    with pytest.raises(InvalidInput, match=r"^weights.* must be 3 finite numbers"):
        weights_of(DOMAIN, weights)


def test_a_value_outside_the_domain_has_no_weight():
    with pytest.raises(UnknownValue, match="value='q' must be one of the 3 values"):
        weights_of(DOMAIN, {"q": 0})


def test_the_weights_of_a_mean_are_the_values():
    assert weights_of(dc.Domain([3, 1, 2.5]), "mean").tolist() == [3, 1, 2.5]
    with pytest.raises(InvalidInput, match="needs values that are numbers; 'a' is not one"):
        weights_of(dc.Domain(["a", "b"]), "mean")
