import math

import numpy as np
import pytest
from scipy import stats

from discreet.core.errors import InvalidInput
from discreet.theory import bernoulli_e_gamma, bernoulli_information


@pytest.mark.parametrize("n", [1, 2, 7, 20])
def test_the_information_is_the_mean_entropy_lost(n):
    exact = -sum(stats.beta(s + 1, n - s + 1).entropy() for s in range(n + 1)) / (n + 1)
    assert bernoulli_information(n) == pytest.approx(exact, rel=1e-10)


def test_the_information_of_twenty_values_is_the_papers():
    assert bernoulli_information(20) == pytest.approx(1.1472, abs=5e-5)
    assert bernoulli_information(1) == pytest.approx(0.19, abs=5e-3)
    assert bernoulli_information(0) == 0


@pytest.mark.parametrize("n", [1, 3, 20])
@pytest.mark.parametrize("gamma", [0.2, 0.9, 1.0, 1.5, 4.0])
def test_e_gamma_information_is_the_integral_of_the_excess(n, gamma):
    x = (np.arange(100_000) + 0.5) / 100_000
    densities = [stats.beta.pdf(x, s + 1, n - s + 1) for s in range(n + 1)]
    exact = np.mean([np.maximum(f - gamma, 0).mean() for f in densities]) - max(1 - gamma, 0)
    assert bernoulli_e_gamma(n, gamma) == pytest.approx(exact, abs=1e-7)


@pytest.mark.parametrize(("gamma", "value"), [(0, 0), (0.5, 1 / 16), (1, 0.25), (1.5, 1 / 16), (2, 0), (3, 0)])
def test_one_value_gives_the_papers_equation_18(gamma, value):
    assert bernoulli_e_gamma(1, gamma) == pytest.approx(value, abs=1e-12)


def test_no_density_exceeds_n_plus_one():
    assert bernoulli_e_gamma(20, 21.0) == pytest.approx(0, abs=1e-12)
    assert bernoulli_e_gamma(20, 20.9) > 0
    assert bernoulli_e_gamma(0, 2.0) == 0


def test_bad_input_is_refused():
    with pytest.raises(InvalidInput, match="gamma=-1 must be"):
        bernoulli_e_gamma(1, -1)
    with pytest.raises(InvalidInput, match="n=-1 must be"):
        bernoulli_information(-1)
    assert math.isfinite(bernoulli_information(200))
