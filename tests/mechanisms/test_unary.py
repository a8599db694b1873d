"""Laws of unary encoding: binary randomized response and its optimised form."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.uniform.unary import OptimisedUnary, Unary


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_bits_are_kept_with_the_known_probabilities(epsilon):
    half, e = math.exp(float(epsilon) / 2), math.exp(float(epsilon))
    symmetric, optimised = Unary(4, Fraction(epsilon)), OptimisedUnary(4, Fraction(epsilon))
    assert float(symmetric.p) == pytest.approx(half / (half + 1))
    assert symmetric.p + symmetric.q == 1
    assert optimised.p == Fraction(1, 2)
    assert float(optimised.q) == pytest.approx(1 / (e + 1))


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_the_total_error_has_the_exponent_with_a_plus(epsilon):
    """n times the total squared error at fixed data: k e**(+eps/2) / (e**(eps/2) - 1)**2 (Wang2016 (8), corrected)."""
    k, half = 6, math.exp(float(epsilon) / 2)
    decoder = decoder_of(Unary(k, Fraction(epsilon)))
    shares = np.full(k, 1 / k)
    fixed = decoder.second_moments(shares) - shares  # the variance given each person's value
    assert fixed.sum() == pytest.approx(k * half / (half - 1) ** 2, rel=1e-12)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_the_optimised_bits_have_less_error_for_rare_values(epsilon):
    optimised, symmetric = (decoder_of(kind(9, Fraction(epsilon))) for kind in (OptimisedUnary, Unary))
    assert optimised.v0 < symmetric.v0
