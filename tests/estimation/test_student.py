"""Student's t against closed forms and against SciPy."""

import math
from statistics import NormalDist

import pytest
from scipy import stats

from discreet.estimation.student import student_reach, student_tails

FREEDOM = [1, 1.7, 2, 3.3, 7, 18, 49.5, 300, 5999, 1e6, 3e6, 1e11]
TAILS = [0.9, 0.5, 0.1, 0.05, 0.01, 1e-3, 1e-6, 1e-12]


@pytest.mark.parametrize("freedom", FREEDOM)
@pytest.mark.parametrize("t", [1e-3, 0.4, 1.96, 3.5, 12.0])
def test_tails_are_those_of_scipy(t, freedom):
    assert student_tails(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-10)
    assert student_tails(-t, freedom) == student_tails(t, freedom)


@pytest.mark.parametrize("freedom", FREEDOM)
@pytest.mark.parametrize("tails", TAILS)
def test_quantiles_are_those_of_scipy(tails, freedom):
    assert student_reach(tails, freedom) == pytest.approx(stats.t.isf(tails / 2, freedom), rel=1e-10)


def test_one_and_two_degrees_have_closed_forms():
    for tails in TAILS:
        level = 1 - tails
        assert student_reach(tails, 1) == pytest.approx(1 / math.tan(math.pi * tails / 2), rel=1e-11)
        assert student_reach(tails, 2) == pytest.approx(level * math.sqrt(2 / (tails * (2 - tails))), rel=1e-11)


def test_quantiles_fall_with_the_freedom_to_the_normal_ones():
    for tails in TAILS:
        found = [student_reach(tails, freedom) for freedom in FREEDOM]
        assert found == sorted(found, reverse=True)
        normal = -NormalDist().inv_cdf(tails / 2)
        assert student_reach(tails, math.inf) == normal < found[-1] * (1 + 1e-12)
        assert found[-1] == pytest.approx(normal, rel=1e-9)
    assert student_reach(0.05, 7) > 1.2 * student_reach(0.05, math.inf), "the control: few degrees are seen"


def test_the_ends():
    assert student_tails(0.0, 5) == student_tails(0.0, math.inf) == 1.0
    assert student_tails(math.inf, 5) == student_tails(math.inf, math.inf) == 0.0
    assert student_tails(math.inf, 1e9) == 0.0
    assert math.isnan(student_tails(math.nan, 5))
    assert student_reach(1.0, 5) == 0.0
    assert student_reach(1e-300, 1) == math.inf
    assert math.isfinite(student_reach(1e-300, 30))
