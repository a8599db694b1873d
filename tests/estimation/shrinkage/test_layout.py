import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.estimation.results.shrinkage.blocks import lay_out


def test_only_values_in_doubt_are_live():
    layout = lay_out([5.0, 1.0, -2.0, 4.0, 8.0, 0.5], [0, 1, 1, 2, 3, 3], [7, 9, 4, 0], 2.0, 0.5)
    assert np.array_equal(layout.live, [1, 2])
    assert np.array_equal(layout.settled, [7, 0, 0, 4, 0, 0])
    assert np.array_equal(layout.totals, [9])


def test_the_variance_follows_the_clipped_count():
    layout = lay_out([-2.0, 3.0, 30.0], [0, 0, 0], [10], 2.0, 0.5)
    assert np.allclose(layout.readings.sigma**2, [20, 21.5, 25])
    assert np.allclose(layout.direction, 20)
    assert np.allclose(layout.readings.unit, 10 / 3)


def test_variances_may_be_given_once_by_block_or_by_value():
    block = np.array([0, 0, 1, 1, 1])
    counts, totals = np.arange(5.0), [10, 20]
    per_block = lay_out(counts, block, totals, [2.0, 3.0], [0.0, 0.5])
    per_value = lay_out(counts, block, totals, [2.0, 2.0, 3.0, 3.0, 3.0], [0.0, 0.0, 0.5, 0.5, 0.5])
    assert np.array_equal(per_block.readings.sigma, per_value.readings.sigma)
    assert np.array_equal(lay_out(counts, block, totals, 2.0, 0.0).readings.sigma[:2], per_block.readings.sigma[:2])


GOOD = {"unbiased": [1.0, 2.0, 3.0], "block_of": [0, 0, 1], "totals": [4, 2], "v0": 1.0, "v1": 0.0}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"unbiased": [1.0, np.nan, 3.0]}, "unbiased must be finite: entry 1"),
        ({"unbiased": [[1.0, 2.0, 3.0]]}, "one-dimensional"),
        ({"unbiased": []}, "not empty"),
        ({"totals": [4, -1]}, "totals=-1"),
        ({"block_of": [0.0, 0.0, 1.0]}, "must be integers"),
        ({"block_of": [0, 1]}, "must be integers"),
        ({"block_of": [0, 1, 2]}, "0..1"),
        ({"block_of": [0, -1, 1]}, "0..1"),
        ({"block_of": [0, 0, 0]}, "block 1 has no value"),
        ({"v0": -1.0}, "v0=-1"),
        ({"v0": np.inf}, "v0 must be finite"),
        ({"v1": [0.0, 0.0, 0.0, 0.0]}, "v1 of shape"),
    ],
)
def test_unusable_input_is_refused_by_name(wrong, message):
    lay_out(**GOOD)
    with pytest.raises(InvalidInput, match=message):
        lay_out(**(GOOD | wrong))
