"""The fast transforms equal their definition at every length and depth of batch, exactly for whole numbers."""

import numpy as np
import pytest

from discreet.estimation.arrays.transforms import CyclicKernel, _next_smooth, walsh_hadamard


def by_definition(array):
    rows = np.arange(array.shape[-1])
    signs = 1 - 2 * (np.bitwise_count(rows[:, None] & rows) & 1).astype(np.int64)
    return array @ signs


@pytest.mark.parametrize("bits", range(12))
@pytest.mark.parametrize("batch", [(), (1,), (3,), (2, 5)])
def test_walsh_hadamard_is_its_definition_however_many_stages_it_takes(bits, batch):
    array = np.random.default_rng(bits).integers(0, 10**9, (*batch, 1 << bits))
    before = array.copy()
    found = walsh_hadamard(array)
    assert found.shape == array.shape
    assert np.array_equal(found, by_definition(array))
    assert np.array_equal(array, before)


def test_walsh_hadamard_twice_is_the_length_times_the_array():
    array = np.random.default_rng(1).integers(-1000, 1000, 1 << 17)
    assert np.array_equal(walsh_hadamard(walsh_hadamard(array)), array << 17)


def test_walsh_hadamard_of_nothing_is_nothing():
    assert walsh_hadamard(np.zeros((0, 8))).shape == (0, 8)


@pytest.mark.parametrize("v", [1, 2, 3, 7, 11, 13, 31, 97, 133, 1365])
def test_cyclic_sums_are_their_definition_at_smooth_and_other_lengths(v):
    rng = np.random.default_rng(v)
    members = np.sort(rng.choice(v, size=max(1, v // 3), replace=False))
    kernel = CyclicKernel(members.tolist(), (v,))
    counts = rng.integers(0, 1000, (2, v))
    places = np.arange(v)[:, None]
    assert np.array_equal(kernel.correlate(counts), counts[:, (places + members) % v].sum(axis=-1))
    weights = rng.normal(size=(2, v))
    assert np.allclose(kernel.convolve(weights), weights[:, (places - members) % v].sum(axis=-1))


def test_a_smooth_length_is_the_next_number_without_large_factors():
    def smooth(n):
        for factor in (2, 3, 5, 7):
            while n % factor == 0:
                n //= factor
        return n == 1

    for n in range(1, 2500):
        assert _next_smooth(n) == next(m for m in range(n, 2 * n + 1) if smooth(m))
