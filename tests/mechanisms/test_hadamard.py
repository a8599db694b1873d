"""Laws of Hadamard response, with the row that the paper misprints."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.uniform.hadamard import Hadamard


def matrix(order):
    """Sylvester's matrix by its definition."""
    rows = np.ones((1, 1), dtype=int)
    while len(rows) < order:
        rows = np.block([[rows, rows], [rows, -rows]])
    return rows


@pytest.mark.parametrize("k", [1, 2, 3, 6, 7, 8, 9, 14, 15, 16])
def test_value_x_favours_the_columns_where_row_x_plus_1_is_positive(k):
    """Acharya2020 (13) as printed uses row x: its first row is all ones and would add up to 2e/(e+1)."""
    sampler = Hadamard(k, Fraction(1))
    rows = matrix(sampler.outputs)
    assert sampler.outputs > k
    for x in range(k):
        favoured = [sampler.probability(x, y) == sampler.high for y in range(sampler.outputs)]
        assert favoured == (rows[x + 1] == 1).tolist()
        assert sum(favoured) == sampler.outputs // 2
    e = math.e
    assert float(sampler.high * sampler.outputs) == pytest.approx(2 * e / (e + 1))


def test_the_first_column_carries_no_information():
    sampler = Hadamard(6, Fraction(1))
    assert len({sampler.probability(x, 0) for x in range(6)}) == 1
    assert all(len({sampler.probability(x, y) for x in range(6)}) == 2 for y in range(1, 8))


@pytest.mark.parametrize("k", [1, 3, 7, 8])
def test_the_estimator_is_the_simplified_one(k):
    """p_x = c mean(H[x+1, Y]) with c = (e+1)/(e-1)."""
    sampler = Hadamard(k, Fraction(1))
    rng = np.random.default_rng(k)
    counts = rng.integers(0, 100, size=sampler.outputs)
    c = (math.e + 1) / (math.e - 1)
    expected = c * matrix(sampler.outputs)[1 : k + 1] @ counts
    assert np.allclose(decoder_of(sampler).decode(counts), expected, rtol=1e-12)


def test_variances_are_c_squared_minus_the_squared_share():
    sampler = Hadamard(5, Fraction(1))
    shares = np.array([0.4, 0.3, 0.2, 0.1, 0.0])
    c = (math.e + 1) / (math.e - 1)
    assert np.allclose(decoder_of(sampler).second_moments(shares), c**2, rtol=1e-12)
