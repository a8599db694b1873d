"""Clopper and Pearson's limits, checked against exact binomial tails in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.estimation.binomial import lower_limit, upper_limit

CASES = [
    (n, hits, level) for n in (1, 2, 7, 40, 150) for hits in range(0, n + 1, max(1, n // 6)) for level in (0.05, 1e-9)
]


def tail(n: int, least: int, p: Fraction) -> Fraction:
    """Pr(X >= least), exactly."""
    return sum((math.comb(n, s) * p**s * (1 - p) ** (n - s) for s in range(least, n + 1)), Fraction(0))


@pytest.mark.parametrize(("n", "hits", "level"), CASES)
def test_at_the_lower_limit_so_many_hits_have_just_the_level(n, hits, level):
    p = Fraction(float(lower_limit(hits, n, level)))
    if hits == 0:
        assert p == 0
        return
    assert level * (1 - 1e-6) < tail(n, hits, p) <= level
    assert tail(n, hits, p * (1 + Fraction(1, 10**6))) > level  # the control: a little more is too much


@pytest.mark.parametrize(("n", "hits", "level"), CASES)
def test_at_the_upper_limit_so_few_hits_have_just_the_level(n, hits, level):
    p = Fraction(float(upper_limit(hits, n, level)))
    if hits == n:
        assert p == 1
        return
    assert level * (1 - 1e-5) < 1 - tail(n, hits + 1, p) <= level
    assert 1 - tail(n, hits + 1, p - (1 - p) / 10**5) > level * (1 - 1e-6)  # the control: it is no wider than need be


def test_the_limits_of_many_counts_are_the_limits_of_each():
    hits = np.array([[0, 3], [50, 100]])
    together = lower_limit(hits, 100, 1e-6)
    assert together.shape == (2, 2)
    assert together.tolist() == [[float(lower_limit(one, 100, 1e-6)) for one in row] for row in hits.tolist()]


@pytest.mark.parametrize("n", [10**5, 10**6])
def test_for_many_trials_the_limits_are_near_the_normal_ones_and_never_cross_the_share(n):
    hits = np.array([1, 10, n // 100, n // 3, n // 2, n - 1])
    low, high = lower_limit(hits, n, 1e-6), upper_limit(hits, n, 1e-6)
    share = hits / n
    assert (low < share).all()
    assert (high > share).all()
    reach = 4.753424 * math.sqrt(0.25 / n)  # the normal quantile of 1 - 1e-6
    assert low[4] == pytest.approx(0.5 - reach, abs=reach * 0.02)
    assert high[4] == pytest.approx(0.5 + reach, abs=reach * 0.02)


def test_no_hits_bound_the_chance_by_the_rule_of_logarithms():
    assert float(upper_limit(0, 1000, 1e-6)) == pytest.approx(1 - 1e-6 ** (1 / 1000), rel=1e-6)
    assert float(lower_limit(1000, 1000, 1e-6)) == pytest.approx(1e-6 ** (1 / 1000), rel=1e-6)
