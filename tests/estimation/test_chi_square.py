"""The tail of the chi-square distribution against SciPy."""

import math

import pytest
from scipy import stats

from discreet.estimation.chi_square import chi_square_tail


@pytest.mark.parametrize("df", [1, 2, 3, 7, 50, 999, 20_000])
@pytest.mark.parametrize("ratio", [1e-3, 0.5, 0.95, 1, 1.05, 1.5, 4, 20])
def test_the_tail_is_that_of_scipy(df, ratio):
    x = df * ratio
    assert chi_square_tail(x, df) == pytest.approx(stats.chi2.sf(x, df), rel=1e-9, abs=1e-13)


def test_the_ends():
    assert [chi_square_tail(x, 3) for x in (-1.0, 0.0, math.inf)] == [1, 1, 0]
    assert chi_square_tail(5.0, 0) == 1
    assert math.isnan(chi_square_tail(math.nan, 3))
