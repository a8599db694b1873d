"""Laws of the fast Walsh-Hadamard transform."""

import numpy as np
import pytest

from discreet.estimation.arrays.transforms import walsh_hadamard


@pytest.mark.parametrize("order", [0, 1, 3, 5])
def test_walsh_hadamard_is_the_sum_with_signs_of_the_parity(order):
    size = 1 << order
    array = np.random.default_rng(order).integers(-9, 9, size=(3, size))
    y = np.arange(size)
    signs = 1 - 2 * (np.bitwise_count(y[:, None] & y[None, :]) % 2).astype(int)
    assert np.array_equal(walsh_hadamard(array), array @ signs)
    assert np.array_equal(walsh_hadamard(walsh_hadamard(array)), size * array)
