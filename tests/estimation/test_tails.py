"""Tails and quantiles against closed forms, SciPy's distributions, and binomial tails in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from discreet.estimation.tails import (
    binomial_lower,
    binomial_upper,
    chi_square_tail,
    f_tail,
    t_quantile,
    t_tails,
)

DF = [1, 1.7, 2, 3.3, 7, 18, 49.5, 300, 5999, 1e6, 3e6, 1e11]
TAILS = [0.9, 0.5, 0.1, 0.05, 0.01, 1e-3, 1e-6, 1e-12]


# -- chi-square and F ------------------------------------------------------------------------------
@pytest.mark.parametrize("x", [0.01, 1.0, 7.5, 300.0])
def test_two_degrees_of_chi_square_are_exponential(x):
    assert chi_square_tail(x, 2) == pytest.approx(math.exp(-x / 2), rel=1e-12)


@pytest.mark.parametrize("df", [1, 3, 50, 20_000])
@pytest.mark.parametrize("ratio", [1e-3, 0.95, 1.05, 20])
def test_the_tail_of_chi_square_is_that_of_its_distribution(df, ratio):
    assert chi_square_tail(df * ratio, df) == pytest.approx(stats.chi2.sf(df * ratio, df), rel=1e-12)


@pytest.mark.parametrize("x", [0.2, 1.0, 3.0, 1e6])
@pytest.mark.parametrize("rest", [1, 2, 5, 60])
def test_two_degrees_of_f_above_any_have_a_closed_form(x, rest):
    assert f_tail(x, 2, rest) == pytest.approx((1 + 2 * x / rest) ** (-rest / 2), rel=1e-12)


@pytest.mark.parametrize("first", [1, 50, 999])
@pytest.mark.parametrize("second", [1, 7.3, 20_000])
@pytest.mark.parametrize("x", [0.01, 1.2, 9.0])
def test_the_tail_of_f_is_that_of_its_distribution(first, second, x):
    assert f_tail(x, first, second) == pytest.approx(stats.f.sf(x, first, second), rel=1e-10, abs=1e-300)


def test_the_ends_of_chi_square_and_f():
    for tail in (lambda x: chi_square_tail(x, 3), lambda x: f_tail(x, 3, 4)):
        assert [tail(x) for x in (-1.0, 0.0, math.inf)] == [1, 1, 0]
        assert math.isnan(tail(math.nan))
    assert chi_square_tail(5.0, 0) == 1, "nothing to test rejects nothing"


# -- Student's t -----------------------------------------------------------------------------------
def test_tails_of_t_are_those_of_its_distribution_on_either_side():
    t, df = np.meshgrid([1e-3, 0.4, 1.96, 3.5, 12.0], DF)
    assert t_tails(t, df) == pytest.approx(2 * stats.t.sf(t, df), rel=1e-10)
    assert (t_tails(-t, df) == t_tails(t, df)).all()


def test_quantiles_of_t_undo_its_tails():
    for tails in TAILS:
        assert t_tails(t_quantile(tails, DF), DF) == pytest.approx(tails, rel=1e-9)


def test_one_and_two_degrees_of_t_have_closed_forms():
    for tails in TAILS:
        assert t_quantile(tails, 1) == pytest.approx(1 / math.tan(math.pi * tails / 2), rel=1e-11)
        assert t_quantile(tails, 2) == pytest.approx((1 - tails) * math.sqrt(2 / (tails * (2 - tails))), rel=1e-11)


def test_quantiles_of_t_fall_with_the_degrees_to_the_normal_ones():
    for tails in TAILS:
        quantiles = t_quantile(tails, DF)
        assert (np.diff(quantiles) < 0).all()
        assert quantiles[-1] == pytest.approx(-NormalDist().inv_cdf(tails / 2), rel=1e-9)
    assert t_quantile(0.05, 7) > 1.2 * t_quantile(0.05, 1e9), "the control: few degrees are seen"


def test_the_ends_of_t():
    assert t_tails([0.0, math.inf], 5).tolist() == t_tails([0.0, math.inf], math.inf).tolist() == [1.0, 0.0]
    assert t_tails(1.96, math.inf) == pytest.approx(math.erfc(1.96 / math.sqrt(2)), rel=1e-12)
    assert math.isnan(t_tails(math.nan, 5))
    assert t_quantile(1.0, 5) == 0.0
    assert t_quantile(1e-300, 1) == math.inf
    assert t_quantile(1e-300, 3.3) == pytest.approx(1.1226361545904e91, rel=1e-10)


# -- binomial limits -------------------------------------------------------------------------------
CASES = [
    (n, hits, level) for n in (1, 2, 7, 40, 150) for hits in range(0, n + 1, max(1, n // 6)) for level in (0.05, 1e-9)
]


def tail(n: int, least: int, p: Fraction) -> Fraction:
    """Pr(X >= least), exactly."""
    return sum((math.comb(n, s) * p**s * (1 - p) ** (n - s) for s in range(least, n + 1)), Fraction(0))


@pytest.mark.parametrize(("n", "hits", "level"), CASES)
def test_at_the_lower_limit_so_many_hits_have_just_the_level(n, hits, level):
    p = Fraction(float(binomial_lower(hits, n, level)))
    if hits == 0:
        assert p == 0
        return
    assert level * (1 - 1e-6) < tail(n, hits, p) <= level
    assert tail(n, hits, p * (1 + Fraction(1, 10**6))) > level  # the control: a little more is too much


@pytest.mark.parametrize(("n", "hits", "level"), CASES)
def test_at_the_upper_limit_so_few_hits_have_just_the_level(n, hits, level):
    p = Fraction(float(binomial_upper(hits, n, level)))
    if hits == n:
        assert p == 1
        return
    assert level * (1 - 1e-5) < 1 - tail(n, hits + 1, p) <= level
    assert 1 - tail(n, hits + 1, p - (1 - p) / 10**5) > level * (1 - 1e-6)  # the control: it is no wider than need be


def test_the_limits_of_many_counts_are_the_limits_of_each():
    hits = np.array([[0, 3], [50, 100]])
    together = binomial_lower(hits, 100, 1e-6)
    assert together.shape == (2, 2)
    assert together.tolist() == [[float(binomial_lower(one, 100, 1e-6)) for one in row] for row in hits.tolist()]


@pytest.mark.parametrize("n", [10**5, 10**6])
def test_for_many_trials_the_limits_are_near_the_normal_ones_and_never_cross_the_share(n):
    hits = np.array([1, 10, n // 100, n // 3, n // 2, n - 1])
    low, high = binomial_lower(hits, n, 1e-6), binomial_upper(hits, n, 1e-6)
    share = hits / n
    assert (low < share).all()
    assert (high > share).all()
    reach = 4.753424 * math.sqrt(0.25 / n)  # the normal quantile of 1 - 1e-6
    assert low[4] == pytest.approx(0.5 - reach, abs=reach * 0.02)
    assert high[4] == pytest.approx(0.5 + reach, abs=reach * 0.02)


def test_no_hits_bound_the_chance_by_the_rule_of_logarithms():
    assert float(binomial_upper(0, 1000, 1e-6)) == pytest.approx(1 - 1e-6 ** (1 / 1000), rel=1e-6)
    assert float(binomial_lower(1000, 1000, 1e-6)) == pytest.approx(1e-6 ** (1 / 1000), rel=1e-6)
