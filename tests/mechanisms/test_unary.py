"""Laws of unary encoding: binary randomized response and its optimised form."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.mechanisms.uniform.unary import OptimisedUnary, Unary


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_bits_are_kept_with_the_known_probabilities(epsilon):
    half, e = math.exp(float(epsilon) / 2), math.exp(float(epsilon))
    symmetric, optimised = Unary(4, Fraction(epsilon)), OptimisedUnary(4, Fraction(epsilon))
    assert float(symmetric.g) == pytest.approx(half / (half + 1))
    assert symmetric.g + symmetric.h == 1
    assert optimised.g == Fraction(1, 2)
    assert float(optimised.h) == pytest.approx(1 / (e + 1))


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_the_total_error_has_the_exponent_with_a_plus(epsilon):
    """n times the total squared error at fixed data: k e**(+eps/2) / (e**(eps/2) - 1)**2 (Wang2016 (8), corrected)."""
    k, half = 6, math.exp(float(epsilon) / 2)
    randomizer = Unary(k, Fraction(epsilon))
    shares = np.full(k, 1 / k)
    fixed = randomizer.second_moments(shares) - shares  # the variance given each person's value
    assert fixed.sum() == pytest.approx(k * half / (half - 1) ** 2, rel=1e-12)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_the_optimised_bits_have_less_error_for_rare_values(epsilon):
    assert OptimisedUnary(9, Fraction(epsilon)).v0 < Unary(9, Fraction(epsilon)).v0
