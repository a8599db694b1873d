"""The tail of F against closed forms and against SciPy."""

import math

import pytest
from scipy import stats

from discreet.estimation.variance_ratio import variance_ratio_tail


@pytest.mark.parametrize("x", [0.01, 0.3, 1.0, 2.5, 40.0, 1e6])
def test_two_and_two_degrees_have_a_closed_form(x):
    assert variance_ratio_tail(x, 2, 2) == pytest.approx(1 / (1 + x), rel=1e-12)


@pytest.mark.parametrize("x", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("rest", [1, 5, 60])
def test_two_degrees_above_any_have_a_closed_form(x, rest):
    assert variance_ratio_tail(x, 2, rest) == pytest.approx((1 + 2 * x / rest) ** (-rest / 2), rel=1e-12)


def test_one_and_one_degree_are_the_square_of_cauchy():
    assert variance_ratio_tail(3.0, 1, 1) == pytest.approx(1 - 2 / math.pi * math.atan(math.sqrt(3)), rel=1e-12)


@pytest.mark.parametrize("first", [1, 4, 50, 999])
@pytest.mark.parametrize("second", [1, 7, 300, 20_000])
@pytest.mark.parametrize("x", [0.01, 0.8, 1.2, 9.0])
def test_the_tail_is_that_of_scipy(first, second, x):
    assert variance_ratio_tail(x, first, second) == pytest.approx(stats.f.sf(x, first, second), rel=1e-8, abs=1e-12)


def test_the_ends():
    assert [variance_ratio_tail(x, 3, 4) for x in (-1.0, 0.0, math.inf)] == [1.0, 1.0, 0.0]
    assert math.isnan(variance_ratio_tail(math.nan, 3, 4))
