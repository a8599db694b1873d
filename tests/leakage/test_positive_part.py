"""The mean of a positive part is never below the truth, and hardly above it."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from discreet.leakage.divergence import positive_part
from discreet.leakage.expected_excess import ContourSum, Steps


def exactly(mass: float, up: float, down: float, n: int) -> Decimal:
    """E[S_+] of n steps that are `up` with probability `mass` and `down` otherwise, to 50 digits."""
    with localcontext() as context:
        context.prec = 60
        q, high, low = (
            Decimal(Fraction(one).numerator) / Decimal(Fraction(one).denominator) for one in (mass, up, down)
        )
        chance, total = (1 - q) ** n, Decimal(0)
        for i in range(n + 1):
            height = i * high + (n - i) * low
            if height > 0:
                total += chance * height
            chance = chance * (n - i) / (i + 1) * q / (1 - q)
        return total


@pytest.mark.parametrize(
    ("n", "down"), [(50, -0.51), (1000, -0.52), (1000, -0.7), (20000, -0.505), (20000, -0.53), (20000, -0.6)]
)
def test_the_sum_along_the_contour_is_at_least_the_truth_to_fifty_digits_and_within_a_ten_thousandth(n, down):
    masses, steps = np.array([0.34375, 0.65625]), np.array([0.96875, down])
    truth = exactly(0.34375, 0.96875, down, n)
    found = ContourSum([Steps(masses, steps, n)]).value()
    assert truth <= Decimal(found) <= truth * (1 + Decimal("1e-4"))


def test_listing_is_at_least_the_truth_and_within_a_billionth():
    found = positive_part(np.array([0.34375, 0.65625]), np.array([0.96875, -0.7]), 300)
    truth = exactly(0.34375, 0.96875, -0.7, 300)
    assert truth <= Decimal(found) <= truth * (1 + Decimal("1e-9"))


def test_the_control_an_integral_without_its_doubts_is_not_always_above():
    """Without noise and images the same terms fall below the truth at some n: what is added is needed."""
    masses, steps = np.array([0.34375, 0.65625]), np.array([0.96875, -0.7])
    truth, kept = exactly(0.34375, 0.96875, -0.7, 1000), ContourSum([Steps(masses, steps, 1000)])
    spread = kept.deviation()
    saddle = math.exp(kept.height) / (kept.theta**2 * math.sqrt(2 * math.pi * (spread**2 + 2 / kept.theta**2)))
    assert not Decimal(saddle) >= truth or not Decimal(saddle) <= truth * (1 + Decimal("1e-4"))


def test_chernoff_is_above_and_serves_where_it_is_small_enough():
    masses, steps = np.array([0.34375, 0.65625]), np.array([0.96875, -0.9])
    kept = ContourSum([Steps(masses, steps, 20000)])
    assert kept.value() <= kept.chernoff
    assert positive_part(masses, steps, 20000, enough=1.0) == kept.chernoff


def test_steps_of_one_sign_need_no_sum():
    masses = np.array([0.25, 0.5])
    assert positive_part(masses, np.array([-1.0, -2.0]), 10**9) == 0
    assert positive_part(masses, np.array([1.0, 2.0]), 1000) == pytest.approx(1250)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_a_number_gives_nothing_that_is_small(bad):
    assert not positive_part(np.array([0.5, 0.5]), np.array([1.0, bad]), 10) <= 1e300
    assert not positive_part(np.array([0.5, math.nan]), np.array([1.0, -1.0]), 10) <= 1e300


@pytest.mark.parametrize("n", [10**3, 10**6, 10**9, 10**12])
def test_the_number_of_terms_does_not_grow_with_n(n):
    masses, width = np.array([0.2, 0.2, 0.2]), 1 / math.sqrt(n)
    _, _, terms = ContourSum([Steps(masses, np.array([1.0, 0.0, -1.0]) - 5 * width, n)]).grid()
    assert terms < 150_000
