"""The smallest epsilon: found, rounded up, certified, and never above what E says."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from discreet.leakage.smallest_epsilon import above, smallest_epsilon


def falling(epsilon, enough):
    return math.exp(-40 * epsilon)


@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9])
def test_it_is_found_to_six_digits_and_above(delta):
    found = smallest_epsilon(falling, delta, Fraction(1))
    truth = -math.log(delta) / 40
    assert truth <= found <= truth * (1 + 1.2e-5)
    assert falling(found, 0) <= delta


def test_nothing_is_needed_where_delta_is_large():
    assert smallest_epsilon(falling, 0.9999999, Fraction(1)) < 1e-6
    assert smallest_epsilon(lambda epsilon, enough: 0.25, 0.5, Fraction(1)) == 0


def test_a_curve_that_never_falls_leaves_what_e_says():
    assert smallest_epsilon(lambda epsilon, enough: 0.0 if epsilon >= 1 else 1.0, 1e-6, Fraction(1)) == 1
    assert smallest_epsilon(lambda epsilon, enough: math.nan if epsilon < 1 else 0.0, 1e-6, Fraction(1)) == 1
    assert smallest_epsilon(lambda epsilon, enough: 1.0, 1e-6, math.inf) == math.inf
    assert smallest_epsilon(lambda epsilon, enough: 1.0, 1e-6, Fraction(100)) == 100


def test_an_entry_that_is_no_float_is_rounded_up():
    assert Fraction(above(Fraction(1, 3))) >= Fraction(1, 3)
    assert above(math.inf) == math.inf
