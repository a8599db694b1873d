"""Laws of the optimal mechanism for two values (Theorem 2), with its limits."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet import Context
from discreet.core.exact import exp_below
from discreet.mechanisms.tables.binary import binary_response


def channel(first, second, name="binary"):
    mechanism = dc.mechanism(Context.binary("x", "z", (first, second)), name)
    return [[mechanism.sampler.probability(x, y) for y in (0, 1)] for x in (0, 1)]


levels = st.fractions(min_value="0.01", max_value=20, max_denominator=1000)


@given(levels, levels)
def test_the_channel_is_theorem_2_in_its_stable_form(first, second):
    """Q = [[1-b, b(1-a)], [a(1-b), 1-a]] / (1-ab), a = e**-E12, b = e**-E21."""
    a, b = math.exp(-float(first)), math.exp(-float(second))
    expected = np.array([[1 - b, b * (1 - a)], [a * (1 - b), 1 - a]]) / (1 - a * b)
    assert np.allclose(np.array(channel(first, second), dtype=float), expected, atol=1e-12)


@given(levels, levels)
def test_both_constraints_hold_and_fewer_lies_would_break_one(first, second):
    rows = binary_response((first, second)).rows
    (truth, y), (x, other) = rows
    assert truth <= exp_below(first) * x
    assert other <= exp_below(second) * y
    assert truth > exp_below(first) * (x - 2)
    assert other > exp_below(second) * (y - 2)


@pytest.mark.parametrize(
    ("first", "second", "rows"),
    [
        ("0", "0", [[Fraction(1, 2)] * 2] * 2),
        ("0", "1", [[1, 0], [1, 0]]),
        ("1", "0", [[0, 1], [0, 1]]),
        ("0", "inf", [[1, 0], [1, 0]]),
        ("inf", "0", [[0, 1], [0, 1]]),
        ("inf", "inf", [[1, 0], [0, 1]]),
    ],
)
def test_the_limits_are_the_right_ones(first, second, rows):
    assert channel(first, second) == rows


def test_warner_and_mangat_are_special_cases():
    p = math.e / (1 + math.e)
    assert np.allclose(np.array(channel("1", "1"), dtype=float), [[p, 1 - p], [1 - p, p]])
    assert channel("1", "1", "warner") == channel("1", "1")
    assert np.allclose(np.array(channel("inf", "1"), dtype=float), [[1 - 1 / math.e, 1 / math.e], [0, 1]])
    assert channel("inf", "1", "mangat") == channel("inf", "1")
    assert np.allclose(np.array(channel("1", "inf"), dtype=float), [[1, 0], [1 / math.e, 1 - 1 / math.e]])


def test_warner_serves_two_epsilons_at_the_smaller():
    assert channel("1", "2", "warner") == channel("1", "1", "warner")


def test_mangat_needs_a_first_value_that_is_not_sensitive():
    with pytest.raises(dc.errors.NotServed, match="mangat"):
        dc.mechanism(Context.binary("x", "z", ("1", "1")), "mangat")


def test_two_values_exactly():
    with pytest.raises(dc.errors.NotServed, match="needs exactly two values; the context has 3"):
        dc.mechanism(Context.uniform(range(3), "1"), "binary")


def test_no_information_means_no_estimate():
    mechanism = dc.mechanism(Context.binary("x", "z", ("0", "0")))
    with pytest.raises(dc.errors.NotIdentifiable, match="do not tell all 2 values apart"):
        _ = dc.estimate(mechanism.tally([0, 1])).shares
